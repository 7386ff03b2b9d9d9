/* A simulated arm as a robot of handloom_rt.h: it moves the very mjData that Python sees, one step a period.

   Two models: the plant is what happens; the arm's own model is what the robot believes of itself, without payload.
   Everything is allocated by Python; create only remembers addresses. */
#ifndef HL_ARM_H
#define HL_ARM_H

#include "handloom_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of hl_arm_config.flags. */
enum {
  HL_ARM_COMPENSATES_GRAVITY = 1u, /* the robot adds its own model's gravity to a commanded torque */
  HL_ARM_MONOTONIC = 2u,           /* stamps are CLOCK_MONOTONIC at the first read plus simulated time */
  HL_ARM_TORQUE_SENSORS = 4u,      /* torques are measured behind the friction, as a Franka does; else at the motor */
};

typedef struct hl_gripper_config {
  uint32_t present;
  uint32_t blocking;     /* 1: a move runs to its end, and commands meanwhile are lost */
  double width_min;      /* m */
  double width_max;
  double speed;          /* m/s, at most */
  double acceleration;   /* m/s^2 */
  double force;          /* N, at most */
  double latency_s;      /* from a command to the first motion */
  double move_cost_s;    /* how much longer a blocking move takes than its fingers move, latency included */
  double least_move;     /* m: a shorter blocking move is not made */
  double command_s;      /* it takes a command once in so long */
  double state_s;        /* it reports its width once in so long */
  double object_width;   /* m, of what is between the fingers; NaN for nothing */
  double object_stiffness; /* N/m */
} hl_gripper_config;

typedef struct hl_arm_config {
  uint32_t joints;
  uint32_t flags;        /* HL_ARM_* */
  uint64_t reflexes;     /* HL_REFLEX_* that are on */
  uint64_t seed;         /* of the noise */
  int64_t period_ns;     /* of control; one step of the plant */
  int64_t start_ns;      /* stamp of the first sample without HL_ARM_MONOTONIC */
  uint64_t plant_model, plant_data, own_model, own_data; /* addresses of mjModel and mjData */
  int32_t plant_q[HL_MAX_JOINTS], plant_dof[HL_MAX_JOINTS]; /* where the joints are in qpos and qvel */
  int32_t own_q[HL_MAX_JOINTS], own_dof[HL_MAX_JOINTS];
  int32_t plant_flange, own_flange; /* sites */
  int32_t finger_q[2], finger_dof[2]; /* of fingers that are bodies of the plant; -1 without */
  double q_lower[HL_MAX_JOINTS], q_upper[HL_MAX_JOINTS];
  double dq_max[HL_MAX_JOINTS];
  double ddq_max[HL_MAX_JOINTS];   /* of commanded positions */
  double jerk_max[HL_MAX_JOINTS];
  double tau_max[HL_MAX_JOINTS];
  double tau_rate[HL_MAX_JOINTS];  /* Nm/s */
  double braking[HL_MAX_JOINTS];   /* rad/s^2: near a limit dq <= sqrt(2 braking (limit - q)) - offset; NaN: no such
                                      limit */
  double braking_offset[HL_MAX_JOINTS]; /* rad/s */
  double collision_torque[HL_MAX_JOINTS]; /* Nm, external */
  double collision_wrench[2];      /* N, Nm: norms at the flange */
  double power_max;                /* W, sum over the joints */
  double start_pose_rad;           /* rad: furthest a first position command may be from the arm */
  double noise_q, noise_dq, noise_tau; /* standard deviations */
  double observer_s;               /* time constant of the external torques */
  double servo_hz;                 /* bandwidth of the position servo */
  double braking_s;                /* time constant of a damped stop */
  hl_gripper_config gripper;
} hl_arm_config;

/* What no robot could tell: for tests, benchmarks and reports. */
typedef struct hl_arm_truth {
  int64_t steps;
  int64_t steps_stopping;   /* from the beginning of the stop to rest, or until now */
  uint64_t reflexes;
  uint32_t at_rest;         /* the brakes are closed */
  uint32_t stopping;        /* a damped stop is under way or done */
  double contact_force[3];  /* N in world axes, on the arm, in the last step */
  double contact_peak;      /* N, largest norm since hl_arm_forget_peaks */
  double speed_peak;        /* rad/s, of any joint, likewise */
  double power;             /* W, in the last step */
  double tau_motor[HL_MAX_JOINTS];
  double tau_external[HL_MAX_JOINTS]; /* as the robot estimates it, filtered */
} hl_arm_truth;

typedef struct hl_arm hl_arm;

hl_arm *hl_arm_create(const hl_arm_config *config); /* NULL where there are more than HL_MAX_JOINTS joints */
void hl_arm_destroy(hl_arm *arm);
const hl_robot_v1 *hl_arm_robot(hl_arm *arm);
/* Well again, at rest where the plant's data say; call after a change of qpos. Not while a loop runs. */
void hl_arm_restart(hl_arm *arm);
/* A wrench (6, world axes, at the flange's body) for so many steps. Not from two threads at once. */
void hl_arm_push(hl_arm *arm, const double *wrench, int64_t steps);
/* Put something between the fingers, or take it out with NaN. Not while a loop runs. */
void hl_arm_grasp(hl_arm *arm, double width, double stiffness);
void hl_arm_truth_of(const hl_arm *arm, hl_arm_truth *truth);
void hl_arm_forget_peaks(hl_arm *arm);
int32_t hl_arm_mujoco_version(void); /* that it was compiled against */
uint32_t hl_arm_size_of(const char *name);

#ifdef __cplusplus
}
#endif
#endif
