// Counts durations by their size, four bins an octave, so that percentiles of millions of cycles cost no memory.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

#include "hl_loop.h"

namespace handloom {

// One writer, any number of readers. Bin b counts [2^(b/4), 2^((b+1)/4)) microseconds; the first begins at 0, the last
// takes all that is longer.
class Histogram {
 public:
  Histogram() {
    for (int bin = 0; bin < HL_HISTOGRAM_BINS; ++bin) {
      upper_ns_[bin] = static_cast<int64_t>(std::ceil(1000.0 * std::exp2((bin + 1) / 4.0)));
      counts_[bin].store(0, std::memory_order_relaxed);
    }
  }

  void add(int64_t duration_ns) noexcept {
    int low = 0, high = HL_HISTOGRAM_BINS - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (duration_ns < upper_ns_[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    raise(counts_[low], counts_[low].load(std::memory_order_relaxed) + 1);
    if (duration_ns > max_ns_.load(std::memory_order_relaxed)) raise(max_ns_, duration_ns);
  }

  void copy(int64_t* counts, int64_t* max_ns) const noexcept {
    for (int bin = 0; bin < HL_HISTOGRAM_BINS; ++bin) counts[bin] = counts_[bin].load(std::memory_order_relaxed);
    *max_ns = max_ns_.load(std::memory_order_relaxed);
  }

 private:
  static void raise(std::atomic<int64_t>& cell, int64_t value) noexcept {
    cell.store(value, std::memory_order_relaxed);
  }

  int64_t upper_ns_[HL_HISTOGRAM_BINS];
  std::atomic<int64_t> counts_[HL_HISTOGRAM_BINS];
  std::atomic<int64_t> max_ns_{0};
};

}  // namespace handloom
