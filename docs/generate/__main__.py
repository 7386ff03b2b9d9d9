"""Writes the pages that follow from the code: `python -m docs.generate`, in the project's root.

`tests/test_docs.py` makes the texts again and compares them with the files, so they can't fall behind.
"""

from __future__ import annotations

from pathlib import Path

from docs.generate.api_page import api_page
from docs.generate.plugins_page import plugins_page

DOCS = Path(__file__).resolve().parents[1]
PAGES = {"plugins/index.md": plugins_page, "api.md": api_page}
"""The pages that are made, by their place under `docs/`."""


def main() -> None:
    """Write all of them."""
    for place, make in PAGES.items():
        (DOCS / place).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
