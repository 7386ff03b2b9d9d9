"""The report: everything a scene holds, on one page that needs nothing else."""

import re
import sys
from html.parser import HTMLParser

import attrs
import numpy as np
import pytest

from handloom.api import clock_map_stream
from handloom.errors import ConfigError, PluginError, StoreError
from handloom.store import Provenance, Scene, StepKey, stage
from handloom.streams import POSE, Samples, StreamType
from handloom.time import ClockMap
from handloom_exporters.report import report
from handloom_exporters.report.agreement import agreements
from handloom_exporters.report.gathering import gather
from handloom_exporters.report.page import page

ROWS = 120
STAMPS = (np.arange(ROWS) * 16_683_333).astype(np.int64)
WIDTH = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")
IMAGE = StreamType(kind="image", dtype="uint8", shape=(None, 32, 3), clock="camera")
ENVELOPE = {"offset_s": [-0.001, 0.0, 0.001], "height": [0.1, 1.0, 0.1]}


def poses(lost=slice(40, 50)):
    data = np.zeros((ROWS, 7))
    data[:, 0] = np.linspace(0, 0.5, ROWS)
    data[:, 6] = 1.0
    tracked = np.ones(ROWS, dtype=bool)
    tracked[lost] = False
    data[~tracked] = np.nan
    type_ = attrs.evolve(POSE, frame="world", body="tcp", clock="tracker")
    return Samples(type=type_, data=data, stamps=STAMPS + 10**9, tracked=tracked)


def put(scene, episode, step, streams, *, attributes=None, notes=()):
    with stage(scene.path, StepKey(step, episode), provenance=Provenance(kind=step)) as staged:
        for name, stream in streams.items():
            staged.write(name, stream)
        staged.attributes, staged.notes = attributes or {}, notes
        scene.commit(staged.finish())


def make_scene(path):
    with Scene.open(path, mode="w", create=True) as opened:
        opened.create_episode("pick & place")
        width = Samples(type=WIDTH, data=np.linspace(0.08, 0.0, ROWS), stamps=STAMPS)
        put(opened, "pick & place", "width", {"width": width}, notes=("3 rows have <no> width.",))
        put(opened, "pick & place", "tcp", {"pose": poses()})
        known = ClockMap(source="tracker", target="camera", offset_ns=-(10**9), uncertainty_ns=2500.0)
        attributes = {"method": "chirp", "envelope_first": ENVELOPE}
        put(opened, "pick & place", "sync", {"map": clock_map_stream(known, attributes)})
        pictures = np.full((3, 24, 32, 3), 200, dtype=np.uint8)
        thumbs = Samples(type=IMAGE, data=pictures, stamps=STAMPS[:3])
        put(opened, "pick & place", "thumbs", {"thumbnails": thumbs})
        put(opened, "pick & place", "verdict", {}, attributes={"usable": False, "reasons": ["long_gap"]})
        opened.create_episode("empty")
        opened.fail(StepKey("sound", "empty"), "this recording has no <audio>.", Provenance(kind="audio"))
    return path


@pytest.fixture
def scene(tmp_path):
    return make_scene(tmp_path / "scène & co")


def text_of(scene):
    with Scene.open(scene) as opened:
        return page(gather(opened, title=scene.name))


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return text_of(make_scene(tmp_path_factory.mktemp("report") / "scène & co"))


class Tags(HTMLParser):
    VOID = ("meta", "img", "br")

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_no_other_file(text):
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert {link.split(":")[0] if link.startswith("data:") else link[0] for link in tags.links} == {"data", "#"}
    assert "<script" not in text
    assert "url(http" not in text


def test_what_people_wrote_is_shown_as_text(text):
    assert "this recording has no &lt;audio&gt;." in text
    assert "3 rows have &lt;no&gt; width." in text
    assert "<audio>" not in text
    assert "scène &amp; co" in text


def test_the_overview_says_verdict_coverage_and_uncertainty(text):
    row = re.search(r"<tr><td><a [^>]*>pick &amp; place</a>.*?</tr>", text)[0]
    cells = re.findall(r"<td>(.*?)</td>", row)
    assert "not usable" in cells[1]
    assert cells[2] == "long_gap"
    assert cells[4:] == ["91.7 %", "100.0 %", "±2.5 µs"]


