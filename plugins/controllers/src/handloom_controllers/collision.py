"""How near an arm comes to a table and to itself, by the simple shapes of its model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError, PluginError
from handloom.geometry import pose
from handloom_controllers.arms import Arm

Float64Array = npt.NDArray[np.float64]

TABLE = "table"
"""Name of the plane that stands for the table."""


class Near(NamedTuple):
    """Two things that are near each other.

    Attributes:
        distance_m: Between their surfaces; negative where they overlap.
        pair: Their names, in order of the alphabet.
    """

    distance_m: float
    pair: tuple[str, str]


class Collisions:
    """Measures distances in a model of the arm and a table, without dynamics.

    Attributes:
        mujoco: MuJoCo's module.
        data: MuJoCo's data; hold the contacts of the last question.
        model: MuJoCo's model, with a site `handloom_tcp` at the tool.
        places: (n,) where the arm's joints are among those of the model, which may have fingers besides.
        sight_m: Distances beyond are not told apart.
        sees: Whether there is any shape that moves.
        left_out: Pairs that are nearer than `clearance_m` by the arm's own build, in its home posture, and so are
            not looked at. Neighbours in the chain are never looked at.
        reach_m: (n,) how far anything of the arm gets from the axis of each joint at most.
        pair_reach_m: (G * G, n) the same for a pair, by its number: how much nearer it can come for each radian.
    """

    def __init__(
        self, arm: Arm, *, table_z_m: float | None, clearance_m: float, sight_m: float = 0.3, extra: str = "gate"
    ) -> None:
        """Build the model.

        Args:
            arm: The arm.
            table_z_m: Height of the table in the base; None for no table.
            clearance_m: Nearest that pairs are allowed to be.
            sight_m: How far it looks.
            extra: What to tell the user to install where MuJoCo is missing.

        Raises:
            PluginError: MuJoCo is not installed.
            HandloomError: The model has other joints than the arm says.
        """
        self.mujoco = mujoco = import_mujoco(extra)
        self.model = _model(arm, table_z_m, sight_m, mujoco)
        self.data = mujoco.MjData(self.model)
        self.sight_m = sight_m
        self.places = _places_of(self.model, arm)
        # Whatever moves besides the arm's joints is fingers: held open, where they reach furthest to the sides.
        self.data.qpos[:] = self.model.jnt_range[:, 1]
        self._geoms = self.model.ngeom
        self._names = [_name(self.model, geom) for geom in range(self._geoms)]
        self._credits = np.zeros(self._geoms**2)
        codes, distances = self.contacts(arm.home)
        self._left_out = np.unique(codes[distances < clearance_m])
        self._credits[self._left_out] = np.inf
        self.left_out = tuple(self.pair(code) for code in self._left_out.tolist())
        reach = _reach(self.model)[:, self.places]
        self.reach_m: Float64Array = reach.max(axis=0, initial=0.0)
        self.sees = bool(self.reach_m.any())
        both = (reach[:, None] > 0) & (reach[None] > 0)
        apart = np.where(both, 0.0, reach[:, None] + reach[None])
        self.pair_reach_m: Float64Array = apart.reshape(self._geoms**2, -1)

    def contacts(self, q: Float64Array) -> tuple[npt.NDArray[np.int64], Float64Array]:
        """Return (K,) the numbers of pairs within sight, and (K,) their distances, m; a pair may come twice.

        Args:
            q: (n,) rad.
        """
        self.data.qpos[self.places] = q
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_collision(self.model, self.data)
        contact = self.data.contact
        geoms: npt.NDArray[np.int64] = contact.geom.astype(np.int64)
        codes = geoms[:, 0] * self._geoms + geoms[:, 1]
        return codes, contact.dist + self._credits[codes]

    def nearest(self, q: Float64Array) -> Near | None:
        """Return the nearest pair; None where nothing is within sight."""
        codes, distances = self.contacts(q)
        return self.near(codes, distances)

    def near(self, codes: npt.NDArray[np.int64], distances: Float64Array) -> Near | None:
        """Return the nearest of contacts; None of none."""
        if not len(distances):
            return None
        place = int(distances.argmin())
        return Near(float(distances[place]), self.pair(int(codes[place])))

    def pair(self, code: int) -> tuple[str, str]:
        """Return the names of a pair by its number."""
        first, second = sorted((self._names[code // self._geoms], self._names[code % self._geoms]))
        return first, second

    def credit(self, q: Float64Array, clearance_m: float) -> tuple[tuple[str, str], ...]:
        """Take a posture for granted: pairs that are too near there are as good as far enough.

        From then on their distances are told as so much larger, until another posture is given credit.

        Returns:
            Which ones they are.
        """
        self._credits[:] = 0.0
        self._credits[self._left_out] = np.inf
        codes, distances = self.contacts(q)
        np.maximum.at(self._credits, codes, clearance_m - distances)
        given = np.flatnonzero((self._credits > 0) & np.isfinite(self._credits))
        return tuple(self.pair(code) for code in given.tolist())


def import_mujoco(extra: str) -> Any:
    """Return MuJoCo.

    Raises:
        PluginError: It is not installed.
    """
    try:
        import mujoco
    except ImportError as error:
        raise PluginError(
            "Distances of an arm to a table and to itself need mujoco, which is not installed; "
            f"pip install 'handloom-controllers[{extra}]'."
        ) from error
    return mujoco


def _model(arm: Arm, table_z_m: float | None, sight_m: float, mujoco: Any) -> Any:
    """Return MuJoCo's model of the arm, its tool and a table."""
    spec = mujoco.MjSpec.from_string(arm.mjcf)
    if table_z_m is not None:
        spec.worldbody.add_geom(
            name=TABLE, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.1], pos=[0, 0, table_z_m]
        )
    for geom in spec.geoms:
        # Margins of two geoms add up; MuJoCo takes those of the bodies from them when it compiles.
        geom.margin = sight_m / 2
    flange = spec.site("flange")
    T_body_flange = np.concatenate([flange.pos, np.roll(flange.quat, -1)])
    T_body_tcp = pose.compose(T_body_flange, arm.T_flange_tcp)
    flange.parent.add_site(name="handloom_tcp", pos=T_body_tcp[:3], quat=np.roll(T_body_tcp[3:], 1))
    return spec.compile()


