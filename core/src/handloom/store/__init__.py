"""The store: one plain zarr directory a scene, written in transactions that survive a kill at any instant."""

from handloom.store.digests import FileHashes, SourceFile, settings_hash, state_on_disk
from handloom.store.disk import Disk, is_disk_full
from handloom.store.keys import StepKey
from handloom.store.ledger import Entry, Ledger
from handloom.store.reader import StepRecord
from handloom.store.records import Commit, Failure, Provenance
from handloom.store.scene import Scene, create_scene
from handloom.store.schema import SCHEMA
from handloom.store.staging import STAGING, StagedStep, stage
from handloom.store.summary import SceneSummary, StepSummary, StreamSummary, inspect
from handloom.store.verify import Finding, verify

__all__ = [
    "SCHEMA",
    "STAGING",
    "Commit",
    "Disk",
    "Entry",
    "Failure",
    "FileHashes",
    "Finding",
    "Ledger",
    "Provenance",
    "Scene",
    "SceneSummary",
    "SourceFile",
    "StagedStep",
    "StepKey",
    "StepRecord",
    "StepSummary",
    "StreamSummary",
    "create_scene",
    "inspect",
    "is_disk_full",
    "settings_hash",
    "stage",
    "state_on_disk",
    "verify",
]