def test_streams_of_other_clocks_lie_on_the_axis_of_the_first(scene):
    with Scene.open(scene) as opened:
        facts = gather(opened, title="x")
    by_name = {track.name: track for track in facts.episodes[1].tracks}
    assert by_name["tcp.pose"].seconds[0] == pytest.approx(by_name["width.width"].seconds[0], abs=1e-9)
    assert not by_name["tcp.pose"].own_zero


def test_the_longest_video_is_the_axis_so_that_nothing_beside_it_is_left_out(scene):
    with Scene.open(scene, mode="w") as opened:
        for name, kept in {"a_short": 90, "b_long": ROWS}.items():
            pictures = np.zeros((kept, 8, 32, 3), dtype=np.uint8)
            video = attrs.evolve(IMAGE, kind="video")
            put(opened, "pick & place", name, {"video": Samples(type=video, data=pictures, stamps=STAMPS[:kept])})
        facts = gather(opened, title="x")
    width = {track.name: track for track in facts.episodes[1].tracks}["width.width"]
    assert len(width.seconds) == ROWS


def test_paths_of_other_bodies_are_not_shown_as_the_tools(scene):
    with Scene.open(scene, mode="w") as opened:
        camera = attrs.evolve(poses(), type=attrs.evolve(poses().type, body="gopro"))
        put(opened, "pick & place", "slam", {"pose": camera})
        put(opened, "pick & place", "smooth", {"pose": poses()})
    drawn = text_of(scene)
    assert drawn.count(">tcp.pose</text>") == 2  # in the legend, and over the plot of its speed
    assert ">smooth.pose</text>" in drawn
    assert ">slam.pose</text>" not in drawn


def moved_by(given, metres):
    data = given.data.copy()
    data[:, 1] += metres
    return attrs.evolve(given, data=data)


def test_a_second_source_of_the_same_body_is_laid_over_the_first_with_how_far_they_are_apart(scene):
    with Scene.open(scene, mode="w") as opened:
        put(opened, "pick & place", "slam_in_world", {"pose": moved_by(poses(lost=slice(0, 5)), 0.003)})
    drawn = text_of(scene)
    assert "tcp.pose coloured by time, slam_in_world.pose dashed." in drawn
    assert "slam_in_world.pose against tcp.pose: root mean square 3.00 mm and 0.00°, largest 3.00 mm" in drawn
    assert ">Apart from tcp.pose</text>" in drawn
    assert ">distance in mm</text>" in drawn


def test_what_two_sources_differ_by_is_known_where_both_know_it(scene):
    with Scene.open(scene, mode="w") as opened:
        put(opened, "pick & place", "slam_in_world", {"pose": moved_by(poses(lost=slice(0, 5)), 0.003)})
        facts = gather(opened, title="x")
    tracks = {track.name: track for track in facts.episodes[1].tracks}
    (found,) = agreements((tracks["tcp.pose"], tracks["slam_in_world.pose"]))
    assert np.flatnonzero(np.isnan(found.distances_m)).tolist() == [*range(5), *range(40, 50)]
    assert np.nanmax(np.abs(found.distances_m - 0.003)) < 1e-9


def test_sources_that_share_no_clock_are_not_compared(scene):
    with Scene.open(scene, mode="w") as opened:
        lone = attrs.evolve(poses(), type=attrs.evolve(poses().type, clock="elsewhere"))
        put(opened, "pick & place", "slam_in_world", {"pose": lone})
    assert "Apart from" not in text_of(scene)


def test_a_tool_at_rest_spans_no_less_than_matters_and_the_drawing_says_nothing_on_the_side(scene, capsys, caplog):
    still = poses()
    still.data[:, :3] = 1e-3 * still.data[:, :1]
    with Scene.open(scene, mode="w") as opened:
        put(opened, "pick & place", "tcp", {"pose": still})
    ticks = [float(found) for found in re.findall(r">(\d\.\d{2,})</text>", text_of(scene).split("Path of tcp")[0])]
    assert min(tick for tick in ticks if tick) >= 0.01
    assert (caplog.text, capsys.readouterr().err) == ("", "")


