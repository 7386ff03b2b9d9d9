// How a command is checked before the robot follows it.
#include <algorithm>
#include <cmath>

#include "arm.hpp"

namespace arm {
namespace {

constexpr double kHair = 1 + 1e-6;  // a command at exactly the limit is not held against anybody's rounding

constexpr double kFirstStep = 1e-4;  // rad

bool Finite(const double* values, uint32_t count) noexcept {
  return std::all_of(values, values + count, [](double value) { return std::isfinite(value); });
}

// The limits hold for the torque as it is commanded, so without gravity where the robot adds that by itself.
uint64_t TorqueReflexes(const hl_arm& arm, const hl_command& command) noexcept {
  const hl_arm_config& config = arm.config;
  uint64_t found = 0;
  for (uint32_t j = 0; j < config.joints; ++j) {
    const double change = std::abs(command.tau[j] - arm.command.tau[j]);
    if (change > config.tau_rate[j] * arm.step_s * kHair) found |= HL_REFLEX_TORQUE_DISCONTINUITY;
    if (std::abs(command.tau[j]) > config.tau_max[j] * kHair) found |= HL_REFLEX_TORQUE_RANGE;
  }
  return found;
}

void TakeTorque(hl_arm& arm, const hl_command& command) noexcept {
  if (!Finite(command.tau, arm.config.joints)) return Raise(arm, HL_REFLEX_NOT_FINITE);
  Raise(arm, TorqueReflexes(arm, command));
  if (arm.motion == Motion::kStopping) return;
  arm.motion = Motion::kTorque;
  std::copy(command.tau, command.tau + arm.config.joints, arm.command.tau);
}

// After missed commands a difference may count for one period or for all that passed; the kinder reading holds.
double Rate(double difference, double before, uint32_t periods, double step_s) noexcept {
  const double once = difference / step_s, spread = once / periods;
  return std::clamp(before, std::min(once, spread), std::max(once, spread));
}

uint64_t Differences(const hl_arm& arm, const hl_command& command, uint32_t periods, Command& next) noexcept {
  const hl_arm_config& config = arm.config;
  uint64_t found = 0;
  for (uint32_t j = 0; j < config.joints; ++j) {
    next.q[j] = command.q[j];
    next.dq[j] = Rate(command.q[j] - arm.command.q[j], arm.command.dq[j], periods, arm.step_s);
    next.ddq[j] = (next.dq[j] - arm.command.dq[j]) / arm.step_s;
    const double jerk = std::abs(next.ddq[j] - arm.command.ddq[j]) / arm.step_s;
    // Differences of positions near pi carry rounding of 1e-9 rad/s^2 and 1e-6 rad/s^3.
    if (std::abs(next.dq[j]) > config.dq_max[j] * kHair) found |= HL_REFLEX_JOINT_VELOCITY;
    if (std::abs(next.ddq[j]) > config.ddq_max[j] * kHair + 1e-8) found |= HL_REFLEX_JOINT_VELOCITY_DISCONTINUITY;
    if (jerk > config.jerk_max[j] * kHair + 1e-4) found |= HL_REFLEX_JOINT_ACCELERATION_DISCONTINUITY;
    if (command.q[j] < config.q_lower[j] || command.q[j] > config.q_upper[j]) {
      found |= HL_REFLEX_JOINT_POSITION_LIMITS;
    }
  }
  // A step in position is one in all its derivatives; the lowest is what it is called after.
  if (found & HL_REFLEX_JOINT_VELOCITY_DISCONTINUITY) {
    found &= ~static_cast<uint64_t>(HL_REFLEX_JOINT_ACCELERATION_DISCONTINUITY | HL_REFLEX_JOINT_VELOCITY);
  }
  return found;
}

bool FarFromArm(const hl_arm& arm, const hl_command& command) noexcept {
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    if (std::abs(command.q[j] - arm.sensed.q[j]) > arm.config.start_pose_rad) return true;
  }
  return false;
}

// The first position may be one step into a motion already, or simply not be where the arm is exactly.
void BeginPositions(hl_arm& arm, const hl_command& command) noexcept {
  if (FarFromArm(arm, command)) return Raise(arm, HL_REFLEX_START_POSE);
  arm.motion = Motion::kPosition;
  arm.command = {};
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    arm.command.q[j] = command.q[j];
    const double difference = command.q[j] - arm.sensed.q[j];
    const double one_step = std::min(arm.config.ddq_max[j] * arm.step_s * arm.step_s * kHair, kFirstStep);
    if (std::abs(difference) > one_step) continue;
    arm.command.dq[j] = difference / arm.step_s;
    arm.command.ddq[j] = arm.command.dq[j] / arm.step_s;
  }
}

void TakePosition(hl_arm& arm, const hl_command& command, uint32_t periods) noexcept {
  if (!Finite(command.q, arm.config.joints)) return Raise(arm, HL_REFLEX_NOT_FINITE);
  if (arm.motion != Motion::kPosition) return BeginPositions(arm, command);
  Command next = arm.command;
  Raise(arm, Differences(arm, command, periods, next));
  if (arm.motion == Motion::kPosition) arm.command = next;
}

}  // namespace

void Take(hl_arm& arm, const hl_command& command, uint32_t periods) noexcept {
  if (arm.motion == Motion::kStopping || arm.motion == Motion::kBraked) return;
  switch (command.mode) {
    case HL_MODE_TORQUE:
      TakeTorque(arm, command);
      break;
    case HL_MODE_POSITION:
      TakePosition(arm, command, periods);
      break;
    default:
      // With closed brakes it is at rest already, and may still be given its first command.
      if (arm.motion != Motion::kWaiting) BeginStop(arm);
      return;
  }
  arm.gripper.Hear(command.width_m, command.width_speed, command.width_force);
}

}  // namespace arm
