// What the loop shows to other threads while it runs: each number is whole, none is locked.
#pragma once

#include <atomic>
#include <cstdint>

#include "histogram.hpp"
#include "hl_loop.h"

namespace handloom {

// A number with one writer and any number of readers.
template <typename T>
class Shown {
 public:
  T get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(T more) noexcept { set(get() + more); }

 private:
  std::atomic<T> value_{0};
};

struct Board {
  Shown<int64_t> cycles, missed, stamp_ns, stretched_ns, chunks_taken, chunks_refused, telemetry_lost;
  Shown<uint64_t> reflexes;
  Shown<uint32_t> phase, stop;
  Shown<int32_t> fifo_errno, lock_errno, last_refusal, last_wrong, last_row;
  Histogram lateness, compute;

  void copy(hl_loop_status* status) const noexcept {
    status->cycles = cycles.get();
    status->missed = missed.get();
    status->stamp_ns = stamp_ns.get();
    status->stretched_ns = stretched_ns.get();
    status->chunks_taken = chunks_taken.get();
    status->chunks_refused = chunks_refused.get();
    status->telemetry_lost = telemetry_lost.get();
    status->reflexes = reflexes.get();
    status->phase = phase.get();
    status->stop = stop.get();
    status->fifo_errno = fifo_errno.get();
    status->lock_errno = lock_errno.get();
    status->last_refusal = last_refusal.get();
    status->last_wrong = last_wrong.get();
    status->last_row = last_row.get();
    status->reserved = 0;
    lateness.copy(status->lateness_histogram, &status->lateness_max_ns);
    compute.copy(status->compute_histogram, &status->compute_max_ns);
  }
};

}  // namespace handloom
