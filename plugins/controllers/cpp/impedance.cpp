// The Cartesian impedance law, one cycle after the other; the equations are in docs/law.md.
#include "impedance.hpp"

#include "command.hpp"

namespace handloom {
namespace {

void put_torque(const Joints& torque, hl_command& command) noexcept {
  std::copy(torque.data(), torque.data() + HL_MAX_JOINTS, command.tau);
}

}  // namespace

Impedance::Impedance(const hl_impedance_config& config, const hl_impedance_gains& gains) noexcept
    : config_(config),
      gains_(resolved(gains, config.joints), config.blend_s),
      limits_(config),
      guide_(config.guide_leash[0], config.guide_leash[1]) {
  read_pose(config.T_flange_tcp, T_flange_tcp_);
}

int32_t Impedance::step(const hl_state& state, const hl_reference& reference, hl_command& command) noexcept {
  const bool first = !begun_ || (reference.flags & HL_REFERENCE_FIRST);
  clear(command, HL_MODE_DAMPED);
  if (reference.flags & HL_REFERENCE_FIRST) before_ = limits_.told(state.tau_applied);
  if (state.joints != config_.joints) return fail(state, command, HL_ERROR_ARGUMENT);
  if (std::isfinite(reference.width_m)) command.width_m = reference.width_m;
  if (first || (state.flags & HL_STATE_FRESH)) return act(state, reference, command, first);
  // Nothing new is known, not even which of the last commands arrived: the one before is held.
  command.mode = HL_MODE_TORQUE;
  put_torque(before_, command);
  return HL_OK;
}

int32_t Impedance::act(const hl_state& state, const hl_reference& reference, hl_command& command,
                       bool first) noexcept {
  Sample sample;
  Pose reference_pose;
  Tool tool;
  if (!read_sample(state, sample)) return fail(state, command, HL_ERROR_NOT_FINITE);
  if (!config_.follow_joints && !read_pose(reference.T_base_tcp, reference_pose)) {
    return fail(state, command, HL_ERROR_NOT_FINITE);
  }
  tool.pose = compose(sample.T_base_flange, T_flange_tcp_);
  tool.jacobian = moved_by(sample.jacobian, tool.pose.position - sample.T_base_flange.position);
  tool.twist = tool.jacobian * sample.dq;
  const double dt_s = elapsed_s(state, config_.period_s);
  if (first) begin(sample, tool.pose);
  else gains_.advance(dt_s);
  aim(reference, reference_pose, sample, tool);
  const Twist error = clipped_error(tool, command.events);
  const Twist wrench = wrench_of(error, tool, dt_s, command.events);
  const Joints wanted = tool.jacobian.transpose() * wrench + posture_torque(sample, tool) + sample.coriolis +
                        sample.gravity + payload_torque(sample) + limits_.repulsion(sample.q, command.events) +
                        limits_.braking(sample.dq, command.events);
  if (!wanted.allFinite() || !wrench.allFinite()) return fail(state, command, HL_ERROR_NOT_FINITE);
  before_ = limits_.bounded(wanted, before_, state.tau_applied, command.events);
  held_back_ = command.events & (HL_EVENT_TORQUE_RATE | HL_EVENT_TORQUE_LIMIT);
  begun_ = true;
  command.mode = HL_MODE_TORQUE;
  put_torque(before_, command);
  write_pose(tool.pose, command.T_base_tcp);
  Twist::Map(command.error) = error;
  Twist::Map(command.wrench) = wrench;
  return HL_OK;
}

// Damped, with the torques on their way to 0 for a robot that reads them all the same.
int32_t Impedance::fail(const hl_state& state, hl_command& command, int32_t status) noexcept {
  before_ = limits_.bounded(Joints::Zero(), before_, state.tau_applied, command.events);
  begun_ = false;  // whatever was remembered may be spoilt, except the torque
  clear(command, HL_MODE_DAMPED);
  put_torque(before_, command);
  return status;
}

void Impedance::begin(const Sample& sample, const Pose& tool) noexcept {
  gains_.jump();
  guide_.begin(tool);
  integral_.setZero();
  held_back_ = false;
  for (uint32_t joint = 0; joint < config_.joints; ++joint) {
    const double wanted = config_.posture[joint];
    posture_[joint] = std::isnan(wanted) ? sample.q[joint] : wanted;
  }
}

void Impedance::aim(const hl_reference& reference, const Pose& reference_pose, const Sample& sample,
                    Tool& tool) noexcept {
  if (config_.follow_joints) {
    tool.target = guide_.follow(tool.pose);
    tool.target_twist.setZero();
    guide_.follow(sample.q, posture_);
    return;
  }
  tool.target = reference_pose;
  tool.target_twist = Eigen::Map<const Twist>(reference.twist);
}

Twist Impedance::clipped_error(const Tool& tool, uint32_t& events) const noexcept {
  const hl_impedance_gains& gains = gains_.now();
  bool clipped[2];
  Twist error;
  error.head<3>() = shortened(tool.target.position - tool.pose.position, gains.clip[0], clipped[0]);
  const Quaternion turn = turn_between(tool.pose.orientation, tool.target.orientation);
  error.tail<3>() = shortened(turn.vec(), gains.clip[1], clipped[1]);
  if (clipped[0]) events |= HL_EVENT_CLIP_POSITION;
  if (clipped[1]) events |= HL_EVENT_CLIP_ROTATION;
  return error;
}

Twist Impedance::wrench_of(const Twist& error, const Tool& tool, double dt_s, uint32_t& events) noexcept {
  Twist wrench;
  wrench.head<3>() = bounded_part(0, error, tool, dt_s, events);
  wrench.tail<3>() = bounded_part(1, error, tool, dt_s, events);
  return wrench;
}

// Force (part 0) or torque (part 1). The bound is a norm on all of it, the damping included.
Vector3 Impedance::bounded_part(int part, const Twist& error, const Tool& tool, double dt_s,
                                uint32_t& events) noexcept {
  const hl_impedance_gains& gains = gains_.now();
  const Vector3 e = error.segment<3>(3 * part);
  const Vector3 lag = gains.feed_forward * tool.target_twist.segment<3>(3 * part) - tool.twist.segment<3>(3 * part);
  const Vector3 wanted = gains.stiffness[part] * e + gains.damping[part] * lag + integral_.segment<3>(3 * part);
  bool longer, longer_integral;
  const Vector3 given = shortened(wanted, gains.wrench_bound[part], longer);
  if (longer) events |= HL_EVENT_WRENCH_BOUND;
  if (!(longer || held_back_) || e.dot(wanted) < 0) {  // against windup: no more of what can't be given anyway
    const double room = std::min(gains.wrench_bound[part], gains.stiffness[part] * gains.clip[part]);
    integral_.segment<3>(3 * part) =
        shortened(integral_.segment<3>(3 * part) + gains.integral[part] * dt_s * e, room, longer_integral);
  }
  return given;
}

// A soft spring to the posture, projected so that the tool does not feel it: (I - J^T (J J^T + l^2 I)^-1 J) z.
Joints Impedance::posture_torque(const Sample& sample, const Tool& tool) const noexcept {
  const Eigen::Map<const Joints> stiffness(gains_.now().nullspace_stiffness);
  const Eigen::Map<const Joints> damping(gains_.now().nullspace_damping);
  const Joints pull = stiffness.cwiseProduct(posture_ - sample.q) - damping.cwiseProduct(sample.dq);
  return pull - damped_solve(tool.jacobian, config_.lambda, tool.jacobian * pull);
}

// What holds a payload that the robot's own model does not know.
Joints Impedance::payload_torque(const Sample& sample) const noexcept {
  if (config_.payload_kg <= 0) return Joints::Zero();
  const Vector3 com = sample.T_base_flange.orientation * Eigen::Map<const Vector3>(config_.payload_com);
  const Vector3 holding = -config_.payload_kg * Eigen::Map<const Vector3>(config_.gravity);
  return moved_by(sample.jacobian, com).topRows<3>().transpose() * holding;
}

}  // namespace handloom
