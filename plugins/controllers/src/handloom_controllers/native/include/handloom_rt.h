/* Handloom's real-time contract: what a robot and a control law are to the 1 kHz loop.

   Plain C, fixed sizes, no other library: a robot or a law of any distribution is compiled against this file alone and
   hands the loop the address of one of the two tables at the end. Every function of a table runs on the loop's thread:
   it must not allocate, lock, log, throw, or call Python.

   Units are metres, radians, seconds, newtons, newton metres; stamps are int64 nanoseconds on the loop's clock.
   A pose is x y z and a quaternion x y z w. `T_a_b` maps b to a. Twists and wrenches are linear first, in base axes,
   with the point they belong to said beside them. What is not known is NaN, never 0. */
#ifndef HANDLOOM_RT_H
#define HANDLOOM_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HL_ABI 1u
#define HL_MAX_JOINTS 12

/* What a function of a table answers. Anything but HL_OK ends in a damped stop. */
enum { HL_OK = 0, HL_ERROR_NOT_FINITE = -1, HL_ERROR_ABI = -2, HL_ERROR_ROBOT = -3, HL_ERROR_ARGUMENT = -4 };

/* Bits of hl_state.flags. */
enum {
  HL_STATE_FRESH = 1u,               /* a new sample; without it the values are those of the cycle before */
  HL_STATE_COMPENSATES_GRAVITY = 2u, /* the robot adds gravity to a commanded torque by itself */
};

/* Bits of hl_state.reflexes, after the names that Franka's controller gives them. */
enum {
  HL_REFLEX_JOINT_POSITION_LIMITS = 1u << 0,          /* joint_position_limits_violation */
  HL_REFLEX_JOINT_VELOCITY = 1u << 1,                 /* joint_velocity_violation */
  HL_REFLEX_TORQUE_DISCONTINUITY = 1u << 2,           /* controller_torque_discontinuity */
  HL_REFLEX_TORQUE_RANGE = 1u << 3,                   /* tau_j_range_violation */
  HL_REFLEX_COMMUNICATION = 1u << 4,                  /* communication_constraints_violation */
  HL_REFLEX_JOINT_COLLISION = 1u << 5,                /* joint_reflex */
  HL_REFLEX_CARTESIAN_COLLISION = 1u << 6,            /* cartesian_reflex */
  HL_REFLEX_SELF_COLLISION = 1u << 7,                 /* self_collision_avoidance_violation */
  HL_REFLEX_START_POSE = 1u << 8,                     /* start_pose_invalid */
  HL_REFLEX_JOINT_VELOCITY_DISCONTINUITY = 1u << 9,   /* joint_motion_generator_velocity_discontinuity */
  HL_REFLEX_JOINT_ACCELERATION_DISCONTINUITY = 1u << 10, /* joint_motion_generator_acceleration_discontinuity */
  HL_REFLEX_POWER_LIMIT = 1u << 11,                   /* power_limit_violation */
  HL_REFLEX_INSTABILITY = 1u << 12,                   /* instability_detected */
  HL_REFLEX_NOT_FINITE = 1u << 13,                    /* a command was not finite and was not taken */
};

/* What the robot measured, and what its own model says there. */
typedef struct hl_state {
  int64_t stamp_ns;   /* when it was measured */
  int64_t period_ns;  /* measured time since the sample before; the nominal period at the first */
  uint64_t reflexes;  /* HL_REFLEX_*; 0 while the robot is well */
  uint32_t flags;     /* HL_STATE_* */
  uint32_t joints;    /* how many of HL_MAX_JOINTS there are; the rest of each array is 0 */
  double q[HL_MAX_JOINTS];           /* joint positions */
  double dq[HL_MAX_JOINTS];          /* joint velocities */
  double tau[HL_MAX_JOINTS];         /* measured joint torques, gravity and friction included */
  double tau_applied[HL_MAX_JOINTS]; /* the torque command that the robot applied last, as it was given */
  double coriolis[HL_MAX_JOINTS];    /* the robot's model: Coriolis and centrifugal torques */
  double gravity[HL_MAX_JOINTS];     /* the robot's model: torques that hold it against gravity */
  double jacobian[6 * HL_MAX_JOINTS]; /* row-major (6, HL_MAX_JOINTS): joint velocities to the flange's twist */
  double T_base_flange[7];
  double wrench[6];      /* external wrench at the flange; NaN where it is not measured */
  double width_m;        /* gripper; NaN without one */
  double width_speed;    /* m/s */
  double width_force;    /* N */
} hl_state;

