// How the gripper's width follows its commands.
#include "gripper.hpp"

#include <algorithm>
#include <cmath>

namespace arm {
namespace {

constexpr double kHair = 1e-9;  // s

double OrElse(double value, double fallback) { return std::isfinite(value) ? value : fallback; }

}  // namespace

void Gripper::Start(const hl_gripper_config& config, double step_s) noexcept {
  config_ = config;
  step_s_ = step_s;
  width_ = met_width_ = config.width_max;
  most_force_ = config.force;
  speed_ = force_ = busy_s_ = wait_s_ = until_command_s_ = until_report_s_ = 0;
  reported_ = {width_, 0, 0};
  heard_ = active_ = {config.width_max, config.speed, config.force};
  delay_ = std::min(static_cast<int>(std::lround(config.latency_s / step_s)), kDelayRoom - 1);
  at_ = 0;
  std::fill(delayed_, delayed_ + kDelayRoom, heard_);
}

void Gripper::Grasp(double width, double stiffness) noexcept {
  config_.object_width = width;
  config_.object_stiffness = stiffness;
}

void Gripper::Hear(double width, double speed, double force) noexcept {
  if (!config_.present || !std::isfinite(width)) return;
  const Order order = {std::clamp(width, config_.width_min, config_.width_max),
                       std::clamp(OrElse(speed, config_.speed), 0.0, config_.speed),
                       std::clamp(OrElse(force, config_.force), 0.0, config_.force)};
  if (!config_.blocking) {
    if (until_command_s_ > kHair) return;
    until_command_s_ = config_.command_s;
    heard_ = order;
  } else if (busy_s_ <= kHair && std::abs(order.width - width_) >= config_.least_move) {
    Begin(order);
  }
}

// As long as the fingers move: with a flat top where the speed is reached, as a peak where not.
double Gripper::MovingTime(double distance, double speed) const noexcept {
  const double a = config_.acceleration;
  if (distance < speed * speed / a) return 2 * std::sqrt(distance / a);
  return speed > 0 ? distance / speed + speed / a : 0;
}

// A blocking hand: from here on it hears nothing until the move is over.
void Gripper::Begin(const Order& order) noexcept {
  // Holding something with this force already, it has nothing to do.
  if (order.width < config_.object_width && width_ <= Floor(order.force) + config_.least_move) return;
  active_ = order;
  wait_s_ = config_.latency_s;
  busy_s_ = config_.move_cost_s + MovingTime(std::abs(order.width - width_), order.speed);
}

void Gripper::Step() noexcept {
  if (!config_.present) return;
  until_command_s_ -= step_s_;
  if (config_.blocking) {
    busy_s_ -= step_s_;
    wait_s_ -= step_s_;
    if (wait_s_ <= kHair) Move(active_);
  } else {
    Follow();
  }
  until_report_s_ -= step_s_;
  if (until_report_s_ <= kHair) {
    until_report_s_ += config_.state_s;
    reported_ = {has_fingers_ ? met_width_ : width_, speed_, has_fingers_ ? met_force_ : force_};
  }
}

// A hand that follows the newest command moves as it was told a latency ago.
void Gripper::Follow() noexcept {
  delayed_[at_] = heard_;
  const int then = (at_ - delay_ + kDelayRoom) % kDelayRoom;
  at_ = (at_ + 1) % kDelayRoom;
  Move(delayed_[then]);
}

// The least width that a force can squeeze the object to.
double Gripper::Floor(double force) const noexcept {
  if (!std::isfinite(config_.object_width) || !(config_.object_stiffness > 0)) return config_.width_min;
  return config_.object_width - force / config_.object_stiffness;
}

void Gripper::Met(double width, double force) noexcept {
  has_fingers_ = true;
  met_width_ = width;
  met_force_ = force;
}

void Gripper::Move(const Order& order) noexcept {
  most_force_ = order.force;
  const double error = std::max(order.width, Floor(order.force)) - width_;
  const double distance = std::abs(error);
  double speed = std::min({order.speed, std::sqrt(2 * config_.acceleration * distance), distance / step_s_});
  speed = std::copysign(speed, error);
  const double change = config_.acceleration * step_s_;
  speed_ = std::clamp(speed, speed_ - change, speed_ + change);
  const double before = width_;
  width_ = std::clamp(width_ + speed_ * step_s_, config_.width_min, config_.width_max);
  force_ = 0;
  if (width_ < config_.object_width) {
    width_ = std::max(width_, std::min(before, Floor(order.force)));
    force_ = std::min(config_.object_stiffness * (config_.object_width - width_), order.force);
  }
  speed_ = (width_ - before) / step_s_;
}

}  // namespace arm
