"""Size, words and listing of files."""

from __future__ import annotations

import re

import pytest
from sources import ROOMS, name_of, room_of, tracked

LINES = {".h": 150, ".cpp": 400, ".py": 400, ".md": 400}
# The project speaks only of itself, and of what is there.
FORBIDDEN = re.compile(
    r"/tmp/|/work/|\bseed 00\d|\bissue #?\d{1,3}\b|\bTODO\b|\bFIXME\b|\bXXX\b|\bHACK\b|\bas an AI\b", re.IGNORECASE
)
TEXT = tracked("*.h", "*.cpp", "*.py", "*.md", "*.txt", "*.acg", "*.cdlt", "*.toml", "*.json", "*.sv", "dev", ".ci/run")


@pytest.mark.parametrize("path", [path for path in TEXT if path.suffix in LINES], ids=name_of)
def test_length(path):
    assert len(path.read_text().splitlines()) <= LINES[path.suffix], "split it by noun"


@pytest.mark.parametrize("path", [path for path in TEXT if path.name != "test_files.py"], ids=name_of)
def test_words(path):
    text = path.read_text()
    found = [f"line {text.count(chr(10), 0, match.start()) + 1}: {match.group()}" for match in FORBIDDEN.finditer(text)]
    assert found == []


@pytest.mark.parametrize("path", TEXT, ids=name_of)
def test_ends(path):
    text = path.read_text()
    assert not text or text.endswith("\n"), "no newline at the end"
    if path.suffix != ".md" and "golden" not in path.parts:
        assert [number for number, line in enumerate(text.splitlines(), 1) if line != line.rstrip()] == []


@pytest.mark.parametrize("path", tracked("*.h"), ids=name_of)
def test_headers_have_a_guard_and_a_contract(path):
    text = path.read_text()
    assert "#pragma once" in text
    assert text.startswith("//"), "a header begins with what it is for"


@pytest.mark.parametrize("path", tracked("*.h", "*.cpp"), ids=name_of)
def test_no_macros(path):
    assert re.findall(r"^\s*#\s*define\b.*", path.read_text(), re.MULTILINE) == []


def must_be_listed(path):
    """Sources everywhere; machines and codelets where they are part of a library, not where they are test data."""
    return path.suffix == ".cpp" or not name_of(path).startswith("tests/")


SOURCES = [path for path in tracked("*.cpp", "*.acg", "*.cdlt") if room_of(path) in (*ROOMS, "tests")]


@pytest.mark.parametrize("path", [path for path in SOURCES if must_be_listed(path)], ids=name_of)
def test_listed_in_cmake(path):
    """By its path from the folder of the CMakeLists.txt that lists it."""
    for folder in path.parents:
        lists = folder / "CMakeLists.txt"
        name = re.escape(path.relative_to(folder).as_posix())
        if lists.is_file() and re.search(rf"(?<![\w/]){name}\b", lists.read_text()):
            return
    pytest.fail("no CMakeLists.txt lists it")
