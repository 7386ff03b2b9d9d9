// The loop's own thread: scheduled ahead of others where permitted, woken at absolute instants.
#include "loop_thread.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>

namespace handloom {
namespace {

constexpr std::size_t kStack = 1024 * 1024;  // what other libraries keep by thread is taken out of it as well
constexpr std::size_t kStackTouched = 128 * 1024;

// How many loops of this process want its memory locked: the lock belongs to the process, not to a loop.
std::atomic<int> memory_locks{0};

int64_t sleep_until(int64_t stamp_ns) noexcept {
  const timespec until{stamp_ns / 1000000000, stamp_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  return hl_now_ns();
}

// Pages of the stack that the control path may use are there before the first cycle.
void touch_stack() noexcept {
  [[maybe_unused]] volatile char stack[kStackTouched];
  for (std::size_t i = 0; i < kStackTouched; i += 4096) stack[i] = 0;
}

void* run_paced(void* self) noexcept {
  hl_loop& loop = *static_cast<hl_loop*>(self);
  touch_stack();
  prctl(PR_SET_TIMERSLACK, 1UL);  // ns; the ordinary scheduler otherwise wakes up to 50 us late on purpose
  const int64_t period = loop.config.period_ns;
  Wake wake{hl_now_ns() + period, 0, 0, 0, true};
  do {
    wake.woke_ns = sleep_until(wake.slot_ns);
    wake.lateness_ns = wake.woke_ns - wake.slot_ns;
    // Slots that have passed are gone: the cycle serves the newest one, and none is made up for.
    wake.missed = wake.lateness_ns / period;
    wake.slot_ns += wake.missed * period;
    if (!loop.cycle(wake)) break;
    wake.slot_ns += period;
  } while (true);
  loop.leave();
  loop.running.store(false, std::memory_order_release);
  return nullptr;
}

int create(hl_loop& loop, int priority) noexcept {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  if (priority > 0) {
    const sched_param parameters{priority};
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &parameters);
  }
  if (loop.config.cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (loop.config.cpu < CPU_SETSIZE) CPU_SET(loop.config.cpu, &cpus);
    pthread_attr_setaffinity_np(&attributes, sizeof(cpus), &cpus);
  }
  // Signals are for the program's own threads; the new one inherits that it takes none.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&loop.thread, &attributes, run_paced, &loop);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

}  // namespace

int start_thread(hl_loop& loop) noexcept {
  const int priority = loop.config.fifo_priority;
  int error = create(loop, priority);
  if (error == EPERM && priority > 0) {
    loop.board.fifo_errno.set(error);
    error = create(loop, 0);
  }
  return error;
}

int lock_memory() noexcept {
  // On fault: what this process uses stays, but nothing is fetched for the sake of being locked.
  if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0) return errno;
  memory_locks.fetch_add(1);
  return 0;
}

void unlock_memory() noexcept {
  if (memory_locks.fetch_sub(1) == 1) munlockall();
}

}  // namespace handloom
