"""Forward kinematics and Jacobian of a serial arm of turning joints, in numpy."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Chain:
    """Turning joints one behind the other.

    Attributes:
        T_parent_joint: (n, 4, 4) frame of each joint in the frame before it, with the joint at 0.
        axes: (n, 3) unit vectors in the joint's own frame.
        T_last_flange: (4, 4) flange in the frame of the last joint.
    """

    T_parent_joint: Float64Array
    axes: Float64Array
    T_last_flange: Float64Array

    @classmethod
    def from_dh(cls, rows: Iterable[tuple[float, float, float]], flange: tuple[float, float, float]) -> Chain:
        """Make one of (a, d, alpha) after Craig; every joint turns about z.

        Source: J. J. Craig, Introduction to Robotics, 3rd edition, section 3.4.
        """
        frames = np.stack([craig(*row) for row in rows])
        axes = np.tile([0.0, 0.0, 1.0], (len(frames), 1))
        return cls(T_parent_joint=frames, axes=axes, T_last_flange=craig(*flange))

    def frames(self, q: npt.ArrayLike) -> Float64Array:
        """Return T_base_joint (n, 4, 4) of every joint, turned."""
        angles = np.asarray(q, dtype=np.float64)
        result = np.empty_like(self.T_parent_joint)
        T_base_here = np.eye(4)
        # A joint's frame is known only after the one before it.
        for place, angle in enumerate(angles):
            T_base_here = T_base_here @ self.T_parent_joint[place] @ _turn(self.axes[place], angle)
            result[place] = T_base_here
        return result

    def forward(self, q: npt.ArrayLike) -> Float64Array:
        """Return T_base_flange (4, 4).

        Args:
            q: (n,) rad.
        """
        return np.asarray(self.frames(q)[-1] @ self.T_last_flange)

    def jacobian(self, q: npt.ArrayLike) -> Float64Array:
        """Return (6, n): joint velocities to the flange's twist, linear first, base axes.

        Args:
            q: (n,) rad.
        """
        frames = self.frames(q)
        flange = (frames[-1] @ self.T_last_flange)[:3, 3]
        axes = np.einsum("nij,nj->ni", frames[:, :3, :3], self.axes)
        linear = np.cross(axes, flange - frames[:, :3, 3])
        return np.concatenate([linear.T, axes.T])


def craig(a: float, d: float, alpha: float) -> Float64Array:
    """Return the frame (4, 4) of a joint in the one before it, with the joint at 0."""
    cos, sin = np.cos(alpha), np.sin(alpha)
    return np.array(
        [[1.0, 0.0, 0.0, a], [0.0, cos, -sin, -d * sin], [0.0, sin, cos, d * cos], [0.0, 0.0, 0.0, 1.0]]
    )


def _turn(axis: Float64Array, angle: float) -> Float64Array:
    """Rodrigues' formula."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result = np.eye(4)
    result[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    return result
