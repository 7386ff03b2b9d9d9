"""Connect to the arm and get it ready, or say in a sentence why that is not possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from handloom.api import CollisionThresholds
from handloom.errors import HandloomError
from handloom_controllers.franka.robot import missing
from handloom_controllers.franka.settings import FrankaConfig

RECOVERING_STATES = 1000
"""How many states may come after a recovery before one says that the arm is ready."""

_MODES = {
    "Other": "its brakes are closed, or it is not in execution mode; see to both in Desk",
    "Move": "another program moves it; end that first",
    "Guiding": "it is being guided by hand; let go of the guiding button",
    "UserStopped": "the user stop is pressed; release it",
    "AutomaticErrorRecovery": "it is recovering from an error; wait until it has",
}


def connect(config: FrankaConfig) -> tuple[Any, Any]:
    """Return pylibfranka and its robot, connected.

    Raises:
        HandloomError: It can't be reached, is of another version, or this machine is not real-time.
    """
    try:
        import pylibfranka
    except ImportError as error:
        raise HandloomError(missing(str(error))) from error
    enforce = config.realtime == "enforce"
    wanted = pylibfranka.RealtimeConfig.kEnforce if enforce else pylibfranka.RealtimeConfig.kIgnore
    try:
        return pylibfranka, pylibfranka.Robot(config.address, wanted)
    except pylibfranka.RealtimeException as error:
        raise HandloomError(
            f"This machine may not move a real arm: {said(error)} `handloom doctor` says what is missing; "
            'realtime = "ignore" goes without, for trying out.'
        ) from error
    except pylibfranka.NetworkException as error:
        raise HandloomError(f"The arm at {config.address} can't be reached: {said(error)}") from error
    except pylibfranka.FrankaException as error:
        raise HandloomError(f"The arm at {config.address} can't be used: {said(error)}") from error


def make_ready(franka: Any, robot: Any, config: FrankaConfig, thresholds: CollisionThresholds) -> None:
    """Recover where that is wished, then set collision behaviour and load.

    Raises:
        HandloomError: The arm is in another mode, or does not take a setting.
    """
    try:
        _idle(franka, robot, config)
        joints = thresholds.joint_torque_nm.tolist()
        wrench = [thresholds.force_n] * 3 + [thresholds.torque_nm] * 3
        robot.set_collision_behavior(joints, joints, wrench, wrench)
        inertia = np.diag(config.payload_inertia_kg_m2).ravel().tolist()
        robot.set_load(config.payload_kg, list(config.payload_com_m), inertia)
    except (franka.CommandException, franka.NetworkException) as error:
        raise HandloomError(f"The arm at {config.address} refuses its settings: {said(error)}") from error


def _idle(franka: Any, robot: Any, config: FrankaConfig) -> None:
    state = robot.read_once()
    if state.robot_mode == franka.RobotMode.Reflex and config.recover:
        robot.automatic_error_recovery()
        for _ in range(RECOVERING_STATES):
            state = robot.read_once()
            if state.robot_mode == franka.RobotMode.Idle:
                break
    mode = str(state.robot_mode).rsplit(".", 1)[-1]
    if mode == "Reflex":
        found = str(state.current_errors or state.last_motion_errors)
        raise HandloomError(
            f"The arm at {config.address} is stopped by a reflex {found}; look why, then clear it in Desk, or set "
            "recover = true."
        )
    if mode != "Idle":
        raise HandloomError(
            f"The arm at {config.address} can't be moved: {_MODES.get(mode, f'it is in mode {mode}')}."
        )


def said(error: Exception) -> str:
    """Return what libfranka says as a sentence."""
    text = " ".join(str(error).split()).removeprefix("libfranka: ")
    return text if text.endswith((".", "!", "?")) else f"{text}."
