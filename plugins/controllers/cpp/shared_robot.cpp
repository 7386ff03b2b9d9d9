// The owner's side of a robot in another process: a table for the loop.
#include <ctime>
#include <new>
#include <unistd.h>

#include "export.hpp"
#include "hl_loop.h"
#include "hl_shared.h"
#include "shared_memory.hpp"

struct hl_shared {
  hl_robot_v1 table;
  handloom::Segment* segment;
  handloom::Line line;
  int64_t patience_ns;
  pid_t maker;
  handloom::SharedCommand commanded;
  hl_state state;           // the newest
  bool has_state = false;
  bool commanded_since = false;  // there was a command after that state
};

namespace {

enum Answer : int32_t { kNothing = 0, kNews = 1 };

int32_t wait_for_state(hl_shared& shared, int64_t timeout_ns) noexcept {
  const int64_t start_ns = hl_now_ns(), slice_ns = shared.segment->period_ns;
  for (;;) {
    const uint32_t seen = shared.segment->states.news();
    if (shared.segment->states.take(shared.state)) return shared.has_state = true, kNews;
    const int64_t left_ns = timeout_ns - (hl_now_ns() - start_ns);
    if (handloom::is_hung_up(shared.line.near)) return HL_ERROR_ROBOT;
    if (left_ns <= 0) return kNothing;
    // In slices, because nobody wakes us when the arm's process dies.
    shared.segment->states.wait(seen, left_ns < slice_ns ? left_ns : slice_ns);
  }
}

int32_t read(void* self, hl_state* state) noexcept {
  hl_shared& shared = *static_cast<hl_shared*>(self);
  // Without a command in between, what is there is the newest that an arm that waits for us will give.
  const bool must_wait = shared.commanded_since || !shared.has_state;
  const int32_t answer = wait_for_state(shared, must_wait ? shared.patience_ns : 0);
  if (answer < 0 || (must_wait && answer == kNothing)) return HL_ERROR_ROBOT;
  shared.commanded_since = false;
  *state = shared.state;
  return HL_OK;
}

int32_t write(void* self, const hl_command* command) noexcept {
  hl_shared& shared = *static_cast<hl_shared*>(self);
  shared.commanded.command = *command;
  shared.commanded.periods += command->periods;
  shared.commanded_since = true;
  shared.segment->commands.put(shared.commanded);
  return HL_OK;
}

void stop(void* self) noexcept {
  hl_shared& shared = *static_cast<hl_shared*>(self);
  shared.segment->stopped.store(1, std::memory_order_release);
  shared.segment->commands.wake();
}

}  // namespace

HL_EXPORT hl_shared* hl_shared_create(int64_t period_ns, int64_t patience_ns) {
  if (period_ns <= 0 || patience_ns <= 0) return nullptr;
  handloom::Line line;
  handloom::Segment* segment = handloom::make_segment(period_ns, line);
  if (!segment) return nullptr;
  hl_shared* shared = new (std::nothrow) hl_shared{};
  if (!shared) {
    close(line.near);
    close(line.far);
    handloom::leave_segment(segment);
    return nullptr;
  }
  shared->table = {HL_ABI, sizeof(hl_robot_v1), shared, read, write, stop};
  shared->segment = segment;
  shared->line = line;
  shared->patience_ns = patience_ns;
  shared->maker = getpid();
  return shared;
}

HL_EXPORT void hl_shared_destroy(hl_shared* shared) {
  if (!shared) return;
  if (shared->maker == getpid()) stop(shared);  // the arm is not a forked child's to stop
  hl_shared_handed_over(shared);
  close(shared->line.near);
  handloom::leave_segment(shared->segment);
  delete shared;
}

HL_EXPORT int32_t hl_shared_peer(const hl_shared* shared) { return shared->line.far; }

HL_EXPORT void hl_shared_handed_over(hl_shared* shared) {
  if (shared->line.far >= 0) close(shared->line.far);
  shared->line.far = -1;
}

HL_EXPORT int32_t hl_shared_wait(hl_shared* shared, int64_t timeout_ns) {
  return shared->has_state ? kNews : wait_for_state(*shared, timeout_ns);
}

HL_EXPORT const hl_robot_v1* hl_shared_robot(hl_shared* shared) { return &shared->table; }
