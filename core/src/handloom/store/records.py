"""The two records a step leaves: `commit.json` when it worked, `failed.json` when it did not."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import attrs

from handloom.errors import HandloomError, StoreError
from handloom.store.digests import SourceFile, digest_of_json, json_text, settings_hash
from handloom.store.keys import StepKey
from handloom.store.schema import SCHEMA

COMMIT = "commit.json"
FAILED = "failed.json"
_SEAL = "checksum"

Now = Callable[[], str]


def utc_now() -> str:
    """Return the time of day, the only thing in a store that differs between equal runs."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@attrs.frozen(kw_only=True)
class Provenance:
    """Where a step's results come from: all that decides whether they are stale.

    Attributes:
        kind: The component's kind in the config.
        distribution: Name of the distribution it was loaded from.
        version: Version of the distribution.
        step_version: `Component.version` when it ran.
        settings: Its settings as plain JSON values.
        inputs: Digest of each commit it read, by group path.
        sources: The recorded files it read, in order.
    """

    kind: str
    distribution: str = ""
    version: str = ""
    step_version: int = 1
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    inputs: Mapping[str, str] = attrs.field(factory=dict)
    sources: tuple[SourceFile, ...] = ()

    @property
    def settings_hash(self) -> str:
        """Digest of the settings."""
        return settings_hash(self.settings)

    def to_json(self) -> dict[str, Any]:
        """Return the provenance as plain JSON values."""
        return {
            "component": {"kind": self.kind, "distribution": self.distribution, "version": self.version},
            "step_version": self.step_version,
            "settings": self.settings,
            "settings_hash": self.settings_hash,
            "inputs": dict(self.inputs),
            "sources": [attrs.asdict(source) for source in self.sources],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Provenance:
        """Read what `to_json` wrote."""
        return cls(
            **values["component"],
            step_version=values["step_version"],
            settings=values["settings"],
            inputs=values["inputs"],
            sources=tuple(SourceFile(**source) for source in values["sources"]),
        )


@attrs.frozen(kw_only=True)
class Commit:
    """What a step that worked has left.

    Attributes:
        key: Which step instance.
        provenance: What it was made from.
        streams: For each stream its kind, type, sample count, rate and duration, as plain JSON values.
        arrays: Digest of each array, by its path in the step's group.
        groups: Digest of each group's metadata: stream types, attributes, notes.
        media: {sha256, size} of each media file, by its path in the scene.
        notes: Sentences for the person who recorded.
        times: Time of day of start and end.
    """

    key: StepKey
    provenance: Provenance
    streams: Mapping[str, Mapping[str, Any]]
    arrays: Mapping[str, str]
    groups: Mapping[str, str]
    media: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()
    times: Mapping[str, str] = attrs.field(factory=dict)

    @property
    def digest(self) -> str:
        """Digest of all the step made; equal results have equal digests, whenever and wherever they ran."""
        made = {"arrays": dict(self.arrays), "groups": dict(self.groups), "media": sorted(self.media)}
        return digest_of_json(made, "The digests")

    def to_text(self) -> bytes:
        """Return the content of `commit.json`."""
        values = {
            "store_schema": SCHEMA,
            "key": self.key.to_json(),
            **self.provenance.to_json(),
            "streams": self.streams,
            "arrays": self.arrays,
            "groups": self.groups,
            "media": self.media,
            "notes": list(self.notes),
            "times": self.times,
            "digest": self.digest,
        }
        return _sealed(values, f"The commit of {self.key}")

    @classmethod
    def from_text(cls, text: bytes, where: str) -> Commit:
        """Read a `commit.json` and prove that it is whole.

        Raises:
            StoreError: It is not one, is of a newer schema, or its digest does not fit.
        """

        def build(values: Mapping[str, Any]) -> Commit:
            names = ("streams", "arrays", "groups", "media", "times")
            return cls(**_common(values), notes=tuple(values["notes"]), **{name: values[name] for name in names})

        commit, values = _parse(text, where, build)
        if values.get("digest") != commit.digest:
            raise StoreError(f"{where} is damaged: its digest does not fit what it lists. Run the step again.")
        return commit


@attrs.frozen(kw_only=True)
class Failure:
    """Why the last run of a step left nothing.

    Attributes:
        key: Which step instance.
        provenance: What it was run with.
        reason: A sentence.
        times: Time of day of the failure.
    """

    key: StepKey
    provenance: Provenance
    reason: str
    times: Mapping[str, str] = attrs.field(factory=dict)

    def to_text(self) -> bytes:
        """Return the content of `failed.json`."""
        values = {
            "store_schema": SCHEMA,
            "key": self.key.to_json(),
            **self.provenance.to_json(),
            "reason": self.reason,
            "times": self.times,
        }
        return _sealed(values, f"The failure of {self.key}")

    @classmethod
    def from_text(cls, text: bytes, where: str) -> Failure:
        """Read a `failed.json`.

        Raises:
            StoreError: It is not one, or is of a newer schema.
        """
        failure, _ = _parse(
            text, where, lambda values: cls(**_common(values), reason=values["reason"], times=values["times"])
        )
        return failure


_Record = TypeVar("_Record")


def _sealed(values: Mapping[str, Any], what: str) -> bytes:
    """Return a record as text, with a checksum of all that it says but the times of day."""
    plain = json.loads(json_text(values, what))
    return json_text({**plain, _SEAL: _seal_of(plain)}, what)


def _seal_of(values: Mapping[str, Any]) -> str:
    said = {name: value for name, value in values.items() if name not in (_SEAL, "times")}
    return digest_of_json(said, "A record")


def _check_seal(values: Mapping[str, Any]) -> None:
    if values[_SEAL] != _seal_of(values):
        raise StoreError("its checksum does not fit what it says")


def _common(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": StepKey.from_json(values["key"]), "provenance": Provenance.from_json(values)}


def _parse(
    text: bytes, where: str, build: Callable[[Mapping[str, Any]], _Record]
) -> tuple[_Record, Mapping[str, Any]]:
    try:
        values = json.loads(text)
        schema = values["store_schema"]
        if schema <= SCHEMA:
            _check_seal(values)
            return build(values), values
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, HandloomError) as error:
        raise StoreError(f"{where} is not a valid record: {error}. Run the step again, with --force.") from error
    raise StoreError(f"{where} has store schema {schema}, newer than {SCHEMA}; upgrade: pip install -U handloom.")
