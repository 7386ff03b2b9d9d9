// Choose how and when waypoints are passed: velocities, braking first, later times. Fixed arrays, no allocation.
#pragma once

#include "trajectory_track.hpp"

namespace handloom {

struct Limits {
  double speed;    // holds on the curve itself
  double braking;
  double margin;   // a curve may swing out by so much without being braked first
};

// The first and the last of those waypoints' stamps that are others than the round before; [0] is the start.
struct Moved {
  int first, last;
};

// What the planner knows of one space: the way from the present through all waypoints.
template <class Space>
struct Draft {
  using Point = typename Space::Point;
  Limits limits;
  Passing<Space> start;
  bool brakes = false;
  int64_t rest = 0;       // when it has come to rest, if it brakes first
  Point points[HL_MAX_WAYPOINTS + 1];    // [0] is where the way to the first waypoint begins
  Way ways[HL_MAX_WAYPOINTS];
  Vector3 velocities[HL_MAX_WAYPOINTS + 1];
  Vector3 ends[HL_MAX_WAYPOINTS];  // rates at the ends of the ways

  void begin(const Passing<Space>& from, const Limits& within);
  void brake();           // come to rest before anything else
  int64_t begins() const { return brakes ? rest : start.stamp; }
  void choose(int waypoints, const int64_t* stamps, const Moved& moved);
  void straighten(int waypoints, const int64_t* stamps);
  void write(int waypoints, const int64_t* stamps, Track<Space>* track) const;  // behind what the track holds
};

// Waypoints to plan for, and the plan.
struct Plan {
  int waypoints = 0;
  int64_t due[HL_MAX_WAYPOINTS + 1];       // [i + 1] of waypoint i
  int64_t stamps[HL_MAX_WAYPOINTS + 1];    // not before they are due; [0] is the start
  int64_t required[HL_MAX_WAYPOINTS];      // the shortest time for each way
  Draft<Positions> positions;
  Draft<Orientations> orientations;

  void begin(const Passing<Positions>& position, const Passing<Orientations>& orientation, const Limits limits[2]);
  void add(int64_t stamp, const Vector3& position, const Quaternion& orientation);
  void make(bool straight);
  int64_t longest_delay() const;

 private:
  Moved lay_out();
};

}  // namespace handloom
