"""Exporter `mcap`: an episode as one MCAP file for Foxglove; needs the extra `handloom-exporters[foxglove]`."""

from handloom.api import Exporter, hookimpl
from handloom_exporters.mcap.exporter import McapConfig, McapExporter

__all__ = ["McapConfig", "McapExporter", "exporter"]


@hookimpl
def exporter(kind: str) -> type[Exporter] | None:
    """Return the exporter class for the kind `mcap`."""
    return McapExporter if kind == "mcap" else None
