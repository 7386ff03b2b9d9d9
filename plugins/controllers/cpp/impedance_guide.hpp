// Hand guiding: a reference that follows the tool on a leash, and a posture that follows the joints likewise.
#pragma once

#include "law_joints.hpp"

namespace handloom {

class Guide {
 public:
  Guide(double leash_m, double leash_rad) noexcept : leash_m_(leash_m), leash_rad_(leash_rad) {}

  void begin(const Pose& tool) noexcept { reference_ = tool; }

  // The reference, drawn after the tool by no more than what the leash is too short.
  const Pose& follow(const Pose& tool) noexcept {
    const Vector3 way = tool.position - reference_.position;
    reference_.position += pulled(way, leash_m_);
    const Vector3 turn = rotation_vector(turn_between(reference_.orientation, tool.orientation));
    reference_.orientation = from_rotation_vector(pulled(turn, leash_rad_)) * reference_.orientation;
    reference_.orientation.normalize();
    return reference_;
  }

  // The posture, each joint of it on the leash of rotations.
  void follow(const Joints& q, Joints& posture) const noexcept {
    posture = posture.cwiseMax(q - Joints::Constant(leash_rad_)).cwiseMin(q + Joints::Constant(leash_rad_));
  }

 private:
  static Vector3 pulled(const Vector3& way, double leash) noexcept {
    const double length = way.norm();
    return length > leash ? Vector3(way * ((length - leash) / length)) : Vector3(Vector3::Zero());
  }

  double leash_m_, leash_rad_;
  Pose reference_;
};

}  // namespace handloom
