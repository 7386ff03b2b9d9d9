// Calls a law from outside the loop: once, or many times over arrays for tests and measurements.
#include <algorithm>

#include "export.hpp"
#include "hl_laws.h"

HL_EXPORT int32_t hl_law_step(const hl_law_v1* law, const hl_state* state, const hl_reference* reference,
                              hl_command* command) {
  return law->step(law->self, state, reference, command);
}

HL_EXPORT int32_t hl_law_step_many(const hl_law_v1* law, int32_t count, hl_state* states,
                                   const hl_reference* references, const uint8_t* lost, hl_command* commands,
                                   int32_t* statuses) {
  int32_t failed = 0;
  const double* applied = states[0].tau_applied;
  for (int32_t row = 0; row < count; ++row) {
    if (lost) std::copy(applied, applied + HL_MAX_JOINTS, states[row].tau_applied);
    statuses[row] = law->step(law->self, &states[row], &references[row], &commands[row]);
    failed += statuses[row] != HL_OK;
    if (lost) applied = lost[row] ? states[row].tau_applied : commands[row].tau;
  }
  return failed;
}
