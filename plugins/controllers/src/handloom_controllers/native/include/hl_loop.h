/* The loop: reads the robot, steps the law, writes the robot, once a period, on a thread of its own. */
#ifndef HL_LOOP_H
#define HL_LOOP_H

#include "handloom_rt.h"
#include "hl_trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HL_HISTOGRAM_BINS 64

/* What the loop is doing. */
enum {
  HL_PHASE_READY = 0,     /* made, not started */
  HL_PHASE_FOLLOWING = 1, /* a chunk is being followed */
  HL_PHASE_HOLDING = 2,   /* nothing new to follow: the last waypoint is held */
  HL_PHASE_STOPPING = 3,  /* soft stop: the reference brakes to rest, the law still acts */
  HL_PHASE_STOPPED = 4,   /* at rest after a soft stop; the law holds the pose; a new chunk does not start it again */
  HL_PHASE_DAMPED = 5,    /* damped stop: the robot comes to rest by damping alone */
  HL_PHASE_ENDED = 6,     /* the thread has left the loop, the robot was stopped */
};

/* Why the loop stopped. */
enum {
  HL_STOP_NONE = 0,
  HL_STOP_ASKED = 1,      /* hl_loop_stop */
  HL_STOP_EMERGENCY = 2,  /* hl_loop_emergency_stop */
  HL_STOP_STALE = 3,      /* the watchdog: no chunk for too long */
  HL_STOP_REFLEX = 4,     /* the robot reported a reflex */
  HL_STOP_NOT_FINITE = 5, /* the law's command was not finite */
  HL_STOP_LAW = 6,        /* the law answered an error */
  HL_STOP_ROBOT = 7,      /* the robot's read or write answered an error */
  HL_STOP_OWNER = 8,      /* whoever owns the loop has not been seen for too long */
};

/* Bits of hl_telemetry.faults: what was noticed in this cycle. */
enum {
  HL_FAULT_LATE_CHUNK = 1u << 0,
  HL_FAULT_EMPTY_CHUNK = 1u << 1,
  HL_FAULT_INVALID_CHUNK = 1u << 2,
  HL_FAULT_STRETCHED_CHUNK = 1u << 3,
  HL_FAULT_NO_REFERENCE = 1u << 4, /* the last waypoint is past */
  HL_FAULT_STALE = 1u << 5,        /* the watchdog begins the soft stop */
  HL_FAULT_MISSED_SLOTS = 1u << 6,
  HL_FAULT_CLIP_REACHED = 1u << 7,
  HL_FAULT_REFLEX = 1u << 8,
  HL_FAULT_NOT_FINITE = 1u << 9,
  HL_FAULT_EMERGENCY_STOP = 1u << 10,
  HL_FAULT_TELEMETRY_LOST = 1u << 11, /* nobody emptied the ring; records were dropped before this one */
  HL_FAULT_LOST_STATE = 1u << 12,     /* the robot had no new sample */
};

typedef struct hl_loop_config {
  int64_t period_ns;
  int64_t hold_ns;        /* the last waypoint is held this long after it was due, then the soft stop begins; before
                             the first chunk the arm rests where it was found, however long */
  int64_t owner_ns;       /* a damped stop when hl_loop_alive was not called for this long; 0 asks for no sign of
                             life */
  int32_t fifo_priority;  /* SCHED_FIFO with this priority; 0 for the ordinary scheduler */
  int32_t lock_memory;    /* mlockall (what is in use, nothing in advance) where it is permitted */
  int32_t cpu;            /* run on this core only; -1 for any */
  int32_t telemetry_every; /* one record in so many cycles, and one whenever faults were noticed */
  int32_t telemetry_room; /* records the ring holds */
  int32_t chunk_room;     /* chunks the ring holds */
  double width_speed;     /* how fast the gripper moves at most, m/s; NaN leaves that to it */
  double width_force;     /* how hard it grips at most, N; likewise */
} hl_loop_config;

typedef struct hl_telemetry {
  int64_t stamp_ns;    /* of its slot; of the robot's sample where the run is not paced */
  int64_t lateness_ns; /* how long after the slot that it waited for the cycle began */
  int64_t compute_ns;  /* from waking to having written, the robot's own work included */
  uint64_t reflexes;
  uint32_t phase;
  uint32_t faults;
  uint32_t events; /* of the law */
  uint32_t missed; /* slots missed before this cycle */
  uint32_t chunks; /* taken so far */
  uint32_t joints;
  double q[HL_MAX_JOINTS];
  double dq[HL_MAX_JOINTS];
  double tau[HL_MAX_JOINTS];
  double tau_command[HL_MAX_JOINTS];
  double T_base_tcp[7];  /* measured */
  double reference[7];
  double twist[6];       /* of the reference */
  double error[6];
  double wrench_command[6];
  double wrench_measured[6];
  double width_m;
  double width_reference;
  double width_force;
} hl_telemetry;

