// The way the tool shall take: the curves in both spaces, the gripper's widths, the waypoints still ahead.
#pragma once

#include <cstddef>
#include <new>

#include "trajectory_plan.hpp"
#include "trajectory_refusal.hpp"
#include "trajectory_widths.hpp"

namespace handloom {

// Everything that a splice replaces at once.
struct Curve {
  Track<Positions> positions;
  Track<Orientations> orientations;
  Widths widths;
  int waypoints = 0;
  int64_t stamps[HL_MAX_WAYPOINTS];  // of the waypoints, as they were retimed
  Vector3 at_positions[HL_MAX_WAYPOINTS];
  Quaternion at_orientations[HL_MAX_WAYPOINTS];
  int64_t end = 0;

  int first_after(int64_t stamp) const {
    return static_cast<int>(std::upper_bound(stamps, stamps + waypoints, stamp) - stamps);
  }
};

}  // namespace handloom

// Stamps inside are those of waypoints; the arm and the gripper are each commanded ahead of them by their latency.
struct hl_trajectory {
 public:
  explicit hl_trajectory(const hl_trajectory_config& config) noexcept;
  static bool allows(const hl_trajectory_config& config) noexcept;
  static void* operator new(std::size_t size, const std::nothrow_t& none) noexcept;

  int32_t start(int64_t stamp, const double* pose, double width_m) noexcept;
  void splice(int64_t now, const handloom::ChunkView& chunk, hl_splice_report* report) noexcept;
  int32_t rebase(int64_t now, const double* pose, const double* twist) noexcept;
  int64_t brake(int64_t now) noexcept;
  void at(int64_t stamp, double* pose, double* twist, double* width_m) const noexcept;
  int64_t end() const noexcept { return curve().end; }
  int32_t pending(int64_t now, int32_t room, int64_t* stamps, double* poses) const noexcept;

 private:
  const handloom::Curve& curve() const noexcept { return curves_[active_]; }
  int64_t arm_time(int64_t stamp) const noexcept { return handloom::added(stamp, config_.arm_latency_ns); }
  bool keep_pending(int64_t present, int fresh, const handloom::ChunkView& chunk, handloom::Curve* next) noexcept;
  void plan_anew(int64_t present, int fresh, const handloom::ChunkView& chunk, handloom::Curve* next) noexcept;
  void add_waypoints(int first, int last, int fresh, const handloom::ChunkView& chunk) noexcept;
  void begin_at(int64_t present) noexcept;
  void finish(handloom::Curve* next) noexcept;
  void splice_widths(int64_t now, int fresh, int planned, const handloom::ChunkView& chunk,
                     handloom::Curve* next) noexcept;

  hl_trajectory_config config_;
  handloom::Limits limits_[2];
  handloom::Expected expected_;
  bool rebased_ = false;
  handloom::Passing<handloom::Positions> position_;  // where the tool is, once rebased
  handloom::Passing<handloom::Orientations> orientation_;
  handloom::Plan plan_;
  handloom::Curve curves_[2];
  int active_ = 0;
};
