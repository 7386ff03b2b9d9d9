"""How truly the lab is rendered: corners found in pictures against where the camera model puts them.

Checkerboards are rendered at the native size of UMI's camera, noise, blur and shutter off, in the middle and
beyond 65 degrees. Their inner corners are found by OpenCV's `cornerSubPix`, which knows nothing of the renderer
and starts up to a pixel away from the truth. An inner corner of a checkerboard looks the same turned by half a
turn, so neither the blur of a pixel nor a tone curve pulls it to a side.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from handloom.geometry import pose, quaternion
from handloom_simulation.cameras import UMI_GOPRO
from handloom_simulation.pictures import checkerboard_corners, checkerboard_face
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.world import World

FloatArray = npt.NDArray[np.float64]

COLUMNS, ROWS, SQUARE_M = 9, 7, 0.02
WINDOW_PX = 5
"""Half the window of the corner finder: small beside a square of some 30 px, so that its edges are straight."""

START_OFF_PX = 1.0
DISTANCE_M = 0.4
RIM_DEG = (68.0, 74.0, 80.0)
AZIMUTHS_DEG = (10.0, 70.0, 130.0, 190.0, 250.0, 310.0)


def boards(angles_deg: Sequence[float], azimuths_deg: Sequence[float], seed: int) -> list[FloatArray]:
    """Return (7,) poses of boards that face the camera, each turned about its normal and tilted by chance."""
    random = np.random.default_rng(seed)
    poses = []
    for index, azimuth in enumerate(np.deg2rad(azimuths_deg)):
        angle = np.deg2rad(angles_deg[index % len(angles_deg)])
        turn = quaternion.from_rotvec(angle * np.array([-np.sin(azimuth), np.cos(azimuth), 0.0]))
        own = quaternion.from_rotvec(random.uniform(-1.0, 1.0, 3) * np.array([0.4, 0.4, 3.0]))
        rotation = quaternion.multiply(turn, own)
        poses.append(np.concatenate([quaternion.rotate(turn, [0.0, 0.0, DISTANCE_M]), rotation]))
    return poses


def corner_errors(poses: Sequence[FloatArray], *, samples: int, least_deg: float, most_deg: float) -> FloatArray:
    """Render boards one at a time and return (N, 2) px: found minus projected, of corners between two angles."""
    board = checkerboard_face(
        columns=COLUMNS, rows=ROWS, square_m=SQUARE_M, T_body_face=pose.IDENTITY, body="board"
    )
    settings = RenderSettings(samples=samples, outside=(128, 128, 128))
    renderer = Renderer(World(faces=(board,), solids=()), UMI_GOPRO, settings, mounted_on="world")
    errors = [_errors_of(renderer, T_camera_board, least_deg, most_deg) for T_camera_board in poses]
    return np.concatenate(errors)


def _errors_of(renderer: Renderer, T_camera_board: FloatArray, least_deg: float, most_deg: float) -> FloatArray:
    picture = renderer.still({"board": T_camera_board})
    points = pose.transform_points(
        T_camera_board, checkerboard_corners(columns=COLUMNS, rows=ROWS, square_m=SQUARE_M)
    )
    truth, valid = UMI_GOPRO.project(points)
    angles = np.rad2deg(np.arctan2(np.hypot(points[:, 0], points[:, 1]), points[:, 2]))
    inside = UMI_GOPRO.contains(truth) & (truth > 2 * WINDOW_PX).all(axis=-1)
    inside &= (truth < np.array([UMI_GOPRO.width, UMI_GOPRO.height]) - 2 * WINDOW_PX).all(axis=-1)
    wanted = truth[valid & inside & (angles >= least_deg) & (angles <= most_deg)]
    return find_corners(picture, wanted) - wanted


def find_corners(picture: npt.NDArray[np.uint8], near: FloatArray) -> FloatArray:
    """Return (N, 2) px of the corners that OpenCV finds when it starts up to a pixel beside `near`."""
    import cv2

    random = np.random.default_rng(0)
    start = (near + random.uniform(-START_OFF_PX, START_OFF_PX, near.shape)).astype(np.float32)
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    ending = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 100, 1e-4)
    found = cv2.cornerSubPix(grey, start, (WINDOW_PX, WINDOW_PX), (-1, -1), ending)
    return np.asarray(found, dtype=np.float64)


def _summary(errors: FloatArray) -> dict[str, float]:
    """Return the length of the mean error, and the RMS length of an error, px."""
    return {
        "mean_px": float(np.linalg.norm(errors.mean(axis=0))),
        "rms_px": float(np.sqrt((errors**2).sum(axis=-1).mean())),
        "worst_px": float(np.linalg.norm(errors, axis=-1).max()),
        "corners": float(len(errors)),
    }


@lru_cache
def measure_corners(place: str, samples: int, n_boards: int = 6) -> dict[str, float]:
    """Return mean_px, rms_px, worst_px and the number of corners.

    Args:
        place: "centre", within 25 degrees, or "rim", beyond 65 degrees.
        samples: Rays per pixel along each side.
        n_boards: Pictures.
    """
    azimuths = AZIMUTHS_DEG[:n_boards]
    if place == "centre":
        return _summary(
            corner_errors(boards((2.0, 8.0), azimuths, 1), samples=samples, least_deg=0.0, most_deg=25.0)
        )
    return _summary(corner_errors(boards(RIM_DEG, azimuths, 2), samples=samples, least_deg=65.0, most_deg=95.0))


def bars(*, quick: bool) -> list[Bar]:
    """Return the bars of the rendered truth."""
    n_boards = 2 if quick else 6
    return [
        Bar(
            name=f"rendered corners, {where}, {name} error",
            goal=goal,
            compare="<=",
            unit="px",
            measure=lambda place=place, key=key: _measured(place, key, n_boards),  # type: ignore[misc]
        )
        for place, where in (("centre", "image centre"), ("rim", "beyond 65 deg"))
        for name, key, goal in (("mean", "mean_px", 0.02), ("RMS", "rms_px", 0.1))
    ]


def _measured(place: str, key: str, n_boards: int) -> Measured:
    fine, coarse = measure_corners(place, 4, n_boards), measure_corners(place, 2, n_boards)
    figures: dict[str, Any] = {f"{name}_4x4": value for name, value in fine.items()}
    return Measured(
        value=fine[key], figures={**figures, **{f"{name}_2x2": coarse[name] for name in ("mean_px", "rms_px")}}
    )


def main() -> None:
    """Print the figures for the numbers of samples named on the command line."""
    parser = argparse.ArgumentParser(description="Hold rendered corners against the camera model.")
    parser.add_argument("samples", type=int, nargs="*", default=[2, 4])
    for samples in parser.parse_args().samples:
        for place in ("centre", "rim"):
            begun = time.process_time()
            figures = ", ".join(f"{name} {value:.4f}" for name, value in measure_corners(place, samples).items())
            print(f"{samples}x{samples} {place}: {figures}, {time.process_time() - begun:.1f} s CPU")


if __name__ == "__main__":
    main()
