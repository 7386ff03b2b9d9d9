// The arm's beginning and end, its table for the loop, and what is asked of it beside the loop.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "arm.hpp"
#include "export.hpp"

namespace {

constexpr uint32_t kMissedAllowed = 19;  // Source: libfranka, 20 lost packets in a row end the motion
constexpr int64_t kRestWithin = 2000;    // steps

hl_arm& Self(void* self) noexcept { return *static_cast<hl_arm*>(self); }

int64_t Monotonic() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

// A simulated arm has no time of its own: whoever stops it lets as much of it pass as coming to rest takes.
void RunToRest(hl_arm& arm) noexcept {
  arm::BeginStop(arm);
  for (int64_t i = 0; i < kRestWithin && arm.motion == arm::Motion::kStopping; ++i) arm::Step(arm);
}

void Release(hl_arm& arm) noexcept {
  arm.busy.clear();
  while (arm.stop_asked.load() && !arm.busy.test_and_set()) {
    arm.stop_asked.store(false);
    RunToRest(arm);
    arm.busy.clear();
  }
}

void Fill(hl_arm& arm) noexcept {
  if (!arm.was_read) {
    arm.first_stamp_ns = arm.config.flags & HL_ARM_MONOTONIC ? Monotonic() : arm.config.start_ns;
    arm.first_stamp_ns -= arm.steps * arm.config.period_ns;
  }
  const int64_t since = arm.steps - arm.steps_read;
  const bool fresh = since > 0 || !arm.was_read;
  arm.given = arm.sensed;
  arm.given.reflexes = arm.reflexes;
  arm.given.stamp_ns = arm.first_stamp_ns + arm.steps * arm.config.period_ns;
  arm.given.period_ns = std::max<int64_t>(since, 1) * arm.config.period_ns;
  arm.given.flags = 0;
  if (fresh) arm.given.flags |= HL_STATE_FRESH;
  if (arm.config.flags & HL_ARM_COMPENSATES_GRAVITY) arm.given.flags |= HL_STATE_COMPENSATES_GRAVITY;
  arm.steps_read = arm.steps;
  arm.was_read = true;
}

int32_t Read(void* self, hl_state* state) noexcept {
  hl_arm& arm = Self(self);
  if (!arm.busy.test_and_set()) {
    Fill(arm);
    Release(arm);
    *state = arm.given;
  } else {
    // Another thread is bringing it to rest.
    *state = arm.given;
    state->flags &= ~static_cast<uint32_t>(HL_STATE_FRESH);
  }
  return HL_OK;
}

int32_t Write(void* self, const hl_command* command) noexcept {
  hl_arm& arm = Self(self);
  if (arm.busy.test_and_set()) return HL_OK;  // another thread is bringing it to rest
  const uint32_t periods = std::max(command->periods, 1u);
  for (uint32_t missed = 1; missed < periods; ++missed) {
    if (missed > kMissedAllowed) arm::Raise(arm, HL_REFLEX_COMMUNICATION);
    arm::Step(arm);
  }
  arm::Take(arm, *command, periods);
  arm::Step(arm);
  Release(arm);
  return arm.reflexes & HL_REFLEX_INSTABILITY ? HL_ERROR_ROBOT : HL_OK;
}

void Stop(void* self) noexcept {
  hl_arm& arm = Self(self);
  arm.stop_asked.store(true);
  if (!arm.busy.test_and_set()) Release(arm);
}

}  // namespace

namespace arm {

void Restart(hl_arm& arm) noexcept {
  arm.motion = Motion::kWaiting;
  arm.command = {};
  arm.reflexes = 0;
  arm.steps_stopping = 0;
  arm.sensed = {};
  arm.sensed.joints = arm.config.joints;
  arm.sensed.width_m = arm.sensed.width_speed = arm.sensed.width_force = std::nan("");
  std::fill(std::begin(arm.external), std::end(arm.external), 0.0);
  std::memset(arm.motor, 0, sizeof arm.motor);
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    arm.locked[j] = arm.plant->qpos[arm.config.plant_q[j]];
    arm.plant->qvel[arm.config.plant_dof[j]] = 0;
  }
  Sense(arm);
  const bool compensates = arm.config.flags & HL_ARM_COMPENSATES_GRAVITY;
  for (uint32_t j = 0; j < arm.config.joints; ++j) {
    // What holds it with open brakes; a first torque far from it would be a step.
    arm.command.tau[j] = arm.sensed.tau_applied[j] = compensates ? 0 : arm.sensed.gravity[j];
    arm.sensed.tau[j] = arm.motor[j] = arm.sensed.gravity[j];
  }
}

}  // namespace arm

HL_EXPORT hl_arm* hl_arm_create(const hl_arm_config* config) {
  if (config->joints == 0 || config->joints > HL_MAX_JOINTS) return nullptr;
  hl_arm* arm = new (std::nothrow) hl_arm();
  if (!arm) return nullptr;
  arm->config = *config;
  arm->plant_model = reinterpret_cast<const mjModel*>(config->plant_model);
  arm->plant = reinterpret_cast<mjData*>(config->plant_data);
  arm->own_model = reinterpret_cast<const mjModel*>(config->own_model);
  arm->own = reinterpret_cast<mjData*>(config->own_data);
  if (arm->own_model->nv > 2 * HL_MAX_JOINTS) {
    delete arm;
    return nullptr;
  }
  arm->step_s = arm->plant_model->opt.timestep;
  const double observer_s = config->observer_s;
  arm->observer_share = observer_s > 0 ? 1 - std::exp(-arm->step_s / observer_s) : 1;
  arm->robot = {HL_ABI, sizeof(hl_robot_v1), arm, Read, Write, Stop};
  arm->noise.Seed(config->seed);
  arm->gripper.Start(config->gripper, arm->step_s);
  arm::Restart(*arm);
  return arm;
}

HL_EXPORT void hl_arm_destroy(hl_arm* arm) { delete arm; }

HL_EXPORT const hl_robot_v1* hl_arm_robot(hl_arm* arm) { return &arm->robot; }

HL_EXPORT void hl_arm_restart(hl_arm* arm) { arm::Restart(*arm); }
