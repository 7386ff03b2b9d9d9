#!/usr/bin/env python3
"""Run Handloom from a checkout: `python3 dev.py demo`, `python3 dev.py test`, `python3 dev.py bench NAME`.

Needs Python 3.11 or later and nothing else. The first call makes a virtual environment beside this file (`.venv`,
with the standard library's venv and pip) and installs the distributions of this tree into it, editable. Later
calls install nothing until a pyproject.toml, a CMake file or a C++ file has changed; Python edits need no install.
Where there is a C++ compiler, `test`, `check` and `bench` compile the real-time part of the controllers as well.

    demo [FILE]       have the simulated lab record demonstrations and make a dataset, MCAP files and a report of
                      them; with a GoPro recording of yours, make an MCAP file of that
    test [ARGS]       everything: check, then pytest on this Python and on 3.12 where there is one;
                      with arguments of pytest: only `pytest ARGS`, on this Python
    check             ruff, mypy and the import rules only
    bench NAME        measure benchmarks/NAME.py against its bars [--quick] [--json]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import runpy
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
REQUIREMENTS = "tests/requirements.txt"
STAMP = "handloom-dev.json"
COMPILED = {".cmake", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"}
BUILD_FILES = {"pyproject.toml", "CMakeLists.txt", "handloom_build.py"}
NOT_SOURCE = {"build", "dist"}
BUILD_BACKEND = "plugins/controllers/backend/handloom_build.py"
LIBRARY = "plugins/controllers/src/handloom_controllers/native/libhandloom_rt.so"
PURE = "HANDLOOM_CONTROLLERS_PURE"

# What each set installs. A set that holds another one serves it too: after `test`, `demo` installs nothing.
DEMO = (
    "./core[video]",
    "./plugins/sensors[fiducials,sync]",
    "./plugins/pose_sources",
    "./plugins/exporters[foxglove,report]",
    "./plugins/simulation",
)
EVERYTHING = (
    "./core[video,net,testing]",
    "./plugins/controllers[foxglove,gate,ik,plots]",
    "./plugins/exporters[foxglove,report]",
    "./plugins/models",
    "./plugins/pose_sources",
    "./plugins/sensors[fiducials,sync]",
    "./plugins/simulation[arm]",
)
SERVES = {"demo": {"demo"}, "test": {"demo", "test", "pure"}, "pure": {"demo", "pure"}}
"""Which sets each of them serves; "pure" is "test" without what a C++ compiler makes."""

FIRST_TIME = {
    "demo": "a minute or two the first time",
    "test": "some minutes the first time, as cppyy is compiled once for each version of Python",
    "pure": "a minute or two the first time",
}


def say(sentence: str) -> None:
    """Tell the person at the terminal; stderr, so that `bench --json` leaves stdout to the numbers."""
    print(sentence, file=sys.stderr, flush=True)


def heading(title: str) -> None:
    """Begin a section of the output."""
    print(f"\n== {title} ".ljust(100, "="), flush=True)


def environment() -> dict[str, str]:
    """Return the variables for what is started here, without those that mix in another Python's packages."""
    foreign = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "__PYVENV_LAUNCHER__"}
    return {name: value for name, value in os.environ.items() if name not in foreign}


def run(
    command: Sequence[str | Path], variables: Mapping[str, str] | None = None, **how: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command in the project's root, its output on ours unless said otherwise."""
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=ROOT, env={**environment(), **(variables or {})}, check=False, text=True, **how
    )


def call(command: Sequence[str | Path]) -> int:
    """Run a command in the project's root and return its exit code."""
    return run(command).returncode


def probe(python: str | Path) -> str | None:
    """Return the version ("3.12.1") of a Python that runs and can make environments; None for one that can't.

    A name on the PATH is no proof: a shim of pyenv stands there for a version that is not chosen.
    """
    code = "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:3])))"
    try:
        answer = run([python, "-c", code], capture_output=True)
    except OSError:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def find_python312(variables: Mapping[str, str], home: Path) -> Path | None:
    """Return a Python 3.12 that works: the one named in HANDLOOM_PYTHON312, else of the PATH, else of pyenv."""
    named = variables.get("HANDLOOM_PYTHON312")
    if named:
        if not (probe(named) or "").startswith("3.12."):
            sys.exit(f"HANDLOOM_PYTHON312={named} is no Python 3.12 with venv and ensurepip; mend or unset it.")
        return Path(named)
    on_path = shutil.which("python3.12", path=variables.get("PATH"))
    candidates = [Path(on_path)] if on_path else []
    candidates += sorted(home.glob(".pyenv/versions/3.12.*/bin/python3.12"))
    return next((python for python in candidates if (probe(python) or "").startswith("3.12.")), None)


