"""The printed tag: its corners, and all the places where black meets white, which is what can be measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StepError
from handloom_sensors.width.opencv import opencv

FloatArray = npt.NDArray[np.float64]

CORNERS = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
"""Corners of a tag of side 1 in its own frame, x right, y down, z into the surface, in OpenCV's order: clockwise
from the top left of the picture that the dictionary generates."""

ALONG = (0.5,)
"""Where along the side of a cell its edge is measured: as far as can be from corners, which blur rounds off."""


@attrs.frozen(kw_only=True, eq=False)
class Pattern:
    """Points on the edges of a tag of side 1, in its own frame.

    Inner edges count as much as the outline: a lens or a tone curve that makes white bleed into black moves edges
    of opposite sense in opposite directions, and the whole stays where it is.

    Attributes:
        points: (M, 2).
        normals: (M, 2) unit vectors from black to white.
        cell: Side of a cell.
        white: (n, n) whether each cell is white, the border included.
    """

    points: FloatArray
    normals: FloatArray
    cell: float
    white: npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Layout:
    """Several tags of one dictionary side by side, the shorter ones filled up.

    Attributes:
        points: (T, M, 2) of sides 1.
        normals: (T, M, 2).
        printed: (T, M) which of them are printed.
        count: (T,) how many are.
        cell: Side of a cell.
        white: (T, n, n) whether each cell is white.
    """

    points: FloatArray
    normals: FloatArray
    printed: npt.NDArray[np.bool_]
    count: npt.NDArray[np.int_]
    cell: float
    white: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, patterns: Sequence[Pattern]) -> Layout:
        """Put patterns side by side."""
        count = np.array([len(pattern.points) for pattern in patterns])
        points, normals = np.zeros((len(count), count.max(), 2)), np.zeros((len(count), count.max(), 2))
        normals[..., 0] = 1.0
        for row, pattern in enumerate(patterns):
            points[row, : count[row]], normals[row, : count[row]] = pattern.points, pattern.normals
        return cls(
            points=points,
            normals=normals,
            printed=np.arange(count.max()) < count[:, None],
            count=count,
            cell=patterns[0].cell,
            white=np.stack([pattern.white for pattern in patterns]),
        )

    def rows(self, rows: Sequence[int]) -> Layout:
        """Return the layout of some of the tags."""
        picked = list(rows)
        return attrs.evolve(
            self,
            points=self.points[picked],
            normals=self.normals[picked],
            printed=self.printed[picked],
            count=self.count[picked],
            white=self.white[picked],
        )


def dictionary_of(name: str) -> Any:
    """Return OpenCV's dictionary of that name.

    Raises:
        StepError: It has none.
    """
    aruco = opencv().aruco
    number = getattr(aruco, name, None)
    if number is None:
        known = ", ".join(sorted(each for each in dir(aruco) if each.startswith("DICT_")))
        raise StepError(f"OpenCV knows no dictionary '{name}'; it knows {known}.")
    return aruco.getPredefinedDictionary(number)


def pattern_of(dictionary: Any, tag_id: int) -> Pattern:
    """Return where the edges of a tag are.

    Raises:
        StepError: The dictionary has no such id.
    """
    count = len(dictionary.bytesList)
    if not 0 <= tag_id < count:
        raise StepError(f"The dictionary has the ids 0 to {count - 1}; found {tag_id}.")
    cells = dictionary.markerSize + 2
    return pattern_from(opencv().aruco.generateImageMarker(dictionary, tag_id, cells) > 0)


def pattern_from(white: npt.NDArray[np.bool_]) -> Pattern:
    """Return where the edges of a square of cells are, white all around it.

    Args:
        white: (n, n) whether each cell is white, the border included.
    """
    level = np.pad(white, 1, constant_values=True).astype(int)
    across, right = _vertical_edges(level)
    down, below = _vertical_edges(level.T)
    count = len(white)
    return Pattern(
        points=np.concatenate([across, down[:, ::-1]]) / count - 0.5,
        normals=np.concatenate([right, below[:, ::-1]]),
        cell=1.0 / count,
        white=white,
    )


def _vertical_edges(level: npt.NDArray[np.int_]) -> tuple[FloatArray, FloatArray]:
    """Return points x y in cells and normals of the edges between left and right neighbours."""
    change = np.diff(level, axis=1)[1:-1]
    row, column = np.nonzero(change)
    sense = np.repeat(change[row, column], len(ALONG)).astype(np.float64)
    points = np.column_stack([np.repeat(column, len(ALONG)), (row[:, None] + np.array(ALONG)).ravel()])
    return points.astype(np.float64), np.column_stack([sense, np.zeros(len(sense))])
