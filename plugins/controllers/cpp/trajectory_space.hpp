// The two spaces a tool moves in, positions and orientations, as the planner sees them: points, ways and rates.
#pragma once

#include <cmath>

#include "pose.hpp"

namespace handloom {

// From a point to the next.
struct Way {
  Vector3 vector;
  double length;
  double second;  // what `Orientations::rate` needs to know of it
};

// Ways and velocities in base axes.
struct Positions {
  using Point = Vector3;
  static Point origin() { return Vector3::Zero(); }
  static constexpr bool kTurns = false;  // whether axes turn from point to point
  static Way way(const Point& from, const Point& to) {
    const Vector3 way = to - from;
    return {way, way.norm(), 0};
  }
  static Point moved(const Point& from, const Vector3& way) { return from + way; }
  static Vector3 rate(const Way&, const Vector3& velocity) { return velocity; }
};

// Ways are rotation vectors in the axes of the first point; velocities are angular, in the body's own axes.
// Source: Chirikjian, "Stochastic Models, Information Theory, and Lie Groups" 2 (2011), equation 10.86.
struct Orientations {
  using Point = Quaternion;
  static Point origin() { return Quaternion::Identity(); }
  static constexpr bool kTurns = true;
  static Point moved(const Point& from, const Vector3& way) { return (from * from_rotation_vector(way)).normalized(); }

  // Its second coefficient is that of the inverse right Jacobian, by the half angle so that nothing is divided by 0 at
  // pi; whose sine and cosine the quaternion has.
  static Way way(const Point& from, const Point& to) {
    const Quaternion turn = shorter(from.conjugate() * to);
    const double sine = turn.vec().norm(), angle = 2 * std::atan2(sine, turn.w());
    const double second = angle < 1e-3 ? 1.0 / 12 : (1 - angle * turn.w() / (2 * sine)) / (angle * angle);
    return {(sine < 1e-9 ? 2.0 : angle / sine) * turn.vec(), angle, second};
  }

  // The rate of the rotation vector that stands for an angular velocity: the inverse right Jacobian.
  static Vector3 rate(const Way& way, const Vector3& velocity) {
    const Vector3 once = way.vector.cross(velocity);
    return velocity + once / 2 + way.second * way.vector.cross(once);
  }
};

// The pose's half of `moved`, and the angular velocity in body axes by the right Jacobian, with one sine and cosine.
inline Quaternion turned(const Quaternion& from, const Vector3& way, const Vector3& rate, Vector3* velocity) {
  const double angle = way.norm(), half = angle / 2, sine = std::sin(half), cosine = std::cos(half);
  const bool small = angle < 1e-3;
  const double scale = half < 1e-9 ? 0.5 : sine / angle;
  const double first = small ? 0.5 : 2 * sine * sine / (angle * angle);
  const double second = small ? 1.0 / 6 : (angle - 2 * sine * cosine) / (angle * angle * angle);
  const Vector3 once = way.cross(rate);
  *velocity = rate - first * once + second * way.cross(once);
  return (from * Quaternion(cosine, scale * way.x(), scale * way.y(), scale * way.z())).normalized();
}

}  // namespace handloom