typedef struct hl_loop_status {
  int64_t cycles;
  int64_t missed;        /* slots, in all */
  int64_t stamp_ns;      /* of the newest cycle */
  int64_t stretched_ns;  /* of the newest chunk that was stretched */
  int64_t chunks_taken;
  int64_t chunks_refused;
  int64_t telemetry_lost;
  uint64_t reflexes;
  uint32_t phase;
  uint32_t stop;          /* HL_STOP_* */
  int32_t fifo_errno;     /* 0 where SCHED_FIFO was granted or not asked for */
  int32_t lock_errno;     /* likewise mlockall */
  int32_t last_refusal;   /* HL_CHUNK_* of the newest refused chunk */
  int32_t last_wrong;     /* HL_WRONG_* of it */
  int32_t last_row;
  int32_t reserved;
  int64_t lateness_histogram[HL_HISTOGRAM_BINS]; /* bin b counts [2^(b/4), 2^((b+1)/4)) microseconds; bin 0 from 0 */
  int64_t compute_histogram[HL_HISTOGRAM_BINS];
  int64_t lateness_max_ns;
  int64_t compute_max_ns;
} hl_loop_status;

typedef struct hl_loop hl_loop;

/* Make one over tables that outlive it; NULL where a table is of another ABI or size, or a setting is out of range. */
hl_loop *hl_loop_create(const hl_loop_config *config, const hl_trajectory_config *trajectory,
                        const hl_robot_v1 *robot, const hl_law_v1 *law, const double *T_flange_tcp);
void hl_loop_destroy(hl_loop *loop); /* stops first; does nothing in a forked child, which has no thread to stop */

/* Run on a thread of its own, paced by CLOCK_MONOTONIC. HL_ERROR_ARGUMENT where it ran before or there is no such cpu.
   The time of a cycle is its slot; where slots were missed, the cycle serves the newest and none is made up for.
   A robot's error, or 20 cycles in a row without a new sample, ends the loop; every other stop leaves it running, the
   robot damped or held, until it is joined. */
int32_t hl_loop_start(hl_loop *loop);

/* Or run so many cycles at once in the caller's thread, time being the robot's own stamps: for simulation and tests.
   May be called again and again; HL_ERROR_ROBOT when the robot ended the loop, HL_ERROR_ARGUMENT after the end. */
int32_t hl_loop_run(hl_loop *loop, int64_t cycles);

/* From one thread at a time, lock-free; 0 when the ring was full. One chunk is taken a cycle. Refusals show in telemetry
   and status, not here. */
int32_t hl_loop_push(hl_loop *loop, int64_t observed_ns, int32_t count, const int64_t *stamps, const double *poses,
                     const double *widths);
int32_t hl_loop_telemetry(hl_loop *loop, int32_t room, hl_telemetry *records); /* how many were taken out */
void hl_loop_status_of(const hl_loop *loop, hl_loop_status *status);
void hl_loop_alive(hl_loop *loop);          /* the owner's sign of life */
void hl_loop_stop(hl_loop *loop);           /* soft stop; what is pushed afterwards is refused as late */
void hl_loop_emergency_stop(hl_loop *loop); /* damped stop, now; calls the robot's stop from here as well */
int32_t hl_loop_join(hl_loop *loop, int64_t timeout_ns); /* 1 once it has ended; asks for a soft stop and the end */
int64_t hl_now_ns(void);                    /* CLOCK_MONOTONIC */

/* Call a table from a language that can't call through a pointer by itself. */
int32_t hl_robot_read(const hl_robot_v1 *robot, hl_state *state);
int32_t hl_robot_write(const hl_robot_v1 *robot, const hl_command *command);
void hl_robot_stop(const hl_robot_v1 *robot);

/* What this library was built as: HL_ABI, and the size of a public struct by its name (0 for one it does not know). */
uint32_t hl_abi(void);
uint32_t hl_size_of(const char *name);

#ifdef __cplusplus
}
#endif
#endif
