// Hands the newest value from one thread or process to another, without a lock and whatever becomes of either.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace handloom {

// One writer, one reader, three slots: each side has one to itself and they swap for the third. A side that dies in
// the middle leaves the other with the last whole value. Lives in memory that both have mapped; holds no pointer.
template <typename T>
class Mailbox {
 public:
  void put(const T& value) noexcept {
    slots_[back_ % 3] = value;
    back_ = middle_.exchange((back_ % 3) | kFresh, std::memory_order_acq_rel) & kSlot;
    wake();
  }

  // The newest value, once.
  bool take(T& value) noexcept {
    if (!(middle_.load(std::memory_order_acquire) & kFresh)) return false;
    front_ = middle_.exchange(front_ % 3, std::memory_order_acq_rel) & kSlot;
    value = slots_[front_ % 3];
    return true;
  }

  // Ends every wait.
  void wake() noexcept {
    news_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&news_), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

  uint32_t news() const noexcept { return news_.load(std::memory_order_acquire); }

  // Wait for news after `seen`, or until the timeout; may end early.
  void wait(uint32_t seen, int64_t timeout_ns) const noexcept {
    if (timeout_ns <= 0) return;
    const timespec timeout{timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, reinterpret_cast<const uint32_t*>(&news_), FUTEX_WAIT, seen, &timeout, nullptr, 0);
  }

 private:
  static constexpr uint32_t kSlot = 3, kFresh = 4;
  static_assert(std::atomic<uint32_t>::is_always_lock_free, "other processes know of no lock");

  std::atomic<uint32_t> middle_{2};
  std::atomic<uint32_t> news_{0};
  uint32_t back_ = 0;   // the writer's
  uint32_t front_ = 1;  // the reader's
  T slots_[3]{};
};

}  // namespace handloom
