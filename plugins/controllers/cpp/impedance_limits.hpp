// What an arm's joints may bear: repulsion from their limits, braking near their greatest speed, bounds on the torque.
#pragma once

#include "hl_laws.h"
#include "law_joints.hpp"

namespace handloom {

class TorqueLimits {
 public:
  explicit TorqueLimits(const hl_impedance_config& config) noexcept;

  // Torques that push joints away from the ends of their range: linear from 0 at the margin, so that nothing steps.
  Joints repulsion(const Joints& q, uint32_t& events) const noexcept;

  // Torques against joints that near their greatest speed, linear from 0 likewise.
  Joints braking(const Joints& dq, uint32_t& events) const noexcept;

  // The torque nearest to `wanted` that is within a step of the command before and of what the robot applied (NaN where
  // it does not tell), and within the limits. All but the limits yield where they contradict one another.
  Joints bounded(const Joints& wanted, const Joints& before, const double* applied, uint32_t& events) const noexcept;

  // What the robot applied, within the limits; 0 where it does not tell.
  Joints told(const double* applied) const noexcept;

 private:
  uint32_t joints_;
  Joints lower_, upper_, fastest_, greatest_, step_, push_;
  double margin_, speed_share_;
};

}  // namespace handloom
