// What a law reads of the robot, at fixed sizes: joint vectors and the Jacobian, with 0 for joints that are not there.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>

#include "handloom_rt.h"
#include "pose.hpp"

namespace handloom {

using Joints = Eigen::Matrix<double, HL_MAX_JOINTS, 1>;
using Jacobian = Eigen::Matrix<double, 6, HL_MAX_JOINTS>;

// The first `count` numbers, and 0 for the rest.
inline Joints read_joints(const double* numbers, uint32_t count) noexcept {
  Joints joints = Joints::Zero();
  std::copy(numbers, numbers + count, joints.data());
  return joints;
}

inline Jacobian read_jacobian(const double* numbers, uint32_t count) noexcept {
  Jacobian jacobian = Jacobian::Zero();
  for (uint32_t row = 0; row < 6; ++row) {
    for (uint32_t joint = 0; joint < count; ++joint) jacobian(row, joint) = numbers[row * HL_MAX_JOINTS + joint];
  }
  return jacobian;
}

// No longer than the bound, in its own direction.
inline Vector3 shortened(const Vector3& vector, double bound, bool& was_longer) noexcept {
  const double length = vector.norm();
  was_longer = length > bound;
  return was_longer ? Vector3(vector * (bound / length)) : vector;
}

// The Jacobian of a point that is `arm` (base axes) away from the one it belongs to: v + w x arm.
inline Jacobian moved_by(const Jacobian& jacobian, const Vector3& arm) noexcept {
  Jacobian moved = jacobian;
  for (int joint = 0; joint < HL_MAX_JOINTS; ++joint) {
    moved.col(joint).head<3>() += jacobian.col(joint).tail<3>().cross(arm);
  }
  return moved;
}

// J^T (J J^T + lambda^2 I)^-1 t: the damped pseudo-inverse in closed form, with a 6x6 Cholesky instead of an SVD.
inline Joints damped_solve(const Jacobian& jacobian, double lambda, const Twist& twist) noexcept {
  Eigen::Matrix<double, 6, 6> gram = jacobian * jacobian.transpose();
  gram.diagonal().array() += lambda * lambda;
  return jacobian.transpose() * gram.llt().solve(twist);
}

// What the robot measured, once it is known to be finite.
struct Sample {
  Joints q, dq, coriolis, gravity;
  Jacobian jacobian;  // of the flange
  Pose T_base_flange;
};

// False where something that is needed is not finite. Gravity is 0 where the robot compensates it.
inline bool read_sample(const hl_state& state, Sample& sample) noexcept {
  const uint32_t count = state.joints;
  sample.q = read_joints(state.q, count);
  sample.dq = read_joints(state.dq, count);
  sample.coriolis = read_joints(state.coriolis, count);
  sample.gravity.setZero();
  if (!(state.flags & HL_STATE_COMPENSATES_GRAVITY)) sample.gravity = read_joints(state.gravity, count);
  sample.jacobian = read_jacobian(state.jacobian, count);
  return sample.q.allFinite() && sample.dq.allFinite() && sample.coriolis.allFinite() &&
         sample.gravity.allFinite() && sample.jacobian.allFinite() &&
         read_pose(state.T_base_flange, sample.T_base_flange);
}

// The measured time since the sample before, between 0 and ten periods.
inline double elapsed_s(const hl_state& state, double period_s) noexcept {
  return std::clamp(static_cast<double>(state.period_ns) * 1e-9, 0.0, 10.0 * period_s);
}

}  // namespace handloom