def build_inputs(root: Path) -> Iterator[Path]:
    """Yield, sorted, the files whose change asks for a new install."""
    for top in ("core", "plugins", "apps", "examples"):
        for folder, below, names in os.walk(root / top):
            below[:] = sorted(name for name in below if name not in NOT_SOURCE and name[0] not in "._")
            found = (name for name in sorted(names) if name in BUILD_FILES or Path(name).suffix in COMPILED)
            yield from (Path(folder, name) for name in found)
    yield root / REQUIREMENTS


def tree_digest(root: Path) -> str:
    """Return one hash over the names and contents of all build inputs."""
    total = hashlib.sha256()
    for path in build_inputs(root):
        content = path.read_bytes() if path.exists() else b""
        total.update(f"{path.relative_to(root).as_posix()} {hashlib.sha256(content).hexdigest()}\n".encode())
    return total.hexdigest()


def requirements(wanted: str, root: Path) -> list[str]:
    """Return pip's arguments for a set."""
    if wanted == "demo":
        return [word for place in DEMO for word in ("-e", place)]
    folders = sorted(path.parent for path in root.glob("examples/*/pyproject.toml"))
    strangers = [
        f"./{folder.relative_to(root).as_posix()}"
        for folder in folders
        if wanted != "pure" or not is_compiled(folder)
    ]
    places = [with_franka(place) for place in EVERYTHING] if takes_franka(*platform.libc_ver()) else EVERYTHING
    return [word for place in (*places, *strangers) for word in ("-e", place)] + ["-r", REQUIREMENTS]


def with_franka(place: str) -> str:
    """Return a place with the extra that brings the maker's library, where it has one."""
    return place.replace("plugins/controllers[", "plugins/controllers[franka,")


def takes_franka(libc: str, version: str) -> bool:
    """Tell whether this system can load the wheel of pylibfranka; its tests are skipped where it can't."""
    return libc == "glibc" and tuple(map(int, version.split(".")[:2])) >= (2, 34)


def is_compiled(folder: Path) -> bool:
    """Tell whether a distribution has something to compile."""
    return any(path.suffix in COMPILED for path in folder.rglob("*"))


def tested_set() -> str:
    """Return which set the tests run in: "pure" where no C++ can be compiled, which is said, else "test"."""
    if os.environ.get(PURE, "0") not in {"", "0"}:
        return "pure"
    wrong = runpy.run_path(str(ROOT / BUILD_BACKEND))["why_no_compiler"]()
    if wrong:
        say(
            f"The controllers are tested without their real-time part: it needs a C++ compiler, and {wrong}. "
            "To have it, `apt install g++` and call again."
        )
    return "pure" if wrong else "test"


