/* The way the tool shall take: absolutely stamped waypoints, the curve through them, and splicing. */
#ifndef HL_TRAJECTORY_H
#define HL_TRAJECTORY_H

#include "handloom_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HL_MAX_WAYPOINTS 256

/* Why a chunk was refused, or what was done to take it; the names are those of handloom.api.FaultKind. */
enum {
  HL_CHUNK_TAKEN = 0,
  HL_CHUNK_STRETCHED = 1, /* taken; waypoints were moved later so that the caps hold */
  HL_CHUNK_LATE = -1,     /* late_chunk: nothing of it lies ahead, or it answers an older observation */
  HL_CHUNK_EMPTY = -2,    /* empty_chunk */
  HL_CHUNK_INVALID = -3,  /* invalid_chunk: see hl_splice_report.what and .row */
};

/* What is wrong with an invalid chunk. */
enum {
  HL_WRONG_NOTHING = 0,
  HL_WRONG_NOT_FINITE = 1,
  HL_WRONG_QUATERNION = 2, /* zero, or not of norm 1 */
  HL_WRONG_ORDER = 3,
  HL_WRONG_DUPLICATE = 4,
  HL_WRONG_REACH = 5,
  HL_WRONG_AHEAD = 6, /* too far in the future */
  HL_WRONG_WIDTH = 7,
  HL_WRONG_TOO_MANY = 8,
};

enum { HL_INTERPOLATION_CUBIC = 0, HL_INTERPOLATION_LINEAR = 1 };

typedef struct hl_trajectory_config {
  uint32_t interpolation; /* HL_INTERPOLATION_* */
  uint32_t reserved;
  double max_speed[2];    /* m/s, rad/s; hold on the curve itself */
  double braking[2];      /* m/s^2, rad/s^2 */
  double contact_speed;   /* m/s, a further cap on the linear speed while contact is expected; infinite for none */
  double reach_m;         /* furthest waypoint, on each axis */
  int64_t ahead_ns;       /* furthest into the future */
  int64_t arm_latency_ns; /* the arm is commanded this much ahead of a waypoint's stamp */
  int64_t width_latency_ns; /* the gripper likewise, on its own */
} hl_trajectory_config;

typedef struct hl_splice_report {
  int32_t outcome;      /* HL_CHUNK_* */
  int32_t what;         /* HL_WRONG_* */
  int32_t row;          /* of the waypoint that is wrong; -1 for none */
  int32_t dropped;      /* leading waypoints that were already past */
  int64_t stretched_ns; /* by how much the most delayed waypoint was moved later */
} hl_splice_report;

typedef struct hl_trajectory hl_trajectory;

/* Make one; NULL when the settings are not finite or not positive. Everything it will ever need is allocated here. */
hl_trajectory *hl_trajectory_create(const hl_trajectory_config *config);
void hl_trajectory_destroy(hl_trajectory *trajectory);

/* The rest is for the control path: no allocation, no lock, never throws. */

/* Begin at rest; forgets everything before. HL_ERROR_NOT_FINITE for a lost pose. */
int32_t hl_trajectory_start(hl_trajectory *trajectory, int64_t stamp_ns, const double *T_base_tcp, double width_m);

/* Splice a chunk in at `now_ns`, or refuse it and leave the running trajectory as it was; returns report->outcome.
   stamps (count), poses (count, 7) row-major, widths (count) with NaN where the gripper is left alone.
   observed_ns is the stamp of the observation that the chunk answers: it must grow from chunk to chunk. */
int32_t hl_trajectory_splice(hl_trajectory *trajectory, int64_t now_ns, int64_t observed_ns, int32_t count,
                             const int64_t *stamps, const double *poses, const double *widths,
                             hl_splice_report *report);

/* Go on from another pose and velocity than the curve's at the next splice or stop, because the tool is there. */
int32_t hl_trajectory_rebase(hl_trajectory *trajectory, int64_t now_ns, const double *T_base_tcp, const double *twist);

/* Replace everything ahead by braking along the present velocity to rest: the soft stop. Returns the stamp from which
   `hl_trajectory_at` answers a tool at rest. */
int64_t hl_trajectory_brake(hl_trajectory *trajectory, int64_t now_ns);

/* Where the tool and the gripper are commanded to be at a stamp, each its latency ahead. Fills T_base_tcp (7),
   twist (6) and width_m. */
int32_t hl_trajectory_at(const hl_trajectory *trajectory, int64_t stamp_ns, double *T_base_tcp, double *twist,
                         double *width_m);

/* The same for many stamps, one row of 14 each: pose, twist, width. */
int32_t hl_trajectory_at_many(const hl_trajectory *trajectory, int32_t count, const int64_t *stamps, double *rows);

/* The stamp of the last waypoint, as it was retimed; the tool rests from there on. */
int64_t hl_trajectory_end(const hl_trajectory *trajectory);

/* How many waypoints lie ahead; their stamps and poses, as they were retimed, up to `room` of them. */
int32_t hl_trajectory_pending(const hl_trajectory *trajectory, int64_t now_ns, int32_t room, int64_t *stamps,
                              double *poses);

#ifdef __cplusplus
}
#endif
#endif
