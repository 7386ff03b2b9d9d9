"""The kinds of stream there are, and what one sample of each is."""

from collections.abc import Mapping
from types import MappingProxyType

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "video": "frames of a video file, decoded on demand; one stamp a frame",
        "audio": "sound samples, (channels,) a sample, full scale at 1",
        "acceleration": "specific force, (3,) m/s^2",
        "angular_velocity": "turning rate, (3,) rad/s",
        "magnetic_field": "magnetic flux density, (3,) tesla",
        "orientation": "unit quaternion x y z w, (4,)",
        "direction": "unit vector, (3,)",
        "pose": "T_frame_body as x y z in metres and quaternion x y z w, (7,); NaN and tracked = false when lost",
        "geodetic": "latitude and longitude in degrees, altitude in metres, (3,), WGS 84",
        "scalar": "one number with a unit",
        "vector": "several numbers with one unit, (n,)",
        "clock_map": "stamps of one clock beside the same instants, int64 ns, on the clock named as its frame",
        "image": "small pictures kept as arrays, uint8 RGB (H, W, 3)",
    }
)
