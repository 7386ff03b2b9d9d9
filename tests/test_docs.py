"""The documentation says what is so: its blocks run, it names everything public, and its links lead somewhere."""

import importlib
import json
import re
import shutil
import tomllib
from pathlib import Path

import attrs
import pytest

from docs.generate.__main__ import PAGES as MADE
from docs.generate.api_page import SUB_PACKAGES, public_names
from docs.generate.plugins_page import component_of, shipped
from handloom.api import hookspecs
from handloom.cli.commands import BUILT_IN
from handloom.streams import KINDS
from tests.doc_pages import Block, Session, agrees, blocks_of, run

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
READMES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("*/README.md"), *ROOT.glob("*/*/README.md")]
)
FOLLOWED = [page for page in (ROOT / "README.md", *PAGES) if list(blocks_of(page))]


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture(scope="session")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the tutorial has made once its pipeline has run."""
    folder = tmp_path_factory.mktemp("tutorial")
    session = Session()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for block in blocks_of(DOCS / "tutorial.md"):
            session.follow(block)
            if "$ handloom run pipeline.toml\n" in block.text:
                return folder
    raise AssertionError("the tutorial never runs its pipeline")


@pytest.mark.parametrize("page", FOLLOWED, ids=_name)
def test_whoever_follows_a_page_sees_what_it_shows(
    page: Path, tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "here"
    if page.name == "tutorial.md":
        folder.mkdir()
    else:
        shutil.copytree(tutorial, folder)
    monkeypatch.chdir(folder)
    session = Session()
    for block in blocks_of(page):
        session.follow(block)


EXAMPLES = sorted(ROOT.glob("examples/pipelines/*.toml"))
MOVING = [pipeline for pipeline in EXAMPLES if "control" in tomllib.loads(pipeline.read_text())]


@pytest.mark.parametrize("pipeline", MOVING, ids=_name)
def test_every_example_that_moves_a_robot_is_right(pipeline: Path) -> None:
    code, told = run(f"handloom control check {pipeline}")
    assert code == 0, told
    assert told.endswith("nothing is wrong with it.\n")
    code, told = run(f"handloom plan {pipeline}")
    assert (code, f"check it with: handloom control check {pipeline}" in told) == (2, True)


@pytest.mark.parametrize("pipeline", sorted({*EXAMPLES} - {*MOVING}), ids=_name)
def test_every_example_makes_a_plan(pipeline: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    copy = tmp_path / pipeline.relative_to(ROOT)
    patterns = tomllib.loads(copy.read_text()).get("episodes", {}).get("*", {}).values()
    for pattern in patterns:
        _record(copy.parent / pattern.replace("*", "1"))
    code, told = run(f"handloom plan {copy}" + ("" if patterns else " --set episodes.mine.camera=my.mp4"))
    assert code == 0, told
    assert ("1 episode" if patterns else "mine  camera: my.mp4") in told


def _record(place: Path) -> None:
    """Put an empty recording where a pattern will find it."""
    if place.suffix:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    else:
        place.mkdir(parents=True, exist_ok=True)


def test_the_demos_layout_shows_topics_that_there_are(tutorial: Path) -> None:
    from mcap.reader import make_reader

    layout = json.loads((ROOT / "examples/foxglove/demo-layout.json").read_text())
    with (tutorial / "exports/pick.mcap").open("rb") as file:
        messages = {channel.topic: message for _, channel, message in make_reader(file).iter_messages()}
    named = set(re.findall(r'"(/[\w/]+)(?:\.(\w+))?"', json.dumps(layout["configById"])))
    assert len(named) > 4
    for topic, field in named:
        assert not field or field in json.loads(messages[topic].data), topic
    assert {topic for topic, _ in named} <= set(messages)
    assert set(re.findall(r'"(\w+!\w+)"', json.dumps(layout["layout"]))) == set(layout["configById"])


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=_name)
def test_every_toml_block_is_toml(page: Path) -> None:
    for block in blocks_of(page):
        if block.language == "toml":
            tomllib.loads(block.text)


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=_name)
def test_what_pip_shall_install_is_there(page: Path) -> None:
    named = re.findall(r"^\$? ?pip install (.*)$", page.read_text(encoding="utf-8"), re.M)
    folders = [word for words in named for word in re.findall(r"\./[\w/_-]+", words) if "my-" not in word]
    assert [folder for folder in folders if not (ROOT / folder / "pyproject.toml").exists()] == []


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=_name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"", page.read_text(encoding="utf-8"))
    relative = [link for pair in links for link in pair if link and not re.match(r"\w+:", link)]
    assert [link for link in relative if not _leads_somewhere(page, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    place, _, anchor = link.partition("#")
    target = page.parent / place if place else page
    if not anchor:
        return target.exists()
    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.M)
    return anchor in [re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_page_is_in_the_navigation(page: Path) -> None:
    place = page.relative_to(DOCS).as_posix()
    assert re.search(rf"[ :]{re.escape(place)}$", (ROOT / "mkdocs.yml").read_text(), re.M)


@pytest.mark.parametrize("page", sorted((DOCS / "decisions").glob("*.md")), ids=_name)
def test_a_decision_is_one_page(page: Path) -> None:
    text = page.read_text()
    assert len(text.splitlines()) <= 40
    assert page.stem == "index" or ("**Decided.**" in text and "**Why.**" in text)
    assert page.stem == "index" or f"({page.name})" in (page.parent / "index.md").read_text()


@pytest.mark.parametrize("place", sorted(MADE))
def test_a_page_made_from_the_code_is_up_to_date(place: str) -> None:
    written = (DOCS / place).read_text(encoding="utf-8")
    assert written == MADE[place](), "run `python -m docs.generate`"


def test_every_hook_is_documented() -> None:
    hooks = [name for name, value in vars(hookspecs).items() if hasattr(value, "handloom_spec")]
    guide = (DOCS / "plugin-guide.md").read_text()
    assert len(hooks) > 10
    assert [hook for hook in hooks if f"`{hook}`" not in guide and f"`{hook}(" not in guide] == []


def test_every_kind_of_stream_is_documented() -> None:
    text = (DOCS / "streams.md").read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in text] == []


BROUGHT = [plugin.kind for plugin in shipped() if plugin.family == "commands"]


@pytest.mark.parametrize("command", [*BUILT_IN, *BROUGHT])
def test_every_command_has_a_page_that_names_its_options(command: str) -> None:
    _, told = run(f"handloom {command} {'show ' if command == 'config' else ''}--help")
    options = set(re.findall(r"--[a-z]+", told)) - {"--help"}
    text = (DOCS / f"commands/{command}.md").read_text()
    assert [option for option in sorted(options) if f"`{option}" not in text] == []
    assert f"(commands/{command}.md)" in (DOCS / "index.md").read_text()


@pytest.mark.parametrize("plugin", shipped(), ids=lambda plugin: plugin.kind)
def test_every_shipped_kind_and_its_settings_are_documented(plugin: object) -> None:
    section = (DOCS / "plugins/index.md").read_text().partition(f"### `{plugin.kind}`")[2].partition("\n### ")[0]
    assert section
    config = getattr(component_of(plugin), "Config", None)
    for field in attrs.fields(config) if config else ():
        assert re.search(rf"^\| `{field.name}` \|.*\| \S.* \|$", section, re.M), f"say what {field.name} is"


@pytest.mark.parametrize("package", SUB_PACKAGES)
def test_every_public_name_is_documented(package: str) -> None:
    names = public_names(importlib.import_module(f"handloom.{package}"))
    section = (DOCS / "api.md").read_text().partition(f"## `handloom.{package}`")[2].partition("\n## ")[0]
    assert [name for name in names if not re.search(rf"^\| `{name}` \| \S", section, re.M)] == []


def test_a_wrong_page_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for wrong in ("$ handloom --version\nhandloom 9", "$ handloom nonsense", "$ handloom --version\n$ echo $?\n1"):
        with pytest.raises(AssertionError):
            Session().follow(Block("console", wrong, "", 1))
    with pytest.raises(AssertionError):
        Session().follow(Block("pycon", ">>> 1 + 1\n3\n", "", 1))
    assert agrees(["b", "a …"], "a 1\nb\n")
    assert not agrees(["a …"], "a 1\nb\n")
    assert agrees(["a …", "..."], "a 1\nb\n")
