// The impedance law behind its plain C interface.
#include <cmath>
#include <new>

#include "export.hpp"
#include "impedance.hpp"
#include "numbers.hpp"

namespace {

int32_t step(void* self, const hl_state* state, const hl_reference* reference, hl_command* command);

using handloom::all_at_least_zero;
using handloom::all_finite;
using handloom::is_at_least_zero;
using handloom::is_positive;

bool joint_is_valid(const hl_impedance_config& config, uint32_t joint) {
  return config.q_lower[joint] < config.q_upper[joint] && config.dq_max[joint] > 0 && config.tau_max[joint] > 0 &&
         config.tau_step[joint] > 0 && is_at_least_zero(config.repulsion_torque[joint]) &&
         !std::isinf(config.posture[joint]);
}

bool is_valid(const hl_impedance_config& config) {
  handloom::Pose tool;
  if (config.joints < 1 || config.joints > HL_MAX_JOINTS || !handloom::read_pose(config.T_flange_tcp, tool)) {
    return false;
  }
  for (uint32_t joint = 0; joint < config.joints; ++joint) {
    if (!joint_is_valid(config, joint)) return false;
  }
  return is_positive(config.period_s) && is_positive(config.lambda) && is_at_least_zero(config.blend_s) &&
         is_at_least_zero(config.payload_kg) && all_finite(config.payload_com, 3) && all_finite(config.gravity, 3) &&
         is_at_least_zero(config.repulsion_margin) && config.velocity_margin > 0 && config.velocity_margin < 1 &&
         all_at_least_zero(config.guide_leash, 2);
}

}  // namespace

struct hl_impedance {
  hl_impedance(const hl_impedance_config& config, const hl_impedance_gains& gains)
      : joints(config.joints), law(config, gains), table{HL_ABI, sizeof(hl_law_v1), this, step} {}

  uint32_t joints;
  handloom::Impedance law;
  hl_law_v1 table;
};

namespace {

int32_t step(void* self, const hl_state* state, const hl_reference* reference, hl_command* command) {
  return static_cast<hl_impedance*>(self)->law.step(*state, *reference, *command);
}

}  // namespace

HL_EXPORT hl_impedance* hl_impedance_create(const hl_impedance_config* config, const hl_impedance_gains* gains) {
  if (!is_valid(*config) || !handloom::are_valid(*gains, config->joints)) return nullptr;
  return new (std::nothrow) hl_impedance(*config, *gains);
}

HL_EXPORT void hl_impedance_destroy(hl_impedance* law) { delete law; }

HL_EXPORT int32_t hl_impedance_set_gains(hl_impedance* law, const hl_impedance_gains* gains) {
  if (!handloom::are_valid(*gains, law->joints)) return HL_ERROR_ARGUMENT;
  law->law.put_gains(handloom::resolved(*gains, law->joints));
  return HL_OK;
}

HL_EXPORT const hl_law_v1* hl_impedance_law(hl_impedance* law) { return &law->table; }
