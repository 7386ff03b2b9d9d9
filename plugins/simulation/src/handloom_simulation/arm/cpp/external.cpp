// The external torques and wrench as a robot estimates them: what its own model cannot explain of a step.
#include <cmath>

#include "arm.hpp"

namespace arm {
namespace {

constexpr double kDamping = 0.02;  // of the pseudo-inverse; keeps the wrench bounded at a singular posture

// The friction in the joints during the step: dry friction from its constraint rows, viscous from the new velocity,
// because the integrator is implicit in it.
void Friction(const hl_arm& arm, double* friction) noexcept {
  const mjData* d = arm.plant;
  const hl_arm_config& config = arm.config;
  for (uint32_t j = 0; j < config.joints; ++j) {
    const int dof = config.plant_dof[j];
    friction[j] = -arm.plant_model->dof_damping[dof] * d->qvel[dof];
    for (int row = d->ne; row < d->ne + d->nf; ++row) {
      if (d->efc_type[row] == mjCNSTR_FRICTION_DOF && d->efc_id[row] == dof) friction[j] += d->efc_force[row];
    }
  }
}

// Least squares with damping: wrench = (J J^T + l^2 I)^-1 J tau.
void Wrench(hl_arm& arm) noexcept {
  const double* J = arm.sensed.jacobian;
  double gram[36], right[6] = {};
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b <= a; ++b) {
      double sum = a == b ? kDamping * kDamping : 0;
      for (uint32_t j = 0; j < arm.config.joints; ++j) sum += J[a * HL_MAX_JOINTS + j] * J[b * HL_MAX_JOINTS + j];
      gram[6 * a + b] = gram[6 * b + a] = sum;
    }
    for (uint32_t j = 0; j < arm.config.joints; ++j) right[a] += J[a * HL_MAX_JOINTS + j] * arm.external[j];
  }
  mju_cholFactor(gram, 6, 0);
  mju_cholSolve(arm.sensed.wrench, gram, right, 6);
}

}  // namespace

// Call after the plant's step and before the own model moves on: that is still where the step began.
void ObserveExternal(hl_arm& arm) noexcept {
  const hl_arm_config& config = arm.config;
  double acceleration[2 * HL_MAX_JOINTS] = {}, inertial[2 * HL_MAX_JOINTS];
  for (uint32_t j = 0; j < config.joints; ++j) {
    acceleration[config.own_dof[j]] = (arm.plant->qvel[config.plant_dof[j]] - arm.dq_before[j]) / arm.step_s;
  }
  mj_mulM(arm.own_model, arm.own, inertial, acceleration);
  Joints friction = {};
  Friction(arm, friction);
  const bool behind = config.flags & HL_ARM_TORQUE_SENSORS;
  for (uint32_t j = 0; j < config.joints; ++j) {
    arm.sensed.tau[j] = arm.motor[j] + (behind ? friction[j] : 0) + arm.noise.Normal(config.noise_tau);
    const double model = inertial[config.own_dof[j]] + arm.sensed.gravity[j] + arm.sensed.coriolis[j];
    arm.external[j] += arm.observer_share * (model - arm.sensed.tau[j] - arm.external[j]);
  }
  Wrench(arm);
}

}  // namespace arm
