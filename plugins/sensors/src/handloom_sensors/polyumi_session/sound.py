"""The session's sound: the contact microphone on the left channel, the air microphone on the right one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import attrs
import numpy as np

from handloom.errors import MediaError
from handloom.media import read_audio
from handloom.streams import AUDIO, Samples
from handloom_sensors.polyumi_session.clocks import PI, PiClock
from handloom_sensors.polyumi_session.metadata import EARLIEST_EPOCH_NS, Metadata

FILE = "audio.wav"
CHANNELS = ("contact_audio", "air_audio")

StartIs = Literal["auto", "adc", "callback"]

_ADC_UNCERTAINTY_NS = 2e6
"""How well a stamp taken at the converter is known: our choice, a tenth of a block."""

_CALLBACK_UNCERTAINTY_NS = 5e6
"""The same of one taken when a block was delivered: our choice, as a program is woken late by some ms."""

_LATE_BY_MS = 20
"""The first stamp was taken when a block of this length had been delivered. Source: PolyUMI's documents."""

RATE_UNCERTAINTY_PPM = 50.0
"""The converter counts on a crystal of its own, which nothing in a session measures; a chirp at both ends does."""


@attrs.frozen(kw_only=True)
class Sound:
    """What was read.

    Attributes:
        streams: By name; "contact_audio_unplaced" and so on, on the clock "@/sound", where nothing tells when the
            sound began on the Pi's clock.
        notes: What the person who recorded should know.
    """

    streams: dict[str, Samples] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class _Start:
    """When the first sample was taken, on the Pi's clock; None when nothing tells."""

    ns: int | None
    uncertainty_ns: float = 0.0
    source: str = ""
    notes: tuple[str, ...] = ()


def read_raw_sound(session: Path) -> tuple[Samples | None, tuple[str, ...]]:
    """Read the sound on its own time, from 0; None with a note when there is none or it can't be read."""
    path = session / FILE
    if not path.is_file():
        return None, (f"There is no {FILE}: the session has no sound of its own.",)
    try:
        found = read_audio((path,))
    except MediaError as error:
        return None, (f"{FILE} can't be read: {str(error).replace(f'{path}: ', '')}",)
    return found.samples, found.notes


def lasts_ns(sound: Samples | None) -> int | None:
    """Return how long sound is; None without."""
    return None if sound is None or sound.knots is None else int(sound.knots[-1, 1] - sound.knots[0, 1])


def place_sound(raw: Samples, metadata: Metadata, clock: PiClock, start_is: StartIs) -> Sound:
    """Split the channels and put them on the Pi's clock."""
    assert raw.knots is not None
    start = _start(metadata, clock, start_is)
    suffix, on = ("", PI) if start.ns is not None else ("_unplaced", "@/sound")
    knots = raw.knots + np.array([0, start.ns or 0])
    attributes = {
        **raw.attributes,
        "start_from": start.source,
        "start_uncertainty_ns": start.uncertainty_ns,
        "rate_uncertainty_ppm": RATE_UNCERTAINTY_PPM,
        **_chirp(metadata, clock, placed=start.ns is not None),
    }
    streams = {
        f"{name}{suffix}": Samples(
            type=attrs.evolve(AUDIO, shape=(1,), clock=on),
            data=np.ascontiguousarray(raw.data[:, channel : channel + 1]),
            knots=knots,
            attributes={**attributes, "channel": channel},
        )
        for channel, name in enumerate(CHANNELS[: raw.data.shape[1]])
    }
    notes = (*start.notes, *_channel_notes(raw), *_count_notes(raw, metadata))
    return Sound(streams=streams, notes=notes)


