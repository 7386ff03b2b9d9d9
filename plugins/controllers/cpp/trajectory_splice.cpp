// Splices a chunk into a running trajectory: what is ahead of it stays, and nothing steps where they meet.
#include "trajectory.hpp"

using handloom::ChunkView;
using handloom::Curve;
using handloom::Quaternion;
using handloom::Vector3;

void hl_trajectory::splice(int64_t now, const ChunkView& chunk, hl_splice_report* report) noexcept {
  const int64_t present = arm_time(now);
  *report = handloom::refusal(chunk, now, present, expected_);
  if (report->outcome < 0) return;
  const int fresh = static_cast<int>(std::upper_bound(chunk.stamps, chunk.stamps + chunk.count, present) -
                                     chunk.stamps);
  const int first = curve().first_after(present);
  const int kept = std::max(curve().first_after(chunk.stamps[fresh] - 1) - first, 0);
  const int widths_ahead = curve().widths.count - curve().widths.before(handloom::added(now, config_.width_latency_ns));
  if (kept + chunk.count - fresh > HL_MAX_WAYPOINTS || widths_ahead + chunk.count > handloom::kMostWidths) {
    *report = {HL_CHUNK_INVALID, HL_WRONG_TOO_MANY, HL_MAX_WAYPOINTS - kept + fresh, 0, 0};
    return;
  }
  Curve* next = &curves_[1 - active_];
  int planned = kept < 2 ? 0 : kept - 1;
  if (planned == 0 || !keep_pending(present, fresh, chunk, next)) {
    planned = 0;
    plan_anew(present, fresh, chunk, next);
  }
  splice_widths(now, fresh, kept - planned, chunk, next);
  active_ = 1 - active_;
  rebased_ = false;
  expected_.answered = true;
  expected_.last_observed = chunk.observed;
  report->dropped = fresh;
  report->stretched_ns = plan_.longest_delay();
  if (report->stretched_ns > 0) report->outcome = HL_CHUNK_STRETCHED;
}

// Leave the curve as it is up to the last but one of the pending waypoints; the last one has a new neighbour. False
// where that can't be, because the caps then ask for a later time.
bool hl_trajectory::keep_pending(int64_t present, int fresh, const ChunkView& chunk, Curve* next) noexcept {
  if (rebased_ || config_.interpolation == HL_INTERPOLATION_LINEAR) return false;
  const int first = curve().first_after(present), last = curve().first_after(chunk.stamps[fresh] - 1) - 1;
  const int64_t from = curve().stamps[last - 1];
  plan_.begin(handloom::passing(curve().positions, from), handloom::passing(curve().orientations, from), limits_);
  add_waypoints(last, last + 1, fresh, chunk);
  plan_.make(false);
  if (plan_.positions.brakes || plan_.orientations.brakes || plan_.stamps[1] > plan_.due[1]) return false;
  next->positions.copy_until(curve().positions, present, from);
  next->orientations.copy_until(curve().orientations, present, from);
  next->waypoints = last - first;
  for (int i = first; i < last; ++i) {
    next->stamps[i - first] = curve().stamps[i];
    next->at_positions[i - first] = curve().at_positions[i];
    next->at_orientations[i - first] = curve().at_orientations[i];
  }
  finish(next);
  return true;
}

// Go on from the present pose and velocity through all that is ahead.
void hl_trajectory::plan_anew(int64_t present, int fresh, const ChunkView& chunk, Curve* next) noexcept {
  const int first = curve().first_after(present), end = curve().first_after(chunk.stamps[fresh] - 1);
  begin_at(present);
  add_waypoints(first, std::max(first, end), fresh, chunk);
  plan_.make(config_.interpolation == HL_INTERPOLATION_LINEAR);
  next->positions.rest_at(present, plan_.positions.start.point);
  next->orientations.rest_at(present, plan_.orientations.start.point);
  next->waypoints = 0;
  finish(next);
}

void hl_trajectory::begin_at(int64_t present) noexcept {
  if (!rebased_) {
    position_ = handloom::passing(curve().positions, present);
    orientation_ = handloom::passing(curve().orientations, present);
  }
  position_.stamp = orientation_.stamp = present;
  plan_.begin(position_, orientation_, limits_);
}

void hl_trajectory::add_waypoints(int first, int last, int fresh, const ChunkView& chunk) noexcept {
  for (int i = first; i < last; ++i) {
    plan_.add(curve().stamps[i], curve().at_positions[i], curve().at_orientations[i]);
  }
  for (int i = fresh; i < chunk.count; ++i) {
    const double* pose = chunk.poses + 7 * i;
    plan_.add(chunk.stamps[i], Vector3(pose[0], pose[1], pose[2]),
              Quaternion(pose[6], pose[3], pose[4], pose[5]).normalized());
  }
}

void hl_trajectory::finish(Curve* next) noexcept {
  plan_.positions.write(plan_.waypoints, plan_.stamps, &next->positions);
  plan_.orientations.write(plan_.waypoints, plan_.stamps, &next->orientations);
  for (int i = 1; i <= plan_.waypoints; ++i) {
    next->stamps[next->waypoints] = plan_.stamps[i];
    next->at_positions[next->waypoints] = plan_.positions.points[i];
    next->at_orientations[next->waypoints++] = plan_.orientations.points[i];
  }
  next->end = plan_.stamps[plan_.waypoints];
}

// Widths move later with the waypoints they belong to; one that is past becomes due at once only if it is the last.
void hl_trajectory::splice_widths(int64_t now, int fresh, int planned, const ChunkView& chunk, Curve* next) noexcept {
  const handloom::Widths& before = curve().widths;
  const int64_t present = handloom::added(now, config_.width_latency_ns);
  next->widths.rest_at(present, before.at(present));
  const auto due = [&](int i) {
    const int row = planned + i - fresh + 1;
    return i < fresh ? chunk.stamps[i] : plan_.stamps[row];
  };
  int first = 0;
  while (first < chunk.count - 1 && due(first) <= present) ++first;
  for (int i = before.before(present) + 1; i < before.count && before.stamps[i] < due(first); ++i) {
    next->widths.add(before.stamps[i], before.widths[i]);
  }
  for (int i = first; i < chunk.count; ++i) {
    next->widths.add(std::max(due(i), handloom::added(present, 1)), chunk.widths[i]);
  }
}
