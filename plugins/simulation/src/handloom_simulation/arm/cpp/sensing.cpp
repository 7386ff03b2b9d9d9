// What the robot measures after a step, and what its own model says there.
#include <cstring>

#include "arm.hpp"

namespace arm {
namespace {

void Measure(hl_arm& arm) noexcept {
  const hl_arm_config& config = arm.config;
  for (uint32_t j = 0; j < config.joints; ++j) {
    arm.sensed.q[j] = arm.plant->qpos[config.plant_q[j]] + arm.noise.Normal(config.noise_q);
    arm.sensed.dq[j] = arm.plant->qvel[config.plant_dof[j]] + arm.noise.Normal(config.noise_dq);
    arm.own->qpos[config.own_q[j]] = arm.sensed.q[j];
  }
}

void SetVelocities(hl_arm& arm, const double* dq) noexcept {
  for (uint32_t j = 0; j < arm.config.joints; ++j) arm.own->qvel[arm.config.own_dof[j]] = dq ? dq[j] : 0;
  mj_comVel(arm.own_model, arm.own);
}

// Fills gravity with a model at rest, then coriolis as what the motion adds to it.
void Bias(hl_arm& arm) noexcept {
  const hl_arm_config& config = arm.config;
  double* bias = arm.own->qfrc_bias;
  SetVelocities(arm, nullptr);
  mj_rne(arm.own_model, arm.own, 0, bias);
  for (uint32_t j = 0; j < config.joints; ++j) arm.sensed.gravity[j] = bias[config.own_dof[j]];
  SetVelocities(arm, arm.sensed.dq);
  mj_rne(arm.own_model, arm.own, 0, bias);
  for (uint32_t j = 0; j < config.joints; ++j) {
    arm.sensed.coriolis[j] = bias[config.own_dof[j]] - arm.sensed.gravity[j];
  }
}

void Kinematics(hl_arm& arm) noexcept {
  const hl_arm_config& config = arm.config;
  const int site = config.own_flange, columns = arm.own_model->nv;
  double rows[6 * 2 * HL_MAX_JOINTS];  // create refuses models with more
  mj_jacSite(arm.own_model, arm.own, rows, rows + 3 * columns, site);
  for (int row = 0; row < 6; ++row) {
    for (uint32_t j = 0; j < config.joints; ++j) {
      arm.sensed.jacobian[row * HL_MAX_JOINTS + j] = rows[row * columns + config.own_dof[j]];
    }
  }
  double* T = arm.sensed.T_base_flange;
  std::memcpy(T, arm.own->site_xpos + 3 * site, 3 * sizeof(double));
  double w_first[4];
  mju_mat2Quat(w_first, arm.own->site_xmat + 9 * site);
  const double quaternion[4] = {w_first[1], w_first[2], w_first[3], w_first[0]};
  std::memcpy(T + 3, quaternion, sizeof quaternion);
}

}  // namespace

void Sense(hl_arm& arm) noexcept {
  Measure(arm);
  mj_kinematics(arm.own_model, arm.own);
  mj_comPos(arm.own_model, arm.own);
  mj_makeM(arm.own_model, arm.own);
  Bias(arm);
  Kinematics(arm);
  hl_state& sensed = arm.sensed;
  sensed.reflexes = arm.reflexes;
  for (uint32_t j = 0; j < arm.config.joints; ++j) sensed.tau_applied[j] = arm.command.tau[j];
  if (arm.config.gripper.present) {
    const Gripper::Report& hand = arm.gripper.reported();
    sensed.width_m = hand.width;
    sensed.width_speed = hand.speed;
    sensed.width_force = hand.force;
  }
}

}  // namespace arm
