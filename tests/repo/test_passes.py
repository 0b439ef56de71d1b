"""compiler/passes holds passes and nothing else: one a file, each with a caller in the product."""

from __future__ import annotations

import re

from sources import ROOT, tracked

HEADERS = tracked("compiler/passes/*.h")
# A function at the left margin, of a codelet and whatever else it needs.
FUNCTION = re.compile(r"^[\w:<>]+ (\w+)\(", re.MULTILINE)
PASS = re.compile(
    r"^(?:Result<(?:codelet::)?\w*Codelet>|codelet::Codelet) (\w+)\(const codelet::Codelet&", re.MULTILINE
)


def test_every_header_declares_one_pass_of_its_name():
    assert HEADERS
    wrong = {}
    for header in HEADERS:
        text = header.read_text()
        if not FUNCTION.findall(text) == PASS.findall(text) == [header.stem]:
            wrong[header.name] = FUNCTION.findall(text)
    assert wrong == {}


def test_every_source_belongs_to_a_pass():
    assert {path.stem for path in tracked("compiler/passes/*.cpp")} == {path.stem for path in HEADERS}


def test_every_pass_is_called_by_the_product():
    callers = [path for path in tracked("compiler/*.cpp") if path.parent != ROOT / "compiler" / "passes"]
    text = "\n".join(path.read_text() for path in callers)
    unused = [header.stem for header in HEADERS if not re.search(rf"\b{header.stem}\(", text)]
    assert unused == []
