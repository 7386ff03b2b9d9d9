// The torques that the motors give in a step.
#include <algorithm>

#include "arm.hpp"

namespace arm {
namespace {

constexpr double kTwoPi = 6.283185307179586;

// Torques for wished accelerations by the own model, within what the motors can give.
void ComputedTorque(hl_arm& arm, const double* wished, double* motor) noexcept {
  const hl_arm_config& config = arm.config;
  double acceleration[2 * HL_MAX_JOINTS] = {}, inertial[2 * HL_MAX_JOINTS];
  for (uint32_t j = 0; j < config.joints; ++j) acceleration[config.own_dof[j]] = wished[j];
  mj_mulM(arm.own_model, arm.own, inertial, acceleration);
  for (uint32_t j = 0; j < config.joints; ++j) {
    const double bias = arm.sensed.gravity[j] + arm.sensed.coriolis[j];
    motor[j] = std::clamp(inertial[config.own_dof[j]] + bias, -config.tau_max[j], config.tau_max[j]);
  }
}

// The servo of an arm that takes positions: a critically damped oscillator at each joint.
void Servo(hl_arm& arm, double* motor) noexcept {
  const double omega = kTwoPi * arm.config.servo_hz;
  Joints wished;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    wished[j] = omega * omega * (arm.command.q[j] - arm.sensed.q[j]) +
                2 * omega * (arm.command.dq[j] - arm.sensed.dq[j]);
  }
  ComputedTorque(arm, wished, motor);
}

void Brake(hl_arm& arm, double* motor) noexcept {
  Joints wished;
  for (uint32_t j = 0; j < arm.config.joints; ++j) wished[j] = -arm.sensed.dq[j] / arm.config.braking_s;
  ComputedTorque(arm, wished, motor);
}

void Commanded(const hl_arm& arm, double* motor) noexcept {
  const bool compensates = arm.config.flags & HL_ARM_COMPENSATES_GRAVITY;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    motor[j] = arm.command.tau[j] + (compensates ? arm.sensed.gravity[j] : 0);
  }
}

}  // namespace

void Torques(hl_arm& arm, double* motor) noexcept {
  switch (arm.motion) {
    case Motion::kTorque:
      return Commanded(arm, motor);
    case Motion::kPosition:
      return Servo(arm, motor);
    default:
      return Brake(arm, motor);
  }
}

}  // namespace arm
