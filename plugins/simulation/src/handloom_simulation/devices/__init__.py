"""The devices of the lab: each samples a take by its own clock, and none knows the clock "sim"."""

from handloom_simulation.devices.clocks import DeviceClocks, Sampling, random_clocks
from handloom_simulation.devices.gopro_clock import GoProClock
from handloom_simulation.devices.inertial import Inertial, InertialSettings, measure_inertial
from handloom_simulation.devices.microphones import MICROPHONES, arrival_ns, record_sound
from handloom_simulation.devices.servo import JawTicks, ServoSettings, measure_jaw, width_of_ticks
from handloom_simulation.devices.slam import SlamSettings, SlamTrajectory, track_by_slam
from handloom_simulation.devices.sound_settings import SoundSettings
from handloom_simulation.devices.trackers import Tracked, TrackerSettings, optitrack_settings, track, vr_settings

__all__ = [
    "MICROPHONES",
    "DeviceClocks",
    "GoProClock",
    "Inertial",
    "InertialSettings",
    "JawTicks",
    "Sampling",
    "ServoSettings",
    "SlamSettings",
    "SlamTrajectory",
    "SoundSettings",
    "Tracked",
    "TrackerSettings",
    "arrival_ns",
    "measure_inertial",
    "measure_jaw",
    "optitrack_settings",
    "random_clocks",
    "record_sound",
    "track",
    "track_by_slam",
    "vr_settings",
    "width_of_ticks",
]