def _start(metadata: Metadata, clock: PiClock, start_is: StartIs) -> _Start:
    stamp = metadata.whole("audio_start_time_ns")
    if stamp is None:
        return _Start(ns=None, notes=(_UNPLACED.format("metadata.json does not say when it began"),))
    dated, placed = stamp >= EARLIEST_EPOCH_NS, clock.place(stamp)
    if placed is None:
        return _Start(ns=None, notes=(_UNPLACED.format("it is dated, and nothing maps dates to the Pi's clock"),))
    source = "audio_start_time_ns, a date" if dated else "audio_start_time_ns, on the Pi's clock"
    known = _meaning(metadata, start_is)
    spread = float(
        np.hypot(known.uncertainty_ns, clock.to_wall.uncertainty_ns if dated and clock.to_wall else 0.0)
    )
    return attrs.evolve(
        known, ns=placed + (known.ns or 0), uncertainty_ns=spread, source=f"{source}, {known.source}"
    )


def _chirp(metadata: Metadata, clock: PiClock, *, placed: bool) -> dict[str, int]:
    """Return when the sync chirp was played, on the sound's own clock, where that is known."""
    played = clock.place(metadata.whole("sync_chirp_play_time_ns"))
    return {} if played is None or not placed else {"chirp_play_ns": played}


_UNPLACED = (
    "The sound is kept apart, as contact_audio_unplaced and air_audio_unplaced on a clock of its own: {}. Steps "
    "that need the sound beside the pictures refuse this episode."
)


def _meaning(metadata: Metadata, start_is: StartIs) -> _Start:
    """Return what to add to the recorded start, and how sure that is."""
    if start_is == "callback":
        late_ms = metadata.number("audio_chunk_ms") or _LATE_BY_MS
        note = f"The sound's start is taken {late_ms:g} ms earlier than written: the config says it is late."
        return _Start(
            ns=-round(late_ms * 1e6),
            uncertainty_ns=_CALLBACK_UNCERTAINTY_NS,
            source="taken when the first block came",
            notes=(note,),
        )
    # PolyUMI versions are named by commits, which tell no order; this key came with the versions that stamp right.
    if start_is == "adc" or "scene_started_at" in metadata.values:
        return _Start(ns=0, uncertainty_ns=_ADC_UNCERTAINTY_NS, source="taken at the converter")
    note = (
        "The session does not tell whether its sound's start was stamped at the converter or, as older versions "
        'did, about 20 ms later; it is used as written. If you know, set audio_start = "adc" or "callback".'
    )
    return _Start(
        ns=0, uncertainty_ns=_LATE_BY_MS * 1e6, source="taken at the converter or one block later", notes=(note,)
    )


def _channel_notes(raw: Samples) -> Iterator[str]:
    channels = raw.data.shape[1]
    if channels != len(CHANNELS):
        named = " and ".join(CHANNELS[:channels])
        yield f"{FILE} has {channels} channels where 2 were expected; kept as {named} in this order."
    for channel, name in enumerate(CHANNELS[:channels]):
        if not raw.data[:, channel].any():
            yield f"The track {name} is silent: all its {len(raw)} samples are 0."


def _count_notes(raw: Samples, metadata: Metadata) -> Iterator[str]:
    rate = float(raw.attributes["nominal_rate_hz"])
    said_rate, dropped = metadata.number("audio_sample_rate"), metadata.whole("audio_dropped_chunks")
    chunks, chunk_ms = metadata.whole("n_audio_chunks"), metadata.number("audio_chunk_ms")
    if said_rate is not None and said_rate != rate:
        yield f"{FILE} has {rate:g} samples a second and the metadata say {said_rate:g}; the file is believed."
    if dropped:
        lost = f", {dropped * chunk_ms:g} ms together" if chunk_ms else ""
        yield (
            f"{dropped} blocks of sound were dropped while recording{lost}; nothing tells where, so sound after "
            f"that may be early by as much."
        )
    if chunks and chunk_ms:
        due = chunks * chunk_ms * 1e-3
        if abs(due - len(raw) / rate) > 1.5e-3 * chunk_ms:
            yield f"{FILE} holds {len(raw) / rate:.3f} s and the metadata count {chunks} blocks, {due:.3f} s."
