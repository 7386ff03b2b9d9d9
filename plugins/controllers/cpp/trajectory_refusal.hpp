// Every reason not to follow a chunk, checked before anything of it is used.
#pragma once

#include "hl_trajectory.h"

namespace handloom {

struct ChunkView {
  int32_t count;
  const int64_t* stamps;
  const double* poses;
  const double* widths;
  int64_t observed;
};

struct Expected {
  double reach_m;
  int64_t ahead_ns;
  bool answered;          // whether a chunk was taken before
  int64_t last_observed;  // the observation that it answered
};

// Fills outcome, what and row; HL_CHUNK_TAKEN where nothing is wrong. Due is the stamp that the arm is commanded for.
hl_splice_report refusal(const ChunkView& chunk, int64_t now, int64_t due, const Expected& expected) noexcept;

}  // namespace handloom
