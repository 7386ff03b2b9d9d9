// The arm's side of the memory between two processes.
#pragma once

#include "hl_shared.h"
#include "shared_memory.hpp"

struct hl_shared_serve {
  handloom::Segment* segment;
  int peer;
  handloom::SharedCommand newest;
  uint64_t advanced;    // periods that the arm went on in all
  int64_t missed;       // in a row
  bool commanded;       // there was a command
  bool knows_of_stop;
  bool violated;        // too many were missed
};
