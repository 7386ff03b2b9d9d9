// Tells the sizes of the public structs, so that a caller who mirrors them can prove that it mirrors them rightly.
#include <cstring>

#include "export.hpp"
#include "hl_laws.h"
#include "hl_loop.h"

namespace {

struct Size {
  const char* name;
  uint32_t bytes;
};

constexpr Size kSizes[] = {
    {"hl_state", sizeof(hl_state)},
    {"hl_reference", sizeof(hl_reference)},
    {"hl_command", sizeof(hl_command)},
    {"hl_robot_v1", sizeof(hl_robot_v1)},
    {"hl_law_v1", sizeof(hl_law_v1)},
    {"hl_trajectory_config", sizeof(hl_trajectory_config)},
    {"hl_splice_report", sizeof(hl_splice_report)},
    {"hl_loop_config", sizeof(hl_loop_config)},
    {"hl_telemetry", sizeof(hl_telemetry)},
    {"hl_loop_status", sizeof(hl_loop_status)},
    {"hl_impedance_gains", sizeof(hl_impedance_gains)},
    {"hl_impedance_config", sizeof(hl_impedance_config)},
    {"hl_following_config", sizeof(hl_following_config)},
};

}  // namespace

HL_EXPORT uint32_t hl_abi(void) { return HL_ABI; }

HL_EXPORT uint32_t hl_size_of(const char* name) {
  for (const Size& size : kSizes) {
    if (std::strcmp(size.name, name) == 0) return size.bytes;
  }
  return 0;
}
