// A curve in one space: knots in time, and a cubic from each to the next. Fixed arrays; it rests before and after.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hl_trajectory.h"
#include "trajectory_cubic.hpp"
#include "trajectory_space.hpp"

namespace handloom {

// Waypoints, the knot before the first of them, and up to two knots where it comes to rest in between.
constexpr int kMostKnots = HL_MAX_WAYPOINTS + 8;

inline double seconds(int64_t from, int64_t to) { return static_cast<double>(to - from) * 1e-9; }

// Stamps near the ends of int64 are no reason to wrap around.
inline int64_t added(int64_t stamp, int64_t shift) {
  int64_t sum;
  if (__builtin_add_overflow(stamp, shift, &sum)) return shift < 0 ? INT64_MIN : INT64_MAX;
  return sum;
}

template <class Space>
struct Track {
  using Point = typename Space::Point;
  int count = 0;  // knots
  int64_t stamps[kMostKnots];
  Point points[kMostKnots];
  Cubic cubics[kMostKnots];  // from knot i to knot i + 1

  void rest_at(int64_t stamp, const Point& point) {
    count = 1;
    stamps[0] = stamp;
    points[0] = point;
  }

  // Add a knot to which a cubic leads; rates are derivatives by second, in the coordinates of the last knot.
  void go_to(int64_t stamp, const Point& point, const Vector3& way, const Vector3& rate_0, const Vector3& rate_1) {
    const double duration_s = seconds(stamps[count - 1], stamp);
    cubics[count - 1] = Cubic(way, rate_0 * duration_s, rate_1 * duration_s);
    stamps[count] = stamp;
    points[count++] = point;
  }

  // The knot before a stamp; -1 and count - 1 where it rests.
  int before(int64_t stamp) const {
    return static_cast<int>(std::upper_bound(stamps, stamps + count, stamp) - stamps) - 1;
  }

  void copy_until(const Track& other, int64_t from, int64_t last) {
    count = 0;
    for (int knot = std::max(other.before(from), 0); knot < other.count && other.stamps[knot] <= last; ++knot) {
      stamps[count] = other.stamps[knot];
      points[count] = other.points[knot];
      cubics[count++] = other.cubics[knot];
    }
  }

  // Where the curve is in the coordinates of the knot before; false where it rests.
  bool along(int64_t stamp, int* knot, Vector3* way, Vector3* rate) const {
    *knot = before(stamp);
    if (*knot < 0 || *knot >= count - 1) {
      *knot = std::max(*knot, 0);
      return false;
    }
    const double duration = static_cast<double>(stamps[*knot + 1] - stamps[*knot]);
    const double u = static_cast<double>(stamp - stamps[*knot]) / duration;
    *way = cubics[*knot].value(u);
    *rate = cubics[*knot].rate(u) / (duration * 1e-9);
    return true;
  }
};

// A point that is passed at a velocity.
template <class Space>
struct Passing {
  int64_t stamp = 0;
  typename Space::Point point = Space::origin();
  Vector3 velocity = Vector3::Zero();
};

inline Passing<Positions> passing(const Track<Positions>& track, int64_t stamp) {
  int knot;
  Vector3 way, rate;
  if (!track.along(stamp, &knot, &way, &rate)) return {stamp, track.points[knot], Vector3::Zero()};
  return {stamp, track.points[knot] + way, rate};
}

inline Passing<Orientations> passing(const Track<Orientations>& track, int64_t stamp) {
  int knot;
  Vector3 way, rate;
  if (!track.along(stamp, &knot, &way, &rate)) return {stamp, track.points[knot], Vector3::Zero()};
  Passing<Orientations> found{stamp, track.points[knot], Vector3::Zero()};
  found.point = turned(track.points[knot], way, rate, &found.velocity);
  return found;
}

}  // namespace handloom
