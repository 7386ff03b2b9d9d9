"""Exporter `umi`: a scene as UMI's ReplayBuffer, `.zarr.zip`."""

from handloom.api import Exporter, hookimpl
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.exporter import UmiExporter

__all__ = ["UmiConfig", "UmiExporter", "exporter"]


@hookimpl
def exporter(kind: str) -> type[Exporter] | None:
    """Return the exporter class for the kind `umi`."""
    return UmiExporter if kind == "umi" else None
