"""Sentences about failures: what a person is told, and what a store may keep of it."""

from pathlib import Path

import pytest

from handloom.run.failures import attempt, portable


def test_a_kept_sentence_names_files_and_no_folder_of_this_machine():
    scene = Path("/lab/kitchen/scene")
    files = (Path("/card/DCIM/GX01"), Path("/card/DCIM/GX01.MP4"))
    told = "/card/DCIM/GX01.MP4 ends early; /lab/kitchen/scene/media/ab.mp4 and /lab/kitchen/exports/a.mcap too."
    assert portable(told, files, scene) == "GX01.MP4 ends early; media/ab.mp4 and exports/a.mcap too."


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class Odd(BaseException):
    pass


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), Odd("odd"), Mute(), ValueError()])
def test_whatever_a_plugin_raises_is_a_failure_of_its_own(error):
    def call():
        raise error

    assert type(error).__name__ in attempt(call).reason


def test_ctrl_c_of_a_person_is_no_failure_of_a_plugin():
    def call():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(call)


def test_a_reason_is_one_line_that_any_terminal_and_store_takes():
    def call():
        raise ValueError("one\ntwo \x1b[31m \udcff" + "x" * 10_000)

    reason = attempt(call).reason
    assert "one two \\x1b[31m \\udcff" in reason
    assert len(reason.encode()) < 3000


def test_what_the_system_refuses_is_not_blamed_on_the_plugin(tmp_path):
    (tmp_path / "exports").write_text("")
    reason = attempt((tmp_path / "exports").mkdir).reason
    assert reason == f"{tmp_path / 'exports'}: File exists."


def test_a_path_without_a_name_strips_nothing_from_a_sentence():
    assert portable("/: a directory; not and/or", (Path("/"),), Path("/s")) == "/: a directory; not and/or"
