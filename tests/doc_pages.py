"""Reads a page of the documentation as what it is: files to write, commands to run, Python to execute.

- A fenced block under a line that ends in "`name.toml`:" is written to that file; "Add to `name.toml`:" appends.
- In ```console, a line `$ command` is run, and what is shown below it must be what it prints: each shown line is
  found in the output, in any order, and nothing else is there. `…` stands for any text in a line, a line `...`
  for any further lines. A command ends with exit code 0 unless the next one is `$ echo $?`. In ```sh every line is
  a command, and nothing is shown.
- ```python is executed, one namespace for the page; ```pycon is held against what it shows.
- Commands that begin with one of `NOT_RUN` install things or run the checkout's own tool: other tests do that.
  After `pip install .` the folder's plugins are found all the same: their entry points are written beside them.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from handloom.cli import main

NOT_RUN = (
    *("pip install", "python3 -m venv", ". ../lab-venv/bin/activate"),
    *("python3 dev.py", "python -m docs.generate", "mkdocs"),
)

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_FILE = re.compile(r"`([\w./-]+\.\w+)`:\s*\Z")


@attrs.frozen
class Block:
    """A fenced block: its language, its text, and the line above it."""

    language: str
    text: str
    above: str
    line: int

    @property
    def file(self) -> str:
        """Return the file it is the content of, or ""."""
        found = _FILE.search(self.above)
        return found[1] if found else ""


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        before = text[: found.start()].rstrip("\n")
        yield Block(found[1], found[2], before.rpartition("\n")[2], before.count("\n") + 2)


def commands_of(block: Block) -> list[tuple[str, list[str]]]:
    """Return the commands of a block, each with the lines shown below it; ```sh shows none."""
    if block.language == "sh":
        return [(line.partition("  #")[0].strip(), []) for line in block.text.splitlines() if line.strip()]
    commands: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line.rstrip())
    return commands


class Session:
    """What a reader who follows a page would have in front of them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "page"}
        self.code = 0

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.file:
            target = Path(block.file)
            target.parent.mkdir(parents=True, exist_ok=True)
            old = target.read_text() if "Add to " in block.above else ""
            target.write_text(old + block.text)
        elif block.language == "python":
            exec(compile(block.text, f"line {block.line}", "exec"), self.names)
        elif block.language == "pycon":
            self._compare_python(block)
        elif block.language in ("console", "sh"):
            self._run_all(commands_of(block))

    def _compare_python(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, "page", None, block.line)
        said = io.StringIO()
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        result = runner.run(test, out=said.write, clear_globs=False)
        self.names.update(test.globs)
        assert not result.failed, said.getvalue()

    def _run_all(self, commands: list[tuple[str, list[str]]]) -> None:
        for place, (command, shown) in enumerate(commands):
            if command == "echo $?":
                assert [str(self.code)] == shown, f"{commands[place - 1][0]} ended with {self.code}"
            elif command == "pip install .":
                _show_entry_points()
            elif not command.startswith(NOT_RUN):
                # No process for each step: that is tested elsewhere, and costs a second each.
                serial = " --set run.executor=serial" if command.startswith("handloom run ") else ""
                self.code, output = run(command + serial)
                expected = place + 1 < len(commands) and commands[place + 1][0] == "echo $?"
                assert expected or self.code == 0, f"$ {command} ended with {self.code}:\n{output}"
                assert not shown or agrees(shown, output), f"$ {command} printed:\n{output}"


def _show_entry_points() -> None:
    """Do what an installer does to the distribution in this folder, as far as its plugins are found."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    metadata = Path(f"{project['name'].replace('-', '_')}-{project['version']}.dist-info")
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [line for group, kinds in groups for line in (f"[{group}]", *map(" = ".join, kinds.items()))]
    (metadata / "entry_points.txt").write_text("\n".join(lines))


def run(command: str) -> tuple[int, str]:
    """Run a command in the current folder and return its exit code and all it prints."""
    name, _, rest = command.partition(" ")
    if name == "cd":
        os.chdir(rest)
        return 0, ""
    if name == "handloom" and not re.search(r"[|>\"']", rest) and not list(Path().glob("*.dist-info")):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(rest.split())
        return code, said.getvalue()
    python = f"'{sys.executable}' -m"
    command = re.sub(r"^python(?= )", f"'{sys.executable}'", command)
    for tool in ("handloom", "pytest"):
        command = re.sub(rf"(^|\| ){tool}(?= |$)", rf"\1{python} {tool}", command)
    paths = ["src", ".", *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def agrees(shown: list[str], output: str) -> bool:
    """Say whether an output is what a page shows of it."""
    printed = [line.rstrip() for line in output.splitlines() if line.strip()]
    for line in (line for line in shown if line.strip() and line != "..."):
        pattern = ".*".join(map(re.escape, line.split("…")))
        found = next((text for text in printed if re.fullmatch(pattern, text)), None)
        if found is None:
            return False
        printed.remove(found)
    return not printed or "..." in shown
