// A cubic of three coordinates over one segment: its value, its greatest speed, and how far it swings out.
#pragma once

#include <algorithm>
#include <cmath>

#include "pose.hpp"

namespace handloom {

// From 0 at u = 0 to the way at u = 1; slopes are derivatives by u.
struct Cubic {
  Vector3 first = Vector3::Zero(), second = Vector3::Zero(), third = Vector3::Zero();

  Cubic() = default;
  Cubic(const Vector3& way, const Vector3& slope_0, const Vector3& slope_1)
      : first(slope_0), second(3 * way - 2 * slope_0 - slope_1), third(slope_0 + slope_1 - 2 * way) {}

  Vector3 value(double u) const { return u * (first + u * (second + u * third)); }
  Vector3 rate(double u) const { return first + u * (2 * second + u * 3 * third); }
};

// Whether the rate's Bezier points, which bound it, are all within a bound; a look that takes no root.
inline bool surely_within(const Cubic& cubic, double bound) noexcept {
  const Vector3 middle = cubic.first + cubic.second, end = middle + cubic.second + 3 * cubic.third;
  const double most = std::max(cubic.first.squaredNorm(), std::max(middle.squaredNorm(), end.squaredNorm()));
  return most <= bound * bound;
}

// The greatest |rate| on 0..1, exactly where it is above `enough`; else nothing above it. The square of the rate is a
// quartic that opens upwards, so that it has one maximum inside at most, where the quartic is concave.
inline double peak(const Cubic& cubic, double enough) noexcept {
  const Vector3 &a = cubic.first, b = 2 * cubic.second, c = 3 * cubic.third;
  const double ends = std::max(a.squaredNorm(), (a + b + c).squaredNorm());
  const double hull = (a + b / 2).squaredNorm();  // the rate's Bezier points bound it
  if (hull <= std::max(ends, enough * enough)) return std::sqrt(ends);
  const double slope = 2 * a.dot(c) + b.squaredNorm(), bc = b.dot(c), cc = c.squaredNorm();
  if (!(36 * bc * bc > 24 * cc * slope) || !(cc > 0)) return std::sqrt(ends);
  // Newton's method for where the square turns, from the middle of the concave part; it comes from one side.
  double u = -bc / (2 * cc);
  for (int step = 0; step < 40; ++step) {
    const double rise = a.dot(b) + u * (slope + u * (3 * bc + u * 2 * cc));
    const double bend = slope + u * (6 * bc + u * 6 * cc);
    if (!(bend < 0)) break;
    const double by = rise / bend;
    u -= by;
    if (std::abs(by) < 1e-12) break;
  }
  return std::sqrt(std::max(ends, cubic.rate(std::min(std::max(u, 0.0), 1.0)).squaredNorm()));
}

// Whether from anywhere on it what is ahead leaves the box of that place and the end, on any axis, by more than a margin
// and by more than braking would: a swing at its beginning is as good as braking where it slows down at least as hard
// until it turns.
inline bool swings_out(const Cubic& cubic, double duration_s, double braking, double margin) noexcept {
  const double hard = braking * duration_s * duration_s;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = cubic.first[axis], b = 2 * cubic.second[axis], c = 3 * cubic.third[axis];
    const double end = cubic.value(1)[axis];
    const double discriminant = b * b - 4 * a * c;
    if (!(discriminant > 0)) continue;
    // The root of a quadratic that loses no digits, and the other one from it.
    const double q = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
    double roots[2] = {c != 0 ? q / c : 2.0, q != 0 ? a / q : 2.0};
    if (roots[1] < roots[0]) std::swap(roots[0], roots[1]);
    double from = 0;       // the beginning, or where it turned before
    bool brakes = a != 0;  // from the beginning to the first turn
    for (const double u : roots) {
      if (!(u > 0 && u < 1)) continue;
      const double at = u * (a + u * (b / 2 + u * (c / 3)));
      const double beyond = std::max(at - std::max(from, end), std::min(from, end) - at);
      const double sign = a > 0 ? -1 : 1;
      brakes = brakes && sign * b >= hard && sign * (b + 2 * c * u) >= hard;
      if (beyond > margin && !brakes) return true;
      from = at;
      brakes = false;
    }
  }
  return false;
}

}  // namespace handloom
