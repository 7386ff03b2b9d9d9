// How waypoints are passed in one space: velocities that keep each cubic between its ends, and braking to rest.
#include "trajectory_plan.hpp"

namespace handloom {
namespace {

// A cubic whose end slopes are at most 3 times that of the chord, and not against it, is monotone.
// Source: Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM J. Numer. Anal. 17 (1980).
constexpr double kSteepest = 3;

// What an end slope outside of that range adds to a cubic is at most 4/27 of it times the duration.
constexpr double kSwing = 4.0 / 27;

double within(double value, double bound) {
  return bound > 0 ? std::min(std::max(value, 0.0), bound) : std::max(std::min(value, 0.0), bound);
}

// Limit a velocity, on each axis, to what keeps both neighbouring cubics between their ends.
Vector3 monotone(const Vector3& velocity, const Vector3& before, const Vector3& after) {
  Vector3 kept;
  for (int axis = 0; axis < 3; ++axis) {
    const double nearer = std::abs(before[axis]) < std::abs(after[axis]) ? before[axis] : after[axis];
    kept[axis] = before[axis] * after[axis] > 0 ? within(velocity[axis], kSteepest * nearer) : 0.0;
  }
  return kept;
}

// By how much to scale the rate at the end of a way, so that it swings out by no more than the margin: in a space
// that turns its axes from knot to knot, a velocity may be within range for one of its neighbours only.
double calming(const Vector3& rate, const Vector3& mean, double duration_s, double margin) {
  double scale = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double off = kSwing * duration_s * std::abs(rate[axis] - within(rate[axis], kSteepest * mean[axis]));
    if (off * scale > margin) scale = margin / off;
  }
  return scale;
}

}  // namespace

template <class Space>
void Draft<Space>::begin(const Passing<Space>& from, const Limits& within_limits) {
  limits = within_limits;
  start = from;
  brakes = false;
  points[0] = from.point;
  velocities[0] = from.velocity;
}

template <class Space>
void Draft<Space>::brake() {
  const double braking_s = start.velocity.norm() / limits.braking;
  brakes = true;
  rest = start.stamp + std::max<int64_t>(std::llround(braking_s * 1e9), 1);
  points[0] = Space::moved(start.point, start.velocity * (seconds(start.stamp, rest) / 2));
  ways[0] = Space::way(points[0], points[1]);
  velocities[0] = Vector3::Zero();
}

// A velocity hangs on the ways before and after it alone.
template <class Space>
void Draft<Space>::choose(int waypoints, const int64_t* stamps, const Moved& moved) {
  const int first = std::max(moved.first - 1, 1), last = std::min(moved.last + 1, waypoints - 1);
  double before_s = seconds(first == 1 ? begins() : stamps[first - 1], stamps[first]);
  Vector3 before = ways[first - 1].vector * (1 / before_s);
  for (int i = first; i <= last; ++i) {
    const double after_s = seconds(stamps[i], stamps[i + 1]);
    const Vector3 after = ways[i].vector * (1 / after_s);
    // The slope of the parabola through three points: the nearer neighbour counts more.
    const Vector3 mean = after + after_s / (before_s + after_s) * (before - after);
    Vector3 velocity = monotone(mean, before, after), end = Space::rate(ways[i - 1], velocity);
    // Where axes do not turn, what is within range for one neighbour is so for the other.
    double scale = Space::kTurns ? calming(end, before, before_s, limits.margin) : 1;
    const double square = end.squaredNorm();
    if (square * scale * scale > limits.speed * limits.speed) scale = limits.speed / std::sqrt(square);
    velocities[i] = scale * velocity;
    ends[i - 1] = scale * end;
    before_s = after_s;
    before = after;
  }
  velocities[waypoints] = ends[waypoints - 1] = Vector3::Zero();
}

template <class Space>
void Draft<Space>::straighten(int waypoints, const int64_t* stamps) {
  for (int i = 0; i < waypoints; ++i) {
    velocities[i] = ends[i] = ways[i].vector / seconds(stamps[i], stamps[i + 1]);
  }
}

template <class Space>
void Draft<Space>::write(int waypoints, const int64_t* stamps, Track<Space>* track) const {
  if (brakes) {
    const Vector3 way = start.velocity * (seconds(start.stamp, rest) / 2);
    track->go_to(rest, points[0], way, start.velocity, Vector3::Zero());
  }
  for (int i = 0; i < waypoints; ++i) track->go_to(stamps[i + 1], points[i + 1], ways[i].vector, velocities[i], ends[i]);
}

template struct Draft<Positions>;
template struct Draft<Orientations>;

}  // namespace handloom
