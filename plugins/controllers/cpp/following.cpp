// Cartesian following, one cycle after the other, and its plain C interface.
#include "following.hpp"

#include <new>

#include "command.hpp"
#include "export.hpp"
#include "numbers.hpp"

namespace handloom {

Following::Following(const hl_following_config& config) noexcept : config_(config), motion_(config) {
  read_pose(config.T_flange_tcp, T_flange_tcp_);
}

int32_t Following::step(const hl_state& state, const hl_reference& reference, hl_command& command) noexcept {
  const bool first = !begun_ || (reference.flags & HL_REFERENCE_FIRST);
  clear(command, HL_MODE_DAMPED);
  if (state.joints != config_.joints) return fail(command, HL_ERROR_ARGUMENT);
  if (std::isfinite(reference.width_m)) command.width_m = reference.width_m;
  return act(state, reference, command, first);
}

int32_t Following::act(const hl_state& state, const hl_reference& reference, hl_command& command,
                       bool first) noexcept {
  Sample sample;
  Pose target;
  if (!read_sample(state, sample) || !read_pose(reference.T_base_tcp, target)) {
    return fail(command, HL_ERROR_NOT_FINITE);
  }
  if (first) begin(sample);
  const Pose pose = compose(sample.T_base_flange, T_flange_tcp_);
  const Jacobian jacobian = moved_by(sample.jacobian, pose.position - sample.T_base_flange.position);
  Twist miss;
  miss.head<3>() = target.position - pose.position;
  miss.tail<3>() = rotation_vector(turn_between(pose.orientation, target.orientation));
  // What the commanded joints miss, not the measured: where an arm lags or is blocked, that would wind the command up.
  miss -= jacobian * (motion_.q() - sample.q);
  const Twist error = clipped(miss, command.events);
  const Joints onward = damped_solve(jacobian, config_.lambda, Twist::Map(reference.twist));
  const Joints drawn = config_.posture_gain * (posture_ - motion_.q());
  Twist back = -(jacobian * drawn);
  back.head<3>() += config_.gain[0] * error.head<3>();
  back.tail<3>() += config_.gain[1] * error.tail<3>();
  const Joints chase = drawn + damped_solve(jacobian, config_.lambda, back);
  if (!onward.allFinite() || !chase.allFinite()) return fail(command, HL_ERROR_NOT_FINITE);
  motion_.move(onward, chase, periods(state), command.events);
  begun_ = true;
  command.mode = HL_MODE_POSITION;
  Joints::Map(command.q) = motion_.q();
  Joints::Map(command.dq) = motion_.dq();
  write_pose(pose, command.T_base_tcp);
  Twist::Map(command.error) = error;
  return HL_OK;
}

Twist Following::clipped(const Twist& miss, uint32_t& events) const noexcept {
  bool longer[2];
  Twist error;
  error.head<3>() = shortened(miss.head<3>(), config_.clip[0], longer[0]);
  error.tail<3>() = shortened(miss.tail<3>(), config_.clip[1], longer[1]);
  if (longer[0]) events |= HL_EVENT_CLIP_POSITION;
  if (longer[1]) events |= HL_EVENT_CLIP_ROTATION;
  return error;
}

int32_t Following::fail(hl_command& command, int32_t status) noexcept {
  begun_ = false;
  clear(command, HL_MODE_DAMPED);
  return status;
}

void Following::begin(const Sample& sample) noexcept {
  for (uint32_t joint = 0; joint < config_.joints; ++joint) {
    const double wanted = config_.posture[joint];
    posture_[joint] = std::isnan(wanted) ? sample.q[joint] : wanted;
  }
  motion_.begin(sample.q);
  ahead_s_ = 0.0;
}

// By how many periods the command goes on; a cycle without a sample counts as one. Whole ones: the stamps' jitter must
// not become the arm's.
uint32_t Following::periods(const hl_state& state) noexcept {
  if (!(state.flags & HL_STATE_FRESH)) {
    ahead_s_ += config_.period_s;
    return 1;
  }
  const double measured = std::max(0.0, elapsed_s(state, config_.period_s) - ahead_s_);
  ahead_s_ = 0.0;
  return static_cast<uint32_t>(measured / config_.period_s + 0.5);
}

}  // namespace handloom

struct hl_following {
  explicit hl_following(const hl_following_config& config);

  handloom::Following law;
  hl_law_v1 table;
};

namespace {

using handloom::all_at_least_zero;
using handloom::is_at_least_zero;
using handloom::is_positive;

bool is_valid(const hl_following_config& config) {
  handloom::Pose tool;
  if (config.joints < 1 || config.joints > HL_MAX_JOINTS || !handloom::read_pose(config.T_flange_tcp, tool)) {
    return false;
  }
  for (uint32_t joint = 0; joint < config.joints; ++joint) {
    if (!(config.q_lower[joint] < config.q_upper[joint]) || std::isinf(config.posture[joint]) ||
        !is_positive(config.dq_max[joint]) || !is_positive(config.ddq_max[joint]) ||
        !is_positive(config.jerk_max[joint]) || !(config.near_deceleration[joint] > 0) ||
        !is_at_least_zero(config.near_offset[joint])) {
      return false;
    }
  }
  return is_positive(config.period_s) && is_positive(config.lambda) && all_at_least_zero(config.gain, 2) &&
         is_positive(config.clip[0]) && is_positive(config.clip[1]) && is_at_least_zero(config.posture_gain);
}

int32_t step(void* self, const hl_state* state, const hl_reference* reference, hl_command* command) {
  return static_cast<hl_following*>(self)->law.step(*state, *reference, *command);
}

}  // namespace

hl_following::hl_following(const hl_following_config& config)
    : law(config), table{HL_ABI, sizeof(hl_law_v1), this, step} {}

HL_EXPORT hl_following* hl_following_create(const hl_following_config* config) {
  if (!is_valid(*config)) return nullptr;
  return new (std::nothrow) hl_following(*config);
}

HL_EXPORT void hl_following_destroy(hl_following* law) { delete law; }

HL_EXPORT const hl_law_v1* hl_following_law(hl_following* law) { return &law->table; }
