// Poses: a point and a unit quaternion, as numbers x y z and x y z w; how two of them join, and how they differ.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

namespace handloom {

using Vector3 = Eigen::Vector3d;
using Quaternion = Eigen::Quaterniond;
using Twist = Eigen::Matrix<double, 6, 1>;

struct Pose {
  Vector3 position = Vector3::Zero();
  Quaternion orientation = Quaternion::Identity();
};

// T_a_b @ T_b_c.
inline Pose compose(const Pose& T_a_b, const Pose& T_b_c) noexcept {
  return {T_a_b.position + T_a_b.orientation * T_b_c.position, T_a_b.orientation * T_b_c.orientation};
}

// The same over x y z and quaternions x y z w as they are: what is not finite stays so.
inline void compose(const double* T_a_b, const double* T_b_c, double* T_a_c) noexcept {
  const auto as_pose = [](const double* numbers) {
    return Pose{Vector3::Map(numbers), Quaternion(Eigen::Vector4d::Map(numbers + 3))};
  };
  const Pose joined = compose(as_pose(T_a_b), as_pose(T_b_c));
  Vector3::Map(T_a_c) = joined.position;
  Eigen::Vector4d::Map(T_a_c + 3) = joined.orientation.normalized().coeffs();
}

// Reads x y z and a quaternion x y z w; false where a number is not finite or the quaternion stands for no rotation.
inline bool read_pose(const double* numbers, Pose& pose) noexcept {
  const Eigen::Map<const Vector3> position(numbers);
  const Eigen::Map<const Eigen::Vector4d> quaternion(numbers + 3);
  const double square = quaternion.squaredNorm();
  if (!position.allFinite() || !(square > 0.25 && square < 4.0)) return false;
  pose.position = position;
  pose.orientation = Quaternion(Eigen::Vector4d(quaternion / std::sqrt(square)));
  return true;
}

inline void write_pose(const Pose& pose, double* numbers) noexcept {
  Eigen::Vector3d::Map(numbers) = pose.position;
  Eigen::Vector4d::Map(numbers + 3) = pose.orientation.coeffs();
}

// Of the two quaternions that stand for a turn the one with w >= 0.
inline Quaternion shorter(const Quaternion& turn) noexcept {
  return turn.w() < 0 ? Quaternion(Eigen::Vector4d(-turn.coeffs())) : turn;
}

// The turn from one orientation to another in base axes.
inline Quaternion turn_between(const Quaternion& from, const Quaternion& to) noexcept {
  return shorter(to * from.conjugate());
}

// Axis times angle, 0 to pi, of a quaternion with w >= 0.
inline Vector3 rotation_vector(const Quaternion& turn) noexcept {
  const double sine = turn.vec().norm();
  const double angle_per_sine = sine < 1e-9 ? 2.0 : 2.0 * std::atan2(sine, turn.w()) / sine;
  return angle_per_sine * turn.vec();
}

// The quaternion of an axis times an angle.
inline Quaternion from_rotation_vector(const Vector3& vector) noexcept {
  const double half = 0.5 * vector.norm();
  const double scale = half < 1e-9 ? 0.5 : 0.5 * std::sin(half) / half;
  Quaternion turn;
  turn.vec() = scale * vector;
  turn.w() = std::cos(half);
  return turn;
}

}  // namespace handloom