def tiles(text):
    return re.findall(r"<div><b>(.*?)</b><span>(.*?)</span></div>", text)


def test_episodes_that_nobody_judged_are_counted_as_such_and_never_beside_usable(scene, text, tmp_path):
    assert tiles(text)[:3] == [("2", "episodes"), ("0 of 1", "usable"), ("1", "not judged")]
    with Scene.open(tmp_path / "unjudged", mode="w", create=True) as opened:
        opened.create_episode("pick")
        put(opened, "pick", "tcp", {"pose": poses()})
    assert tiles(text_of(tmp_path / "unjudged"))[:2] == [("1", "episodes"), ("1", "not judged")]


@pytest.mark.parametrize(("pictures", "shown"), [(3, 3), (10, 8), (15, 8), (40, 16)])
def test_the_rows_of_a_contact_sheet_are_full_where_there_are_enough_pictures(tmp_path, pictures, shown):
    with Scene.open(tmp_path / "sheet", mode="w", create=True) as opened:
        opened.create_episode("pick")
        data = np.zeros((pictures, 8, 32, 3), dtype=np.uint8)
        put(opened, "pick", "thumbs", {"pictures": Samples(type=IMAGE, data=data, stamps=STAMPS[:pictures])})
    assert text_of(tmp_path / "sheet").count("<img") == shown


def test_numbers_in_a_table_of_values_are_as_short_as_others(scene):
    with Scene.open(scene, mode="w") as opened:
        put(opened, "pick & place", "told", {}, attributes={"confidence": {"first": 64.33806383753296, "n": 2}})
    assert "<dd>first: 64.3381, n: 2</dd>" in text_of(scene)


def test_every_strip_of_pictures_says_whose_it_is(text):
    assert "<small>thumbs.thumbnails</small>" in text


def test_a_stream_that_no_map_joins_says_so(scene):
    with Scene.open(scene, mode="w") as opened:
        lone = attrs.evolve(poses(), type=attrs.evolve(poses().type, clock="elsewhere"))
        put(opened, "pick & place", "slam", {"pose": lone})
        facts = gather(opened, title="x")
    assert {t.name: t.own_zero for t in facts.episodes[1].tracks}["slam.pose"]


def test_the_same_scene_gives_the_same_page(scene, text):
    assert text_of(scene) == text


def test_the_command_writes_beside_the_scene_and_leaves_nothing_else(scene, capsys):
    assert report([str(scene)]) == 0
    assert sorted(path.name for path in scene.parent.iterdir()) == [scene.name, f"{scene.name}.html"]
    assert "scène & co.html" in capsys.readouterr().out


def test_a_folder_that_is_no_scene_is_refused(tmp_path):
    with pytest.raises(StoreError, match="is not a scene"):
        report([str(tmp_path)])


def test_without_matplotlib_the_message_says_what_to_install(scene, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PluginError, match=r"handloom-exporters\[report\]"):
        report([str(scene)])


def test_a_damaged_stream_is_told_and_costs_no_other(scene):
    (chunk,) = (scene / "episodes" / "pick & place" / "annotations" / "tcp" / "pose" / "data").glob("c*")
    chunk.write_bytes(b"garbage")
    with Scene.open(scene) as opened:
        facts = gather(opened, title="scene")
    (episode,) = [each for each in facts.episodes if each.name == "pick & place"]
    assert [track.name for track in episode.tracks] == ["width.width"]
    (told,) = [said for said in episode.said if said.outcome == "failed"]
    assert told.step == "tcp"
    assert "is damaged" in told.reason
    assert "is damaged" in page(facts)


@pytest.mark.parametrize(
    ("place", "sentence"), [("", "is a directory"), ("scène & co/a.html", "inside the scene")]
)
def test_a_place_that_is_none_for_a_page_is_refused_before_it_is_drawn(scene, monkeypatch, place, sentence):
    monkeypatch.chdir(scene.parent)
    with pytest.raises(ConfigError, match=f"^--output: .*{sentence}"):
        report([str(scene), "-o", place])
    assert sorted(path.name for path in scene.parent.iterdir()) == [scene.name]
