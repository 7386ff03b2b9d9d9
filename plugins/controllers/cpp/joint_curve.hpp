// The curve of one commanded joint: its jerk is constant by parts, so that differences of its samples keep its limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace handloom {

// What a joint may do: rad, rad/s, rad/s^2, rad/s^3. With so much room as it has to the end of its range and
// offset^2 / (2 near) behind it, its speed towards it is no more than sqrt(2 near room) - offset.
struct JointBounds {
  double lower, upper, fastest, hardest, jerk, near, offset;
};

struct CurvePoint {
  double q, v, a;
};

// The end of a step: how far it went, and with what velocity and acceleration it arrives.
struct CurveStep {
  double way, v, a;
};

// What a step would break, and so what held it back.
enum CurveBreach : uint32_t { kKeepsAll = 0, kLeavesRange = 1, kTooFast = 2 };

// The quickest way to rest: jerk against the motion until `peak`, hold it, release it.
struct CurveBraking {
  double side;  // 1 where it goes up once its acceleration is let go, else -1
  double v, a;  // seen from there
  double top;   // the velocity that it would have at no acceleration, before the braking or in it
  double peak;  // rad/s^2
  double onset_s, held_s, release_s;
};

inline CurveStep with_jerk(double v, double a, double jerk, double t) noexcept {
  return {t * (v + t * (a / 2 + t * jerk / 6)), v + t * (a + t * jerk / 2), a + t * jerk};
}

inline CurveBraking braking(const JointBounds& bounds, double v, double a) noexcept {
  CurveBraking way;
  way.side = v + a * std::abs(a) / (2 * bounds.jerk) >= 0 ? 1.0 : -1.0;
  way.v = way.side * v;
  way.a = way.side * a;
  way.top = std::max(way.v + a * a / (2 * bounds.jerk), 0.0);
  way.peak = std::min(bounds.hardest, std::sqrt(way.top * bounds.jerk));
  way.onset_s = std::max((way.a + way.peak) / bounds.jerk, 0.0);
  way.release_s = way.peak / bounds.jerk;
  way.held_s = way.peak > 0 ? std::max(way.top / way.peak - way.release_s, 0.0) : 0.0;
  return way;
}

// One step on the way to rest; what is at rest stays there.
inline CurveStep braked(const JointBounds& bounds, double v, double a, double t) noexcept {
  const CurveBraking way = braking(bounds, v, a);
  CurveStep at{0.0, way.v, way.a};
  const double jerks[3] = {-bounds.jerk, 0.0, bounds.jerk};
  const double lengths[3] = {way.onset_s, way.held_s, way.release_s};
  double left = t;
  for (int part = 0; part < 3; ++part) {
    const double now = std::min(lengths[part], left);
    const CurveStep next = with_jerk(at.v, at.a, jerks[part], now);
    at = {at.way + next.way, next.v, next.a};
    left -= now;
  }
  if (left > 0) at.v = at.a = 0.0;
  return {way.side * at.way, way.side * at.v, way.side * at.a};
}

// How much room the speed near the end of the range needs on the way to rest. The speed that is allowed falls faster
// than the joint's while the braking sets in, and while its deceleration is too small: down to `slow` where it stays
// below `near`. Until then the speed is taken for no less than it is now.
inline double hurry(const JointBounds& bounds, const CurveBraking& way) noexcept {
  if (std::isinf(bounds.near)) return 0.0;
  const double onset_s = std::max((way.a + std::min(way.peak, bounds.near)) / bounds.jerk, 0.0);
  const double there = with_jerk(way.v, way.a, -bounds.jerk, onset_s).way;
  const double speed = std::max(way.a > 0 ? way.top : way.v, 0.0);
  const double spare = bounds.near - bounds.hardest;
  const double slow = spare > 0 ? std::min(bounds.offset * bounds.hardest / spare, speed) : speed;
  const double asked = (slow + bounds.offset) * (slow + bounds.offset) - bounds.offset * bounds.offset;
  return there + (speed * speed - slow * slow) / (2 * bounds.hardest) + asked / (2 * bounds.near);
}

// What a step breaks: its own mean speed, or any position or velocity on the way to rest that begins where it ends.
inline uint32_t breach(const JointBounds& bounds, double q, const CurveStep& step, double t) noexcept {
  const CurveBraking way = braking(bounds, step.v, step.a);
  const double release = way.a / bounds.jerk;
  const double stop = way.top * (way.held_s + 2 * way.release_s) / 2;  // from no acceleration to rest
  const double end = stop + way.top * release - way.a * release * release / 6;
  double dip = 0.0;
  if (way.v < 0) {
    const double turns = (way.a - std::sqrt(std::max(way.a * way.a + 2 * bounds.jerk * way.v, 0.0))) / bounds.jerk;
    dip = with_jerk(way.v, way.a, -bounds.jerk, turns).way;
  }
  double onward = std::max(end, 0.0);
  onward = std::max(onward, hurry(bounds, way));
  const double back = std::min(dip, std::min(end, 0.0));
  const double highest = way.side > 0 ? onward : -back, lowest = way.side > 0 ? back : -onward;
  const double there = q + step.way;
  uint32_t found = kKeepsAll;
  if (there + highest > bounds.upper || there + lowest < bounds.lower) found |= kLeavesRange;
  const double greatest = way.a > 0 ? way.top : way.v;
  if (greatest > bounds.fastest || way.v < -bounds.fastest || std::abs(step.way) > bounds.fastest * t) {
    found |= kTooFast;
  }
  return found;
}

inline CurveStep mixed(const CurveStep& safe, const CurveStep& wished, double share) noexcept {
  return {safe.way + share * (wished.way - safe.way), safe.v + share * (wished.v - safe.v),
          safe.a + share * (wished.a - safe.a)};
}

// A step with the jerk, or as much of it, mixed with braking, as leaves a way to rest that breaks nothing. By induction
// there always is one: braking goes on along the way that the step before was known to leave. A mixture of two curves
// that keep limits of jerk and acceleration keeps them too.
inline uint32_t advance(const JointBounds& bounds, CurvePoint& point, double jerk, double t) noexcept {
  const CurveStep wished = with_jerk(point.v, point.a, jerk, t);
  const uint32_t found = breach(bounds, point.q, wished, t);
  CurveStep taken = wished;
  if (found) {
    const CurveStep safe = braked(bounds, point.v, point.a, t);
    double share = 0.0;
    taken = safe;
    for (double half = 0.5; half > 1e-5; half /= 2) {
      const CurveStep tried = mixed(safe, wished, share + half);
      if (breach(bounds, point.q, tried, t)) continue;
      share += half;
      taken = tried;
    }
  }
  point = {std::clamp(point.q + taken.way, bounds.lower, bounds.upper), taken.v, taken.a};
  return found;
}

}  // namespace handloom
