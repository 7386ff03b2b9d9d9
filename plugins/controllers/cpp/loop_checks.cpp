// Checks of settings, tables and commands.
#include "loop_checks.hpp"

#include <cmath>

#include "numbers.hpp"

namespace handloom {
namespace {

constexpr int64_t kShortestPeriod = 100000;     // ns; a faster loop is no loop of an arm
constexpr int64_t kLongestPeriod = 1000000000;  // ns
constexpr int32_t kMostRecords = 1 << 20;
constexpr int32_t kMostChunks = 1 << 10;

bool within(int64_t value, int64_t least, int64_t most) noexcept { return least <= value && value <= most; }

bool positive_or_left_open(double value) noexcept { return value > 0 || std::isnan(value); }

}  // namespace

bool settings_are_sound(const hl_loop_config& config) noexcept {
  return within(config.period_ns, kShortestPeriod, kLongestPeriod) && config.hold_ns >= 0 && config.owner_ns >= 0 &&
         within(config.fifo_priority, 0, 99) && config.cpu >= -1 && config.telemetry_every >= 1 &&
         within(config.telemetry_room, 1, kMostRecords) && within(config.chunk_room, 1, kMostChunks) &&
         positive_or_left_open(config.width_speed) && positive_or_left_open(config.width_force);
}

bool is_usable(const hl_robot_v1* robot) noexcept {
  return robot && robot->abi == HL_ABI && robot->struct_size == sizeof(hl_robot_v1) && robot->read && robot->write &&
         robot->stop;
}

bool is_usable(const hl_law_v1* law) noexcept {
  return law && law->abi == HL_ABI && law->struct_size == sizeof(hl_law_v1) && law->step;
}

bool is_pose(const double* T) noexcept {
  if (!all_finite(T, 7)) return false;
  const double norm = std::sqrt(T[3] * T[3] + T[4] * T[4] + T[5] * T[5] + T[6] * T[6]);
  return std::abs(norm - 1.0) < 1e-3;
}

bool is_finite(const hl_command& command, uint32_t joints) noexcept {
  if (std::isinf(command.width_m)) return false;  // NaN leaves the gripper alone
  switch (command.mode) {
    case HL_MODE_TORQUE:
      return all_finite(command.tau, joints);
    case HL_MODE_POSITION:
      return all_finite(command.q, joints) && all_finite(command.dq, joints);
    case HL_MODE_DAMPED:
      return true;
    default:
      return false;
  }
}

}  // namespace handloom
