"""What `handloom doctor` tells of arms: whether installed robots go by the limits in our files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import attrs

from handloom.api import Diagnosis, JointLimits, Robot, hookimpl
from handloom.errors import HandloomError, PluginError
from handloom_controllers.arms.data_files import arm_names
from handloom_controllers.arms.disagreement import compare_limits
from handloom_controllers.arms.limits import load_limits, shipped_limits

_SHOWN = 2


@hookimpl
def diagnosis(kind: str) -> Callable[[], Iterable[Diagnosis]]:
    """Answer for `arms`."""
    return diagnose


def diagnose() -> Iterator[Diagnosis]:
    """Hold the limits of every installed robot against every edition in our files; nothing is opened."""
    from handloom.host import Host, discover

    for plugin in discover():
        if plugin.family != "robots":
            continue
        try:
            robot = Host([plugin]).load("robots", plugin.kind).component
        except PluginError:
            continue  # the doctor's own look at the plugins names it
        yield from of_robot(plugin.kind, robot)


def of_robot(kind: str, component: type[Robot]) -> Iterator[Diagnosis]:
    """Look at one kind of robot; one that needs settings to be made can't be asked before it has them."""
    if any(field.default is attrs.NOTHING for field in attrs.fields(component.Config)):
        return
    try:
        limits = component(component.Config()).limits
    except HandloomError as error:
        yield Diagnosis("warning", kind, f"Its limits can't be told: {error}")
        return
    for name in arm_names():
        if limits.names == load_limits(name).joints.names:
            yield against(kind, limits, name)


def against(kind: str, limits: JointLimits, name: str) -> Diagnosis:
    """Hold a robot's limits against those of an arm in our files, and name the edition that comes nearest."""
    editions = {"strictest": load_limits(name), **shipped_limits(name)}
    apart = {edition: compare_limits(limits, each.joints) for edition, each in editions.items()}
    same = [edition for edition, sentences in apart.items() if not sentences]
    if same:
        return Diagnosis("ok", kind, f"It goes by the limits of {name} in our files ({', '.join(same)}).")
    nearest = min(apart, key=lambda edition: len(apart[edition]))
    shown = " ".join(apart[nearest][:_SHOWN])
    more = len(apart[nearest]) - _SHOWN
    rest = f" And {more} more." if more > 0 else ""
    return Diagnosis(
        "warning",
        kind,
        f"Robot and file disagree on {len(apart[nearest])} limits of {name}, edition '{nearest}': {shown}{rest} "
        "Find out which holds for your arm's software, and set that edition.",
    )
