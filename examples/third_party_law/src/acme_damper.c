/* The law `acme_damper`: drags the tool after its reference as if through oil, with a force that is only damping.

   The wanted velocity grows with the distance, up to a greatest one; the force is the damping of what is missing of it.
   Everything a law of the loop must keep is at the end of step: finite, within the torques, no torque steps. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "handloom_rt.h"

#define ACME_EXPORT __attribute__((visibility("default")))

typedef struct acme_damper {
  hl_law_v1 table;  /* first, so that the address of the law is that of its table */
  uint32_t joints;
  double damping;       /* Ns/m */
  double joint_damping; /* Nms/rad */
  double gain;          /* 1/s: wanted speed a metre of distance */
  double max_speed;     /* m/s */
  double tau_max[HL_MAX_JOINTS];
  double tau_step[HL_MAX_JOINTS]; /* Nm a cycle */
  double before[HL_MAX_JOINTS];
} acme_damper;

static double within(double value, double centre, double reach) {
  return fmin(fmax(value, centre - reach), centre + reach);
}

static int all_finite(const double *values, size_t count) {
  for (size_t place = 0; place < count; ++place) {
    if (!isfinite(values[place])) return 0;
  }
  return 1;
}

static int is_known(const acme_damper *law, const hl_state *state, const hl_reference *reference) {
  return state->joints == law->joints && all_finite(state->q, law->joints) && all_finite(state->dq, law->joints) &&
         all_finite(state->coriolis, law->joints) && all_finite(state->jacobian, 6 * HL_MAX_JOINTS) &&
         all_finite(state->T_base_flange, 7) && all_finite(reference->T_base_tcp, 7) &&
         all_finite(reference->twist, 6);
}

/* Damp the arm and forget the torque; the loop stops the robot. */
static int32_t give_up(acme_damper *law, hl_command *command) {
  memset(law->before, 0, sizeof law->before);
  command->mode = HL_MODE_DAMPED;
  return HL_ERROR_NOT_FINITE;
}

/* The force at the flange for one axis. */
static double force_on(const acme_damper *law, const hl_state *state, const hl_reference *reference, int axis) {
  double velocity = 0.0;
  for (uint32_t joint = 0; joint < law->joints; ++joint) {
    velocity += state->jacobian[axis * HL_MAX_JOINTS + joint] * state->dq[joint];
  }
  const double distance = reference->T_base_tcp[axis] - state->T_base_flange[axis];
  const double wanted = within(law->gain * distance, 0.0, law->max_speed) + reference->twist[axis];
  return law->damping * (wanted - velocity);
}

/* Nothing commanded yet; of what telemetry would like to know this law tells nothing, and that is NaN. */
static void begin(hl_command *command, double width_m) {
  memset(command, 0, sizeof *command);
  command->width_m = isfinite(width_m) ? width_m : NAN;
  command->width_speed = command->width_force = NAN;
  for (int place = 0; place < 7; ++place) command->T_base_tcp[place] = NAN;
  for (int axis = 0; axis < 6; ++axis) command->error[axis] = command->wrench[axis] = NAN;
}

static int32_t step(void *self, const hl_state *state, const hl_reference *reference, hl_command *command) {
  acme_damper *law = self;
  double force[3];
  begin(command, reference->width_m);
  if (reference->flags & HL_REFERENCE_FIRST) memset(law->before, 0, sizeof law->before);
  if (!is_known(law, state, reference)) return give_up(law, command);
  for (int axis = 0; axis < 3; ++axis) command->wrench[axis] = force[axis] = force_on(law, state, reference, axis);
  for (uint32_t joint = 0; joint < law->joints; ++joint) {
    double torque = state->coriolis[joint] - law->joint_damping * state->dq[joint];
    if (!(state->flags & HL_STATE_COMPENSATES_GRAVITY)) torque += state->gravity[joint];
    for (int axis = 0; axis < 3; ++axis) torque += state->jacobian[axis * HL_MAX_JOINTS + joint] * force[axis];
    if (!isfinite(torque)) return give_up(law, command);
    torque = within(torque, law->before[joint], law->tau_step[joint]);
    if (isfinite(state->tau_applied[joint])) {  /* a command may have been lost on its way */
      torque = within(torque, within(state->tau_applied[joint], 0.0, law->tau_max[joint]), law->tau_step[joint]);
    }
    command->tau[joint] = within(torque, 0.0, law->tau_max[joint]);
  }
  memcpy(law->before, command->tau, sizeof law->before);
  command->mode = HL_MODE_TORQUE;
  return HL_OK;
}

/* How much room a law takes; Python keeps it. */
ACME_EXPORT size_t acme_damper_size(void) { return sizeof(acme_damper); }

/* Make one in the caller's memory, and return its table. */
ACME_EXPORT const hl_law_v1 *acme_damper_make(void *room, uint32_t joints, const double *settings,
                                              const double *tau_max, const double *tau_step) {
  acme_damper *law = room;
  memset(law, 0, sizeof *law);
  law->table = (hl_law_v1){HL_ABI, sizeof(hl_law_v1), law, step};
  law->joints = joints;
  law->damping = settings[0];
  law->joint_damping = settings[1];
  law->gain = settings[2];
  law->max_speed = settings[3];
  memcpy(law->tau_max, tau_max, joints * sizeof(double));
  memcpy(law->tau_step, tau_step, joints * sizeof(double));
  return &law->table;
}
