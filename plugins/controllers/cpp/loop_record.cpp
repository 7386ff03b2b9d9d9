// What a cycle leaves behind: counters for everybody, and a record for whoever empties the ring.
#include <cstring>
#include <limits>

#include "loop_state.hpp"
#include "pose.hpp"

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void fill(const hl_state& state, const hl_reference& reference, const hl_command& command,
          const double* T_flange_tcp, hl_telemetry& record) noexcept {
  record.joints = state.joints;
  record.reflexes = state.reflexes;
  record.events = command.events;
  std::memcpy(record.q, state.q, sizeof(record.q));
  std::memcpy(record.dq, state.dq, sizeof(record.dq));
  std::memcpy(record.tau, state.tau, sizeof(record.tau));
  for (uint32_t i = 0; i < HL_MAX_JOINTS; ++i) {
    const bool commanded = command.mode == HL_MODE_TORQUE || i >= state.joints;
    record.tau_command[i] = commanded ? command.tau[i] : kNan;
  }
  handloom::compose(state.T_base_flange, T_flange_tcp, record.T_base_tcp);
  std::memcpy(record.reference, reference.T_base_tcp, sizeof(record.reference));
  std::memcpy(record.twist, reference.twist, sizeof(record.twist));
  std::memcpy(record.error, command.error, sizeof(record.error));
  std::memcpy(record.wrench_command, command.wrench, sizeof(record.wrench_command));
  std::memcpy(record.wrench_measured, state.wrench, sizeof(record.wrench_measured));
  record.width_m = state.width_m;
  record.width_reference = reference.width_m;
  record.width_force = state.width_force;
}

}  // namespace

void hl_loop::record(const handloom::Wake& wake) noexcept {
  const int64_t compute_ns = hl_now_ns() - wake.woke_ns;
  board.lateness.add(wake.lateness_ns);
  board.compute.add(compute_ns);
  board.stamp_ns.set(motion.now_ns);
  const int64_t cycle = board.cycles.get();
  board.cycles.set(cycle + 1);
  const uint32_t faults = motion.faults | motion.faults_lost;
  if (cycle % config.telemetry_every != 0 && !faults) return;
  hl_telemetry* record = telemetry.vacant();
  if (!record) {
    // What was noticed is not lost with the record: the next one that finds room carries it.
    board.telemetry_lost.add(1);
    motion.faults_lost |= motion.faults | HL_FAULT_TELEMETRY_LOST;
    return;
  }
  record->stamp_ns = motion.now_ns;
  record->lateness_ns = wake.lateness_ns;
  record->compute_ns = compute_ns;
  record->phase = board.phase.get();
  record->faults = faults;
  record->missed = static_cast<uint32_t>(motion.missed);
  record->chunks = static_cast<uint32_t>(board.chunks_taken.get());
  fill(motion.state, motion.reference, motion.command, T_flange_tcp, *record);
  motion.faults_lost = 0;
  telemetry.publish();
}
