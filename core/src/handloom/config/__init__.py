"""Configuration: TOML files to frozen classes, with every mistake reported at once."""

from handloom.config.document import Document, Origin, dotted, leaves, load_document
from handloom.config.episode_patterns import with_matched_episodes
from handloom.config.pipeline import (
    Block,
    Pipeline,
    RunSettings,
    SceneSettings,
    dotted_name,
    parse_block,
    parse_pipeline,
    read_rig,
)
from handloom.config.settings import settings_json, structure
from handloom.config.show import show

__all__ = [
    "Block",
    "Document",
    "Origin",
    "Pipeline",
    "RunSettings",
    "SceneSettings",
    "dotted",
    "dotted_name",
    "leaves",
    "load_document",
    "parse_block",
    "parse_pipeline",
    "read_rig",
    "settings_json",
    "show",
    "structure",
    "with_matched_episodes",
]
