"""A C function gets what its header asks for or is not called, whichever backend calls it."""

import ctypes
import shutil
import subprocess
import threading

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.native import NativeLibraryError, NoNativeLibraryError, include_dir, library, new
from handloom_controllers.native.library import open_library
from handloom_controllers.native.signatures import read_signatures

HEADER = """
#ifndef SMALL_H
#define SMALL_H
#include "handloom_rt.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct small small; /* an opaque thing; it ends; here */
small *small_create(int32_t count);
void small_destroy(small *thing);
int64_t small_weigh(const small *thing, double scale, int32_t count,
                    const double *values, uint32_t *seen);
uint64_t small_joints(const hl_state *state);
int32_t small_wait(const int64_t *flag, int64_t timeout_ns);
int32_t small_length(const char *text);
int32_t small_absent(void);
#ifdef __cplusplus
}
#endif
#endif
"""
SOURCE = """
#include "small.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
struct small { int32_t count; };
small *small_create(int32_t count) { small *thing = malloc(sizeof *thing); thing->count = count; return thing; }
void small_destroy(small *thing) { free(thing); }
int64_t small_weigh(const small *thing, double scale, int32_t count, const double *values, uint32_t *seen) {
  double sum = 0;
  for (int32_t place = 0; place < count; ++place) sum += values[place];
  if (seen) *seen = (uint32_t)count;
  return (int64_t)(scale * sum) + (thing ? thing->count : 0);
}
uint64_t small_joints(const hl_state *state) { return state->joints; }
int32_t small_wait(const int64_t *flag, int64_t timeout_ns) {
  const struct timespec pause = {0, 1000000};
  for (int64_t waited = 0; waited < timeout_ns; waited += 1000000) {
    if (*(const volatile int64_t *)flag) return 1;
    nanosleep(&pause, 0);
  }
  return 0;
}
int32_t small_length(const char *text) { return (int32_t)strlen(text); }
"""


@pytest.fixture(scope="module")
def small_library(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler (cc), and there is none on the PATH")
    folder = tmp_path_factory.mktemp("a small library")
    (folder / "small.h").write_text(HEADER)
    (folder / "small.c").write_text(SOURCE)
    subprocess.run(
        [compiler, "-shared", "-fPIC", f"-I{include_dir()}", "small.c", "-o", "libsmall.so"],
        cwd=folder,
        check=True,
    )
    return folder / "libsmall.so"


@pytest.fixture
def small(small_library, native):
    header = small_library.with_name("small.h")
    return open_library(small_library, (header,), backend=native.backend, why="A test.", blocking=("small_wait",))


def test_numbers_arrays_addresses_and_answers_go_through(small):
    thing = small.call("small_create", 7)
    values, seen = np.array([[1.0, 2.0], [3.0, 4.5]]), np.zeros((), dtype=np.uint32)
    assert small.call("small_weigh", thing, 10, 4, values, seen) == 105 + 7
    assert seen == 4
    assert small.call("small_weigh", None, -1.0, 1, values, None) == -1
    assert small.call("small_length", b"four") == 4
    assert small.call("small_destroy", thing) == 0


def test_a_bound_call_sees_what_its_buffers_hold_now(small):
    values, scale, state = np.ones(3), np.array(1.0), new("hl_state")
    weigh = small.bound("small_weigh", None, scale, 3, values, None)
    joints = small.bound("small_joints", state)
    assert (weigh(), joints()) == (3, 0)
    values[0], scale[()], state["joints"] = 5.0, 2.0, 7
    assert (weigh(), joints()) == (14, 7)


def test_a_bound_call_keeps_its_buffers_alive(small):
    calls = [small.bound("small_weigh", None, 1.0, 1000, np.full(1000, float(place)), None) for place in range(50)]
    assert [call() for call in calls] == [1000 * place for place in range(50)]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("small_weight", (), "did you mean 'small_weigh'"),
        ("small_joints", (), "takes state; it was given 0 arguments"),
        ("small_weigh", (0, 1.0, 1, np.ones((4, 4))[:, 0], None), "not C-contiguous"),
        ("small_weigh", (0, 1.0, 1, np.ones(4, dtype=np.float32), None), "takes an array of dtype float64"),
        ("small_weigh", (0, 1.0, 1, [1.0], None), "takes an array of dtype float64"),
        ("small_weigh", (0, "1.0x", 1, None, None), "takes a number of C's double"),
        ("small_weigh", (0, 1.0, 1.5, None, None), "takes a number of C's int32_t"),
        ("small_weigh", (0, 1.0, 2**31, None, None), "takes a number of C's int32_t"),
        ("small_weigh", (0, np.ones(1), 1, None, None), r"shape \(\) and dtype float64"),
        ("small_joints", (np.zeros(200),), r"takes structs of new\('hl_state'\)"),
        ("small_joints", (new("hl_command"),), r"takes structs of new\('hl_state'\)"),
        ("small_destroy", ("thing",), "takes a small, the address of one, or None"),
    ],
)
def test_what_a_function_does_not_take_is_refused(small, name, arguments, says):
    with pytest.raises(HandloomError, match=says):
        small.bound(name, *arguments)


