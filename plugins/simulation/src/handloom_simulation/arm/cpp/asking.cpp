// What tests, benchmarks and reports ask of the simulated arm beside the loop.
#include <algorithm>
#include <cstring>

#include "arm.hpp"
#include "export.hpp"

HL_EXPORT void hl_arm_push(hl_arm* arm, const double* wrench, int64_t steps) {
  arm->push.steps.store(0, std::memory_order_release);
  std::copy(wrench, wrench + 6, arm->push.wrench);
  arm->push.steps.store(steps, std::memory_order_release);
}

HL_EXPORT void hl_arm_grasp(hl_arm* arm, double width, double stiffness) { arm->gripper.Grasp(width, stiffness); }

HL_EXPORT void hl_arm_truth_of(const hl_arm* arm, hl_arm_truth* truth) {
  *truth = arm->truth;
  truth->steps = arm->steps;
  truth->steps_stopping = arm->steps_stopping;
  truth->reflexes = arm->reflexes;
  truth->at_rest = arm->motion == arm::Motion::kBraked || arm->motion == arm::Motion::kWaiting;
  truth->stopping = arm->motion == arm::Motion::kBraked || arm->motion == arm::Motion::kStopping;
  std::copy(std::begin(arm->motor), std::end(arm->motor), truth->tau_motor);
  std::copy(std::begin(arm->external), std::end(arm->external), truth->tau_external);
}

HL_EXPORT void hl_arm_forget_peaks(hl_arm* arm) { arm->truth.contact_peak = arm->truth.speed_peak = 0; }

HL_EXPORT int32_t hl_arm_mujoco_version(void) { return mjVERSION_HEADER; }

HL_EXPORT uint32_t hl_arm_size_of(const char* name) {
  if (!std::strcmp(name, "hl_gripper_config")) return sizeof(hl_gripper_config);
  if (!std::strcmp(name, "hl_arm_config")) return sizeof(hl_arm_config);
  if (!std::strcmp(name, "hl_arm_truth")) return sizeof(hl_arm_truth);
  return 0;
}
