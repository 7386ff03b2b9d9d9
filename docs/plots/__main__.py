"""Draw the plots into docs/images."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from docs.plots.motions import BALL_M, Motion, along, along_x, chirp, ramp
from handloom_controllers.control.drawing import FAINT, MAIN, SECOND, drawn
from handloom_controllers.control.tracking import tracking
from handloom_simulation.arm.settings import wall

IMAGES = Path(__file__).resolve().parent.parent / "images"
STIFFNESS, DAMPING, CLIP = 2000.0, 89.0, 0.01
"""Of the preset "polyumi"."""

GOOD, BAD = "#2e9e5b", "#c8372d"


def feed_forward() -> None:
    """Draw a chirp that is followed with and without feed-forward."""
    made = {on: along(chirp, 10.0, gains={"feed_forward": on}) for on in (True, False)}
    with drawn(IMAGES / "tuning-feed-forward.png", 8.0, 4.4) as figure:
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(
            made[True].seconds, made[True].reference[:, 0], color="black", ls="--", lw=0.9, label="reference"
        )
        for on, colour in ((True, MAIN), (False, SECOND)):
            motion = made[on]
            found = tracking(motion.records["stamp_ns"], motion.records["reference"], motion.records["T_base_tcp"])
            label = f"{'with' if on else 'without'} feed-forward"
            above.plot(motion.seconds, motion.tool[:, 0], color=colour, label=label)
            apart = np.linalg.norm(motion.tool - motion.reference, axis=1)
            below.plot(
                motion.seconds, apart, color=colour, label=f"RMS {found.rms_mm:.1f} mm, lag {found.lag_ms:.0f} ms"
            )
            print(label, found)
        above.set(title="A chirp of 30 mm, 0.1 to 1 Hz", ylabel="x in mm", xlim=(5.0, 10.0))
        below.set(title="Distance from the reference", ylabel="distance in mm", xlabel="time in s")
        for axes in (above, below):
            axes.legend(loc="upper left", ncols=3)
            axes.margins(y=0.2)


def ceiling() -> None:
    """Draw the speed that the tool reaches over the speed that is asked for."""
    speeds = np.array([0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5])
    with drawn(IMAGES / "tuning-ceiling.png", 6.4, 3.4) as figure:
        axes = figure.subplots()
        axes.plot(speeds, speeds, color="black", ls="--", lw=0.9, label="as asked")
        axes.axhline(STIFFNESS * CLIP / DAMPING, color=FAINT, lw=1.0, ls=":")
        axes.text(0.05, STIFFNESS * CLIP / DAMPING + 0.006, "K c / D", color=FAINT)
        for on, colour in ((True, MAIN), (False, SECOND)):
            reached = [_mean_speed(speed, on) for speed in speeds]
            print("ceiling", on, np.round(reached, 3))
            label = f"{'with' if on else 'without'} feed-forward"
            axes.plot(speeds, reached, "o-", ms=4, color=colour, label=label)
        axes.set(
            title="Mean speed of the tool on a straight way of 0.3 m",
            xlabel="speed of the reference in m/s",
            ylabel="speed of the tool in m/s",
        )
        axes.legend(loc="upper left")


def _mean_speed(speed: float, feed_forward: bool) -> float:
    """Return the mean speed from the beginning of the way until nearly its end."""
    seconds = 0.3 + 0.3 / min(speed, 0.15) + 0.3
    motion = along(lambda s: ramp(s, speed=speed), seconds, gains={"feed_forward": feed_forward})
    arrived = motion.seconds[np.argmax(motion.tool[:, 0] > 285.0)]
    return float(0.285 / (arrived - 0.3))


def contact() -> None:
    """Draw the force on a wall over the speed of approach."""
    speeds = np.array([0.1, 0.15, 0.2, 0.3, 0.4, 0.5])
    loose = {"wrench_bound_n": 1e4, "wrench_bound_nm": 1e4, "clip_m": 1.0, "clip_sine": 1.0}
    ways = {
        "neither clip nor bound": (loose, {}, BAD),
        "clip and bound": ({}, {}, SECOND),
        "also contact speed 0.1 m/s": ({}, {"contact_speed_m_per_s": 0.1}, MAIN),
    }
    with drawn(IMAGES / "tuning-contact.png", 6.4, 3.6) as figure:
        axes = figure.subplots()
        for label, (gains, caps, colour) in ways.items():
            peaks = [_peak_n(speed, gains, caps) for speed in speeds]
            print("contact", label, np.round(peaks, 1))
            axes.plot(speeds, peaks, "o-", ms=4, color=colour, label=label)
        axes.axhline(STIFFNESS * CLIP, color=FAINT, lw=1.0, ls=":")
        axes.text(0.1, STIFFNESS * CLIP * 0.87, "K c", color=FAINT)
        axes.set_yscale("log")
        axes.set_yticks([20, 50, 100, 200, 400], labels=["20", "50", "100", "200", "400"])
        axes.minorticks_off()
        axes.set(
            title="Peak force on a wall, the reference going 0.3 m into it",
            xlabel="speed of approach in m/s",
            ylabel="force in N",
        )
        axes.legend(loc="center left", bbox_to_anchor=(0.35, 0.72))


def _peak_n(speed: float, gains: dict[str, float], caps: dict[str, float]) -> float:
    slowest = min(speed, caps.get("contact_speed_m_per_s", 2.0))
    motion = along(
        lambda s: ramp(s, speed=speed, metres=0.36),
        1.0 + 0.36 / slowest,
        gains=gains,
        caps=caps,
        at_once=True,
        blocks=lambda tool: (
            wall(
                point_m=(tool[0] + BALL_M + 0.06, tool[1], tool[2]),
                normal=(-1.0, 0.0, 0.0),
                half_m=(0.1, 0.07, 0.07),
            ),
        ),
    )
    return motion.truth.contact_peak_n


def spring() -> None:
    """Draw how far a push of 10 N moves the tool, by stiffness and by damping."""
    with drawn(IMAGES / "tuning-spring.png", 8.6, 3.2) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        for stiffness, colour in zip((500.0, 1000.0, 2000.0), (SECOND, GOOD, MAIN), strict=True):
            motion = _pushed(stiffness, DAMPING * (stiffness / STIFFNESS) ** 0.5)
            left.plot(motion.seconds, motion.tool[:, 0], color=colour, label=f"{stiffness:.0f} N/m")
        for damping, colour in zip((15.0, 89.0, 300.0), (SECOND, MAIN, GOOD), strict=True):
            motion = _pushed(STIFFNESS, damping)
            right.plot(motion.seconds, motion.tool[:, 0], color=colour, label=f"{damping:.0f} Ns/m")
        left.set(title="K, with D = 2√(K·1 kg)", ylabel="x in mm", xlabel="time in s")
        right.set(title="D, with K = 2000 N/m", xlabel="time in s")
        for axes in (left, right):
            axes.axvspan(0.5, 1.3, color="#eef1f4", lw=0)
            axes.set_xlim(0.3, 2.2)
            axes.legend(loc="upper right")


def _pushed(stiffness: float, damping: float) -> Motion:
    return along(
        lambda s: along_x(0 * s),
        2.3,
        gains={
            "stiffness_n_per_m": stiffness,
            "damping_ns_per_m": damping,
            "clip_m": 0.04,
            "wrench_bound_n": 29.0,
        },
        push=(0.5, np.array([10.0, 0, 0, 0, 0, 0]), 0.8),
    )


if __name__ == "__main__":
    for draw in (feed_forward, ceiling, contact, spring):
        draw()
