// Gains of the impedance law: checked, handed over from another thread without a lock, and blended without a step.
#pragma once

#include <atomic>

#include "hl_laws.h"

namespace handloom {

// False for gains that are negative or not finite; wrench bounds are positive and may be infinite, damping of the
// nullspace may be NaN.
bool are_valid(const hl_impedance_gains& gains, uint32_t joints) noexcept;

// Replaces the NaN of the nullspace's damping by 2 sqrt(stiffness), and clears the joints that are not there.
hl_impedance_gains resolved(const hl_impedance_gains& gains, uint32_t joints) noexcept;

// The newest gains, from any thread to the loop's. Three slots: one is written, one is read, one lies between.
class GainsMailbox {
 public:
  void put(const hl_impedance_gains& gains) noexcept;   // writers wait for one another, never for the loop
  bool take(hl_impedance_gains& gains) noexcept;        // the loop waits for nobody

 private:
  static constexpr uint32_t kNew = 4;
  hl_impedance_gains slots_[3] = {};
  std::atomic<uint32_t> between_{0};
  uint32_t written_ = 1, read_ = 2;
  std::atomic_flag writing_ = ATOMIC_FLAG_INIT;
};

// The gains of each cycle, on their way to the newest ones.
class GainsBlend {
 public:
  GainsBlend(const hl_impedance_gains& gains, double blend_s) noexcept;
  void put(const hl_impedance_gains& gains) noexcept { mailbox_.put(gains); }
  void jump() noexcept;                // to the newest at once, for the first cycle
  void advance(double dt_s) noexcept;  // by one cycle
  const hl_impedance_gains& now() const noexcept { return now_; }

 private:
  GainsMailbox mailbox_;
  hl_impedance_gains from_, to_, now_;
  double blend_s_;
  double progress_ = 1.0;
};

}  // namespace handloom
