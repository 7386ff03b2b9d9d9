// Starts the loop's own thread, and keeps the process's memory in place for it.
#pragma once

#include "loop_state.hpp"

namespace handloom {

int start_thread(hl_loop& loop) noexcept;  // 0 or an errno
int lock_memory() noexcept;                // likewise
void unlock_memory() noexcept;             // once for each lock that was granted

}  // namespace handloom
