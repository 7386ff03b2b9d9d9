"""Whether a plan has anything to run on; a plan without episodes is whole, but no command can use it."""

from __future__ import annotations

from handloom.config import Document
from handloom.errors import ConfigError
from handloom.plan.graph import Plan


def demand_episodes(plan: Plan) -> None:
    """Refuse a plan that names no episodes, or one without a file where a component reads files.

    Raises:
        ConfigError: With a sentence for each episode that names no file, or one when there are no episodes.
    """
    document = Document.from_json(plan.document)
    what = f"add {_example(plan)}, the recorded file of a device."
    if not plan.episodes:
        message = f"names no episodes; expected [episodes.NAME] for each demonstration; {what}"
        raise ConfigError([document.problem(("episodes",), message)])
    kept = plan.scene / "episodes"
    empty = [name for name, devices in plan.episodes.items() if not devices and not (kept / name).is_dir()]
    if empty and any(node.ports.files for node in plan.nodes.values()):
        message = f"names no file; expected those of one device at least; {what}"
        raise ConfigError(document.problem(("episodes", name), message) for name in empty)


def _example(plan: Plan) -> str:
    devices = [name for name, node in plan.nodes.items() if node.ports.files]
    return f'{devices[0] if devices else "DEVICE"} = "FILE"'
