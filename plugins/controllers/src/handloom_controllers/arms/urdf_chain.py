"""Find the arm in a URDF: the turning joints on the way from its base to its flange."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import attrs

from handloom.errors import HandloomError, did_you_mean
from handloom_controllers.arms.urdf_parts import TURNING, UrdfJoint, UrdfLink
from handloom_controllers.native.structs import MAX_JOINTS

_MOST_IN_A_ROW = 200


@attrs.frozen(kw_only=True, eq=False)
class Tree:
    """The joints of a URDF as a tree.

    Attributes:
        path: The file, for messages.
        links: By name.
        joints: By name.
        root: The link that hangs on none.
        above: By the name of a link, the joint that it hangs on.
        below: By the name of a link, the joints that hang on it, as in the file.
    """

    path: Path
    links: Mapping[str, UrdfLink]
    joints: Mapping[str, UrdfJoint]
    root: str
    above: Mapping[str, UrdfJoint]
    below: Mapping[str, tuple[UrdfJoint, ...]]

    @classmethod
    def of(cls, path: Path, links: Mapping[str, UrdfLink], joints: Mapping[str, UrdfJoint]) -> Tree:
        """Join them.

        Raises:
            HandloomError: A joint names a link that isn't there, or the links are no one tree.
        """
        above: dict[str, UrdfJoint] = {}
        for joint in joints.values():
            for link in (joint.parent, joint.child):
                if link not in links:
                    raise HandloomError(f"{path}: joint {joint.name} joins '{link}'{did_you_mean(link, links)}")
            if joint.child in above:
                raise HandloomError(
                    f"{path}: link {joint.child} hangs on the joints {above[joint.child].name} and {joint.name}; "
                    "an arm's links hang on one each."
                )
            above[joint.child] = joint
        roots = [name for name in links if name not in above]
        if len(roots) != 1:
            found = ", ".join(roots) if roots else "none, so its joints form a ring"
            raise HandloomError(f"{path}: expected one link that hangs on no joint, the base; found {found}.")
        below = {name: tuple(each for each in joints.values() if each.parent == name) for name in links}
        _check_reach(path, links, roots[0], below)
        return cls(path=path, links=links, joints=joints, root=roots[0], above=above, below=below)

    def way_to(self, link: str) -> list[UrdfJoint]:
        """Return the joints from the base to a link."""
        way: list[UrdfJoint] = []
        while link in self.above:
            way.insert(0, self.above[link])
            link = self.above[link].parent
        return way


def _check_reach(
    path: Path, links: Mapping[str, UrdfLink], root: str, below: Mapping[str, tuple[UrdfJoint, ...]]
) -> None:
    """Refuse a ring that is cut off from the base, and what is longer than an arm can be."""
    reached, newest, depth = {root}, [root], 0
    while newest:
        newest = [joint.child for link in newest for joint in below[link]]
        reached.update(newest)
        depth += 1
        if depth > _MOST_IN_A_ROW:
            raise HandloomError(
                f"{path}: more than {_MOST_IN_A_ROW} links hang on one another; merge those that are fixed."
            )
    ring = sorted(set(links) - reached)
    if ring:
        raise HandloomError(
            f"{path}: no way leads from the base {root} to {', '.join(ring[:5])}: joints there form a "
            "ring; an arm's links hang on one another."
        )


def way_to_flange(tree: Tree, flange: str) -> list[UrdfJoint]:
    """Return all the joints from the base to the flange, fixed ones too.

    Args:
        tree: Of the URDF.
        flange: Name of a link; "" takes the end of the longest way of turning joints.

    Raises:
        HandloomError: There is no such link or no one longest way, or a joint on it does not turn by itself.
    """
    if flange and flange not in tree.links:
        raise HandloomError(f"{tree.path} has no link '{flange}'{did_you_mean(flange, tree.links)}")
    way = tree.way_to(flange or _end(tree))
    turning = [joint for joint in way if joint.kind in TURNING]
    for joint in way:
        _check(joint, tree.path)
    if not 1 <= len(turning) <= MAX_JOINTS:
        raise HandloomError(
            f"{tree.path}: {len(turning)} joints turn on the way to {flange or 'the flange'}; expected 1 to "
            f"{MAX_JOINTS}. If the arm ends elsewhere, name its flange."
        )
    return way


def _end(tree: Tree) -> str:
    """Return the link after the last turning joint of the longest way, and after what is fixed to it alone."""
    counts = {name: _turning(tree, name) for name in tree.links}
    most = max(counts.values())
    if most == 0:
        found = ", ".join(f"{joint.name} ({joint.kind})" for joint in tree.joints.values())
        raise HandloomError(f"{tree.path}: no joint of an arm turns behind {tree.root}; found {found or 'none'}.")
    ends = [name for name, count in counts.items() if count == most and tree.above[name].kind in TURNING]
    if len(ends) > 1:
        raise HandloomError(
            f"{tree.path}: the ways to {', '.join(ends)} have {most} turning joints each; name the flange."
        )
    end = ends[0]
    while len(tree.below[end]) == 1 and tree.below[end][0].kind == "fixed":
        end = tree.below[end][0].child
    return end


def _turning(tree: Tree, link: str) -> int:
    """Count the joints that turn by themselves; a way over one that slides or follows leads to no flange."""
    way = tree.way_to(link)
    if any(joint.mimics or joint.kind not in (*TURNING, "fixed") for joint in way):
        return 0
    return sum(joint.kind in TURNING for joint in way)


def _check(joint: UrdfJoint, path: Path) -> None:
    if joint.mimics:
        raise HandloomError(
            f"{path}: joint {joint.name} moves with {joint.mimics}, so the arm is not serial; name a flange "
            "before it, or write the arm without it."
        )
    if joint.kind not in (*TURNING, "fixed"):
        raise HandloomError(
            f"{path}: joint {joint.name} is {joint.kind or 'of no type'}; an arm's joints are revolute or "
            "continuous. Name a flange before it, or make it fixed."
        )
