"""Size, words and listing of files. Each rule is one test, which names every file that breaks it."""

from __future__ import annotations

import re

from sources import ROOMS, ROOT, name_of, room_of, tracked

LINES = {".h": 150, ".cpp": 400, ".sv": 400, ".py": 400, ".md": 400}
# Helpers of tests, and tests that are tables of cases, may be longer than what is shipped.
LINES_OF_TESTS = {".h": 400, ".cpp": 600, ".py": 600}
# The project speaks only of itself, and of what is there.
FORBIDDEN = re.compile(
    r"/tmp/|/work/|\bseed 00\d|\bissue #?\d{1,3}\b|\bTODO\b|\bFIXME\b|\bXXX\b|\bHACK\b|\bas an AI\b", re.IGNORECASE
)
CPP = tracked("*.h", "*.cpp")
WRITTEN_BY_PEAKRDL = ROOT / "rtl/registers/covenant_registers.h"  # for programs in C
REGISTERS = ROOT / "rtl/src/device/covenant_registers.sv"  # likewise
TEXT = [
    *CPP,
    *tracked(
        "*.py", "*.md", "*.txt", "*.acg", "*.cdlt", "*.toml", "*.json", "*.sv", "*CMakeLists.txt", "dev", ".ci/run"
    ),
]


NAMED = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.(?:h|cpp|py|sv|cdlt))\b(?![\w(])")
# Files that the RTL generator writes.
GENERATED = re.compile(r"covenant_(?:pkg|top|axi_top|ports|axi_ports|observer)\.(?:h|sv)")


def too_long(path) -> bool:
    limits = LINES_OF_TESTS if room_of(path) == "tests" else LINES
    # The first ones are written by tests/docs/machines.py.
    if "docs/reference/machines" in path.as_posix() or path in (WRITTEN_BY_PEAKRDL, REGISTERS):
        return False
    return path.suffix in limits and len(path.read_text().splitlines()) > limits[path.suffix]


def test_length():
    assert [name_of(path) for path in TEXT if too_long(path)] == [], "split them by noun"


def test_words():
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in TEXT
        if path.name != "test_files.py"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert found == []


def test_files_end_with_a_newline():
    assert [name_of(path) for path in TEXT if path.read_text()[-1:] not in ("", "\n")] == []


def test_no_blanks_at_the_end_of_a_line():
    found = [
        f"{name_of(path)}:{number}"
        for path in TEXT
        if path.suffix != ".md" and "golden" not in path.parts
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line != line.rstrip()
    ]
    assert found == []


def test_headers_have_a_guard_and_a_contract():
    headers = [path for path in CPP if path.suffix == ".h"]
    assert [name_of(path) for path in headers if "#pragma once" not in path.read_text()] == []
    assert [name_of(path) for path in headers if not path.read_text().startswith("//")] == []


def test_no_macros():
    sources = [path for path in CPP if path != WRITTEN_BY_PEAKRDL]
    assert [name_of(path) for path in sources if re.search(r"^\s*#\s*define\b", path.read_text(), re.MULTILINE)] == []


def must_be_listed(path) -> bool:
    """Sources everywhere; machines and codelets of libraries, not what tests or the Python package have as data."""
    is_data = room_of(path) in ("tests", "python") and path.suffix != ".cpp"
    return room_of(path) in (*ROOMS, "tests") and not is_data


def is_listed(path) -> bool:
    """Whether a CMakeLists.txt lists the file, by its path from that folder."""
    for folder in path.parents:
        lists = folder / "CMakeLists.txt"
        name = re.escape(path.relative_to(folder).as_posix()) if lists.is_file() else ""
        if lists.is_file() and re.search(rf"(?<![\w/])(?:\$\{{\w+\}}/)?{name}\b", lists.read_text()):
            return True
    return False


def test_every_source_is_listed_in_cmake():
    sources = [path for path in tracked("*.cpp", "*.acg", "*.cdlt") if must_be_listed(path)]
    assert len(sources) > 10
    assert [name_of(path) for path in sources if not is_listed(path)] == []


def test_comments_name_files_that_are_there():
    """A file that has moved leaves its name behind in comments."""
    there = {name_of(path) for path in tracked("*")}
    ends = {name[start:] for name in there for start in [0, *(m.end() for m in re.finditer("/", name))]}
    found = [
        f"{name_of(path)}:{number}: {named}"
        for path in [*CPP, *tracked("*.sv")]
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "//" in line
        for named in NAMED.findall(line.split("//", 1)[1])
        if named not in ends and not GENERATED.fullmatch(named)
    ]
    assert found == []
