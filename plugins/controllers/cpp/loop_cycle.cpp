// One cycle of the loop: read the robot, follow the trajectory, step the law, write the robot.
#include <cmath>

#include "command.hpp"
#include "loop_checks.hpp"
#include "loop_state.hpp"
#include "pose.hpp"

namespace {

constexpr int32_t kLostAtMost = 20;  // cycles in a row without a new sample. Source: Franka's limit on lost packets.

}  // namespace

bool hl_loop::cycle(const handloom::Wake& wake) noexcept {
  motion.faults = 0;
  motion.missed = 0;
  const bool read = take_state(wake);
  if (read) {
    if (!motion.started) begin();
    look_after();
    take_chunk();
    change_phase();
    refer();
  }
  command();
  motion.command.periods = static_cast<uint32_t>(1 + (wake.paced ? wake.missed : 0));
  const bool written = robot.write(robot.self, &motion.command) == HL_OK;
  if (read && !written) damp(HL_STOP_ROBOT, HL_FAULT_LOST_STATE);
  record(wake);
  motion.started = true;
  const bool may_end = board.phase.get() == HL_PHASE_DAMPED || board.phase.get() == HL_PHASE_STOPPED;
  return read && written && !(may_end && asked.end.load(std::memory_order_relaxed));
}

bool hl_loop::take_state(const handloom::Wake& wake) noexcept {
  motion.state.flags = 0;
  const bool read = robot.read(robot.self, &motion.state) == HL_OK && motion.state.joints <= HL_MAX_JOINTS;
  const bool fresh = motion.state.flags & HL_STATE_FRESH;
  motion.lost_in_row = fresh ? 0 : motion.lost_in_row + 1;
  // The first sample was read before, by whoever opened the robot and started the law.
  if (!fresh && motion.started) motion.faults |= HL_FAULT_LOST_STATE;
  keep_time(wake);
  if (read && motion.lost_in_row < kLostAtMost) return true;
  damp(HL_STOP_ROBOT, HL_FAULT_LOST_STATE);
  return false;
}

void hl_loop::keep_time(const handloom::Wake& wake) noexcept {
  const int64_t before = motion.now_ns, period = config.period_ns;
  const bool fresh = motion.state.flags & HL_STATE_FRESH;
  if (wake.paced) {
    motion.now_ns = wake.slot_ns;
    motion.missed = wake.missed;
  } else if (!motion.started) {
    motion.now_ns = motion.state.stamp_ns;
  } else {
    // The robot's stamps are the time; it goes on without a sample, and never back.
    const int64_t stamp = fresh ? motion.state.stamp_ns : before + period;
    motion.now_ns = stamp > before ? stamp : before;
    const int64_t periods = (motion.now_ns - before + period / 2) / period;
    motion.missed = periods > 1 ? periods - 1 : 0;
  }
  if (motion.missed) motion.faults |= HL_FAULT_MISSED_SLOTS;
  board.missed.add(motion.missed);
}

void hl_loop::begin() noexcept {
  double T_base_tcp[7];
  handloom::compose(motion.state.T_base_flange, T_flange_tcp, T_base_tcp);
  motion.alive_ns = motion.now_ns;
  board.phase.set(HL_PHASE_HOLDING);
  if (!handloom::is_pose(motion.state.T_base_flange) ||
      hl_trajectory_start(trajectory.get(), motion.now_ns, T_base_tcp, motion.state.width_m) != HL_OK) {
    damp(HL_STOP_NOT_FINITE, HL_FAULT_NOT_FINITE);
  }
}

void hl_loop::refer() noexcept {
  hl_reference& reference = motion.reference;
  const uint32_t phase = board.phase.get();
  reference.stamp_ns = motion.now_ns;
  reference.flags = motion.started ? 0 : HL_REFERENCE_FIRST;
  if (phase == HL_PHASE_HOLDING || phase == HL_PHASE_STOPPED) reference.flags |= HL_REFERENCE_HOLD;
  if (phase == HL_PHASE_STOPPING) reference.flags |= HL_REFERENCE_STOPPING;
  if (phase == HL_PHASE_DAMPED) return;  // what was referred to last stays in the records
  if (hl_trajectory_at(trajectory.get(), motion.now_ns, reference.T_base_tcp, reference.twist,
                       &reference.width_m) != HL_OK) {
    damp(HL_STOP_NOT_FINITE, HL_FAULT_NOT_FINITE);
  }
}

void hl_loop::command() noexcept {
  hl_command& command = motion.command;
  handloom::clear(command, HL_MODE_TORQUE);
  command.width_m = motion.reference.width_m;  // for laws that know of no gripper
  if (board.phase.get() != HL_PHASE_DAMPED) {
    const int32_t answer = law.step(law.self, &motion.state, &motion.reference, &command);
    const bool finite = handloom::is_finite(command, motion.state.joints);
    if (answer == HL_ERROR_NOT_FINITE || (answer == HL_OK && !finite)) {
      damp(HL_STOP_NOT_FINITE, HL_FAULT_NOT_FINITE);
    } else if (answer != HL_OK || command.mode == HL_MODE_DAMPED) {
      damp(HL_STOP_LAW, HL_FAULT_NOT_FINITE);
    }
    // What the law leaves open of the gripper, the loop's settings say.
    if (std::isnan(command.width_speed)) command.width_speed = config.width_speed;
    if (std::isnan(command.width_force)) command.width_force = config.width_force;
    const bool clipped = command.events & (HL_EVENT_CLIP_POSITION | HL_EVENT_CLIP_ROTATION);
    if (clipped && !motion.clipped) motion.faults |= HL_FAULT_CLIP_REACHED;
    motion.clipped = clipped;
  }
  // Asked for while the law was at work: this is the last moment before the robot hears of it.
  if (asked.emergency.load(std::memory_order_acquire)) damp(HL_STOP_EMERGENCY, HL_FAULT_EMERGENCY_STOP);
  if (board.phase.get() != HL_PHASE_DAMPED) return;
  handloom::clear(command, HL_MODE_DAMPED);
}

void hl_loop::leave() noexcept {
  robot.stop(robot.self);
  if (board.stop.get() == HL_STOP_NONE) board.stop.set(HL_STOP_ASKED);
  board.phase.set(HL_PHASE_ENDED);
}
