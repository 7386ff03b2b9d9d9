"""The store: one plain zarr directory a scene, written in transactions that survive a kill at any instant."""

from handloom.store.digests import FileHashes, SourceFile, settings_hash
from handloom.store.disk import Disk
from handloom.store.keys import StepKey
from handloom.store.ledger import Entry, Ledger
from handloom.store.reader import StepRecord
from handloom.store.records import Commit, Failure, Provenance
from handloom.store.scene import Scene, create_scene
from handloom.store.schema import SCHEMA
from handloom.store.staging import StagedStep, stage

__all__ = [
    "SCHEMA",
    "Commit",
    "Disk",
    "Entry",
    "Failure",
    "FileHashes",
    "Ledger",
    "Provenance",
    "Scene",
    "SourceFile",
    "StagedStep",
    "StepKey",
    "StepRecord",
    "create_scene",
    "settings_hash",
    "stage",
]
