// The loop: what its thread owns, and what other threads reach of it.
#pragma once

#include <atomic>
#include <memory>
#include <pthread.h>
#include <unistd.h>

#include "hl_loop.h"
#include "loop_board.hpp"
#include "ring.hpp"

namespace handloom {

// A chunk as it waits in the ring; `count` may be more than fits, and then nothing of it was kept.
struct PendingChunk {
  int64_t observed_ns;
  int32_t count;
  int64_t stamps[HL_MAX_WAYPOINTS];
  double poses[7 * HL_MAX_WAYPOINTS];
  double widths[HL_MAX_WAYPOINTS];
};

// When a cycle began.
struct Wake {
  int64_t slot_ns;      // the slot it serves
  int64_t woke_ns;      // by hl_now_ns
  int64_t lateness_ns;  // after the slot that was waited for
  int64_t missed;       // slots that passed by meanwhile
  bool paced;           // otherwise the robot's stamps are the time
};

// What other threads ask of the loop.
struct Asked {
  std::atomic<bool> stop{false}, emergency{false}, end{false};
  std::atomic<uint64_t> alive{0};
};

// What only the thread that runs the loop touches.
struct Motion {
  hl_state state;
  hl_command command;
  hl_reference reference;
  bool started = false;
  bool had_chunk = false;
  bool clipped = false;      // in the cycle before
  int32_t lost_in_row = 0;   // cycles without a new sample
  int64_t now_ns = 0;
  int64_t missed = 0;        // before this cycle
  int64_t rest_ns = 0;       // when the soft stop ends
  int64_t alive_ns = 0;      // when the owner was seen last
  uint64_t alive_seen = 0;
  uint32_t faults = 0;       // of this cycle
  uint32_t faults_lost = 0;  // of records for which the ring had no room
};

struct TrajectoryDeleter {
  void operator()(hl_trajectory* trajectory) const { hl_trajectory_destroy(trajectory); }
};

}  // namespace handloom

struct hl_loop {
  hl_loop(const hl_loop_config& settings, hl_trajectory* way, const hl_robot_v1& arm, const hl_law_v1& control);

  // One cycle; false once the loop has to be left. Never allocates, locks, logs or throws.
  bool cycle(const handloom::Wake& wake) noexcept;
  // The robot stops by its own means; the phase is HL_PHASE_ENDED from then on.
  void leave() noexcept;

  const hl_loop_config config;
  const hl_robot_v1 robot;
  const hl_law_v1 law;
  double T_flange_tcp[7] = {0, 0, 0, 0, 0, 0, 1};
  std::unique_ptr<hl_trajectory, handloom::TrajectoryDeleter> trajectory;
  handloom::Ring<handloom::PendingChunk> chunks;
  handloom::Ring<hl_telemetry> telemetry;
  handloom::Asked asked;
  handloom::Board board;
  handloom::Motion motion;

  std::atomic<bool> running{false};  // a thread is inside, the loop's own or the caller of hl_loop_run
  bool has_thread = false;           // owner's side: to be joined
  bool has_locked = false;
  const pid_t maker = getpid();      // a forked child has its memory, but neither its thread nor the robot
  pthread_t thread{};

 private:
  bool take_state(const handloom::Wake& wake) noexcept;
  void keep_time(const handloom::Wake& wake) noexcept;
  void begin() noexcept;
  void look_after() noexcept;
  void take_chunk() noexcept;
  void change_phase() noexcept;
  void brake(uint32_t why) noexcept;
  void damp(uint32_t why, uint32_t fault) noexcept;
  void refer() noexcept;
  void command() noexcept;
  void record(const handloom::Wake& wake) noexcept;
  bool is_moving_freely() const noexcept;
};
