// Passes values from one thread to one other without a lock or an allocation: a ring of fixed room.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace handloom {

// One producer, one consumer. Values are written and read in place: `vacant` then `publish`, `oldest` then `release`.
template <typename T>
class Ring {
 public:
  explicit Ring(std::size_t room) : slots_(room) {}

  // The producer's: the slot to fill next, nullptr when the ring is full.
  T* vacant() noexcept {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= slots_.size()) return nullptr;
    return &slots_[head % slots_.size()];
  }

  void publish() noexcept { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // The consumer's: the value that has waited longest, nullptr when there is none.
  const T* oldest() const noexcept {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return nullptr;
    return &slots_[tail % slots_.size()];
  }

  void release() noexcept { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::vector<T> slots_;  // written once when made, so no page of it is new to the control path
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace handloom
