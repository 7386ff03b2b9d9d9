// The memory between the loop's owner and the arm's process, and the line that tells each when the other is gone.
#pragma once

#include <atomic>
#include <cstdint>

#include "handloom_rt.h"
#include "mailbox.hpp"

namespace handloom {

constexpr uint32_t kSegmentMagic = 0x684c4d31;
constexpr int64_t kMissedAtMost = 20;  // periods in a row without a command. Source: Franka, 20 lost packets.

struct SharedCommand {
  hl_command command;
  uint64_t periods;  // commanded in all
};

struct Segment {
  uint32_t magic = kSegmentMagic;
  uint32_t abi = HL_ABI;
  uint32_t size = sizeof(Segment);
  std::atomic<uint32_t> stopped{0};
  int64_t period_ns = 0;
  Mailbox<hl_state> states;
  Mailbox<SharedCommand> commands;
};

// The ends of the line; the memory's own descriptor travels through it. -1 on failure, with nothing left open.
struct Line {
  int near = -1;
  int far = -1;
};

Segment* make_segment(int64_t period_ns, Line& line) noexcept;
Segment* join_segment(int far) noexcept;
void leave_segment(Segment* segment) noexcept;
bool is_hung_up(int end) noexcept;

}  // namespace handloom
