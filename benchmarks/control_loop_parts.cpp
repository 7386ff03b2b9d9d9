// A robot that stands still and a law that asks for nothing: what is left to measure is the loop.
#include <cstring>

#include "handloom_rt.h"

namespace {

int32_t read(void*, hl_state* state) {
  std::memset(state, 0, sizeof(*state));
  state->flags = HL_STATE_FRESH;
  state->joints = 7;
  state->T_base_flange[6] = 1;
  return HL_OK;
}

int32_t write(void*, const hl_command*) { return HL_OK; }

void stop(void*) {}

int32_t step(void*, const hl_state*, const hl_reference*, hl_command*) { return HL_OK; }

hl_robot_v1 robot = {HL_ABI, sizeof(hl_robot_v1), nullptr, read, write, stop};
hl_law_v1 law = {HL_ABI, sizeof(hl_law_v1), nullptr, step};

}  // namespace

extern "C" {

void* idle_robot() { return &robot; }
void* idle_law() { return &law; }
}
