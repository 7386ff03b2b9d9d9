// The simulated arm from the inside: what it remembers from one step to the next.
#pragma once

#include <mujoco/mujoco.h>

#include <atomic>

#include "gripper.hpp"
#include "hl_arm.h"
#include "noise.hpp"

namespace arm {

using Joints = double[HL_MAX_JOINTS];

// Before the first torque or position the brakes are closed and nothing moves.
enum class Motion { kWaiting, kTorque, kPosition, kStopping, kBraked };

struct Command {
  Joints tau;  // as commanded last, gravity included or not as the robot's rule is
  Joints q;    // in position mode
  Joints dq;   // its differences
  Joints ddq;
};

struct Push {
  double wrench[6] = {};
  std::atomic<int64_t> steps{0};
};

}  // namespace arm

struct hl_arm {
  hl_arm_config config;
  hl_robot_v1 robot;
  const mjModel* plant_model;
  mjData* plant;
  const mjModel* own_model;
  mjData* own;
  double step_s;
  double observer_share;  // by which the estimate moves to what was seen, each step

  arm::Motion motion;
  arm::Command command;
  arm::Joints locked;     // positions while the brakes are closed
  arm::Joints dq_before;  // true velocities before the step
  arm::Joints motor;      // torques in the last step
  arm::Joints external;   // estimate, filtered
  uint64_t reflexes;
  hl_state sensed;        // after the last step
  hl_state given;         // at the last read
  int64_t first_stamp_ns;
  int64_t steps, steps_read, steps_stopping;
  bool was_read;
  hl_arm_truth truth;
  arm::Gripper gripper;
  arm::Noise noise;
  arm::Push push;
  std::atomic<bool> stop_asked;
  std::atomic_flag busy = ATOMIC_FLAG_INIT;  // whoever moves the arm
};

namespace arm {

void Restart(hl_arm& arm) noexcept;                                        // lifecycle.cpp
void Sense(hl_arm& arm) noexcept;                                          // sensing.cpp
void ObserveExternal(hl_arm& arm) noexcept;                                // external.cpp
void Torques(hl_arm& arm, double* motor) noexcept;                         // motors.cpp
void Step(hl_arm& arm) noexcept;                                           // stepping.cpp
void BeginStop(hl_arm& arm) noexcept;                                      // stepping.cpp
void Raise(hl_arm& arm, uint64_t reflexes) noexcept;                       // reflexes.cpp
void WatchState(hl_arm& arm) noexcept;                                     // reflexes.cpp
void Take(hl_arm& arm, const hl_command& command, uint32_t periods) noexcept;  // commands.cpp
bool OfArm(const hl_arm& arm, int geom) noexcept;                          // contacts.cpp
void Contacts(hl_arm& arm) noexcept;                                       // contacts.cpp

}  // namespace arm
