"""Names of folders and identifiers, drawn from a seed so that the same settings give the same names."""

from __future__ import annotations

import datetime as dt
from uuid import UUID
from zlib import crc32

import numpy as np


def unique_id(seed: int, what: str) -> UUID:
    """Return a UUID of version 4 that the seed decides."""
    data = np.random.default_rng([seed, crc32(what.encode())]).bytes(16)
    return UUID(bytes=data, version=4)


def folder_name(kind: str, wall_ns: int, suffix: str) -> str:
    """Return "scene_2026-07-29_20-30-04_ab12", the time in UTC as on a Pi without a time zone."""
    began = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=wall_ns // 1000)
    return f"{kind}_{began:%Y-%m-%d_%H-%M-%S}_{suffix}"
