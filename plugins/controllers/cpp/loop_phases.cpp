// What the loop goes over to, and why: chunks, the watchdog, soft and damped stops.
#include "loop_state.hpp"

bool hl_loop::is_moving_freely() const noexcept {
  const uint32_t phase = board.phase.get();
  return phase == HL_PHASE_FOLLOWING || phase == HL_PHASE_HOLDING;
}

void hl_loop::damp(uint32_t why, uint32_t fault) noexcept {
  if (board.phase.get() == HL_PHASE_DAMPED) return;  // the first cause is the one to tell
  board.phase.set(HL_PHASE_DAMPED);
  board.stop.set(why);
  motion.faults |= fault;
}

void hl_loop::brake(uint32_t why) noexcept {
  board.phase.set(HL_PHASE_STOPPING);
  board.stop.set(why);
  motion.rest_ns = hl_trajectory_brake(trajectory.get(), motion.now_ns);
}

void hl_loop::look_after() noexcept {
  board.reflexes.set(motion.state.reflexes);
  if (motion.state.reflexes) damp(HL_STOP_REFLEX, HL_FAULT_REFLEX);
  if (asked.emergency.load(std::memory_order_acquire)) damp(HL_STOP_EMERGENCY, HL_FAULT_EMERGENCY_STOP);
  const uint64_t alive = asked.alive.load(std::memory_order_relaxed);
  if (alive != motion.alive_seen) {
    motion.alive_seen = alive;
    motion.alive_ns = motion.now_ns;
  }
  // Judged by the loop's own time, so that it holds for a run that is not paced as well.
  if (config.owner_ns && motion.now_ns - motion.alive_ns > config.owner_ns) damp(HL_STOP_OWNER, HL_FAULT_STALE);
}

void hl_loop::take_chunk() noexcept {
  // One a cycle: how long a cycle takes must not depend on how many chunks came at once.
  const handloom::PendingChunk* chunk = chunks.oldest();
  if (!chunk) return;
  hl_splice_report report{HL_CHUNK_LATE, HL_WRONG_NOTHING, -1, 0, 0};
  if (chunk->count > HL_MAX_WAYPOINTS) {
    report = {HL_CHUNK_INVALID, HL_WRONG_TOO_MANY, HL_MAX_WAYPOINTS, 0, 0};
  } else if (is_moving_freely()) {
    hl_trajectory_splice(trajectory.get(), motion.now_ns, chunk->observed_ns, chunk->count, chunk->stamps,
                         chunk->poses, chunk->widths, &report);
  }
  chunks.release();
  if (report.outcome >= 0) {
    board.chunks_taken.add(1);
    motion.had_chunk = true;
    board.phase.set(HL_PHASE_FOLLOWING);
    if (report.outcome != HL_CHUNK_STRETCHED) return;
    board.stretched_ns.set(report.stretched_ns);
    motion.faults |= HL_FAULT_STRETCHED_CHUNK;
    return;
  }
  board.chunks_refused.add(1);
  board.last_refusal.set(report.outcome);
  board.last_wrong.set(report.what);
  board.last_row.set(report.row);
  motion.faults |= report.outcome == HL_CHUNK_LATE    ? HL_FAULT_LATE_CHUNK
                   : report.outcome == HL_CHUNK_EMPTY ? HL_FAULT_EMPTY_CHUNK
                                                      : HL_FAULT_INVALID_CHUNK;
}

void hl_loop::change_phase() noexcept {
  if (board.phase.get() == HL_PHASE_DAMPED) return;
  const bool asked_to_stop =
      asked.stop.load(std::memory_order_relaxed) || asked.end.load(std::memory_order_relaxed);
  if (is_moving_freely() && asked_to_stop) brake(HL_STOP_ASKED);
  const int64_t end_ns = hl_trajectory_end(trajectory.get());
  if (board.phase.get() == HL_PHASE_FOLLOWING && motion.now_ns > end_ns) {
    board.phase.set(HL_PHASE_HOLDING);
    motion.faults |= HL_FAULT_NO_REFERENCE;
  }
  // Before the first chunk the arm rests where it was found, however long.
  if (board.phase.get() == HL_PHASE_HOLDING && motion.had_chunk && motion.now_ns - end_ns > config.hold_ns) {
    motion.faults |= HL_FAULT_STALE;
    brake(HL_STOP_STALE);
  }
  if (board.phase.get() == HL_PHASE_STOPPING && motion.now_ns >= motion.rest_ns) board.phase.set(HL_PHASE_STOPPED);
}
