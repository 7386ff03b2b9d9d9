"""Makes takes: a scripted demonstration, acted out in the physics of the lab."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import ConfigError, did_you_mean
from handloom.geometry import pose, quaternion
from handloom_simulation.gripper import MOUNTED, STROKE_M
from handloom_simulation.motions.chirps import chirp_stamps
from handloom_simulation.motions.contacts import felt
from handloom_simulation.motions.covering import occluder_poses
from handloom_simulation.motions.demonstrations import DEMONSTRATIONS, MANIPULATED
from handloom_simulation.motions.fingers import finger_poses
from handloom_simulation.motions.grasping import OPEN_M, home
from handloom_simulation.motions.kinematic import STEP_NS
from handloom_simulation.motions.looking import LOOKING
from handloom_simulation.motions.physics import run_lab
from handloom_simulation.motions.script import Script, gripper_poses
from handloom_simulation.motions.settings import TakeSettings
from handloom_simulation.motions.tremor import tremor
from handloom_simulation.motions.writer import ScriptWriter
from handloom_simulation.scene.mjcf import TIMESTEP_S
from handloom_simulation.scene.objects import start_poses
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]

Plan = Callable[[ScriptWriter, Mapping[str, FloatArray], np.random.Generator], None]

MOTIONS: Mapping[str, Plan] = {**DEMONSTRATIONS, **LOOKING}
"""Every motion by name."""

_PACES = (0.5, 2.5)
"""By how much free moves may be slowed or hurried; beyond, what is held slips."""

_HALVINGS = 12
"""Of the range of paces, until what is left is waited for."""


def make_take(motion: str, *, seed: int, settings: TakeSettings | None = None) -> Take:
    """Act out a motion; the same arguments give the same arrays.

    Args:
        motion: One of `MOTIONS`.
        seed: Of the start places, the path, and the tremor.
        settings: How quickly, how steadily, with what in the way.

    Raises:
        ConfigError: There is no such motion, or it can't be done in the time that is set.
        PluginError: mujoco is not installed.
    """
    if motion not in MOTIONS:
        raise ConfigError([f"There is no motion '{motion}'{did_you_mean(motion, sorted(MOTIONS))}"])
    chosen = settings or TakeSettings()
    start = start_poses(np.random.default_rng([seed, 0]))
    script = _timed_script(motion, start, seed, chosen)
    times = np.arange(round(script.duration_s / TIMESTEP_S) + 1, dtype=np.float64) * TIMESTEP_S
    T_world_gripper = _with_tremor(gripper_poses(script.tool.at(times)), times, seed, chosen)
    run = run_lab(start, MANIPULATED.get(motion, ()), T_world_gripper, script.jaw.at(times)[:, 0])
    # The linkage keeps the fingers a few micrometres from symmetry; the gripper's frames are defined by the width.
    width_m = np.clip(run.half_openings_m.sum(axis=1), 0.0, STROKE_M)
    moving = {"gripper": T_world_gripper, **finger_poses(T_world_gripper, width_m)}
    still = {name: np.broadcast_to(place, (len(times), 7)) for name, place in start.items()}
    stamps = np.arange(len(times), dtype=np.int64) * STEP_NS
    return Take(
        name=f"{motion}-{seed}",
        stamps=stamps,
        poses={**still, **moving, **run.poses, **occluder_poses(stamps, moving, chosen.occlusions)},
        width_m=width_m,
        chirps=chirp_stamps(chosen.chirps_s, script.duration_s),
        **attrs.asdict(felt(run, moving), recurse=False),
    )


def _timed_script(motion: str, start: Mapping[str, FloatArray], seed: int, settings: TakeSettings) -> Script:
    """Return the script that lasts as long as is set: free moves are hurried or slowed, then the end waits."""
    wanted_s = settings.duration_s
    if wanted_s is None:
        return _script(motion, start, seed, settings)
    slow, fast = _PACES
    shortest_s = _script(motion, start, seed, settings, pace=fast).duration_s
    if wanted_s < shortest_s:
        usual_s = _script(motion, start, seed, settings).duration_s
        raise ConfigError(
            [f"'{motion}' can't be done in {wanted_s} s; it takes {usual_s:.1f} s, in a hurry {shortest_s:.1f} s."]
        )
    for _ in range(_HALVINGS):
        pace = (slow * fast) ** 0.5
        if _script(motion, start, seed, settings, pace=pace).duration_s > wanted_s:
            slow = pace
        else:
            fast = pace
    short_s = wanted_s - _script(motion, start, seed, settings, pace=fast).duration_s
    return _script(motion, start, seed, settings, pace=fast, longer_s=short_s)


def _script(
    motion: str,
    start: Mapping[str, FloatArray],
    seed: int,
    settings: TakeSettings,
    *,
    pace: float = 1.0,
    longer_s: float = 0.0,
) -> Script:
    rng = np.random.default_rng([seed, 1])
    about = MANIPULATED.get(motion, ())
    first = home(rng, float(start[about[0]][0]) if about else 0.0)
    writer = ScriptWriter(first, OPEN_M, speed_m_per_s=settings.speed_m_per_s, pace=pace)
    writer.wait(settings.rest_s)
    MOTIONS[motion](writer, start, rng)
    end = home(rng)
    halfway = 0.5 * np.add(writer.stance.tcp_m, end.tcp_m)
    writer.go(halfway, yaw_rad=end.yaw_rad, pitch_rad=end.pitch_rad, roll_rad=end.roll_rad)
    writer.rest(settings.rest_s)
    writer.wait(longer_s)
    return writer.script()


def _with_tremor(
    T_world_gripper: FloatArray, times_s: FloatArray, seed: int, settings: TakeSettings
) -> FloatArray:
    """Return the poses shaken about the tool's point, as a hand does that steadies what it works on."""
    noise = tremor(times_s, 6, np.random.default_rng([seed, 2]))
    shaken = T_world_gripper.copy()
    shaken[:, 3:] = quaternion.normalize(
        quaternion.multiply(T_world_gripper[:, 3:], quaternion.from_rotvec(settings.tremor_rad * noise[:, 3:]))
    )
    return about_tcp(T_world_gripper, shaken, settings.tremor_m * noise[:, :3])


def about_tcp(T_world_gripper: FloatArray, turned: FloatArray, offset_m: FloatArray) -> FloatArray:
    """Return poses with the orientation of `turned` whose tool point is that of the first, moved by an offset."""
    tcp = np.array(MOUNTED["tcp"][:3])
    wanted = pose.transform_points(T_world_gripper, tcp) + offset_m
    position = wanted - quaternion.rotate(turned[:, 3:], tcp)
    return np.concatenate([position, turned[:, 3:]], axis=1)
