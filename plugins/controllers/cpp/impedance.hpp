// The Cartesian impedance law: a spring and a damper between the tool and its reference, within an arm's limits.
#pragma once

#include "impedance_gains.hpp"
#include "impedance_guide.hpp"
#include "impedance_limits.hpp"

namespace handloom {

class Impedance {
 public:
  Impedance(const hl_impedance_config& config, const hl_impedance_gains& gains) noexcept;

  void put_gains(const hl_impedance_gains& gains) noexcept { gains_.put(gains); }
  int32_t step(const hl_state& state, const hl_reference& reference, hl_command& command) noexcept;

 private:
  // The tool as it is in this cycle, and where it shall be.
  struct Tool {
    Pose pose, target;
    Jacobian jacobian;
    Twist twist, target_twist;
  };

  int32_t act(const hl_state& state, const hl_reference& reference, hl_command& command, bool first) noexcept;
  int32_t fail(const hl_state& state, hl_command& command, int32_t status) noexcept;
  void begin(const Sample& sample, const Pose& tool) noexcept;
  void aim(const hl_reference& reference, const Pose& reference_pose, const Sample& sample, Tool& tool) noexcept;
  Twist clipped_error(const Tool& tool, uint32_t& events) const noexcept;
  Twist wrench_of(const Twist& error, const Tool& tool, double dt_s, uint32_t& events) noexcept;
  Vector3 bounded_part(int part, const Twist& error, const Tool& tool, double dt_s, uint32_t& events) noexcept;
  Joints posture_torque(const Sample& sample, const Tool& tool) const noexcept;
  Joints payload_torque(const Sample& sample) const noexcept;

  hl_impedance_config config_;
  Pose T_flange_tcp_;
  GainsBlend gains_;
  TorqueLimits limits_;
  Guide guide_;
  bool begun_ = false;
  bool held_back_ = false;  // by a torque's limit or rate in the cycle before
  Joints posture_ = Joints::Zero();
  Joints before_ = Joints::Zero();
  Twist integral_ = Twist::Zero();
};

}  // namespace handloom
