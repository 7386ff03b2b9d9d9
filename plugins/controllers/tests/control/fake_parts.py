"""An arm without dynamics and a law that it obeys: for tests that ask for no physics."""

import attrs
import numpy as np

from handloom.api import (
    CollisionThresholds,
    JointLimits,
    Law,
    Ports,
    Robot,
    RobotCommand,
    RobotState,
    hookimpl,
)
from handloom.geometry import pose, quaternion
from handloom.host import Found, Host

PERIOD_NS = 5_000_000
JOINTS = tuple(f"joint{place}" for place in range(1, 7))


@attrs.frozen(kw_only=True)
class FakeArmConfig:
    """How it behaves.

    Attributes:
        reflex_after: Cycles until it stops by itself; 0 for never.
        lag_cycles: By how many cycles it trails its command.
        drift_rad_per_s: What its last joint is measured to do beside.
    """

    reflex_after: int = 0
    lag_cycles: int = 0
    drift_rad_per_s: float = 0.0


class FakeArm(Robot):
    """Its joints are x, y, z and a rotation vector of its flange."""

    Config = FakeArmConfig
    summary = "An arm of six axes that is wherever it is told to be"

    @classmethod
    def ports(cls, config):
        return Ports()

    def __init__(self, config=None):
        super().__init__(config)
        self.q = np.array([0.4, 0.0, 0.4, 3.0, 0.0, 0.0])
        self.dq, self.cycles, self.stopped, self.waiting = np.zeros(6), 0, False, []

    @property
    def limits(self):
        wide, one = np.full(6, 10.0), np.full(6, 100.0)
        return JointLimits(
            names=JOINTS,
            lower=-wide,
            upper=wide,
            velocity=one,
            acceleration=one,
            jerk=one,
            torque=one,
            torque_rate=one,
            source="a test",
            edition="1",
        )

    @property
    def collision_thresholds(self):
        return CollisionThresholds(force_n=np.inf, torque_nm=np.inf, joint_torque_nm=np.full(6, np.inf))

    def open(self):
        self.stopped = False

    def close(self):
        self.stopped = True

    def read(self):
        struck = self.config.reflex_after and self.cycles >= self.config.reflex_after
        nothing = np.zeros(6)
        return RobotState(
            stamp=1_000_000_000 + self.cycles * PERIOD_NS,
            q=self.q,
            dq=self.dq + self.config.drift_rad_per_s * np.eye(6)[5],
            tau=nothing,
            jacobian=np.eye(6),
            T_base_flange=np.concatenate([self.q[:3], quaternion.from_rotvec(self.q[3:])]),
            coriolis=nothing,
            gravity=nothing,
            wrench=np.full(6, np.nan),
            reflexes=("cartesian_reflex",) if struck else (),
        )

    def write(self, command: RobotCommand):
        self.cycles += 1
        if command.q is None:
            self.dq = np.zeros(6)
            return
        self.waiting.append(np.array(command.q))
        if len(self.waiting) > self.config.lag_cycles:
            reached = self.waiting.pop(0)
            self.dq, self.q = (reached - self.q) / (PERIOD_NS * 1e-9), reached

    def stop(self):
        self.stopped = True


class FlangeLaw(Law):
    """Tells the arm to be at the reference, and knows no tool."""

    summary = "Puts the flange at the reference"

    @classmethod
    def ports(cls, config):
        return Ports()

    def start(self, *, limits, thresholds, state):
        self.started = True

    def step(self, state, reference):
        wanted = pose.compose(reference.pose, pose.inverse(self.T_flange_tcp))
        shift = pose.compose(pose.inverse(state.T_base_flange), wanted)
        turned = quaternion.to_rotvec(quaternion.multiply(state.T_base_flange[3:], shift[3:]))
        if (
            turned @ state.q[3:] < 0
        ):  # the same turn the other way round, which a rotation vector near 180° jumps to
            turned = turned - 2 * np.pi * turned / np.linalg.norm(turned)
        return RobotCommand(q=np.concatenate([wanted[:3], turned]), width_m=reference.width_m)

    def stop(self):
        self.started = False


@attrs.frozen(kw_only=True)
class FakeLawConfig:
    """Its tool.

    Attributes:
        T_flange_tcp: x y z and quaternion x y z w.
    """

    T_flange_tcp: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class FakeLaw(FlangeLaw):
    """Tells the tool to be at the reference."""

    Config = FakeLawConfig
    summary = "Puts the tool at the reference"

    @property
    def T_flange_tcp(self):
        return np.array(self.config.T_flange_tcp)


@hookimpl
def robot(kind):
    return FakeArm


@hookimpl
def controller(kind):
    return FlangeLaw if kind == "flange_law" else FakeLaw


def fake_host():
    """Return a host that knows these and nothing else."""
    made = {"target": __name__, "distribution": "handloom-tests", "version": "1"}
    return Host(
        [
            Found(family="robots", kind="fake_arm", **made),
            *(Found(family="controllers", kind=kind, **made) for kind in ("fake_law", "flange_law")),
        ]
    )
