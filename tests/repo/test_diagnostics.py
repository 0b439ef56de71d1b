"""Every diagnostic code of the sources is documented, and produced by a test."""

from __future__ import annotations

import re

from sources import CODE, ROOMS, ROOT, room_of, tracked

ROW = re.compile(r"^\|\s*`?([A-Z]{3}\d{4})`?\s*\|", re.MULTILINE)


def codes_in(paths):
    return {code for path in paths for code in CODE.findall(path.read_text())}


SOURCES = [path for path in tracked("*.h", "*.cpp", "*.py") if room_of(path) in ROOMS]
# A code in a comment of a header promises something; what counts is the code in quotes.
USED = sorted(
    {code for path in SOURCES for code in CODE.findall(" ".join(re.findall(r'"([A-Z]{3}\d{4})"', path.read_text())))}
)
DOCUMENTED = [code for path in tracked("docs/reference/diagnostics/*.md") for code in ROW.findall(path.read_text())]
TESTED = codes_in(path for path in tracked("tests/*.cpp", "tests/*.py", "tests/*.h", "tests/*.txt") if path.is_file())


def test_there_are_codes():
    assert len(USED) > 20


def rows_of(prefix: str) -> list[str]:
    page = ROOT / "docs" / "reference" / "diagnostics" / f"{prefix}.md"
    return ROW.findall(page.read_text()) if page.is_file() else []


def test_every_code_is_documented():
    """By a row `| CODE | meaning | fix |` in the page of its prefix."""
    assert [code for code in USED if code not in rows_of(code[:3])] == []


def test_every_code_is_produced_by_a_test():
    assert [code for code in USED if code not in TESTED] == []


def test_every_documented_code_exists_once():
    assert [code for code in DOCUMENTED if code not in USED] == []
    assert [code for code in DOCUMENTED if DOCUMENTED.count(code) > 1] == []
