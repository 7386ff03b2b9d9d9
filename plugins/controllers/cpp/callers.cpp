// A caller for each function of the headers: it takes the arguments from a row of words, so that whoever learns what to
// call at run time only need not compile one then.
#include <cstring>
#include <type_traits>
#include <utility>

#include "export.hpp"
#include "hl_laws.h"
#include "hl_loop.h"
#include "hl_shared.h"
#include "hl_trajectory.h"

namespace {

using Call = int64_t (*)(const uint64_t* words);

// A pointer is in its word, a number is where its word points to.
template <class T>
T taken(uint64_t word) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(word);
  } else {
    return *reinterpret_cast<const T*>(word);
  }
}

template <class Result, class... Taken, std::size_t... kPlaces>
int64_t call(Result (*function)(Taken...), [[maybe_unused]] const uint64_t* words, std::index_sequence<kPlaces...>) {
  if constexpr (std::is_void_v<Result>) {
    function(taken<Taken>(words[kPlaces])...);
    return 0;
  } else {
    return (int64_t)function(taken<Taken>(words[kPlaces])...);
  }
}

// The function's own address is the first word; functions of one type share a caller.
template <class Result, class... Taken>
constexpr Call caller(Result (*)(Taken...)) {
  return [](const uint64_t* words) {
    return call(reinterpret_cast<Result (*)(Taken...)>(words[0]), words + 1, std::index_sequence_for<Taken...>{});
  };
}

struct Caller {
  const char* function;
  Call call;
};

#define HL_CALLER(function) {#function, caller(&function)}

constexpr Caller kCallers[] = {
    HL_CALLER(hl_impedance_create),
    HL_CALLER(hl_impedance_destroy),
    HL_CALLER(hl_impedance_set_gains),
    HL_CALLER(hl_impedance_law),
    HL_CALLER(hl_law_step),
    HL_CALLER(hl_law_step_many),
    HL_CALLER(hl_following_create),
    HL_CALLER(hl_following_destroy),
    HL_CALLER(hl_following_law),
    HL_CALLER(hl_loop_create),
    HL_CALLER(hl_loop_destroy),
    HL_CALLER(hl_loop_start),
    HL_CALLER(hl_loop_run),
    HL_CALLER(hl_loop_push),
    HL_CALLER(hl_loop_telemetry),
    HL_CALLER(hl_loop_status_of),
    HL_CALLER(hl_loop_alive),
    HL_CALLER(hl_loop_stop),
    HL_CALLER(hl_loop_emergency_stop),
    HL_CALLER(hl_loop_join),
    HL_CALLER(hl_now_ns),
    HL_CALLER(hl_robot_read),
    HL_CALLER(hl_robot_write),
    HL_CALLER(hl_robot_stop),
    HL_CALLER(hl_abi),
    HL_CALLER(hl_size_of),
    HL_CALLER(hl_shared_create),
    HL_CALLER(hl_shared_destroy),
    HL_CALLER(hl_shared_peer),
    HL_CALLER(hl_shared_handed_over),
    HL_CALLER(hl_shared_wait),
    HL_CALLER(hl_shared_robot),
    HL_CALLER(hl_shared_serve_open),
    HL_CALLER(hl_shared_serve_close),
    HL_CALLER(hl_shared_serve_period),
    HL_CALLER(hl_shared_serve_publish),
    HL_CALLER(hl_shared_serve_take),
    HL_CALLER(hl_shared_serve_missed),
    HL_CALLER(hl_shared_serve_reflexes),
    HL_CALLER(hl_shared_serve_is_stopped),
    HL_CALLER(hl_shared_serve_is_owned),
    HL_CALLER(hl_shared_serve_robot),
    HL_CALLER(hl_shared_serve_stop),
    HL_CALLER(hl_trajectory_create),
    HL_CALLER(hl_trajectory_destroy),
    HL_CALLER(hl_trajectory_start),
    HL_CALLER(hl_trajectory_splice),
    HL_CALLER(hl_trajectory_rebase),
    HL_CALLER(hl_trajectory_brake),
    HL_CALLER(hl_trajectory_at),
    HL_CALLER(hl_trajectory_at_many),
    HL_CALLER(hl_trajectory_end),
    HL_CALLER(hl_trajectory_pending),
};

#undef HL_CALLER

}  // namespace

// 0 for a function that has none.
HL_EXPORT uint64_t hl_caller_of(const char* function) {
  for (const Caller& known : kCallers) {
    if (std::strcmp(known.function, function) == 0) return reinterpret_cast<uint64_t>(known.call);
  }
  return 0;
}
