// When the robot stops by itself because of what it measures.
#include <cmath>

#include "arm.hpp"

namespace arm {
namespace {

// The speed up to which a joint may move towards a limit. Source: FR3 datasheet, position-based velocity limits.
double SpeedTowards(const hl_arm_config& config, uint32_t joint, double distance) noexcept {
  if (!std::isfinite(config.braking[joint])) return config.dq_max[joint];
  const double room = std::sqrt(std::fmax(0, 2 * config.braking[joint] * distance));
  return std::fmin(config.dq_max[joint], std::fmax(0, room - config.braking_offset[joint]));
}

// Where the offset leaves no speed at all, this much is still no violation: an arm may rest there.
constexpr double kCreep = 0.05;  // rad/s

bool TooFast(const hl_arm& arm, uint32_t j) noexcept {
  const hl_arm_config& config = arm.config;
  const double q = arm.plant->qpos[config.plant_q[j]], dq = arm.plant->qvel[config.plant_dof[j]];
  const double distance = dq > 0 ? config.q_upper[j] - q : q - config.q_lower[j];
  return std::abs(dq) > std::fmax(kCreep, SpeedTowards(config, j, distance));
}

uint64_t JointReflexes(const hl_arm& arm) noexcept {
  uint64_t found = 0;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    const double q = arm.plant->qpos[arm.config.plant_q[j]];
    if (q < arm.config.q_lower[j] || q > arm.config.q_upper[j]) found |= HL_REFLEX_JOINT_POSITION_LIMITS;
    if (TooFast(arm, j)) found |= HL_REFLEX_JOINT_VELOCITY;
    if (std::abs(arm.external[j]) > arm.config.collision_torque[j]) found |= HL_REFLEX_JOINT_COLLISION;
  }
  return found;
}

double Norm(const double* v) noexcept { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

uint64_t WrenchReflex(const hl_arm& arm) noexcept {
  const double* wrench = arm.sensed.wrench;
  const double* most = arm.config.collision_wrench;
  return Norm(wrench) > most[0] || Norm(wrench + 3) > most[1] ? HL_REFLEX_CARTESIAN_COLLISION : 0;
}

bool BlownUp(const mjData& plant) noexcept {
  for (int warning : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
    if (plant.warning[warning].number) return true;
  }
  return false;
}

}  // namespace

// The first cause stays: what follows from the stop itself is no news.
void Raise(hl_arm& arm, uint64_t reflexes) noexcept {
  const uint64_t on = reflexes & arm.config.reflexes;
  if (!on || arm.motion == Motion::kStopping || arm.motion == Motion::kBraked) return;
  arm.reflexes |= on;
  BeginStop(arm);
}

void WatchState(hl_arm& arm) noexcept {
  uint64_t found = JointReflexes(arm) | WrenchReflex(arm);
  double power = 0;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    power += std::abs(arm.motor[j] * arm.plant->qvel[arm.config.plant_dof[j]]);
  }
  arm.truth.power = power;
  if (power > arm.config.power_max) found |= HL_REFLEX_POWER_LIMIT;
  if (BlownUp(*arm.plant)) found = HL_REFLEX_INSTABILITY;
  Raise(arm, found);
}

}  // namespace arm
