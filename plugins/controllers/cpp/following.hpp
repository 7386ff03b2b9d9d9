// Cartesian following for arms that take joint positions: damped least squares on the reference's twist and error.
#pragma once

#include "following_motion.hpp"

namespace handloom {

class Following {
 public:
  explicit Following(const hl_following_config& config) noexcept;
  int32_t step(const hl_state& state, const hl_reference& reference, hl_command& command) noexcept;

 private:
  int32_t act(const hl_state& state, const hl_reference& reference, hl_command& command, bool first) noexcept;
  int32_t fail(hl_command& command, int32_t status) noexcept;
  void begin(const Sample& sample) noexcept;
  Twist clipped(const Twist& miss, uint32_t& events) const noexcept;
  uint32_t periods(const hl_state& state) noexcept;

  hl_following_config config_;
  Pose T_flange_tcp_;
  JointMotion motion_;
  Joints posture_ = Joints::Zero();
  bool begun_ = false;
  double ahead_s_ = 0.0;  // by which the command went on in cycles without a sample
};

}  // namespace handloom
