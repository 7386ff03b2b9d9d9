// A mass on three sliding joints and a spring-damper law, compiled against the public header, that misbehave on demand.
#include <cmath>
#include <cstring>
#include <ctime>

#include "handloom_rt.h"

namespace {

constexpr double kNan = __builtin_nan("");

void sleep_ns(int64_t duration_ns) {
  const timespec duration{duration_ns / 1000000000, duration_ns % 1000000000};
  nanosleep(&duration, nullptr);
}

bool within(int64_t cycle, const int64_t* span) { return span[0] <= cycle && cycle < span[1]; }

// Spans are [first, last) in cycles of the part; the same layout is in conftest.py.
struct PointRobot {
  hl_robot_v1 table;
  int64_t stamp_ns, period_ns, reads, writes, damped, periods;
  volatile int64_t stops;
  int64_t reflex_at;
  int64_t lost[2], read_fails[2], write_fails[2], slow[2], jump[2];
  int64_t slow_ns, jump_ns;
  double mass, wrist;  // kg; and a turn of the flange about z, rad
  double q[3], dq[3], width_m, command_width_m, command_speed, command_force, damping;
};

struct SpringLaw {
  hl_law_v1 table;
  int64_t steps, error_at, nan_at, damped_at, clip_from;
  double stiffness, damping;
  int64_t room;          // of the log
  double* log;           // rows of stamp, flags, x, y, z, vx, vy, vz, width
};

int32_t read(void* self, hl_state* state) {
  PointRobot& robot = *static_cast<PointRobot*>(self);
  const int64_t cycle = robot.writes;  // reading twice in a cycle is no news
  robot.reads += 1;
  if (within(cycle, robot.read_fails)) return HL_ERROR_ROBOT;
  if (within(cycle, robot.slow)) sleep_ns(robot.slow_ns);
  if (within(cycle, robot.jump)) robot.stamp_ns += robot.jump_ns;
  std::memset(state, 0, sizeof(*state));
  if (!within(cycle, robot.lost)) state->flags = HL_STATE_FRESH;
  state->flags |= HL_STATE_COMPENSATES_GRAVITY;
  if (cycle >= robot.reflex_at) state->reflexes = HL_REFLEX_JOINT_VELOCITY;
  state->stamp_ns = robot.stamp_ns;
  state->period_ns = robot.period_ns;
  state->joints = 3;
  for (int i = 0; i < 3; ++i) {
    state->q[i] = state->T_base_flange[i] = robot.q[i];
    state->dq[i] = robot.dq[i];
    state->jacobian[HL_MAX_JOINTS * i + i] = 1;
  }
  state->T_base_flange[5] = std::sin(robot.wrist / 2);
  state->T_base_flange[6] = std::cos(robot.wrist / 2);
  for (double& component : state->wrench) component = kNan;
  state->width_m = robot.width_m;
  state->width_speed = state->width_force = kNan;
  return HL_OK;
}

int32_t write(void* self, const hl_command* command) {
  PointRobot& robot = *static_cast<PointRobot*>(self);
  const int64_t cycle = robot.writes++;
  if (within(cycle, robot.write_fails)) return HL_ERROR_ROBOT;
  robot.periods += command->periods;
  robot.damped += command->mode == HL_MODE_DAMPED;
  robot.command_width_m = command->width_m;
  robot.command_speed = command->width_speed;
  robot.command_force = command->width_force;
  const double period_s = static_cast<double>(robot.period_ns) * 1e-9;
  for (uint32_t step = 0; step < command->periods; ++step) {
    for (int i = 0; i < 3; ++i) {
      const double force = command->mode == HL_MODE_TORQUE ? command->tau[i] : -robot.damping * robot.dq[i];
      robot.dq[i] += force / robot.mass * period_s;
      robot.q[i] += robot.dq[i] * period_s;
    }
    robot.stamp_ns += robot.period_ns;
  }
  return HL_OK;
}

void stop(void* self) { static_cast<PointRobot*>(self)->stops = static_cast<PointRobot*>(self)->stops + 1; }

int32_t step(void* self, const hl_state* state, const hl_reference* reference, hl_command* command) {
  SpringLaw& law = *static_cast<SpringLaw*>(self);
  const int64_t cycle = law.steps++;
  if (cycle < law.room) {
    double* row = law.log + 9 * cycle;
    row[0] = static_cast<double>(reference->stamp_ns);
    row[1] = reference->flags;
    for (int i = 0; i < 3; ++i) row[2 + i] = reference->T_base_tcp[i], row[5 + i] = reference->twist[i];
    row[8] = reference->width_m;
  }
  if (cycle == law.error_at) return HL_ERROR_ARGUMENT;
  command->mode = cycle == law.damped_at ? HL_MODE_DAMPED : HL_MODE_TORQUE;
  command->events = cycle >= law.clip_from ? HL_EVENT_CLIP_POSITION : 0;
  for (int i = 0; i < 3; ++i) {
    command->tau[i] = law.stiffness * (reference->T_base_tcp[i] - state->T_base_flange[i]) +
                      law.damping * (reference->twist[i] - state->dq[i]);
  }
  if (cycle == law.nan_at) command->tau[1] = kNan;
  return HL_OK;
}

}  // namespace

extern "C" {

void* point_robot_new() {
  PointRobot* robot = new PointRobot();
  robot->table = {HL_ABI, sizeof(hl_robot_v1), robot, read, write, stop};
  robot->stamp_ns = 1000000000;
  robot->period_ns = 1000000;
  robot->reflex_at = INT64_MAX;
  robot->mass = 1;
  robot->damping = 20;
  robot->width_m = robot->command_width_m = kNan;
  return robot;
}

void point_robot_delete(void* robot) { delete static_cast<PointRobot*>(robot); }

void* spring_law_new() {
  SpringLaw* law = new SpringLaw();
  law->table = {HL_ABI, sizeof(hl_law_v1), law, step};
  law->error_at = law->nan_at = law->damped_at = law->clip_from = INT64_MAX;
  law->stiffness = 400;
  law->damping = 40;
  return law;
}

void spring_law_delete(void* law) { delete static_cast<SpringLaw*>(law); }
}
