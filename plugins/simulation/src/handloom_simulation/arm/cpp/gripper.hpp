// A parallel gripper by its width: how fast it moves, when it begins, what it squeezes, and whether it listens.
#pragma once

#include "hl_arm.h"

namespace arm {

class Gripper {
 public:
  void Start(const hl_gripper_config& config, double step_s) noexcept;
  void Grasp(double width, double stiffness) noexcept;

  // Hear a command; NaN for the width leaves the gripper alone, NaN for speed or force is the gripper's own.
  void Hear(double width, double speed, double force) noexcept;
  void Step() noexcept;

  // As it was reported last.
  struct Report {
    double width, speed, force;
  };
  const Report& reported() const noexcept { return reported_; }

  // For fingers that are bodies: where they shall be, with how much force at most, and what they met.
  double width() const noexcept { return width_; }
  double most_force() const noexcept { return most_force_; }
  void Met(double width, double force) noexcept;

 private:
  struct Order {
    double width, speed, force;
  };
  static constexpr int kDelayRoom = 512;  // steps

  double MovingTime(double distance, double speed) const noexcept;
  void Follow() noexcept;
  void Begin(const Order& order) noexcept;
  void Move(const Order& order) noexcept;
  double Floor(double force) const noexcept;

  hl_gripper_config config_ = {};
  double step_s_ = 0.001;
  double width_ = 0, speed_ = 0, force_ = 0, most_force_ = 0;
  double met_width_ = 0, met_force_ = 0;
  bool has_fingers_ = false;
  Order heard_ = {}, active_ = {};
  Order delayed_[kDelayRoom] = {};
  int at_ = 0, delay_ = 0;
  Report reported_ = {};
  double busy_s_ = 0, wait_s_ = 0;                  // of a blocking move
  double until_command_s_ = 0, until_report_s_ = 0;
};

}  // namespace arm
