// One control period of the plant.
#include <algorithm>
#include <cmath>

#include "arm.hpp"

namespace arm {
namespace {

// The motors brake first; slower than this everywhere, the brakes close. Where a payload that the own model does not
// know of keeps the arm creeping, they close all the same.
constexpr double kRest = 0.02;       // rad/s
constexpr double kCreeping = 0.5;    // rad/s
constexpr double kPatience = 0.25;   // s

// A stiff spring, critically damped for a finger and its drive of 0.2 kg, and still slow for a step of 1 ms.
constexpr double kFingerStiffness = 4000;  // N/m
constexpr double kFingerDamping = 56;      // Ns/m

void ApplyPush(hl_arm& arm) noexcept {
  double* applied = arm.plant->xfrc_applied + 6 * arm.plant_model->site_bodyid[arm.config.plant_flange];
  const int64_t left = arm.push.steps.load(std::memory_order_acquire);
  if (left > 0) {
    std::copy(arm.push.wrench, arm.push.wrench + 6, applied);
    arm.push.steps.store(left - 1, std::memory_order_release);
  } else {
    std::fill(applied, applied + 6, 0.0);
  }
}

void KeepLocked(hl_arm& arm) noexcept {
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    arm.plant->qpos[arm.config.plant_q[j]] = arm.locked[j];
    arm.plant->qvel[arm.config.plant_dof[j]] = 0;
  }
}

double Fastest(const hl_arm& arm) noexcept {
  double fastest = 0;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    fastest = std::max(fastest, std::abs(arm.plant->qvel[arm.config.plant_dof[j]]));
  }
  return fastest;
}

void CloseBrakes(hl_arm& arm) noexcept {
  arm.motion = Motion::kBraked;
  for (uint32_t j = 0; j < arm.config.joints; ++j) arm.locked[j] = arm.plant->qpos[arm.config.plant_q[j]];
  KeepLocked(arm);
}

// Each finger is pulled to its half of the width by a spring that is no stronger than the hand.
void DriveFingers(hl_arm& arm) noexcept {
  if (!arm.config.gripper.present || arm.config.finger_dof[0] < 0) return;
  double width = 0, force = 0;
  for (int finger = 0; finger < 2; ++finger) {
    const double at = arm.plant->qpos[arm.config.finger_q[finger]];
    const double speed = arm.plant->qvel[arm.config.finger_dof[finger]];
    const double most = arm.gripper.most_force();
    const double pull = std::clamp(kFingerStiffness * (0.5 * arm.gripper.width() - at), -most, most);
    arm.plant->qfrc_applied[arm.config.finger_dof[finger]] = pull - kFingerDamping * speed;
    width += at;
    force += 0.5 * std::max(-pull, 0.0);
  }
  arm.gripper.Met(width, force);
}

void MovePlant(hl_arm& arm) noexcept {
  Torques(arm, arm.motor);
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    const int dof = arm.config.plant_dof[j];
    arm.dq_before[j] = arm.plant->qvel[dof];
    arm.plant->qfrc_applied[dof] = arm.motor[j];
  }
  DriveFingers(arm);
  ApplyPush(arm);
  mj_step(arm.plant_model, arm.plant);
}

bool SlowEnough(const hl_arm& arm) noexcept {
  const bool patient = static_cast<double>(arm.steps_stopping) * arm.step_s < kPatience;
  return Fastest(arm) < (patient ? kRest : kCreeping);
}

bool Locked(const hl_arm& arm) noexcept {
  return arm.motion == Motion::kBraked || arm.motion == Motion::kWaiting;
}

}  // namespace

void BeginStop(hl_arm& arm) noexcept {
  if (arm.motion == Motion::kStopping || arm.motion == Motion::kBraked) return;
  arm.steps_stopping = 0;
  arm.motion = arm.motion == Motion::kWaiting ? Motion::kBraked : Motion::kStopping;
  for (uint32_t j = 0; j < arm.config.joints; ++j) arm.command.tau[j] = 0;
}

void Step(hl_arm& arm) noexcept {
  if (arm.reflexes & HL_REFLEX_INSTABILITY) {
    ++arm.steps;  // nothing to go on from
    return;
  }
  MovePlant(arm);
  arm.gripper.Step();
  ++arm.steps;
  if (arm.motion == Motion::kStopping) ++arm.steps_stopping;
  Contacts(arm);
  if (Locked(arm)) {
    KeepLocked(arm);
  } else {
    ObserveExternal(arm);
    arm.truth.speed_peak = std::max(arm.truth.speed_peak, Fastest(arm));
    WatchState(arm);
    if (arm.motion == Motion::kStopping && SlowEnough(arm)) CloseBrakes(arm);
  }
  Sense(arm);
}

}  // namespace arm
