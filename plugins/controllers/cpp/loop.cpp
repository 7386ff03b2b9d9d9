// The loop's C interface: making, running and ending it, and what may be asked of it from any thread.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <new>

#include "export.hpp"
#include "loop_checks.hpp"
#include "loop_thread.hpp"

namespace {

constexpr int64_t kLook = 200000;              // ns between two looks for the end of the thread
constexpr int64_t kSoftStop = 2000000000;      // ns that a soft stop may take before a loop is destroyed

void sleep_ns(int64_t duration_ns) noexcept {
  const timespec duration{duration_ns / 1000000000, duration_ns % 1000000000};
  nanosleep(&duration, nullptr);
}

bool has_ended_by(hl_loop& loop, int64_t deadline_ns) noexcept {
  while (loop.running.load(std::memory_order_acquire)) {
    if (hl_now_ns() >= deadline_ns) return false;
    sleep_ns(kLook);
  }
  return true;
}

bool enter(hl_loop& loop) noexcept {
  bool nobody = false;
  return loop.running.compare_exchange_strong(nobody, true, std::memory_order_acquire);
}

}  // namespace

hl_loop::hl_loop(const hl_loop_config& settings, hl_trajectory* way, const hl_robot_v1& arm, const hl_law_v1& control)
    : config(settings), robot(arm), law(control), trajectory(way), chunks(settings.chunk_room),
      telemetry(settings.telemetry_room) {
  std::memset(&motion.state, 0, sizeof(motion.state));
  std::memset(&motion.command, 0, sizeof(motion.command));
  std::memset(&motion.reference, 0, sizeof(motion.reference));
  for (double& component : motion.state.wrench) component = NAN;
  motion.state.width_m = motion.state.width_speed = motion.state.width_force = motion.reference.width_m = NAN;
}

HL_EXPORT hl_loop* hl_loop_create(const hl_loop_config* config, const hl_trajectory_config* trajectory,
                                  const hl_robot_v1* robot, const hl_law_v1* law, const double* T_flange_tcp) {
  if (!config || !trajectory || !handloom::settings_are_sound(*config) || !handloom::is_usable(robot) ||
      !handloom::is_usable(law) || (T_flange_tcp && !handloom::is_pose(T_flange_tcp))) {
    return nullptr;
  }
  hl_trajectory* way = hl_trajectory_create(trajectory);
  if (!way) return nullptr;
  hl_loop* loop = new (std::nothrow) hl_loop(*config, way, *robot, *law);
  if (loop && T_flange_tcp) std::memcpy(loop->T_flange_tcp, T_flange_tcp, sizeof(loop->T_flange_tcp));
  return loop;
}

HL_EXPORT void hl_loop_destroy(hl_loop* loop) {
  if (!loop || loop->maker != getpid()) return;
  if (!hl_loop_join(loop, kSoftStop)) {
    hl_loop_emergency_stop(loop);
    hl_loop_join(loop, INT64_MAX);
  }
  if (loop->has_locked) handloom::unlock_memory();
  delete loop;
}

HL_EXPORT int32_t hl_loop_start(hl_loop* loop) {
  if (!enter(*loop)) return HL_ERROR_ARGUMENT;
  bool started = false;
  if (loop->board.phase.get() == HL_PHASE_READY) {
    if (loop->config.lock_memory && !loop->has_locked) {
      loop->board.lock_errno.set(handloom::lock_memory());
      loop->has_locked = loop->board.lock_errno.get() == 0;
    }
    started = loop->has_thread = handloom::start_thread(*loop) == 0;
  }
  if (started) return HL_OK;  // the thread says itself when it is no longer running
  loop->running.store(false, std::memory_order_release);
  return HL_ERROR_ARGUMENT;
}

HL_EXPORT int32_t hl_loop_run(hl_loop* loop, int64_t cycles) {
  if (!enter(*loop)) return HL_ERROR_ARGUMENT;
  const bool may_run = loop->board.phase.get() != HL_PHASE_ENDED;
  bool goes_on = may_run;
  for (int64_t i = 0; goes_on && i < cycles; ++i) {
    goes_on = loop->cycle({0, hl_now_ns(), 0, 0, false});
  }
  if (may_run && !goes_on) loop->leave();
  const bool lost = loop->board.stop.get() == HL_STOP_ROBOT;
  loop->running.store(false, std::memory_order_release);
  return !may_run ? HL_ERROR_ARGUMENT : lost ? HL_ERROR_ROBOT : HL_OK;
}

HL_EXPORT int32_t hl_loop_push(hl_loop* loop, int64_t observed_ns, int32_t count, const int64_t* stamps,
                               const double* poses, const double* widths) {
  handloom::PendingChunk* chunk = loop->chunks.vacant();
  if (!chunk) return 0;
  chunk->observed_ns = observed_ns;
  chunk->count = count > 0 ? count : 0;
  if (chunk->count <= HL_MAX_WAYPOINTS) {
    std::memcpy(chunk->stamps, stamps, sizeof(int64_t) * chunk->count);
    std::memcpy(chunk->poses, poses, sizeof(double) * 7 * chunk->count);
    std::memcpy(chunk->widths, widths, sizeof(double) * chunk->count);
  }
  loop->chunks.publish();
  return 1;
}

HL_EXPORT int32_t hl_loop_telemetry(hl_loop* loop, int32_t room, hl_telemetry* records) {
  int32_t taken = 0;
  for (const hl_telemetry* record = nullptr; taken < room && (record = loop->telemetry.oldest()); ++taken) {
    records[taken] = *record;
    loop->telemetry.release();
  }
  return taken;
}

HL_EXPORT void hl_loop_status_of(const hl_loop* loop, hl_loop_status* status) { loop->board.copy(status); }

HL_EXPORT void hl_loop_alive(hl_loop* loop) { loop->asked.alive.fetch_add(1, std::memory_order_relaxed); }

HL_EXPORT void hl_loop_stop(hl_loop* loop) { loop->asked.stop.store(true, std::memory_order_relaxed); }

HL_EXPORT void hl_loop_emergency_stop(hl_loop* loop) {
  loop->asked.emergency.store(true, std::memory_order_release);
  // At once and from here as well: the loop's thread may be waiting for the robot.
  loop->robot.stop(loop->robot.self);
}

HL_EXPORT int32_t hl_loop_join(hl_loop* loop, int64_t timeout_ns) {
  loop->asked.end.store(true, std::memory_order_relaxed);
  const int64_t now_ns = hl_now_ns();
  const int64_t deadline_ns = timeout_ns < INT64_MAX - now_ns ? now_ns + timeout_ns : INT64_MAX;
  if (!has_ended_by(*loop, deadline_ns)) return 0;
  if (loop->has_thread) {
    pthread_join(loop->thread, nullptr);
    loop->has_thread = false;
  }
  if (enter(*loop)) {
    if (loop->board.phase.get() != HL_PHASE_ENDED) loop->leave();
    loop->running.store(false, std::memory_order_release);
  }
  return 1;
}

HL_EXPORT int64_t hl_now_ns(void) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}
