"""Look at a component in a process of its own: what listing it imports, and what making one opens.

`main` runs there: it reads a request from standard input and answers one line of JSON.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import threading
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any

HEAVY = (
    "av", "cppyy", "cv2", "foxglove", "gtsam", "jax", "matplotlib", "mink", "mujoco", "pandas", "pyarrow", "scipy",
    "sklearn", "torch", "torchvision", "transformers",
)  # fmt: skip
"""Libraries that take long to import; listing and wiring components must do without them."""

WATCHED = (
    "ctypes.dlopen", "open", "os.listdir", "os.mkdir", "os.scandir", "os.system", "socket.bind", "socket.connect",
    "subprocess.Popen",
)  # fmt: skip
"""Audit events that a constructor may not cause. Source: CPython, audit events table."""


def look_at(component: type, config: Any) -> dict[str, list[str]]:
    """Return what the probe saw: "heavy" libraries imported, and what was "opened" by the constructor."""
    import cattrs

    settings = json.dumps(cattrs.Converter().unstructure(config), sort_keys=True, default=str)
    # A copy, so that no caller changes what the next one sees.
    return {name: list(values) for name, values in _look(component, settings).items()}


@lru_cache(maxsize=64)
def _look(component: type, settings: str) -> dict[str, list[str]]:
    request = {
        "module": component.__module__,
        "file": inspect.getfile(component),
        "name": component.__qualname__,
        "config": json.loads(settings),
    }
    done = subprocess.run(
        [sys.executable, "-c", "from handloom.testing.probe import main; main()"],
        input=json.dumps(request), capture_output=True, text=True, timeout=120, check=False,
        env=_environment(),
    )  # fmt: skip
    assert done.returncode == 0, f"{component.__name__} can't be listed in a fresh process:\n{done.stderr}"
    answer: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def main() -> None:
    """Answer the request on standard input."""
    import cattrs

    request = json.loads(sys.stdin.read())
    component = attrgetter(request["name"])(_module(request["module"], request["file"]))
    config = cattrs.Converter().structure(request["config"], component.Config)
    component.ports(config)
    for name in ("views", "contract"):
        if hasattr(component, name):
            getattr(component, name)(config)
    heavy = sorted(name for name in HEAVY if name in sys.modules)
    component(config)  # what is imported late is imported now, so that only real opening is seen below
    opened: list[str] = []
    watching = [True]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching[0] and event in WATCHED:
            opened.append(f"{event} {arguments[0] if arguments else ''}")

    sys.addaudithook(watch)
    threads = threading.active_count()
    component(config)
    watching[0] = False
    if threading.active_count() > threads:
        opened.append("a thread")
    heavy_later = sorted(name for name in HEAVY if name in sys.modules and name not in heavy)
    print("\n" + json.dumps({"heavy": heavy, "opened": opened, "heavy_later": heavy_later}))


def _module(name: str, file: str) -> Any:
    """Import a module by its name, or from its file when it is a test that nobody can import."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        spec = importlib.util.spec_from_file_location(Path(file).stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
