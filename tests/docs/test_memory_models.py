"""The page of the memory models has the figures of the files."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/memory-models.md"
SECTIONS = ("organization", "timing", "commands")


def figures(path: Path) -> dict[str, str]:
    """Figures of a file of parameters, as the page writes them."""
    content = json.loads(path.read_text())
    entries = {"clock_ps": content["clock_ps"]}
    for section in SECTIONS:
        entries |= content[section]
    shown = {True: "yes", False: "no"}
    return {
        key: f"{shown[entry['value']] if isinstance(entry['value'], bool) else entry['value']} ({entry['source']})"
        for key, entry in entries.items()
    }


def table() -> tuple[list[str], dict[str, list[str]]]:
    """Names of the sets, and the row of each figure."""
    lines = PAGE.read_text().splitlines()
    header = next(number for number, line in enumerate(lines) if line.startswith("| figure |"))
    names = [cell.strip() for cell in lines[header].strip("|").split("|")][1:]
    rows = {}
    for line in lines[header + 2 :]:
        match = re.match(r"\| `(\w+)` \|(.*)\|$", line)
        if not match:
            break
        rows[match[1]] = [cell.strip() for cell in match[2].split("|")]
    return names, rows


def test_the_table_has_the_figures_of_the_files():
    names, rows = table()
    files = {path.stem: figures(path) for path in sorted((ROOT / "offchip/parameters").glob("*.json"))}
    assert sorted(names) == sorted(files)
    for column, name in enumerate(names):
        shown = {key: cells[column] for key, cells in rows.items() if cells[column]}
        assert shown == files[name], name
