"""Every diagnostic code of the sources is documented, and produced by a test."""

from __future__ import annotations

import re

from produced import helpers_in, produced_in_cpp, produced_in_python, without_comments
from sources import CODE, ROOMS, ROOT, room_of, tracked

ROW = re.compile(r"^\|\s*`?([A-Z]{3}\d{4})`?\s*\|", re.MULTILINE)


SOURCES = [path for path in tracked("*.h", "*.cpp", "*.py") if room_of(path) in ROOMS]
# A code in a comment of a header promises something; what counts is the code in quotes.
USED = sorted(
    {code for path in SOURCES for code in CODE.findall(" ".join(re.findall(r'"([A-Z]{3}\d{4})"', path.read_text())))}
)
DOCUMENTED = [code for path in tracked("docs/reference/diagnostics/*.md") for code in ROW.findall(path.read_text())]
# An error of the text form that is compared whole: code, line, column, what offends (and the fix after it).
WHOLE = re.compile(r'\{\s*"ACG\d{4}"\s*,\s*\d+\s*,\s*\d+\s*,\s*[^,{}]')


def produced() -> set[str]:
    shared = {name for path in tracked("tests/*.h") for name in helpers_in(path.read_text())}
    found: set[str] = set()
    for path in tracked("tests/*.cpp", "tests/*.h"):
        text = path.read_text()
        found |= produced_in_cpp(text, shared | helpers_in(text))
    for path in tracked("tests/*.py"):
        if room_of(path) == "tests" and path.parent.name != "repo":
            found |= produced_in_python(path.read_text())
    return found


def test_there_are_codes():
    assert len(USED) > 20


def rows_of(prefix: str) -> list[str]:
    page = ROOT / "docs" / "reference" / "diagnostics" / f"{prefix}.md"
    return ROW.findall(page.read_text()) if page.is_file() else []


def test_every_code_is_documented():
    """Every code has a row `| CODE | meaning | fix |` in the page of its prefix."""
    assert [code for code in USED if code not in rows_of(code[:3])] == []


def test_every_code_is_produced_by_a_test():
    """A test asserts the code of an error that happened: a comment or a list of possible words does not count."""
    made = produced()
    assert [code for code in USED if code not in made] == []


def test_at_least_80_errors_of_the_language_are_compared_whole():
    """Code, line, column, offending text and fix, by `expect_refused`, which compares all of them."""
    texts = [without_comments(path.read_text()) for path in tracked("tests/error/acg/*.cpp")]
    count = sum(len(WHOLE.findall(text)) for text in texts)
    print(f"{count} errors of the language are compared whole")
    assert count >= 80


HELPER = "void refused(int x) {\n  EXPECT_EQ(error(x).code, wanted);\n}\n"


def test_only_what_is_asserted_counts_as_produced():
    assert produced_in_cpp('// "ACG0001"\nconst char* code = "ACG0002";', set()) == set()
    assert produced_in_cpp('EXPECT_NE(error.code, "ACG0001"); set = {"ACG0002"};', set()) == set()
    assert produced_in_cpp('EXPECT_EQ(error.code, "ACG0001"); log("ACG0002");', set()) == {"ACG0001"}
    assert helpers_in(HELPER) == {"refused"}
    assert produced_in_cpp('refused("a;b", "ACG0001"); other("ACG0002");', {"refused"}) == {"ACG0001"}
    assert produced_in_python('assert error.code == "ACG0001"\nx = "ACG0002"') == {"ACG0001"}
    assert produced_in_python('assert error.code in {"ACG0001"}\nassert error.code != "ACG0002"') == set()


def test_every_documented_code_exists_once():
    assert [code for code in DOCUMENTED if code not in USED] == []
    assert [code for code in DOCUMENTED if DOCUMENTED.count(code) > 1] == []
