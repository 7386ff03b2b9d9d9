// What numbers that come from outside may be.
#pragma once

#include <cmath>
#include <cstdint>

namespace handloom {

inline bool is_positive(double value) noexcept { return std::isfinite(value) && value > 0; }

inline bool is_at_least_zero(double value) noexcept { return std::isfinite(value) && value >= 0; }

inline bool all_finite(const double* values, uint32_t count) noexcept {
  for (uint32_t i = 0; i < count; ++i) {
    if (!std::isfinite(values[i])) return false;
  }
  return true;
}

inline bool all_at_least_zero(const double* values, uint32_t count) noexcept {
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_at_least_zero(values[i])) return false;
  }
  return true;
}

}  // namespace handloom
