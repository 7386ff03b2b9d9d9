"""Video support is told with versions, and a codec that is missing is named."""

import sys

import pytest

from handloom.cli.diagnosis import video as module
from handloom.cli.diagnosis.video import video


def test_pyav_and_its_ffmpeg_are_told_with_versions():
    av = pytest.importorskip("av")
    first, decoders, _ = video()
    assert av.__version__ in first.sentence
    assert "libavcodec" in first.sentence
    assert decoders.level == "ok"


def test_without_pyav_there_is_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    (finding,) = video()
    assert finding.level == "warning"
    assert "pip install 'handloom[video]'" in finding.sentence


def test_a_missing_decoder_is_a_problem_and_a_missing_encoder_a_warning(monkeypatch):
    pytest.importorskip("av")
    monkeypatch.setattr(module, "DECODERS", ("h264", "no_such_codec"))
    monkeypatch.setattr(module, "ENCODERS", ("no_such_codec",))
    _, decoders, encoders = video()
    assert (decoders.level, encoders.level) == ("problem", "warning")
    assert "lacks no_such_codec" in decoders.sentence
