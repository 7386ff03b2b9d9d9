"""Build the two models of a simulated arm: the plant in its surroundings, and what the robot believes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_simulation.arm.settings import Block, MujocoArmConfig

if TYPE_CHECKING:
    from handloom_controllers.arms import Arm

Float64Array = npt.NDArray[np.float64]

STEP_S = 0.001
FINGER_KG = 0.2
"""What a finger weighs with its drive; a guess, without which it would bounce off all it touches."""

FEW_SHAPES = 2
"""Of so many in each body, MuJoCo compares all pairs as fast as it finds the near ones."""

STOPS_RAD = 0.05
"""How far behind a joint's limit its mechanical stop lies, so that the limit can be crossed and seen to be."""


def plant_model(arm: Arm, config: MujocoArmConfig) -> Any:
    """Return the `mujoco.MjModel` of what happens: friction, payload, floor and blocks included.

    Raises:
        HandloomError: A table of friction has neither one value nor one a joint, two things have one name, or
            MuJoCo refuses the model.
    """
    import mujoco

    spec = _spec(arm)
    spec.option.timestep = STEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    # After a blow-up the arm must not be found at its start again: the robot reports it instead.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    _look(spec)
    _joints(spec, arm, config)
    _fingers(spec, arm)
    if config.payload_kg > 0:
        _payload(spec, config)
    if config.probe_radius_m > 0:
        _probe(spec, config)
    if config.floor:
        _floor(spec)
    for block in config.blocks:
        _block(spec, block)
    spec.option.disableflags |= _spared(spec, config)
    return _compiled(spec, arm.name)


def own_model(arm: Arm, config: MujocoArmConfig) -> Any:
    """Return the `mujoco.MjModel` of what the robot believes: no friction, payload or surroundings."""
    import mujoco

    spec = _spec(arm)
    spec.option.timestep = STEP_S
    for geom in list(spec.geoms):  # it touches nothing, and shapes take time to place
        spec.delete(geom)
    for name, inertia in zip(arm.joints, _rotors(arm, config), strict=True):
        spec.joint(name).armature = float(inertia)
    model = _compiled(spec, arm.name)
    if config.model_error > 0:
        drawn = np.random.default_rng(config.seed).normal(1.0, config.model_error, model.nbody)
        scale = np.clip(drawn, 0.1, None)
        model.body_mass[:] *= scale
        model.body_inertia[:] *= scale[:, None]
        mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def per_joint(values: Sequence[float], count: int, what: str) -> Float64Array:
    """Return one value a joint (n,).

    Raises:
        HandloomError: There are neither as many as joints, nor one.
    """
    if len(values) not in (1, count):
        raise HandloomError(f"{what}: found {len(values)} values; expected one for all, or {count}, one a joint.")
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (count,)).copy()


def _spared(spec: Any, config: MujocoArmConfig) -> int:
    """Return the flags of what MuJoCo need not do here: it takes time, and what comes out is the same without.

    Bodies of a few shapes need no tree of boxes to find which of them touch, and where nothing but the arm moves,
    no islands have to be looked for: there is one.
    """
    import mujoco

    spared = 0
    if all(len(body.geoms) <= FEW_SHAPES for body in spec.bodies):
        spared |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    if not any(block.mass_kg > 0 for block in config.blocks):
        spared |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    return spared


def _spec(arm: Arm) -> Any:
    import mujoco

    try:
        return mujoco.MjSpec.from_string(arm.mjcf)
    except ValueError as error:
        raise _refused(arm.name, error) from error


def _compiled(spec: Any, name: str) -> Any:
    try:
        return spec.compile()
    except ValueError as error:
        raise _refused(name, error) from error


def _refused(name: str, error: ValueError) -> HandloomError:
    words = " ".join(str(error).split())
    return HandloomError(f"MuJoCo refuses the model of the arm {name}: {words}")


