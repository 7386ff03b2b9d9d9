// Serves a whole robot of this process to the loop of another.
#include <cmath>
#include <cstring>
#include <pthread.h>
#include <sched.h>

#include "export.hpp"
#include "hl_loop.h"
#include "shared_serve.hpp"

namespace {

constexpr double kAtRest = 1e-2;             // rad/s or m/s, of every joint
constexpr int64_t kRestWithin = 2000000000;  // ns after which a robot that does not come to rest is told to stop itself

bool is_at_rest(const hl_state& state) noexcept {
  for (uint32_t i = 0; i < state.joints; ++i) {
    if (!(std::abs(state.dq[i]) < kAtRest)) return false;
  }
  return true;
}

// Ahead of other threads as long as it lives, where that is permitted.
class Priority {
 public:
  explicit Priority(int32_t fifo) noexcept {
    const sched_param wanted{fifo};
    raised_ = fifo > 0 && pthread_getschedparam(pthread_self(), &policy_, &before_) == 0 &&
              pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
  }
  ~Priority() {
    if (raised_) pthread_setschedparam(pthread_self(), policy_, &before_);
  }
  Priority(const Priority&) = delete;
  Priority& operator=(const Priority&) = delete;

 private:
  bool raised_ = false;
  int policy_ = 0;
  sched_param before_{};
};

}  // namespace

HL_EXPORT int64_t hl_shared_serve_robot(hl_shared_serve* serve, const hl_robot_v1* robot, int32_t paced,
                                        int32_t fifo_priority) {
  const Priority priority(fifo_priority);
  const int64_t pace_ns = 2 * hl_shared_serve_period(serve);
  hl_state state;
  hl_command command;
  std::memset(&state, 0, sizeof(state));
  std::memset(&command, 0, sizeof(command));
  int64_t deserted_ns = 0;
  uint64_t reported = 0;
  for (;;) {
    if (robot->read(robot->self, &state) != HL_OK) break;
    state.reflexes |= hl_shared_serve_reflexes(serve);
    reported |= state.reflexes;
    hl_shared_serve_publish(serve, &state);
    const bool owned = hl_shared_serve_is_owned(serve);
    if (!owned && !deserted_ns) deserted_ns = hl_now_ns();
    const bool safe = command.mode == HL_MODE_DAMPED || !serve->commanded;
    if (!owned && ((safe && is_at_rest(state)) || hl_now_ns() - deserted_ns > kRestWithin)) {
      robot->stop(robot->self);
      return static_cast<int64_t>(reported);
    }
    hl_shared_serve_take(serve, paced || !owned ? pace_ns : -1, &command);
    // Before the first command nothing is written: there is nothing to hold, and a damped stop would last.
    if (!serve->commanded) continue;
    if (command.periods && robot->write(robot->self, &command) != HL_OK) break;
  }
  robot->stop(robot->self);
  return HL_ERROR_ROBOT;
}
