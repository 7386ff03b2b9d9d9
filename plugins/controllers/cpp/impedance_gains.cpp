// Gains of the impedance law: the checks, the handover and the blending.
#include "impedance_gains.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace handloom {
namespace {

void blend(const double* from, const double* to, uint32_t count, double share, double* now) noexcept {
  for (uint32_t place = 0; place < count; ++place) now[place] = from[place] + share * (to[place] - from[place]);
}

// Bounds are blended by their inverse, so that one may come from infinity.
void blend_bounds(const double* from, const double* to, double share, double* now) noexcept {
  for (uint32_t part = 0; part < 2; ++part) now[part] = 1.0 / ((1.0 - share) / from[part] + share / to[part]);
}

hl_impedance_gains blended(const hl_impedance_gains& from, const hl_impedance_gains& to, double share) noexcept {
  hl_impedance_gains now = to;
  blend(from.stiffness, to.stiffness, 2, share, now.stiffness);
  blend(from.damping, to.damping, 2, share, now.damping);
  blend(from.integral, to.integral, 2, share, now.integral);
  blend(from.clip, to.clip, 2, share, now.clip);
  blend_bounds(from.wrench_bound, to.wrench_bound, share, now.wrench_bound);
  blend(from.nullspace_stiffness, to.nullspace_stiffness, HL_MAX_JOINTS, share, now.nullspace_stiffness);
  blend(from.nullspace_damping, to.nullspace_damping, HL_MAX_JOINTS, share, now.nullspace_damping);
  blend(&from.feed_forward, &to.feed_forward, 1, share, &now.feed_forward);
  return now;
}

}  // namespace

bool are_valid(const hl_impedance_gains& gains, uint32_t joints) noexcept {
  for (double bound : gains.wrench_bound) {
    if (!(bound > 0)) return false;
  }
  for (uint32_t joint = 0; joint < joints; ++joint) {
    if (gains.nullspace_damping[joint] < 0 || std::isinf(gains.nullspace_damping[joint])) return false;
  }
  return all_at_least_zero(gains.stiffness, 2) && all_at_least_zero(gains.damping, 2) &&
         all_at_least_zero(gains.integral, 2) && all_at_least_zero(gains.clip, 2) &&
         all_at_least_zero(gains.nullspace_stiffness, joints) && is_at_least_zero(gains.feed_forward);
}

hl_impedance_gains resolved(const hl_impedance_gains& gains, uint32_t joints) noexcept {
  hl_impedance_gains whole = gains;
  for (uint32_t joint = 0; joint < HL_MAX_JOINTS; ++joint) {
    double& stiffness = whole.nullspace_stiffness[joint];
    double& damping = whole.nullspace_damping[joint];
    if (joint >= joints) stiffness = damping = 0.0;
    if (std::isnan(damping)) damping = 2.0 * std::sqrt(stiffness);
  }
  return whole;
}

void GainsMailbox::put(const hl_impedance_gains& gains) noexcept {
  while (writing_.test_and_set(std::memory_order_acquire)) {
  }
  slots_[written_] = gains;
  written_ = between_.exchange(written_ | kNew, std::memory_order_acq_rel) & ~kNew;
  writing_.clear(std::memory_order_release);
}

bool GainsMailbox::take(hl_impedance_gains& gains) noexcept {
  if (!(between_.load(std::memory_order_relaxed) & kNew)) return false;
  read_ = between_.exchange(read_, std::memory_order_acq_rel) & ~kNew;
  gains = slots_[read_];
  return true;
}

GainsBlend::GainsBlend(const hl_impedance_gains& gains, double blend_s) noexcept
    : from_(gains), to_(gains), now_(gains), blend_s_(blend_s) {}

void GainsBlend::jump() noexcept {
  mailbox_.take(to_);
  now_ = to_;
  progress_ = 1.0;
}

void GainsBlend::advance(double dt_s) noexcept {
  if (mailbox_.take(to_)) {
    from_ = now_;
    progress_ = 0.0;
  }
  if (progress_ >= 1.0) return;
  progress_ = blend_s_ > 0 ? std::min(1.0, progress_ + dt_s / blend_s_) : 1.0;
  now_ = progress_ < 1.0 ? blended(from_, to_, progress_) : to_;
}

}  // namespace handloom
