"""The structs that Python takes the headers for are the ones a compiler makes of them."""

import re
import shutil
import subprocess

import pytest

from handloom_controllers.native import include_dir
from handloom_controllers.native.location import headers
from handloom_controllers.native.structs import (
    ABI,
    EVENTS,
    FAULTS,
    HISTOGRAM_BINS,
    MAX_JOINTS,
    PHASES,
    REFLEXES,
    STOPS,
    STRUCTS,
)

HEADERS = tuple(path.name for path in headers())
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.DOTALL)
ENUMERATOR = re.compile(r"\b(HL_[A-Z0-9_]+)\s*=")
MACROS = ("HL_ABI", "HL_MAX_JOINTS", "HL_HISTOGRAM_BINS")


@pytest.fixture(scope="module")
def text() -> str:
    return "\n".join(COMMENT.sub("", (include_dir() / name).read_text()) for name in HEADERS)


@pytest.fixture(scope="module")
def compiler() -> str:
    found = shutil.which("c++")
    if found is None:
        pytest.skip("needs a C++ compiler (c++), and there is none on the PATH")
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory, compiler, text) -> dict[str, int]:
    """Return every offset, size and constant of the headers, by a compiler's word."""
    printed = [f'  printf("%s %lld\\n", "{name}", (long long)({name}));' for name in ENUMERATOR.findall(text)]
    printed += [f'  printf("%s %lld\\n", "{name}", (long long)({name}));' for name in MACROS]
    for name, dtype in STRUCTS.items():
        printed.append(f'  printf("{name} %zu\\n", sizeof({name}));')
        for field in dtype.names or ():
            printed.append(f'  printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            printed.append(f'  printf("{name}.{field}: %zu\\n", sizeof((({name} *)0)->{field}));')
    folder = tmp_path_factory.mktemp("layout")
    lines = [*(f'#include "{name}"' for name in HEADERS), "#include <stddef.h>", "#include <stdio.h>"]
    (folder / "layout.cpp").write_text("\n".join([*lines, "int main(void) {", *printed, "}\n"]))
    subprocess.run(
        [compiler, "-std=c++17", f"-I{include_dir()}", "layout.cpp", "-o", "layout"], cwd=folder, check=True
    )
    told = subprocess.run([folder / "layout"], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.rsplit(" ", 1) for line in told.splitlines())}


def fields(body: str) -> list[str]:
    """Return the names that a struct's body declares, in order."""
    names = []
    for declaration in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        names += [pointer[1]] if pointer else re.findall(r"(\w+)(?:\[[^]]*\])*\s*(?:,|$)", declaration.strip())
    return names


@pytest.mark.parametrize("name", STRUCTS)
def test_every_field_lies_where_the_compiler_puts_it(compiled, name):
    dtype = STRUCTS[name]
    assert compiled[name] == dtype.itemsize
    for field in dtype.names:
        inner, offset = dtype.fields[field][:2]
        assert (field, offset, inner.itemsize) == (
            field,
            compiled[f"{name}.{field}"],
            compiled[f"{name}.{field}:"],
        )


def test_no_struct_and_no_field_of_the_headers_is_left_out(text):
    declared = {name: fields(body) for name, body in STRUCT.findall(text)}
    assert declared == {name: list(dtype.names) for name, dtype in STRUCTS.items()}


def test_the_constants_are_those_of_the_headers(compiled):
    assert tuple(compiled[name] for name in MACROS) == (ABI, MAX_JOINTS, HISTOGRAM_BINS)


@pytest.mark.parametrize(
    ("prefix", "names", "bits"),
    [
        ("HL_REFLEX_", REFLEXES, True),
        ("HL_EVENT_", EVENTS, True),
        ("HL_FAULT_", FAULTS, True),
        ("HL_PHASE_", PHASES, False),
        ("HL_STOP_", STOPS, False),
    ],
)
def test_the_names_stand_at_their_numbers(compiled, prefix, names, bits):
    values = sorted(value for name, value in compiled.items() if name.startswith(prefix))
    assert values == [1 << place if bits else place for place in range(len(names))]
    for place, name in enumerate(names):
        same = f"{prefix}{name.upper()}"
        assert compiled.get(same, values[place]) == values[place]


def test_the_names_of_reflexes_are_those_beside_them_in_the_header():
    header = (include_dir() / "handloom_rt.h").read_text()
    told = re.findall(r"HL_REFLEX_\w+ = 1u << (\d+),\s*/\* (\w+) \*/", header)
    assert told == [(str(place), name) for place, name in enumerate(REFLEXES[: len(told)])]
    assert len(told) == len(REFLEXES) - 1


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_compiles_alone_as_plain_c_and_as_cpp(tmp_path, compiler, header, language):
    standard = "-std=c11" if language == "c" else "-std=c++11"
    source = tmp_path / "alone"
    source.write_text(f'#include "{header}"\n')
    warned = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    done = subprocess.run(
        [compiler, "-x", language, standard, *warned, f"-I{include_dir()}", str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
