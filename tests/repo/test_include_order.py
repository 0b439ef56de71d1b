"""Rules of inclusion: acg <- offchip <- {compiler, platform, sim, rtl} <- runtime <- fuzz <- python.

Compiler, sim and rtl never meet; sim, and RTL as a module of SystemC, stand on the platform.
"""

from __future__ import annotations

import re

import pytest
from sources import ROOMS, ROOT, name_of, room_of, tracked

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
MAY_INCLUDE = {
    "acg": {"acg"},
    "offchip": {"acg", "offchip"},
    "compiler": {"acg", "compiler"},
    "platform": {"acg", "offchip", "platform"},
    "sim": {"acg", "offchip", "platform", "sim"},
    "rtl": {"acg", "offchip", "rtl"},
    "runtime": {"acg", "offchip", "compiler", "sim", "rtl", "runtime"},
    "fuzz": {"acg", "offchip", "compiler", "sim", "rtl", "runtime", "fuzz"},
    "python": {*ROOMS} - {"platform"},
    "tests": {*ROOMS, "tests"},
    "covenant": {"offchip", "platform", "sim"},  # headers for users of the package, which include others
    "examples": {*ROOMS, "covenant"},
}
# Folders that may include one of another room: RTL as a module of a platform stands on the platform's own modules.
ALSO = {"rtl/sc/": "platform/"}
# Folders of SystemC modules, and of what simulates them.
MODULES = {
    "platform",
    "sim/sc",
    "rtl/sc",
    "tests/unit/platform",
    "tests/unit/command_device",
    "tests/cosim/device",
    "tests/cosim/platforms",
    "examples",
}
# Library -> the folders that may see its headers.
CONFINED = {
    "systemc": MODULES,
    "tlm": MODULES,
    "pybind11/": {"python/_core"},
    "google/protobuf/": {"compiler/frontends/onnx", "tests"},
    "onnx/": {"compiler/frontends/onnx", "tests"},
}
# Libraries of which each room may use its own, but may not show them to another one.
PRIVATE = ("nlohmann/", "fmt/", "google/protobuf/", "onnx/")
# Headers of base that show one, for the sources of every room that links the library itself.
FOR_SOURCES = {"acg/base/json_reader.h"}
CPP = tracked("*.h", "*.cpp")


def includes(path):
    for quoted, angled in INCLUDE.findall(path.read_text()):
        yield quoted or angled, bool(quoted)


def breaks_the_order(path, included: str) -> str:
    """How a quoted include breaks the order; empty if it does not."""
    if room_of(path) in ("tests", "examples") and (path.parent / included).is_file():
        return ""  # helpers of one test folder; an example is a project of its own
    if room_of(path) == "rtl" and "/" not in included:
        return ""  # what Verilator generates, and its own headers, have no path
    if any(name_of(path).startswith(folder) and included.startswith(also) for folder, also in ALSO.items()):
        return ""
    room = included.split("/", maxsplit=1)[0]
    # Generated headers stand in the build folder, under the same path.
    if not (ROOT / included).is_file() and room not in ROOMS:
        return f"{name_of(path)}: {included}: include path = repository path"
    return "" if room in MAY_INCLUDE[room_of(path)] else f"{name_of(path)} must not include {included}"


def test_rooms():
    found = [breaks_the_order(path, included) for path in CPP for included, quoted in includes(path) if quoted]
    assert [problem for problem in found if problem] == []


def test_base_includes_only_base():
    base = [path for path in CPP if name_of(path).startswith("acg/base/")]
    quoted = {included for path in base for included, quoted in includes(path) if quoted}
    assert {included for included in quoted if not included.startswith("acg/base/")} == set()


def test_confined_libraries():
    found = [
        f"{included} does not belong in {name_of(path)}"
        for path in CPP
        for included, _ in includes(path)
        for library, folders in CONFINED.items()
        if included.startswith(library) and not any(name_of(path).startswith(f"{folder}/") for folder in folders)
    ]
    assert found == []


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
        if included not in FOR_SOURCES or path.suffix != ".cpp"
    ]
    assert leaks == []


def test_the_rules_bite():
    """A rule that lets everything through would pass all tests above."""
    compiler, simulator = ROOT / "compiler" / "x.cpp", ROOT / "sim" / "x.cpp"
    assert breaks_the_order(compiler, "sim/run/simulate.h")
    assert breaks_the_order(simulator, "compiler/driver/pipeline.h")
    assert breaks_the_order(compiler, "x.h")
    assert not breaks_the_order(simulator, "acg/isa/encode.h")
    assert not breaks_the_order(ROOT / "rtl" / "sc" / "x.cpp", "platform/memory.h")
    assert breaks_the_order(ROOT / "rtl" / "sc" / "x.cpp", "sim/sc/common/kernel.h")
    assert breaks_the_order(ROOT / "rtl" / "cosim" / "x.cpp", "platform/memory.h")
    assert INCLUDE.findall('#include "a/b.h"\n  #include <c>\n// #include "no.h"') == [("a/b.h", ""), ("", "c")]
    assert len(CPP) > 10
