"""Who may include whom: acg <- {compiler, sim, rtl} <- runtime <- python. Siblings never meet."""

from __future__ import annotations

import re

import pytest
from sources import ROOMS, ROOT, name_of, room_of, tracked

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
MAY_INCLUDE = {
    "acg": {"acg"},
    "compiler": {"acg", "compiler"},
    "sim": {"acg", "sim"},
    "rtl": {"acg", "rtl"},
    "runtime": {"acg", "compiler", "sim", "rtl", "runtime"},
    "python": {"acg", "compiler", "sim", "rtl", "runtime", "python"},
    "tests": {*ROOMS, "tests"},
    "examples": set(ROOMS),
}
# Library -> the folders that may see its headers.
CONFINED = {
    "systemc": {"sim/sc"},
    "pybind11/": {"python/_core"},
    "google/protobuf/": {"compiler/frontend", "tests"},
    "onnx/": {"compiler/frontend", "tests"},
}
# Libraries of which each room may use its own, but may not show them to another one.
PRIVATE = ("nlohmann/", "fmt/", "google/protobuf/", "onnx/")
CPP = tracked("*.h", "*.cpp")


def includes(path):
    for quoted, angled in INCLUDE.findall(path.read_text()):
        yield quoted or angled, bool(quoted)


@pytest.mark.parametrize("path", CPP, ids=name_of)
def test_rooms(path):
    for included, quoted in includes(path):
        if not quoted:
            continue
        if room_of(path) == "tests" and (path.parent / included).is_file():
            continue  # helpers of one test folder
        target = ROOT / included
        # Generated headers stand in the build folder; every other quoted path is a path of the repository.
        room = included.split("/", maxsplit=1)[0]
        assert target.is_file() or room in ROOMS, f"{included}: include path = repository path"
        assert room in MAY_INCLUDE[room_of(path)], f"{room_of(path)} must not include {included}"


@pytest.mark.parametrize("path", [path for path in CPP if name_of(path).startswith("acg/base/")], ids=name_of)
def test_base_includes_only_base(path):
    assert [included for included, quoted in includes(path) if quoted and not included.startswith("acg/base/")] == []


@pytest.mark.parametrize("path", CPP, ids=name_of)
def test_confined_libraries(path):
    name = name_of(path)
    for included, _ in includes(path):
        for library, folders in CONFINED.items():
            if included.startswith(library):
                assert any(name.startswith(f"{folder}/") for folder in folders), f"{included} does not belong in {name}"


def headers_that_show(library: str) -> set[str]:
    """Headers that include the library, themselves or through another one."""
    direct = {name_of(path): [included for included, _ in includes(path)] for path in CPP if path.suffix == ".h"}
    shown = {name for name, list_ in direct.items() if any(included.startswith(library) for included in list_)}
    while more := {name for name, list_ in direct.items() if shown & set(list_)} - shown:
        shown |= more
    return shown


@pytest.mark.parametrize("library", PRIVATE)
def test_private_libraries_stay_in_their_room(library):
    shown = headers_that_show(library)
    leaks = [
        f"{name_of(path)} includes {included}"
        for path in CPP
        for included, _ in includes(path)
        if included in shown and room_of(path) not in (included.split("/")[0], "tests")
    ]
    assert leaks == []


def test_the_rules_bite():
    """A rule that lets everything through would pass all tests above."""
    assert "sim" not in MAY_INCLUDE["compiler"]
    assert "compiler" not in MAY_INCLUDE["sim"]
    assert INCLUDE.findall('#include "a/b.h"\n  #include <c>\n// #include "no.h"') == [("a/b.h", ""), ("", "c")]
    assert len(CPP) > 10
