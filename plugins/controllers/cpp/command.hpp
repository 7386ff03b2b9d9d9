// A command that says nothing yet: its mode, and that nothing is commanded or known.
#pragma once

#include <algorithm>
#include <limits>

#include "handloom_rt.h"

namespace handloom {

inline void clear(hl_command& command, uint32_t mode) noexcept {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  command = hl_command{};
  command.mode = mode;
  command.width_m = command.width_speed = command.width_force = kNan;
  std::fill_n(command.T_base_tcp, 7, kNan);
  std::fill_n(command.error, 6, kNan);
  std::fill_n(command.wrench, 6, kNan);
}

}  // namespace handloom
