"""When the sync chirp is played."""

from __future__ import annotations

from handloom.errors import ConfigError


def chirp_stamps(chirps_s: tuple[float, ...], duration_s: float) -> tuple[int, ...]:
    """Return when the chirps are played in a take of some length, int64 ns, in order.

    Raises:
        ConfigError: One would be outside the take.
    """
    outside = [chirp for chirp in chirps_s if not 0.0 <= chirp <= duration_s]
    if outside:
        raise ConfigError([f"A chirp at {outside[0]} s is outside the take, which lasts {duration_s:.3f} s."])
    return tuple(round(chirp * 1e9) for chirp in sorted(chirps_s))
