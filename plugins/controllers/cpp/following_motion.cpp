// Commanded joint positions: velocities that can be braked from, and the accelerations that lead to them.
#include "following_motion.hpp"

#include <cmath>

namespace handloom {
namespace {

constexpr double kStiffness = 0.25;  // of the velocity loop, a period: the most without overshoot is 0.34
constexpr double kSmoothing = 0.25;  // of the wished acceleration, a cycle
constexpr double kGentle = 0.8;      // of the greatest deceleration is planned with, 0.5 of the greatest jerk
constexpr double kNearLimit = 0.025; // share of the way to the end of its range that a joint goes in a period

// The speed from which a distance can be braked in: `linear` = gain * distance where it is near, then the root of it.
// At the seam both have the deceleration `gentle`, and beyond it none is greater.
double brakeable(double linear, double gain, double gentle) noexcept {
  const double seam = gentle / gain;
  return linear <= seam ? linear : std::sqrt(seam) * std::sqrt(2 * linear - seam);
}

// The deceleration to plan with, so that its onset needs no more than half of the jerk.
double gentle(double hardest, double jerk, double gain) noexcept {
  return std::min(kGentle * hardest, jerk / (2 * gain));
}

}  // namespace

JointMotion::JointMotion(const hl_following_config& config) noexcept
    : joints_(config.joints),
      period_s_(config.period_s),
      gain_(std::max(std::max(config.gain[0], config.gain[1]), config.posture_gain)),
      lower_(read_joints(config.q_lower, joints_)),
      upper_(read_joints(config.q_upper, joints_)),
      fastest_(read_joints(config.dq_max, joints_)),
      hardest_(read_joints(config.ddq_max, joints_)),
      jerk_(read_joints(config.jerk_max, joints_)),
      near_(read_joints(config.near_deceleration, joints_)),
      offset_(read_joints(config.near_offset, joints_)) {
  // Nearer than this no speed is left at all.
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double margin = offset_[joint] * offset_[joint] / (2 * near_[joint]);
    lower_[joint] += margin;
    upper_[joint] -= margin;
  }
}

void JointMotion::begin(const Joints& start) noexcept {
  q_ = start;
  dq_.setZero();
  ddq_.setZero();
  wished_.setZero();
  trend_.setZero();
  least_ = lower_.cwiseMin(start);
  most_ = upper_.cwiseMax(start);
}

void JointMotion::move(const Joints& onward, const Joints& chase, uint32_t periods, uint32_t& events) noexcept {
  if (periods == 0) return;
  const Joints velocity = wished(onward, chase, events);
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double change = (velocity[joint] - wished_[joint]) / (periods * period_s_);
    trend_[joint] += kSmoothing * (std::clamp(change, -hardest_[joint], hardest_[joint]) - trend_[joint]);
  }
  wished_ = velocity;
  for (uint32_t period = 0; period < periods; ++period) step(velocity, events);
}

Joints JointMotion::wished(const Joints& onward, const Joints& chase, uint32_t& events) const noexcept {
  double slowest = 1.0;
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double speed = std::abs(chase[joint]);
    if (!(speed > 0)) continue;
    slowest = std::min(slowest, brakeable(speed, gain_, gentle(hardest_[joint], jerk_[joint], gain_)) / speed);
  }
  Joints velocity = onward + slowest * chase;
  double share = 0.0;
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    share = std::max(share, std::abs(velocity[joint]) / fastest_[joint]);
  }
  if (share > 1) {
    events |= HL_EVENT_VELOCITY_DAMPING;
    velocity /= share;  // the direction stays
  }
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double inside = std::clamp(velocity[joint], -towards(joint, q_[joint] - lower_[joint]),
                                     towards(joint, upper_[joint] - q_[joint]));
    if (inside != velocity[joint]) events |= HL_EVENT_JOINT_REPULSION;
    velocity[joint] = inside;
  }
  return velocity;
}

// The greatest speed towards the end of the range.
double JointMotion::towards(uint32_t joint, double room) const noexcept {
  const double gain = kNearLimit / period_s_;
  const double margin = offset_[joint] * offset_[joint] / (2 * near_[joint]);
  const double most = std::min(near_[joint], gentle(hardest_[joint], jerk_[joint], gain));
  return std::max(brakeable(gain * std::max(room + margin, 0.0), gain, most) - offset_[joint], 0.0);
}

void JointMotion::step(const Joints& velocity, uint32_t& events) noexcept {
  const double stiffness = kStiffness / period_s_;
  for (uint32_t joint = 0; joint < joints_; ++joint) {
    const double left = velocity[joint] - dq_[joint], hardest = hardest_[joint], jerk = jerk_[joint];
    const double sought =
        trend_[joint] + std::copysign(brakeable(stiffness * std::abs(left), stiffness, jerk / 2), left);
    if (std::abs(sought) > hardest) events |= HL_EVENT_ACCELERATION_LIMIT;
    const double change = (std::clamp(sought, -hardest, hardest) - ddq_[joint]) / period_s_;
    CurvePoint point{q_[joint], dq_[joint], ddq_[joint]};
    const JointBounds bounds{least_[joint], most_[joint], fastest_[joint], hardest, jerk, near_[joint], offset_[joint]};
    if (advance(bounds, point, std::clamp(change, -jerk, jerk), period_s_) & kLeavesRange) {
      events |= HL_EVENT_JOINT_REPULSION;
    }
    q_[joint] = point.q;
    dq_[joint] = point.v;
    ddq_[joint] = point.a;
    come_in(joint);
  }
}

// What began outside its range and moves back in may not be as far out again.
void JointMotion::come_in(uint32_t joint) noexcept {
  const double q = q_[joint], v = dq_[joint], left = v + ddq_[joint] * std::abs(ddq_[joint]) / (2 * jerk_[joint]);
  if (v <= 0 && left <= 0) most_[joint] = std::max(upper_[joint], std::min(most_[joint], q));
  if (v >= 0 && left >= 0) least_[joint] = std::min(lower_[joint], std::max(least_[joint], q));
}

}  // namespace handloom
