// The gripper's own track: widths in time, straight between them; NaN leaves the gripper alone.
#pragma once

#include <cmath>

#include "trajectory_track.hpp"

namespace handloom {

constexpr int kMostWidths = 3 * HL_MAX_WAYPOINTS;

struct Widths {
  int count = 0;
  int64_t stamps[kMostWidths + 1];
  double widths[kMostWidths + 1];

  void rest_at(int64_t stamp, double width_m) {
    count = 0;
    add(stamp, width_m);
  }

  void add(int64_t stamp, double width_m) {
    stamps[count] = stamp;
    widths[count++] = width_m;
  }

  int before(int64_t stamp) const {
    return static_cast<int>(std::upper_bound(stamps, stamps + count, stamp) - stamps) - 1;
  }

  // Where one end does not command the gripper, the end of the way holds.
  double at(int64_t stamp) const {
    const int knot = before(stamp);
    if (knot < 0) return widths[0];
    if (knot >= count - 1) return widths[count - 1];
    if (std::isnan(widths[knot]) || std::isnan(widths[knot + 1])) return widths[knot + 1];
    const double share = static_cast<double>(stamp - stamps[knot]) /
                         static_cast<double>(stamps[knot + 1] - stamps[knot]);
    return widths[knot] + share * (widths[knot + 1] - widths[knot]);
  }
};

}  // namespace handloom
