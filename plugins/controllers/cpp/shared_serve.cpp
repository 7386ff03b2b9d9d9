// The arm's side of a robot in another process: states out, commands in, and what to do when none come.
#include "shared_serve.hpp"

#include <fcntl.h>
#include <new>
#include <unistd.h>

#include "export.hpp"
#include "hl_loop.h"

namespace {

constexpr int64_t kLook = 20000000;  // ns between two looks whether the owner is still there

// 1 with a new command, 0 when none came in time, when the stop is news, or when the owner is gone.
int32_t wait_for_command(hl_shared_serve& serve, int64_t timeout_ns) noexcept {
  const int64_t start_ns = hl_now_ns();
  for (;;) {
    const uint32_t seen = serve.segment->commands.news();
    if (serve.segment->commands.take(serve.newest)) return 1;
    if (hl_shared_serve_is_stopped(&serve) && !serve.knows_of_stop) return serve.knows_of_stop = true, 0;
    const int64_t left_ns = timeout_ns < 0 ? kLook : timeout_ns - (hl_now_ns() - start_ns);
    if (left_ns <= 0 || (timeout_ns < 0 && !hl_shared_serve_is_owned(&serve))) return 0;
    serve.segment->commands.wait(seen, left_ns < kLook ? left_ns : kLook);
  }
}

uint32_t periods_to_go(const hl_shared_serve& serve) noexcept {
  const uint64_t counted = serve.newest.periods;
  return counted > serve.advanced ? static_cast<uint32_t>(counted - serve.advanced) : 0;
}

}  // namespace

HL_EXPORT hl_shared_serve* hl_shared_serve_open(int32_t peer) {
  handloom::Segment* segment = handloom::join_segment(peer);
  if (!segment) return nullptr;
  hl_shared_serve* serve = new (std::nothrow) hl_shared_serve{};
  if (!serve) return nullptr;
  fcntl(peer, F_SETFD, FD_CLOEXEC);  // a child of the arm's process must not keep the line up
  serve->segment = segment;
  serve->peer = peer;
  serve->newest.command.mode = HL_MODE_DAMPED;
  return serve;
}

HL_EXPORT void hl_shared_serve_close(hl_shared_serve* serve) {
  if (!serve) return;
  close(serve->peer);
  handloom::leave_segment(serve->segment);
  delete serve;
}

HL_EXPORT int64_t hl_shared_serve_period(const hl_shared_serve* serve) { return serve->segment->period_ns; }

HL_EXPORT void hl_shared_serve_publish(hl_shared_serve* serve, const hl_state* state) {
  serve->segment->states.put(*state);
}

HL_EXPORT int32_t hl_shared_serve_take(hl_shared_serve* serve, int64_t timeout_ns, hl_command* command) {
  const int64_t start_ns = hl_now_ns(), period_ns = serve->segment->period_ns;
  const int32_t taken = wait_for_command(*serve, timeout_ns);
  const int64_t waited = (hl_now_ns() - start_ns + period_ns / 2) / period_ns;
  if (taken && !serve->commanded) {  // what went by before the first command is nothing to make good
    serve->advanced = serve->newest.periods - serve->newest.command.periods;
    serve->commanded = true;
  }
  const uint32_t periods = taken ? periods_to_go(*serve) : static_cast<uint32_t>(waited > 1 ? waited : 1);
  serve->advanced += periods;
  const bool counts = !taken && serve->commanded && !hl_shared_serve_is_stopped(serve);
  serve->missed = counts ? serve->missed + periods : 0;
  // An owner that is gone will not command again: in an arm's own time nobody else would say so.
  const bool deserted = counts && timeout_ns < 0;
  serve->violated = serve->violated || serve->missed >= handloom::kMissedAtMost || deserted;
  *command = serve->newest.command;
  command->periods = periods;
  if (serve->violated || hl_shared_serve_is_stopped(serve)) command->mode = HL_MODE_DAMPED;
  return taken;
}

HL_EXPORT int64_t hl_shared_serve_missed(const hl_shared_serve* serve) { return serve->missed; }

HL_EXPORT uint64_t hl_shared_serve_reflexes(const hl_shared_serve* serve) {
  return serve->violated ? HL_REFLEX_COMMUNICATION : 0;
}

HL_EXPORT void hl_shared_serve_stop(hl_shared_serve* serve) {
  serve->segment->stopped.store(1, std::memory_order_release);
}

HL_EXPORT int32_t hl_shared_serve_is_stopped(const hl_shared_serve* serve) {
  return serve->segment->stopped.load(std::memory_order_acquire) != 0;
}

HL_EXPORT int32_t hl_shared_serve_is_owned(const hl_shared_serve* serve) {
  return !handloom::is_hung_up(serve->peer);
}