def test_an_array_that_is_read_only_is_read_and_not_written(small):
    values, seen = np.ones(1), np.zeros((), dtype=np.uint32)
    values.setflags(write=False)
    seen.setflags(write=False)
    assert small.call("small_weigh", None, 1.0, 1, values, None) == 1
    with pytest.raises(HandloomError, match="read-only"):
        small.call("small_weigh", None, 1.0, 1, values, seen)


def test_a_function_that_the_header_has_and_the_library_has_not_is_named(small):
    with pytest.raises(NativeLibraryError, match="no function small_absent"):
        small.bound("small_absent")


def test_other_threads_run_while_a_function_blocks(small):
    flag = np.zeros((), dtype=np.int64)
    other = threading.Timer(0.02, lambda: flag.__setitem__((), 1))
    other.start()
    assert small.call("small_wait", flag, 20_000_000_000) == 1
    other.join()


def test_all_threads_may_call(native):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(native.call("hl_abi"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 8


def test_a_file_that_is_no_library_is_told(tmp_path, native):
    file = tmp_path / "libtext.so"
    file.write_text("no library")
    with pytest.raises(NativeLibraryError, match="can't be loaded") as told:
        open_library(file, (), backend=native.backend, why="A test.")
    assert not isinstance(told.value, NoNativeLibraryError)  # with which a law would do without


def test_a_library_that_is_cut_short_is_told_and_not_died_of(tmp_path, native):
    file = tmp_path / "libhalf.so"
    whole = native.path.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(NativeLibraryError, match="is cut short"):
        open_library(file, (), backend=native.backend, why="A test.")


def test_a_declaration_that_python_can_not_call_is_told(tmp_path):
    for declared in ("float small_f(void)", "int32_t small_f(float value)", "double small_f(void)"):
        header = tmp_path / "odd.h"
        header.write_text(f"{declared};\n")
        with pytest.raises(HandloomError, match=r"odd\.h: small_f"):
            read_signatures((header,))


def test_every_function_that_the_headers_declare_is_in_the_library(native_once):
    for name, signature in native_once.signatures.items():
        native_once.bound(name, *(0 for _ in signature.parameters))


def test_no_caller_is_compiled_for_a_function_of_the_library(native_once):
    missing = [name for name in native_once.signatures if not caller_of(native_once.path, name)]
    assert missing == [], "cpp/callers.cpp lists a caller for each"
    assert not caller_of(native_once.path, "hl_absent")


def caller_of(path, function):
    library = ctypes.CDLL(str(path))
    library.hl_caller_of.restype = ctypes.c_uint64
    return library.hl_caller_of(function.encode())


def test_a_library_is_loaded_once(native):
    assert library(native.backend) is native
