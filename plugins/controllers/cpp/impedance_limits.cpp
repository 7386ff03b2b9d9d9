// What an arm's joints may bear: the ramps and the bounds.
#include "impedance_limits.hpp"

#include <cmath>

namespace handloom {
namespace {

double within(double value, double centre, double reach) noexcept {
  return std::clamp(value, centre - reach, centre + reach);
}

}  // namespace

TorqueLimits::TorqueLimits(const hl_impedance_config& config) noexcept
    : joints_(config.joints),
      lower_(read_joints(config.q_lower, joints_)),
      upper_(read_joints(config.q_upper, joints_)),
      fastest_(read_joints(config.dq_max, joints_)),
      greatest_(read_joints(config.tau_max, joints_)),
      step_(read_joints(config.tau_step, joints_)),
      push_(read_joints(config.repulsion_torque, joints_)),
      margin_(config.repulsion_margin),
      speed_share_(config.velocity_margin) {}

Joints TorqueLimits::repulsion(const Joints& q, uint32_t& events) const noexcept {
  Joints torque = Joints::Zero();
  if (margin_ <= 0) return torque;
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double below = std::max(0.0, (lower_[joint] + margin_ - q[joint]) / margin_);
    const double above = std::max(0.0, (q[joint] - (upper_[joint] - margin_)) / margin_);
    torque[joint] = push_[joint] * (below - above);
    if (below > 0 || above > 0) events |= HL_EVENT_JOINT_REPULSION;
  }
  return torque;
}

Joints TorqueLimits::braking(const Joints& dq, uint32_t& events) const noexcept {
  Joints torque = Joints::Zero();
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double begin = speed_share_ * fastest_[joint];
    const double speed = std::abs(dq[joint]);
    if (!(speed > begin)) continue;
    torque[joint] = -std::copysign(push_[joint] * (speed - begin) / (fastest_[joint] - begin), dq[joint]);
    events |= HL_EVENT_VELOCITY_DAMPING;
  }
  return torque;
}

Joints TorqueLimits::bounded(const Joints& wanted, const Joints& before, const double* applied,
                             uint32_t& events) const noexcept {
  Joints torque = Joints::Zero();
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double greatest = greatest_[joint];
    double held = within(wanted[joint], before[joint], step_[joint]);
    // What is beyond the limit, or NaN, can't have been applied: it tells nothing.
    if (std::abs(applied[joint]) <= greatest) held = within(held, applied[joint], step_[joint]);
    if (held != wanted[joint]) events |= HL_EVENT_TORQUE_RATE;
    torque[joint] = within(held, 0.0, greatest);
    if (torque[joint] != held) events |= HL_EVENT_TORQUE_LIMIT;
  }
  return torque;
}

Joints TorqueLimits::told(const double* applied) const noexcept {
  Joints torque = Joints::Zero();
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    if (std::isfinite(applied[joint])) torque[joint] = within(applied[joint], 0.0, greatest_[joint]);
  }
  return torque;
}

}  // namespace handloom
