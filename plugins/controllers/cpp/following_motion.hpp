// Commanded joint positions that keep their range, velocity, acceleration and jerk, whatever is wanted.
#pragma once

#include "hl_laws.h"
#include "joint_curve.hpp"
#include "law_joints.hpp"

namespace handloom {

class JointMotion {
 public:
  explicit JointMotion(const hl_following_config& config) noexcept;

  // At rest; a joint that is outside its range may be as far out as it is.
  void begin(const Joints& start) noexcept;

  // Go on by so many periods with the reference's joint velocities and those that make the error good.
  void move(const Joints& onward, const Joints& chase, uint32_t periods, uint32_t& events) noexcept;

  const Joints& q() const noexcept { return q_; }
  const Joints& dq() const noexcept { return dq_; }

 private:
  Joints wished(const Joints& onward, const Joints& chase, uint32_t& events) const noexcept;
  void step(const Joints& velocity, uint32_t& events) noexcept;
  void come_in(uint32_t joint) noexcept;
  double towards(uint32_t joint, double room) const noexcept;

  uint32_t joints_;
  double period_s_, gain_;
  Joints lower_, upper_, fastest_, hardest_, jerk_, near_, offset_;
  Joints least_ = Joints::Zero(), most_ = Joints::Zero();  // the range in force
  Joints q_ = Joints::Zero(), dq_ = Joints::Zero(), ddq_ = Joints::Zero();
  Joints wished_ = Joints::Zero();  // velocities in the cycle before
  Joints trend_ = Joints::Zero();   // rad/s^2 of those, smoothed
};

}  // namespace handloom
