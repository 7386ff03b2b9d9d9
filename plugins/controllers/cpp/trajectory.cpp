// Where the tool shall be at a stamp, how it begins, and how it comes to rest.
#include "trajectory.hpp"

#include <cmath>

#include "numbers.hpp"

using handloom::Orientations;
using handloom::Positions;
using handloom::Quaternion;
using handloom::Vector3;
using handloom::all_finite;
using handloom::is_positive;

namespace {

// Metres or radians by which a curve may swing out without being braked first; half of what is promised.
constexpr double kMargin = 0.5e-3;

bool read_pose(const double* pose, Vector3* position, Quaternion* orientation) {
  if (!all_finite(pose, 7)) return false;
  const double largest = Eigen::Map<const Eigen::Vector4d>(pose + 3).lpNorm<Eigen::Infinity>();
  if (largest == 0) return false;
  *position = Vector3(pose[0], pose[1], pose[2]);
  // Divided by the largest element first: the square of 1e-200 is 0.
  const Quaternion scaled(pose[6] / largest, pose[3] / largest, pose[4] / largest, pose[5] / largest);
  *orientation = scaled.normalized();
  return true;
}

}  // namespace

bool hl_trajectory::allows(const hl_trajectory_config& config) noexcept {
  bool allowed = config.interpolation <= HL_INTERPOLATION_LINEAR && config.contact_speed > 0;
  for (int i = 0; i < 2; ++i) allowed = allowed && is_positive(config.max_speed[i]) && is_positive(config.braking[i]);
  return allowed && is_positive(config.reach_m) && config.ahead_ns > 0 && config.arm_latency_ns >= 0 &&
         config.width_latency_ns >= 0;
}

hl_trajectory::hl_trajectory(const hl_trajectory_config& config) noexcept
    : config_(config),
      limits_{{std::min(config.max_speed[0], config.contact_speed), config.braking[0], kMargin},
              {config.max_speed[1], config.braking[1], kMargin}},
      expected_{config.reach_m, config.ahead_ns, false, 0} {
  const double origin[7] = {0, 0, 0, 0, 0, 0, 1};
  start(0, origin, std::nan(""));
}

int32_t hl_trajectory::start(int64_t stamp, const double* pose, double width_m) noexcept {
  Vector3 position;
  Quaternion orientation;
  if (!read_pose(pose, &position, &orientation)) return HL_ERROR_NOT_FINITE;
  handloom::Curve& curve = curves_[active_];
  curve.positions.rest_at(stamp, position);
  curve.orientations.rest_at(stamp, orientation);
  curve.widths.rest_at(stamp, std::isfinite(width_m) ? width_m : std::nan(""));
  curve.waypoints = 0;
  curve.end = stamp;
  rebased_ = expected_.answered = false;
  return HL_OK;
}

int32_t hl_trajectory::rebase(int64_t now, const double* pose, const double* twist) noexcept {
  Vector3 position;
  Quaternion orientation;
  if (!read_pose(pose, &position, &orientation) || !all_finite(twist, 6)) return HL_ERROR_NOT_FINITE;
  position_ = {arm_time(now), position, Vector3(twist[0], twist[1], twist[2])};
  orientation_ = {arm_time(now), orientation, orientation.conjugate() * Vector3(twist[3], twist[4], twist[5])};
  rebased_ = true;
  return HL_OK;
}

int64_t hl_trajectory::brake(int64_t now) noexcept {
  const int64_t present = arm_time(now);
  begin_at(present);
  handloom::Curve& next = curves_[1 - active_];
  next.positions.rest_at(present, plan_.positions.start.point);
  next.orientations.rest_at(present, plan_.orientations.start.point);
  next.end = present;
  if (plan_.positions.start.velocity.squaredNorm() > 0) {
    plan_.positions.brake();
    plan_.positions.write(0, plan_.stamps, &next.positions);
    next.end = plan_.positions.rest;
  }
  if (plan_.orientations.start.velocity.squaredNorm() > 0) {
    plan_.orientations.brake();
    plan_.orientations.write(0, plan_.stamps, &next.orientations);
    next.end = std::max(next.end, plan_.orientations.rest);
  }
  const int64_t width_time = handloom::added(now, config_.width_latency_ns);
  next.widths.rest_at(width_time, curve().widths.at(width_time));
  next.waypoints = 0;
  active_ = 1 - active_;
  rebased_ = false;
  return next.end - (present - now);
}

void hl_trajectory::at(int64_t stamp, double* pose, double* twist, double* width_m) const noexcept {
  const int64_t arm_stamp = arm_time(stamp);
  const auto position = handloom::passing(curve().positions, arm_stamp);
  const auto orientation = handloom::passing(curve().orientations, arm_stamp);
  handloom::write_pose({position.point, orientation.point}, pose);
  const Vector3 angular = orientation.point * orientation.velocity;
  for (int i = 0; i < 3; ++i) {
    twist[i] = position.velocity[i];
    twist[3 + i] = angular[i];
  }
  *width_m = curve().widths.at(handloom::added(stamp, config_.width_latency_ns));
}

int32_t hl_trajectory::pending(int64_t now, int32_t room, int64_t* stamps, double* poses) const noexcept {
  const int first = curve().first_after(arm_time(now)), count = curve().waypoints - first;
  for (int i = 0; i < std::min(count, static_cast<int>(room)); ++i) {
    stamps[i] = curve().stamps[first + i];
    handloom::write_pose({curve().at_positions[first + i], curve().at_orientations[first + i]}, poses + 7 * i);
  }
  return count;
}
