"""Prove that a scene is whole: every array and media file against its digest, and nothing that no record names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import attrs

from handloom.errors import StoreError
from handloom.store.digests import digest_of_bytes, digest_of_parts, hash_file
from handloom.store.keys import RECORD, StepKey
from handloom.store.layout import ROOT, parts, read_root
from handloom.store.ledger import folders, group_paths, read_failure
from handloom.store.records import COMMIT, FAILED, Commit, Failure
from handloom.store.schema import check_schema
from handloom.store.staging import MEDIA, STAGING
from handloom.store.transaction import OLD

Verdict = Literal["ok", "damaged", "missing", "uncommitted", "unreferenced", "foreign", "unfinished"]


@attrs.frozen(kw_only=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        verdict: "ok", or what is wrong with it. "unreferenced" media and "unfinished" runs cost nothing but room.
        where: Path relative to the scene.
        message: A sentence.
    """

    verdict: Verdict
    where: str
    message: str

    @property
    def is_problem(self) -> bool:
        """Whether results are damaged, or files are there that the store did not make."""
        return self.verdict not in ("ok", "unreferenced", "unfinished")


def verify(scene: Path) -> list[Finding]:
    """Read everything in a scene and compare it with the records; writes nothing.

    Args:
        scene: The scene directory.

    Returns:
        One finding for each step, media file and thing that should not be there, in order of their paths.

    Raises:
        StoreError: The directory is not a scene, or of a newer schema.
    """
    scene = Path(scene)
    check_schema(scene, read_root(scene).get("handloom_schema"))
    commits: list[Commit] = []
    steps = [finding for path in group_paths(scene) for finding in _step(scene, path, commits)]
    return sorted(
        [*_parts(scene), *steps, *_media(scene, commits), *_strays(scene)], key=lambda finding: finding.where
    )


def _parts(scene: Path) -> Iterator[Finding]:
    for where, expected in parts().items():
        digest = _digest_of_file(scene / where)
        if digest is None:
            message = f"{where} is gone, and what was beside it may be; the next run makes it again."
            yield Finding(verdict="missing", where=where, message=message)
        elif digest != digest_of_bytes(expected):
            yield Finding(verdict="damaged", where=where, message=f"{where} has changed; the next run mends it.")


def _step(scene: Path, path: str, commits: list[Commit]) -> Iterator[Finding]:
    record = scene / path / RECORD
    if (record / FAILED).is_file():
        yield _failure(record / FAILED, path)
    if not (record / COMMIT).is_file():
        if read_failure(scene / path) is None:
            yield Finding(verdict="uncommitted", where=path, message=f"{path} has no {COMMIT}; readers refuse it.")
        return
    try:
        commit = Commit.from_text((record / COMMIT).read_bytes(), f"{path}/{RECORD}/{COMMIT}")
        if commit.key != StepKey.of_path(path):
            raise StoreError(f"{path} holds the results of {commit.key}; readers refuse it.")
    except StoreError as error:
        yield Finding(verdict="damaged", where=path, message=str(error))
        return
    commits.append(commit)
    wrong = [*_compare(scene / path, path, commit), *_unlisted(scene / path, path, commit)]
    count = len(commit.arrays)
    yield from wrong or [Finding(verdict="ok", where=path, message=f"{commit.key}: {count} arrays as committed.")]


def _failure(record: Path, path: str) -> Finding:
    where = f"{path}/{RECORD}/{FAILED}"
    try:
        failure = Failure.from_text(record.read_bytes(), where)
    except StoreError as error:
        return Finding(verdict="damaged", where=where, message=str(error))
    return Finding(verdict="ok", where=where, message=f"{failure.key} failed: {failure.reason}")


def _compare(group: Path, path: str, commit: Commit) -> Iterator[Finding]:
    found = {name: _digest_of_file(group / name / ROOT) for name in commit.groups}
    found |= {name: _digest_of_array(group / name) for name in commit.arrays}
    for name, digest in sorted({**commit.groups, **commit.arrays}.items()):
        where = f"{path}/{name}".rstrip("/")
        if found[name] is None:
            yield Finding(
                verdict="missing", where=where, message=f"{where} is gone. Run the step again, with --force."
            )
        elif found[name] != digest:
            yield Finding(
                verdict="damaged", where=where, message=f"{where} has changed. Run the step again, with --force."
            )


def _digest_of_file(path: Path) -> str | None:
    return digest_of_bytes(path.read_bytes()) if path.is_file() else None


def _digest_of_array(folder: Path) -> str | None:
    if not folder.is_dir():
        return None
    return digest_of_parts({p.name: digest_of_bytes(p.read_bytes()) for p in folder.iterdir() if p.is_file()})


def _unlisted(group: Path, path: str, commit: Commit) -> Iterator[Finding]:
    known = {group / name for name in (*commit.groups, *commit.arrays, RECORD)}
    known |= {group / name / ROOT for name in commit.groups}
    known |= {group / RECORD / name for name in (ROOT, COMMIT, FAILED)}
    inside_arrays = {group / name for name in commit.arrays}
    for found in sorted(group.rglob("*")):
        # An extra file inside an array's folder already changes that array's digest.
        if found not in known and not (found.parent in inside_arrays and found.is_file()):
            yield _foreign(f"{path}/{found.relative_to(group).as_posix()}")


def _media(scene: Path, commits: list[Commit]) -> Iterator[Finding]:
    users = {where: commit for commit in commits for where in commit.media}
    for where, commit in sorted(users.items()):
        yield _medium(scene / where, where, commit)
    present = (scene / MEDIA).iterdir() if (scene / MEDIA).is_dir() else ()
    for name in sorted(path.name for path in present if path.name != ROOT):
        where = f"{MEDIA}/{name}"
        if where not in users:
            message = f"No step names {where}; a re-run or a killed run left it, and it may be removed."
            yield Finding(verdict="unreferenced", where=where, message=message)


def _medium(path: Path, where: str, commit: Commit) -> Finding:
    if not path.is_file():
        message = (
            f"{where} of {commit.key} is gone. Copy it from another copy of the scene, or run the step again."
        )
        return Finding(verdict="missing", where=where, message=message)
    if hash_file(path) != commit.media[where]["sha256"]:
        message = f"{where} of {commit.key} is not the file that was recorded. Run the step again, with --force."
        return Finding(verdict="damaged", where=where, message=message)
    return Finding(verdict="ok", where=where, message=f"{where} is the file that was recorded.")


def _strays(scene: Path) -> Iterator[Finding]:
    places = {"": {"annotations", "episodes", MEDIA, RECORD, ROOT}, RECORD: {ROOT, "lock"}}
    for parent in ("annotations", "episodes", *(f"episodes/{name}" for name in folders(scene / "episodes"))):
        places[parent] = {ROOT, *folders(scene / parent)}
        if parent.startswith("episodes/"):
            places[f"{parent}/annotations"] = {ROOT, *folders(scene / parent / "annotations")}
    for parent, known in sorted(places.items()):
        for path in sorted((scene / parent).iterdir()) if (scene / parent).is_dir() else ():
            if path.name not in known:
                yield _stray(path.relative_to(scene).as_posix())


def _stray(where: str) -> Finding:
    if where.startswith((STAGING, OLD)):
        message = f"{where} belongs to a run that is going on or was killed; opening for writing sweeps it."
        return Finding(verdict="unfinished", where=where, message=message)
    return _foreign(where)


def _foreign(where: str) -> Finding:
    return Finding(
        verdict="foreign", where=where, message=f"{where} was not made by the store; move it elsewhere."
    )
