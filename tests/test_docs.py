"""The documentation hangs together: every page is reached, and no link leads nowhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_page_is_in_the_navigation(page: Path) -> None:
    assert re.search(
        rf"[ :]{page.relative_to(ROOT / 'docs').as_posix()}$", (ROOT / "mkdocs.yml").read_text(), re.M
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_another_page_leads_there(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_is_one_page(page: Path) -> None:
    text = page.read_text()
    assert len(text.splitlines()) <= 40
    assert page.stem == "index" or ("**Decided.**" in text and "**Why.**" in text)
