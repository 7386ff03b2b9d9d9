// Commanded joint positions that move within their range, velocity and acceleration, whatever is wanted.
#pragma once

#include <cmath>

#include "hl_laws.h"
#include "law_joints.hpp"

namespace handloom {

class JointMotion {
 public:
  explicit JointMotion(const hl_following_config& config) noexcept
      : joints_(config.joints),
        lower_(read_joints(config.q_lower, joints_)),
        upper_(read_joints(config.q_upper, joints_)),
        fastest_(read_joints(config.dq_max, joints_)),
        hardest_(read_joints(config.ddq_max, joints_)),
        longest_s_(kLongestPeriods * config.period_s) {}

  void begin(const Joints& start) noexcept {
    q_ = start;
    dq_.setZero();
  }

  // One cycle towards the wanted velocities.
  void move(const Joints& wanted, double dt_s, uint32_t& events) noexcept {
    double share = 0;
    for (uint32_t joint = 0; joint < joints_; ++joint) {
      share = std::max(share, std::abs(wanted[joint]) / fastest_[joint]);
    }
    if (share > 1) events |= HL_EVENT_VELOCITY_DAMPING;
    for (uint32_t joint = 0; joint < joints_; ++joint) {
      const double slowed = share > 1 ? wanted[joint] / share : wanted[joint];  // the direction stays
      const double inside = std::clamp(slowed, -stoppable(joint, q_[joint] - lower_[joint]),
                                       stoppable(joint, upper_[joint] - q_[joint]));
      if (inside != slowed) events |= HL_EVENT_JOINT_REPULSION;
      const double step = hardest_[joint] * dt_s;
      dq_[joint] = std::clamp(inside, dq_[joint] - step, dq_[joint] + step);
      q_[joint] += dq_[joint] * dt_s;
    }
  }

  const Joints& q() const noexcept { return q_; }
  const Joints& dq() const noexcept { return dq_; }

 private:
  // No cycle counts for more than so many periods; what is left before a limit is reckoned with that.
  static constexpr double kLongestPeriods = 10.0;

  // The greatest speed from which a joint still comes to rest within its room: v h + v^2 / 2a = room, for the longest
  // cycle h that may come before the braking begins.
  double stoppable(uint32_t joint, double room) const noexcept {
    const double a = hardest_[joint], h = longest_s_;
    return a * (std::sqrt(h * h + 2.0 * std::max(room, 0.0) / a) - h);
  }

  uint32_t joints_;
  Joints lower_, upper_, fastest_, hardest_;
  double longest_s_;
  Joints q_ = Joints::Zero(), dq_ = Joints::Zero();
};

}  // namespace handloom
