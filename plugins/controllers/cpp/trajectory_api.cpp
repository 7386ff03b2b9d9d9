// The C functions of hl_trajectory.h.
#include "export.hpp"
#include "trajectory.hpp"

// Every page is written to here, so that the control path is the first to meet none of them.
void* hl_trajectory::operator new(std::size_t size, const std::nothrow_t& none) noexcept {
  constexpr std::size_t kPage = 4096;
  void* memory = ::operator new(size, none);
  if (memory == nullptr) return nullptr;
  volatile char* bytes = static_cast<volatile char*>(memory);
  for (std::size_t i = 0; i < size; i += kPage) bytes[i] = 0;
  bytes[size - 1] = 0;
  return memory;
}

HL_EXPORT hl_trajectory* hl_trajectory_create(const hl_trajectory_config* config) {
  if (config == nullptr || !hl_trajectory::allows(*config)) return nullptr;
  return new (std::nothrow) hl_trajectory(*config);
}

HL_EXPORT void hl_trajectory_destroy(hl_trajectory* trajectory) { delete trajectory; }

HL_EXPORT int32_t hl_trajectory_start(hl_trajectory* trajectory, int64_t stamp_ns, const double* T_base_tcp,
                                      double width_m) {
  return trajectory->start(stamp_ns, T_base_tcp, width_m);
}

HL_EXPORT int32_t hl_trajectory_splice(hl_trajectory* trajectory, int64_t now_ns, int64_t observed_ns, int32_t count,
                                       const int64_t* stamps, const double* poses, const double* widths,
                                       hl_splice_report* report) {
  trajectory->splice(now_ns, {count, stamps, poses, widths, observed_ns}, report);
  return report->outcome;
}

HL_EXPORT int32_t hl_trajectory_rebase(hl_trajectory* trajectory, int64_t now_ns, const double* T_base_tcp,
                                       const double* twist) {
  return trajectory->rebase(now_ns, T_base_tcp, twist);
}

HL_EXPORT int64_t hl_trajectory_brake(hl_trajectory* trajectory, int64_t now_ns) { return trajectory->brake(now_ns); }

HL_EXPORT int32_t hl_trajectory_at(const hl_trajectory* trajectory, int64_t stamp_ns, double* T_base_tcp,
                                   double* twist, double* width_m) {
  trajectory->at(stamp_ns, T_base_tcp, twist, width_m);
  return HL_OK;
}

HL_EXPORT int32_t hl_trajectory_at_many(const hl_trajectory* trajectory, int32_t count, const int64_t* stamps,
                                        double* rows) {
  for (int32_t i = 0; i < count; ++i) {
    double* row = rows + 14 * static_cast<int64_t>(i);
    trajectory->at(stamps[i], row, row + 7, row + 13);
  }
  return HL_OK;
}

HL_EXPORT int64_t hl_trajectory_end(const hl_trajectory* trajectory) { return trajectory->end(); }

HL_EXPORT int32_t hl_trajectory_pending(const hl_trajectory* trajectory, int64_t now_ns, int32_t room, int64_t* stamps,
                                        double* poses) {
  return trajectory->pending(now_ns, room, stamps, poses);
}
