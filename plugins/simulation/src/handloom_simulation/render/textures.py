"""The pictures of a world's faces in one row of texels, with coarser and coarser levels of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from handloom_simulation.world import Face, Picture

Int64Array = npt.NDArray[np.int64]


class Textures(NamedTuple):
    """Pictures as compiled code reads them.

    Attributes:
        first: (F,) of each face the index of its picture's finest level.
        depth: (F,) how many levels there are of it.
        levels: (L, 3) offset into `texels`, height and width; a height below 0 marks a picture with hard edges.
        texels: (T,) uint64, red in the lowest 16 bits, then green, then blue: a multiplication weighs all three.
            Each row of a level and each level end with a copy, so that the texels right and below are there.
    """

    first: Int64Array
    depth: Int64Array
    levels: Int64Array
    texels: npt.NDArray[np.uint64]


def make_textures(faces: Sequence[Face]) -> Textures:
    """Return the faces' pictures; one that several faces share is kept once."""
    spans: dict[tuple[int, bool], tuple[int, int]] = {}
    packed: list[npt.NDArray[np.uint64]] = []
    rows: list[tuple[int, int, int]] = []
    offset = 0
    for face in faces:
        key = (id(face.picture), face.sharp)
        if key in spans:
            continue
        made = coarser_and_coarser(face.picture)
        spans[key] = (len(rows), len(made))
        for level, picture in enumerate(made):
            hard = face.sharp and level == 0
            rows.append((offset, -picture.shape[0] if hard else picture.shape[0], picture.shape[1]))
            packed.append(_packed(picture))
            offset += packed[-1].size
    of_faces = np.array([spans[id(face.picture), face.sharp] for face in faces], dtype=np.int64).reshape(-1, 2)
    return Textures(
        first=of_faces[:, 0].copy(),
        depth=of_faces[:, 1].copy(),
        levels=np.array(rows, dtype=np.int64).reshape(-1, 3),
        texels=np.concatenate([level.ravel() for level in packed] or [np.zeros(0, dtype=np.uint64)]),
    )


def coarser_and_coarser(picture: Picture) -> list[Picture]:
    """Return a picture (H, W, 3) and its averages over 2 x 2, 4 x 4, ... texels."""
    levels, exact = [np.ascontiguousarray(picture)], picture.astype(np.float32)
    while max(exact.shape[:2]) > 1:
        even = np.pad(exact, [(0, exact.shape[0] % 2), (0, exact.shape[1] % 2), (0, 0)], mode="edge")
        exact = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2, 3).mean(axis=(1, 3))
        levels.append(np.rint(exact).astype(np.uint8))
    return levels


def _packed(picture: Picture) -> npt.NDArray[np.uint64]:
    red, green, blue = np.moveaxis(np.pad(picture, [(0, 1), (0, 1), (0, 0)], mode="edge").astype(np.uint64), -1, 0)
    return np.asarray(red | green << np.uint64(16) | blue << np.uint64(32), dtype=np.uint64)