def _places_of(model: Any, arm: Arm) -> npt.NDArray[np.int64]:
    """Return (n,) where the arm's joints are among those of the model, which may have fingers besides.

    Raises:
        HandloomError: The model lacks a joint, or has one that is no hinge or slide.
    """
    names = [model.joint(number).name for number in range(model.njnt)]
    missing = [name for name in arm.joints if name not in names]
    if missing or model.nq != model.njnt:
        raise HandloomError(
            f"The model of {arm.name} has the joints {', '.join(names)}, {model.nq} numbers in all; expected "
            f"{', '.join(arm.joints)}, one number each."
        )
    return np.array([names.index(name) for name in arm.joints])


def _name(model: Any, geom: int) -> str:
    """Return the name of a geom; its body's where it has none, because that is what a reader knows."""
    name: str = model.geom(geom).name or model.body(model.geom_bodyid[geom]).name
    return name


def _reach(model: Any) -> Float64Array:
    """Return (G, n) how far each shape can get from the axis of each joint that moves it; 0 where none does.

    By the triangle inequality along the chain: the offsets of the bodies and the radius of the shape.
    """
    reach = np.zeros((model.ngeom, model.njnt))
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        far = float(np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom])
        while body:
            for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
                reach[geom, joint] = far + float(np.linalg.norm(model.jnt_pos[joint]))
            far += float(np.linalg.norm(model.body_pos[body]))
            body = int(model.body_parentid[body])
    return reach
