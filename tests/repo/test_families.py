"""Only the families know units and engines; the compiler's shared rooms do not."""

from __future__ import annotations

import re

from sources import name_of, tracked

# A unit kind by the name of the machine's text, or of the enum; an engine by its type.
OF_A_FAMILY = re.compile(
    r"\b(?:systolic_array|simd_array|vliw_core|kSystolicArray|kSimdArray|kVliwCore|kDma)\b|\bacg::Engine\b|\bacg::engines\b"
    r"|\bacg::find_engine\b"
)
SHARED = [
    path for path in tracked("compiler/*.h", "compiler/*.cpp") if not name_of(path).startswith("compiler/families/")
]


def code_of(line: str) -> str:
    return line.split("//", maxsplit=1)[0]


def test_only_families_name_unit_kinds_and_engines():
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in SHARED
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if OF_A_FAMILY.search(code_of(line))
    ]
    assert found == [], "ask the family through compiler/schedule/cost_model.h or compiler/families/target.h"


def test_only_the_table_of_families_includes_one():
    """The shared rooms name no family; only what measures layers may ask a family for its bound."""
    found = [
        f"{name_of(path)}: {line}"
        for path in SHARED
        for line in path.read_text().splitlines()
        if line.startswith(('#include "compiler/families/stream/', '#include "compiler/families/vliw/'))
        if not name_of(path).startswith("compiler/benchmarks/") and name_of(path) != "compiler/driver/families.cpp"
    ]
    assert found == []
