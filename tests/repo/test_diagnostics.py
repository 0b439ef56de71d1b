"""Every diagnostic code of the sources is documented, and produced by a test."""

from __future__ import annotations

import re

import pytest
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


@pytest.mark.parametrize("code", USED)
def test_documented(code):
    page = ROOT / "docs" / "reference" / "diagnostics" / f"{code[:3]}.md"
    assert page.is_file(), f"no page {page.name}"
    assert code in ROW.findall(page.read_text()), f"add a row `| {code} | meaning | fix |`"


@pytest.mark.parametrize("code", USED)
def test_produced_by_a_test(code):
    assert code in TESTED, "no test mentions it"


@pytest.mark.parametrize("code", sorted(set(DOCUMENTED)))
def test_documented_codes_exist(code):
    assert code in USED, "documented, but no source gives it"
    assert DOCUMENTED.count(code) == 1, "documented twice"
