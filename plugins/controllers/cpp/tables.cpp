// Calls a robot's table from a language that can't call through a pointer by itself.
#include "export.hpp"
#include "hl_loop.h"

HL_EXPORT int32_t hl_robot_read(const hl_robot_v1* robot, hl_state* state) { return robot->read(robot->self, state); }

HL_EXPORT int32_t hl_robot_write(const hl_robot_v1* robot, const hl_command* command) {
  return robot->write(robot->self, command);
}

HL_EXPORT void hl_robot_stop(const hl_robot_v1* robot) { robot->stop(robot->self); }
