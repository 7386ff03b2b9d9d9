// What the loop insists on before it trusts anything: its settings, its tables, and every command it passes on.
#pragma once

#include "hl_loop.h"

namespace handloom {

bool settings_are_sound(const hl_loop_config& config) noexcept;
bool is_usable(const hl_robot_v1* robot) noexcept;
bool is_usable(const hl_law_v1* law) noexcept;
bool is_pose(const double* T) noexcept;

// Whether a robot may be given the command: its mode is known and every number that the mode reads is finite.
bool is_finite(const hl_command& command, uint32_t joints) noexcept;

}  // namespace handloom