/* Bits of hl_reference.flags. */
enum {
  HL_REFERENCE_FIRST = 1u,    /* the first cycle: begin anew, at rest, with no torque before but tau_applied */
  HL_REFERENCE_HOLD = 2u,     /* nothing new to follow: the reference rests */
  HL_REFERENCE_STOPPING = 4u, /* a soft stop is under way: the reference brakes */
};

/* Where the tool shall be in this cycle. */
typedef struct hl_reference {
  int64_t stamp_ns;
  uint32_t flags; /* HL_REFERENCE_* */
  uint32_t reserved;
  double T_base_tcp[7];
  double twist[6]; /* of the tcp */
  double width_m;  /* NaN leaves the gripper alone */
} hl_reference;

/* What hl_command.mode asks of the robot. */
enum {
  HL_MODE_TORQUE = 0,   /* tau, gravity included only where the robot does not compensate it */
  HL_MODE_POSITION = 1, /* q and dq */
  HL_MODE_DAMPED = 2,   /* come to rest by damping alone, and stay; the arrays are not read */
};

/* Bits of hl_command.events: what the law met in this cycle; none of them ends the motion. */
enum {
  HL_EVENT_CLIP_POSITION = 1u << 0,    /* the position error was clipped */
  HL_EVENT_CLIP_ROTATION = 1u << 1,    /* the rotation error was clipped */
  HL_EVENT_WRENCH_BOUND = 1u << 2,     /* the wrench was scaled down to its bound */
  HL_EVENT_TORQUE_RATE = 1u << 3,      /* a torque was held back by its rate */
  HL_EVENT_TORQUE_LIMIT = 1u << 4,     /* a torque was held back by its limit */
  HL_EVENT_JOINT_REPULSION = 1u << 5,  /* a joint is pushed away from its limit */
  HL_EVENT_VELOCITY_DAMPING = 1u << 6, /* a joint is braked near its velocity limit */
};

/* What the robot shall do in this cycle. */
typedef struct hl_command {
  uint32_t mode;    /* HL_MODE_* */
  uint32_t events;  /* HL_EVENT_* */
  uint32_t periods; /* set by the loop: control periods since its last command, 1 unless slots were missed. A simulated
                       robot advances by as many, with the command before held for all but the last. */
  uint32_t reserved;
  double tau[HL_MAX_JOINTS];
  double q[HL_MAX_JOINTS];
  double dq[HL_MAX_JOINTS];
  double width_m;     /* NaN leaves the gripper alone */
  double width_speed; /* m/s, at most; NaN is the gripper's own */
  double width_force; /* N, at most; NaN is the gripper's own */
  /* What the law knows, for telemetry; NaN where it does not. */
  double T_base_tcp[7]; /* measured */
  double error[6];      /* after clipping */
  double wrench[6];     /* that the law wants at the tcp, after its bound */
} hl_command;

/* A robot. The loop calls read, then the law, then write, once a period; stop at any time, also from another thread. */
typedef struct hl_robot_v1 {
  uint32_t abi;         /* HL_ABI */
  uint32_t struct_size; /* sizeof(hl_robot_v1) */
  void *self;
  int32_t (*read)(void *self, hl_state *state);           /* the newest sample */
  int32_t (*write)(void *self, const hl_command *command); /* a simulated robot advances here */
  void (*stop)(void *self);                               /* come to rest by the robot's own means; never blocks */
} hl_robot_v1;

/* A control law. The command comes with the reference's width and everything else 0 or NaN; where the gripper's speed or
   force is left NaN, the loop's own settings hold. A law that answers HL_MODE_DAMPED ends the motion as one that answers
   an error does. */
typedef struct hl_law_v1 {
  uint32_t abi;         /* HL_ABI */
  uint32_t struct_size; /* sizeof(hl_law_v1) */
  void *self;
  int32_t (*step)(void *self, const hl_state *state, const hl_reference *reference, hl_command *command);
} hl_law_v1;

#ifdef __cplusplus
}
#endif
#endif
