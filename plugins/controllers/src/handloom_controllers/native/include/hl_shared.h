/* A robot in another process: the loop's owner on one side, the arm on the other, and a piece of memory between them.

   Each side sees what the other gave last; neither waits for the other longer than it says, and each notices when the
   other is gone, however it went. The memory has no name in any file system: it is gone with the two processes. */
#ifndef HL_SHARED_H
#define HL_SHARED_H

#include "handloom_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The owner's side ---- */

typedef struct hl_shared hl_shared;

/* Make the memory; NULL where the system gives none or a setting is not positive.
   A read waits for a sample that is newer than the last command, as long as patience_ns; then, or when the arm is gone,
   it answers HL_ERROR_ROBOT. */
hl_shared *hl_shared_create(int64_t period_ns, int64_t patience_ns);
/* Let go: the arm's process notices, brings the arm to rest and ends. A forked child lets go of its own copies only. */
void hl_shared_destroy(hl_shared *shared);
/* The file descriptor that the arm's process has to inherit. */
int32_t hl_shared_peer(const hl_shared *shared);
/* The arm's process has it: close this side's copy, without which the death of the arm could not be seen. */
void hl_shared_handed_over(hl_shared *shared);
/* Wait for the arm's first sample: 1 once it is there, 0 after the timeout, HL_ERROR_ROBOT when the arm is gone. */
int32_t hl_shared_wait(hl_shared *shared, int64_t timeout_ns);
/* The table for the loop, valid as long as `shared` lives. One thread at a time reads and writes; stop is for any. */
const hl_robot_v1 *hl_shared_robot(hl_shared *shared);

/* ---- The arm's side ---- */

typedef struct hl_shared_serve hl_shared_serve;

/* Join the memory by the inherited file descriptor, which is closed with it; NULL where it is none of ours. */
hl_shared_serve *hl_shared_serve_open(int32_t peer);
void hl_shared_serve_close(hl_shared_serve *serve);
int64_t hl_shared_serve_period(const hl_shared_serve *serve);
void hl_shared_serve_publish(hl_shared_serve *serve, const hl_state *state);
/* Wait for the next command: 1 with a new one, 0 with the one before when none came in time.
   command->periods is by how many periods the arm has to go on: those the owner counted since its last command, less
   those that went by here without one; 0 where the arm is ahead, and then it publishes again and stays.
   A timeout below 0 waits as long as the owner lives, as a simulation in its own time does.
   Once the owner has asked for a stop, and once 20 periods in a row went by without a command, every command is
   HL_MODE_DAMPED; it stays so. */
int32_t hl_shared_serve_take(hl_shared_serve *serve, int64_t timeout_ns, hl_command *command);
/* Periods in a row without a command; 0 before the first one, and after a stop was asked for. */
int64_t hl_shared_serve_missed(const hl_shared_serve *serve);
/* HL_REFLEX_COMMUNICATION once there were 20 of them, to be reported in each state from then on; else 0. */
uint64_t hl_shared_serve_reflexes(const hl_shared_serve *serve);
int32_t hl_shared_serve_is_stopped(const hl_shared_serve *serve); /* a stop was asked for, on either side */
void hl_shared_serve_stop(hl_shared_serve *serve);                /* ask for one: damped commands from now on */
int32_t hl_shared_serve_is_owned(const hl_shared_serve *serve);   /* 0 once the owner is gone */

/* Serve a robot of this process until the owner is gone and the robot at rest: all of the above in one call.
   paced 1: in real time; without a command for two periods the robot goes on with the one before.
   paced 0: in its own time; the robot waits for the owner.
   fifo_priority: of the calling thread meanwhile, where that is permitted; 0 leaves it.
   Answers the reflexes that were reported, or HL_ERROR_ROBOT when the robot answered an error. */
int64_t hl_shared_serve_robot(hl_shared_serve *serve, const hl_robot_v1 *robot, int32_t paced, int32_t fifo_priority);

#ifdef __cplusplus
}
#endif
#endif
