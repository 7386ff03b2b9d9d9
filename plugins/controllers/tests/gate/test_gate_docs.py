"""The page on the gate names every setting, with its default."""

from __future__ import annotations

from pathlib import Path

import attrs

from handloom_controllers.gate import GateSettings

PAGE = Path(__file__).resolve().parents[4] / "docs" / "gate.md"


def test_the_page_names_every_setting_and_its_default() -> None:
    rows = [line.split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    told: dict[str, str] = {}
    for row in rows:
        names, defaults = row[1].replace("`", "").split(","), row[2].split(",")
        if len(names) == len(defaults):
            told |= {name.strip(): default.strip() for name, default in zip(names, defaults, strict=True)}
    for field in attrs.fields(GateSettings):
        assert float(told[field.name]) == field.default, field.name
