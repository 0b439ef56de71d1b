"""The page of networks keeps the lines of those that were not measured."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/perf/networks"), str(ROOT / "tests/support")]

import networks  # noqa: E402  (a script, in no package)

HEAD = ["| network | machine | cycles |", "|---|---|---:|"]


def page(*lines: str) -> str:
    return "\n".join(["Text.", "", *HEAD, *lines, "", "More.", ""])


def test_lines_are_replaced_kept_and_added() -> None:
    before = page("| a | m | 1 |", "| b | m | 2 |")
    made = networks.table_with_others(before, [*HEAD, "| b | m | 3 |", "| c | m | 4 |"], [("b", "m"), ("c", "m")])
    assert made == [*HEAD, "| a | m | 1 |", "| b | m | 3 |", "| c | m | 4 |"]


def test_a_page_without_the_table_gets_it_whole() -> None:
    assert networks.table_with_others("Text.\n", [*HEAD, "| a | m | 1 |"], [("a", "m")]) == [*HEAD, "| a | m | 1 |"]


def test_networks_of_which_no_layer_is_listed_any_more_have_no_lines() -> None:
    before = [["a", "m", "x"], ["a", "m", "y"], ["b", "m", "z"]]
    assert networks.with_others(before, [("a", "m")], []) == [["b", "m", "z"]]


def test_the_committed_page_is_read_as_it_stands() -> None:
    text = networks.PAGE.read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("| network | machine | cycles |")]
    start = text.splitlines().index(table[0])
    lines = text.splitlines()[start : start + 2]
    kept = networks.table_with_others(text, lines, [])
    assert len(kept) > 50
    assert "\n".join(kept) in text
