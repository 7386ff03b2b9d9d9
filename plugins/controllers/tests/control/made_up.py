"""Telemetry of a motion that nobody made: a chirp that is followed with a delay, then a hold and a soft stop."""

import numpy as np

from handloom_controllers.native.structs import PHASES, new

PERIOD_NS = 10_000_000
LAG_S = 0.03


def made_up(count=800, *, lag_s=LAG_S, start_ns=5_000_000_000, seed=0):
    """Return (count,) records, one each 10 ms."""
    random = np.random.default_rng(seed)
    seconds = np.arange(count) * PERIOD_NS * 1e-9
    records = new("hl_telemetry", count)
    records["stamp_ns"] = start_ns + np.arange(count) * PERIOD_NS
    records["reference"] = _way(seconds)
    records["T_base_tcp"] = _way(seconds - lag_s)
    records["joints"] = 7
    records["tau_command"][:, :7] = 5 * np.sin(seconds[:, None] * np.arange(1, 8) * 0.4)
    records["tau"] = records["tau_command"]
    records["wrench_command"][:, :3] = 20 * np.abs(np.sin(seconds))[:, None] * [0.6, 0.0, 0.8]
    records["wrench_measured"] = records["wrench_command"] * 0.8
    records["lateness_ns"] = random.lognormal(10.2, 0.6, count).astype(np.int64)
    records["compute_ns"] = random.lognormal(9.2, 0.2, count).astype(np.int64)
    records["width_m"] = records["width_reference"] = 0.04 + 0.02 * np.sin(seconds)
    records["phase"] = PHASES.index("following")
    records["phase"][count * 8 // 10 :] = PHASES.index("holding")
    records["phase"][count * 9 // 10 :] = PHASES.index("stopping")
    return records


def _way(seconds):
    poses = np.zeros((len(seconds), 7))
    poses[:, 0] = 0.4 + 0.03 * np.sin(2 * np.pi * (0.1 + 0.05 * seconds) * seconds)
    poses[:, 1] = 0.1 * np.sin(seconds)
    poses[:, 2] = 0.4
    half = 0.1 * np.sin(0.7 * seconds)
    poses[:, 3], poses[:, 6] = np.sin(half), np.cos(half)
    return poses