def read_stamp(venv: Path) -> dict[str, Any]:
    """Return what the last finished install left; nothing where none has finished."""
    try:
        stamp = json.loads((venv / STAMP).read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def is_current(stamp: Mapping[str, Any], wanted: str, made: Mapping[str, str], tree: str) -> bool:
    """Tell whether an environment already holds a set, built from this very tree."""
    served = SERVES.get(stamp.get("wanted", ""), set())
    return stamp.get("made") == made and stamp.get("tree") == tree and wanted in served


def lacks_library(wanted: str, root: Path) -> bool:
    """Tell whether the library that an install for the tests compiles into the tree has been swept away."""
    expected = wanted == "test" and sys.platform.startswith("linux") and (root / BUILD_BACKEND).exists()
    return expected and not (root / LIBRARY).exists()


def python_of(venv: Path) -> Path:
    """Return the interpreter inside an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make_venv(venv: Path, python: str | Path, version: str) -> None:
    """Make the environment, or mend a half-made one; one of another Python or folder is made anew."""
    before = read_stamp(venv).get("made", {"python": version, "root": str(ROOT)})
    anew = venv.exists() and (before["root"] != str(ROOT) or probe(python_of(venv)) != version)
    say(f"Making {venv.name} with Python {version}{' anew' if anew else ''} ...")
    if call([python, "-m", "venv", *(["--clear"] if anew else []), venv]):
        sys.exit(f"{python} could not make {venv}; its own words stand above. Delete that folder and call again.")


def pip_install(venv: Path, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
    """Install with one call of pip, which writes to a log; when it fails, show the log's end and stop."""
    log = venv / "handloom-install.log"
    command: list[str | Path] = [python_of(venv), "-m", "pip", "install", "--no-input", *arguments]
    with log.open("w") as out:
        failed = run(command, variables, stdout=out, stderr=subprocess.STDOUT).returncode
    if failed:
        say("".join(log.read_text(errors="replace").splitlines(keepends=True)[-25:]))
        sys.exit(f"pip could not install (exit code {failed}): its last lines stand above, all of them in {log}.")


def ready(wanted: str, venv: Path, python: str | Path = sys.executable) -> Path:
    """Return the interpreter of an environment that holds a set, installing only when something changed.

    The stamp is taken away first and written last, so an install that was stopped midway is done again.
    """
    version = probe(python)
    if version is None:
        sys.exit(f"{python} has no venv or no ensurepip, so it can't make environments; apt install python3-venv.")
    made, tree, stamp = {"python": version, "root": str(ROOT)}, tree_digest(ROOT), read_stamp(venv)
    if is_current(stamp, wanted, made, tree) and python_of(venv).exists() and not lacks_library(wanted, ROOT):
        return python_of(venv)
    started = time.monotonic()
    if stamp.get("made") != made:
        make_venv(venv, python, version)
    (venv / STAMP).unlink(missing_ok=True)
    said = wanted.replace("pure", "test")
    say(f"Installing what `{said}` needs into {venv.name} ({FIRST_TIME[wanted]}) ...")
    pip_install(venv, requirements(wanted, ROOT), {PURE: "1"} if wanted == "pure" else {})
    (venv / STAMP).write_text(json.dumps({"made": made, "tree": tree, "wanted": wanted}))
    say(f"Installed in {time.monotonic() - started:.0f} s.")
    return python_of(venv)


def demo(file: Path | None) -> int:
    """Go from recorded demonstrations to a dataset and a report; with a file, from that recording to an MCAP."""
    if file and not file.exists():
        sys.exit(f"There is no file {file.absolute()}; name a recording of a GoPro, or none to have some made.")
    python = ready("demo", ROOT / ".venv")
    return own_recording(python, file.resolve()) if file else lab_demo(python)


def lab_demo(python: Path) -> int:
    """Let the lab record, run the demo pipeline, draw the report, and say what was made and where."""
    handloom: list[str | Path] = [python, "-m", "handloom"]
    commands: dict[str, list[str | Path]] = {
        "preprocess and export: handloom run examples/pipelines/demo.toml": [
            "run",
            "examples/pipelines/demo.toml",
        ],
        "draw the report: handloom report demo/scene": ["report", "demo/scene", "-o", "demo/report.html"],
    }
    if not any((ROOT / "demo/recordings").glob("scene_*")):
        heading("record in the simulated lab, a few minutes: handloom simulate demo demo/recordings --calibration")
        if failed := call([*handloom, "simulate", "demo", "demo/recordings", "--calibration"]):
            return failed
    else:
        say("Taking the recordings in demo/recordings; delete that folder to have them made anew.")
    for title, words in commands.items():
        heading(title)
        if failed := call([*handloom, *words]):
            return failed
    heading("what was made")
    print(made_files(ROOT / "demo"), flush=True)
    return 0


MADE = {
    "recordings": "what the lab's devices wrote, and the truth beside it",
    "scene": "the store: every stream at its own rate on its own clock, and every step's results",
    "mcap": "an MCAP file an episode: open it in Foxglove, https://app.foxglove.dev, Open local file",
    "dataset": "the dataset, UMI's ReplayBuffer, with a provenance file beside it",
    "report.html": "the report: open it in a browser",
}
"""What the demo leaves, by name."""


def made_files(folder: Path) -> str:
    """Return a line for each thing the demo made: where it is, how big, and what it is for."""
    rows = []
    for name, what in MADE.items():
        place = folder / name
        files = [path for path in ([place] if place.is_file() else place.rglob("*")) if path.is_file()]
        rows.append(f"  demo/{name:<12} {sum(path.stat().st_size for path in files) / 1e6:7.1f} MB  {what}")
    return "\n".join([*rows, "docs/tutorial.md goes on from here."])


def own_recording(python: Path, file: Path) -> int:
    """Run the pipeline for one GoPro recording on a file of the user's."""
    failed = call(own_command(python, file))
    if not failed:
        heading("what to do next")
        print(f"Open demo/{file.stem}.mcap in Foxglove: https://app.foxglove.dev, Open local file.", flush=True)
    return failed


def own_command(python: Path, file: Path) -> list[str | Path]:
    """Return the command that `demo FILE` ends in, which a person could type as well."""
    setting = f"episodes.{json.dumps(file.stem)}.camera={json.dumps(str(file))}"
    return [python, "-m", "handloom", "run", "examples/pipelines/gopro.toml", "--set", setting]


def check(python: Path) -> dict[str, int]:
    """Run the tools that read the code and return their exit codes by name."""
    lint_imports = (
        "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    )
    tools: dict[str, list[str]] = {
        "ruff check": ["-m", "ruff", "check", "."],
        "ruff format --check": ["-m", "ruff", "format", "--check", "."],
        "mypy --strict": ["-m", "mypy"],
        "lint-imports": ["-c", lint_imports],
    }
    codes = {}
    for name, arguments in tools.items():
        heading(name)
        codes[name] = call([python, *arguments])
    return codes


def pytest(python: Path, arguments: Sequence[str]) -> int:
    """Run pytest; the whole suite on all cores, a file's tests staying on one worker with what they share."""
    return call([python, "-m", "pytest", *(arguments or ("-n", "auto", "--dist", "loadfile"))])


def legs(only: str | None) -> dict[str, tuple[Path, str | Path]]:
    """Return environment and interpreter for each Python version to test on: this one, and a working 3.12."""
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found: dict[str, tuple[Path, str | Path]] = {this: (ROOT / ".venv", sys.executable)}
    if this != "3.12" and only in {None, "3.12"}:
        python312 = find_python312(os.environ, Path.home())
        if python312:
            found["3.12"] = (ROOT / ".venv-3.12", python312)
        else:
            say("No Python 3.12 that can make environments was found, so the tests run on this Python only.")
    if only and only not in found:
        sys.exit(f"There is no Python {only} to test on; found: {', '.join(sorted(found))}.")
    return {version: leg for version, leg in found.items() if only in {None, version}}


def test(only: str | None, arguments: Sequence[str]) -> int:
    """Check everything and run all tests, or only the tests that pytest's arguments name; the worst exit code."""
    if arguments:
        return pytest(ready(tested_set(), ROOT / ".venv"), arguments)
    codes: dict[str, int] = {}
    wanted = tested_set()
    for version, (venv, python) in legs(only).items():
        inner = ready(wanted, venv, python)
        codes.update({} if codes else check(inner))
        heading(f"pytest on Python {version}")
        codes[f"tests on Python {version}"] = pytest(inner, ())
    return worst(codes)


def worst(codes: Mapping[str, int]) -> int:
    """Return the worst exit code, naming what failed; silent when nothing did: pytest has the last line."""
    failed = [name for name, code in codes.items() if code]
    if failed:
        say(f"\nFailed: {', '.join(failed)}.")
    return max(map(abs, codes.values()))


def bench(arguments: Sequence[str]) -> int:
    """Run a benchmark by name."""
    return call([ready(tested_set(), ROOT / ".venv"), "-m", "benchmarks", *arguments])


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(
        prog="dev.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="run the demo pipeline").add_argument("file", nargs="?", type=Path)
    tests = commands.add_parser("test", help="check and test everything, or `pytest ARGS`", allow_abbrev=False)
    tests.add_argument("--python", metavar="X.Y", help="test on this version only, such as 3.11")
    commands.add_parser("check", help="ruff, mypy and the import rules")
    commands.add_parser("bench", help="measure against the bars: NAME [--quick] [--json]", add_help=False)
    return top


def main(words: Sequence[str]) -> int:
    """Do what the command line asks and return the exit code."""
    options, rest = parser().parse_known_args(words)
    if rest and options.command in {"demo", "check"}:
        sys.exit(f"`dev.py {options.command}` does not know: {' '.join(rest)}.")
    if options.command == "demo":
        return demo(options.file)
    if options.command == "test":
        return test(options.python, rest)
    if options.command == "check":
        return worst(check(ready(tested_set(), ROOT / ".venv")))
    return bench(rest)


if __name__ == "__main__":
    if sys.version_info < (3, 11):
        sys.exit("Handloom needs Python 3.11 or later; try `python3.11 dev.py`.")
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\nStopped.")
