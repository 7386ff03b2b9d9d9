// Checks a chunk: names a wrong waypoint by its row and what is wrong with it.
#include "trajectory_refusal.hpp"

#include <algorithm>
#include <cmath>

#include "numbers.hpp"

namespace handloom {
namespace {

constexpr double kUnitTolerance = 1e-3;

hl_splice_report invalid(int32_t what, int32_t row) { return {HL_CHUNK_INVALID, what, row, 0, 0}; }

bool within_reach(const double* pose, double reach_m) {
  return std::abs(pose[0]) <= reach_m && std::abs(pose[1]) <= reach_m && std::abs(pose[2]) <= reach_m;
}

bool is_unit(const double* pose) {
  double square = 0;
  for (int i = 3; i < 7; ++i) {
    const double clipped = std::min(std::max(pose[i], -10.0), 10.0);  // the square of a huge number is infinite
    square += clipped * clipped;
  }
  return std::abs(std::sqrt(square) - 1) <= kUnitTolerance;
}

}  // namespace

hl_splice_report refusal(const ChunkView& chunk, int64_t now, int64_t due, const Expected& expected) noexcept {
  const hl_splice_report late = {HL_CHUNK_LATE, HL_WRONG_NOTHING, -1, 0, 0};
  if (chunk.count <= 0) return {HL_CHUNK_EMPTY, HL_WRONG_NOTHING, -1, 0, 0};
  if (chunk.count > HL_MAX_WAYPOINTS) return invalid(HL_WRONG_TOO_MANY, HL_MAX_WAYPOINTS);
  for (int i = 1; i < chunk.count; ++i) {
    if (chunk.stamps[i] == chunk.stamps[i - 1]) return invalid(HL_WRONG_DUPLICATE, i);
    if (chunk.stamps[i] < chunk.stamps[i - 1]) return invalid(HL_WRONG_ORDER, i);
  }
  const int last = chunk.count - 1;
  if (expected.answered && chunk.observed <= expected.last_observed) return late;
  if (chunk.stamps[last] <= due) return late;
  for (int i = 0; i <= last; ++i) {
    if (!all_finite(chunk.poses + 7 * i, 7)) return invalid(HL_WRONG_NOT_FINITE, i);
  }
  for (int i = 0; i <= last; ++i) {
    if (!within_reach(chunk.poses + 7 * i, expected.reach_m)) return invalid(HL_WRONG_REACH, i);
  }
  for (int i = 0; i <= last; ++i) {
    if (!is_unit(chunk.poses + 7 * i)) return invalid(HL_WRONG_QUATERNION, i);
  }
  for (int i = 0; i <= last; ++i) {
    if (std::isinf(chunk.widths[i]) || chunk.widths[i] < 0) return invalid(HL_WRONG_WIDTH, i);
  }
  int64_t ahead;
  if (__builtin_sub_overflow(chunk.stamps[last], now, &ahead) || ahead > expected.ahead_ns) {
    return invalid(HL_WRONG_AHEAD, last);
  }
  return {HL_CHUNK_TAKEN, HL_WRONG_NOTHING, -1, 0, 0};
}

}  // namespace handloom