def _look(spec: Any) -> None:
    """Light it from above and from the front, and colour the links, so that a picture shows something."""
    spec.worldbody.add_light(pos=[1.0, -1.0, 2.5], dir=[-0.4, 0.4, -1.0])
    spec.worldbody.add_camera(
        name="front", pos=[1.15, -1.05, 0.85], xyaxes=[0.707, 0.707, 0.0, -0.18, 0.18, 0.967], fovy=45.0
    )
    for place, body in enumerate(spec.bodies[1:]):
        for geom in body.geoms:
            geom.rgba = [0.93, 0.93, 0.95, 1.0] if place % 2 else [0.72, 0.74, 0.78, 1.0]


def _joints(spec: Any, arm: Arm, config: MujocoArmConfig) -> None:
    count = len(arm.joints)
    dry = _friction(config.dry_friction_nm, arm.friction, count, "dry_friction_nm")
    viscous = _friction(config.viscous_friction_nm_s_per_rad, arm.damping, count, "viscous_friction_nm_s_per_rad")
    rotors = _rotors(arm, config)
    for place, name in enumerate(arm.joints):
        joint = spec.joint(name)
        joint.frictionloss = float(dry[place])
        joint.damping = [float(viscous[place]), 0.0, 0.0] if np.ndim(joint.damping) else float(viscous[place])
        joint.armature = float(rotors[place])
        if joint.range[0] < joint.range[1]:
            joint.range = [joint.range[0] - STOPS_RAD, joint.range[1] + STOPS_RAD]


def _rotors(arm: Arm, config: MujocoArmConfig) -> Float64Array:
    if arm.reflected_inertia is None:
        return np.zeros(len(arm.joints))
    return config.rotor_inertia_share * arm.reflected_inertia


def _fingers(spec: Any, arm: Arm) -> None:
    for name in arm.fingers:
        spec.joint(name).armature = FINGER_KG


def _friction(values: Sequence[float], own: Float64Array | None, count: int, what: str) -> Float64Array:
    if values:
        return per_joint(values, count, what)
    return np.zeros(count) if own is None else own


def _payload(spec: Any, config: MujocoArmConfig) -> None:
    """A point mass would have no inertia; a ball of steel of that mass has this one."""
    radius = (config.payload_kg / (7850.0 * 4.19)) ** (1 / 3)
    inertia = 0.4 * config.payload_kg * radius**2
    flange = spec.site("flange")
    body = flange.parent.add_body(name="payload", pos=flange.pos, quat=flange.quat)
    body.mass = config.payload_kg
    body.ipos = list(config.payload_com_m)
    body.inertia = [inertia] * 3
    body.explicitinertial = True


def _probe(spec: Any, config: MujocoArmConfig) -> None:
    import mujoco

    flange = spec.site("flange")
    body = flange.parent.add_body(name="probe", pos=flange.pos, quat=flange.quat)
    body.add_geom(
        name="probe",
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        size=[config.probe_radius_m, 0.0, 0.0],
        pos=list(config.probe_at_m),
        mass=0.0,
        rgba=[0.85, 0.2, 0.2, 1.0],
    )


def _floor(spec: Any) -> None:
    import mujoco

    spec.worldbody.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2.0, 2.0, 0.1], rgba=[0.35, 0.4, 0.42, 1.0]
    )


def _weigh(body: Any, block: Block) -> None:
    # The arm's model takes no inertia from shapes. Source: that of a solid box.
    x, y, z = (half**2 for half in block.half_m)
    body.mass, body.ipos, body.explicitinertial = block.mass_kg, [0.0, 0.0, 0.0], True
    body.inertia = [block.mass_kg / 3 * sides for sides in (y + z, x + z, x + y)]


def _block(spec: Any, block: Block) -> None:
    import mujoco

    x, y, z, w = block.quaternion
    if spec.body(block.name) is not None or spec.geom(block.name) is not None:
        raise HandloomError(
            f"A block is named '{block.name}', as something else is already; give it another name."
        )
    body = spec.worldbody.add_body(name=block.name, pos=list(block.centre_m), quat=[w, x, y, z])
    if block.mass_kg > 0:
        body.add_freejoint()
        _weigh(body, block)
    body.add_geom(
        name=block.name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=list(block.half_m),
        solref=list(block.solref),
        solimp=list(block.solimp),
        friction=[block.friction, 0.005, 0.0001],
        priority=1,  # it says how it gives way, whatever touches it
        rgba=[0.75, 0.55, 0.35, 1.0],
    )
