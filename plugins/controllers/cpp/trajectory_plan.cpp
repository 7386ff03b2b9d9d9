// When waypoints are passed: in time where the speed caps allow, later where they do not.
#include "trajectory_plan.hpp"

namespace handloom {
namespace {

// A cubic that keeps between its ends is nowhere faster than 3/2 of its mean speed, or than its ends.
constexpr double kFastest = 1.5;

constexpr double kRounding = 1e-9;  // a curve at exactly the cap is not held back by rounding
constexpr double kOver = 1e-6;      // and one that was held back stays clear of that
constexpr double kSlack = 1e-4;     // what is lengthened again is given more, twice as much every round
constexpr int kTries = 8;           // rounds in which ways are lengthened by hardly more than they need
// By which share of the cap ways stay below it once lengthening one has made its neighbours too fast, twice as much
// every round: at the cap itself there is no room to change speed in, and each round would mend one way only.
constexpr double kEase = 0.005;
constexpr int kSure = 12;           // rounds after which none is left to chance
constexpr double kLongest = 1e15;  // ns, eleven days: no cap is low enough to make stamps overflow

// Rounded up; not by std::ceil, which is a call where there is no SSE 4.
int64_t nanoseconds(double duration_s) {
  const double exact = std::min(duration_s * 1e9, kLongest);
  const int64_t whole = static_cast<int64_t>(exact);
  return whole + (static_cast<double>(whole) < exact ? 1 : 0);
}

// Brake first where the present velocity is against the way; lengthen what is too fast. True when nothing changed. Ways
// with both neighbours as they were the round before were settled then.
template <class Space>
bool settle(Draft<Space>* draft, int waypoints, const int64_t* stamps, const Moved& moved, int round,
            int64_t* required) {
  const Limits& limits = draft->limits;
  const int last = std::min(moved.last + 2, waypoints);
  bool settled = true;
  for (int i = std::max(moved.first - 2, 0); i < last; ++i) {
    const int64_t from = i == 0 ? draft->begins() : stamps[i];
    const double duration_s = seconds(from, stamps[i + 1]);
    const Cubic cubic(draft->ways[i].vector, draft->velocities[i] * duration_s, draft->ends[i] * duration_s);
    const double most = limits.speed * duration_s;
    const double ratio = surely_within(cubic, most) ? 1 : peak(cubic, most) / duration_s / limits.speed;
    const bool too_fast = ratio > 1 + kRounding;
    if (i == 0 && !draft->brakes && draft->velocities[0].squaredNorm() > 0) {
      const bool hopeless = draft->velocities[0].norm() > limits.speed * (1 + kRounding) || round >= kTries;
      if ((too_fast && hopeless) || swings_out(cubic, duration_s, limits.braking, limits.margin)) {
        draft->brake();
        return false;
      }
    }
    if (!too_fast) continue;
    double longer_s = duration_s * ratio * (1 + (round == 0 ? kOver : std::ldexp(kSlack, round)));
    if (round >= kTries) longer_s = std::max(longer_s, kFastest * draft->ways[i].length / limits.speed);
    required[i] = std::max(required[i], from - stamps[i] + nanoseconds(longer_s));
    settled = false;
  }
  return settled;
}

// Give every way the time that is enough at a share of the cap, on average.
template <class Space>
void ease(const Draft<Space>& draft, int waypoints, const int64_t* stamps, double share, int64_t* required) {
  for (int i = 0; i < waypoints; ++i) {
    const int64_t wait = i == 0 ? draft.begins() - stamps[0] : 0;
    const int64_t longer = nanoseconds(draft.ways[i].length / (draft.limits.speed * share));
    required[i] = std::max(required[i], wait + longer);
  }
}

// Give every way the time that is enough for a cubic between its ends, whatever its neighbours are.
template <class Space>
void make_sure(Draft<Space>* draft, int waypoints, const int64_t* stamps, int64_t* required) {
  if (!draft->brakes && draft->velocities[0].squaredNorm() > 0) draft->brake();
  for (int i = 0; i < waypoints; ++i) {
    const double longer_s = kFastest * draft->ways[i].length / draft->limits.speed * (1 + kOver);
    const int64_t wait = i == 0 ? draft->begins() - stamps[0] : 0;
    required[i] = std::max(required[i], wait + std::max<int64_t>(nanoseconds(longer_s), 1));
  }
}

template <class Space>
void stand(Draft<Space>* draft, int waypoints) {
  for (int i = 0; i < waypoints; ++i) draft->velocities[i] = draft->ends[i] = Vector3::Zero();
}

}  // namespace

void Plan::begin(const Passing<Positions>& position, const Passing<Orientations>& orientation,
                 const Limits limits[2]) {
  waypoints = 0;
  stamps[0] = position.stamp;
  positions.begin(position, limits[0]);
  orientations.begin(orientation, limits[1]);
}

void Plan::add(int64_t stamp, const Vector3& position, const Quaternion& orientation) {
  const int i = waypoints++;
  positions.points[i + 1] = position;
  positions.ways[i] = Positions::way(positions.points[i], position);
  orientations.points[i + 1] = orientation;
  orientations.ways[i] = Orientations::way(orientations.points[i], orientation);
  const double shortest_s = std::max(positions.ways[i].length / positions.limits.speed,
                                     orientations.ways[i].length / orientations.limits.speed);
  due[i + 1] = stamp;
  required[i] = std::max<int64_t>(nanoseconds(shortest_s * (1 - kRounding)), 1);
}

// Each waypoint when it is due, or as soon after the one before as is allowed.
Moved Plan::lay_out() {
  Moved moved = {waypoints + 1, -1};
  for (const int64_t rest : {positions.begins(), orientations.begins()}) {
    required[0] = std::max(required[0], rest - stamps[0] + 1);
  }
  for (int i = 0; i < waypoints; ++i) {
    const int64_t stamp = std::max(due[i + 1], stamps[i] + required[i]);
    if (stamp == stamps[i + 1]) continue;
    stamps[i + 1] = stamp;
    moved = {std::min(moved.first, i + 1), i + 1};
  }
  return moved;
}

void Plan::make(bool straight) {
  lay_out();
  if (straight) {
    positions.straighten(waypoints, stamps);
    orientations.straighten(waypoints, stamps);
    return;
  }
  const Moved all = {0, waypoints};
  Moved moved = all;
  for (int round = 0; round <= kSure; ++round) {
    positions.choose(waypoints, stamps, moved);
    orientations.choose(waypoints, stamps, moved);
    const int braking = positions.brakes + orientations.brakes;
    const bool still = settle(&positions, waypoints, stamps, moved, round, required);
    if (settle(&orientations, waypoints, stamps, moved, round, required) && still) return;
    if (2 <= round && round <= kTries) {
      const double share = std::max(1 - std::ldexp(kEase, round), 1 / kFastest);
      ease(positions, waypoints, stamps, share, required);
      ease(orientations, waypoints, stamps, share, required);
    }
    if (round == kSure - 1) {
      make_sure(&positions, waypoints, stamps, required);
      make_sure(&orientations, waypoints, stamps, required);
    }
    moved = lay_out();
    // Who begins to brake leaves the other ways for the next round.
    if (positions.brakes + orientations.brakes != braking || moved.last < 0) moved = all;
  }
  stand(&positions, waypoints);
  stand(&orientations, waypoints);
}

int64_t Plan::longest_delay() const {
  int64_t delay = 0;
  for (int i = 1; i <= waypoints; ++i) delay = std::max(delay, stamps[i] - due[i]);
  return delay;
}

}  // namespace handloom
