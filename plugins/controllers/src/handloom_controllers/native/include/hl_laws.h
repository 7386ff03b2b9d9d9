/* The laws of this library: Cartesian impedance, hand guiding, and Cartesian following for position-controlled arms. */
#ifndef HL_LAWS_H
#define HL_LAWS_H

#include "handloom_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What may change while the law runs; a change is blended in over `blend_s`, so that no torque steps. */
typedef struct hl_impedance_gains {
  double stiffness[2];          /* N/m, Nm/rad of the vector part of the difference quaternion (half of it per rad) */
  double damping[2];            /* Ns/m, Nms/rad */
  double integral[2];           /* N/(m s), Nm/(rad s) */
  double clip[2];               /* m, and of the vector part (about half the angle in rad) */
  double wrench_bound[2];       /* N, Nm: norms; infinite for none */
  double nullspace_stiffness[HL_MAX_JOINTS]; /* Nm/rad, by joint */
  double nullspace_damping[HL_MAX_JOINTS];   /* Nms/rad; NaN is 2 sqrt(stiffness) */
  double feed_forward;          /* 1 damps the difference of velocities, 0 the velocity itself */
} hl_impedance_gains;

typedef struct hl_impedance_config {
  uint32_t joints;
  uint32_t follow_joints;       /* 1: posture and reference follow the arm (hand guiding) */
  double period_s;
  double blend_s;
  double lambda;                /* damping of the pseudo-inverse in the nullspace projector */
  double T_flange_tcp[7];
  double payload_kg;            /* that the robot's own model does not know */
  double payload_com[3];        /* in the flange, m */
  double gravity[3];            /* m/s^2 in base axes */
  double posture[HL_MAX_JOINTS]; /* nullspace target; NaN takes the first measured position */
  double q_lower[HL_MAX_JOINTS], q_upper[HL_MAX_JOINTS];
  double dq_max[HL_MAX_JOINTS];
  double tau_max[HL_MAX_JOINTS];
  double tau_step[HL_MAX_JOINTS]; /* Nm a cycle, against the command before and against what the robot applied */
  double repulsion_margin;      /* rad before a limit where the repulsion begins */
  double repulsion_torque[HL_MAX_JOINTS]; /* Nm at a limit, of position as of velocity */
  double velocity_margin;       /* share of dq_max where braking begins, above 0 and below 1 */
  double guide_leash[2];        /* m, rad: with follow_joints the reference trails the tool by no more than this */
} hl_impedance_config;

typedef struct hl_impedance hl_impedance;

hl_impedance *hl_impedance_create(const hl_impedance_config *config, const hl_impedance_gains *gains);
void hl_impedance_destroy(hl_impedance *law);
/* From any thread; HL_ERROR_ARGUMENT for gains that are not finite or negative. */
int32_t hl_impedance_set_gains(hl_impedance *law, const hl_impedance_gains *gains);
/* The address of its hl_law_v1, valid as long as it lives. */
const hl_law_v1 *hl_impedance_law(hl_impedance *law);

/* Step a law once, for callers that can't call through a pointer. */
int32_t hl_law_step(const hl_law_v1 *law, const hl_state *state, const hl_reference *reference, hl_command *command);

/* Step a law over arrays, for tests and measurements; returns how many steps failed. `lost` marks the commands that do
   not reach the robot: each tau_applied but the first is filled in with what it has applied then. NULL leaves the
   states as they are. */
int32_t hl_law_step_many(const hl_law_v1 *law, int32_t count, hl_state *states, const hl_reference *references,
                         const uint8_t *lost, hl_command *commands, int32_t *statuses);

/* Cartesian following for arms that take joint positions: damped least squares on the twist of the reference, and
   joints that keep their range, velocity, acceleration and jerk. */
typedef struct hl_following_config {
  uint32_t joints;
  uint32_t reserved;
  double period_s;
  double lambda;
  double gain[2];               /* 1/s, on the position and rotation error */
  double clip[2];               /* m, rad: an error beyond counts as this, and is told as an event */
  double T_flange_tcp[7];
  double posture_gain;          /* 1/s */
  double posture[HL_MAX_JOINTS];
  double q_lower[HL_MAX_JOINTS], q_upper[HL_MAX_JOINTS];
  double dq_max[HL_MAX_JOINTS], ddq_max[HL_MAX_JOINTS], jerk_max[HL_MAX_JOINTS];
  /* Towards the end of its range a joint is no faster than sqrt(2 deceleration distance) - offset. */
  double near_deceleration[HL_MAX_JOINTS]; /* rad/s^2, infinite for none */
  double near_offset[HL_MAX_JOINTS];       /* rad/s */
} hl_following_config;

typedef struct hl_following hl_following;

hl_following *hl_following_create(const hl_following_config *config);
void hl_following_destroy(hl_following *law);
const hl_law_v1 *hl_following_law(hl_following *law);

#ifdef __cplusplus
}
#endif
#endif
