"""Operators are rows of a table: only it, the front ends and the references compare their names."""

from __future__ import annotations

import re

from sources import ROOT, name_of, tracked

TABLE = ROOT / "compiler/operators/operators.h"
ROWS = [path for path in tracked("compiler/operators/*.cpp") if path.name not in ("table.cpp", "templates.cpp")]
# The benchmarks read a published table, whose kinds of layers have such names, too.
AT_HOME = (
    "compiler/operators/",
    "compiler/frontends/",
    "compiler/reference/",
    "compiler/values/",
    "compiler/benchmarks/",
)
ELSEWHERE = [
    path
    for path in tracked("compiler/*.h", "compiler/*.cpp", "runtime/*.h", "runtime/*.cpp")
    if not name_of(path).startswith(AT_HOME)
]


def documented() -> set[str]:
    """Names in the first column of the table in the header's comment."""
    rows = re.findall(r"^/// \| ([a-z_]+(?:, [a-z_]+)*) \|", TABLE.read_text(), re.MULTILINE)
    return {name for row in rows for name in row.split(", ")} - {"operation"}


def listed() -> set[str]:
    """Names of rows in the sources."""
    text = "".join(path.read_text() for path in ROWS)
    return set(re.findall(r'(?:\.name = |\b(?:movement|pair|sums|number)\()"([a-z_]+)"', text))


def compared(text: str, names: set[str]) -> list[str]:
    """Names that a line compares an operation with."""
    forms = r"[=!]= \"(?P<whole>[a-z_]+)\"|operation\.(?:starts|ends)_with\(\"(?P<part>[a-z_]+)\"\)"
    found = [match["whole"] or match["part"] for match in re.finditer(forms, text)]
    return [name for name in found if any(name in one if "with(" in text else name == one for one in names)]


def test_each_row_is_documented():
    assert listed()
    assert documented() >= listed()


def test_no_name_is_compared_elsewhere():
    names = documented()
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in ELSEWHERE
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if compared(line.split("//", maxsplit=1)[0], names)
    ]
    assert found == [], "ask compiler/operators/operator.h, or of a layer compiler/network/layer_traits.h"


def test_the_rule_bites():
    names = documented()
    assert compared('if (node.operation == "conv") return;', names) == ["conv"]
    assert compared('if (layer.operation != "max_pool") return;', names) == ["max_pool"]
    assert compared('return layer.operation.starts_with("gemm");', names) == ["gemm"]
    assert compared('if (name == "x") return;', names) == []


def compared_constants(text: str, names: set[str]) -> list[str]:
    """Constants that stand for the name of an operator and are compared with something."""
    constants = re.findall(r'constexpr [\w:]+ (\w+) ?(?:= ?|\{)"([a-z_]+)"', text)
    return [
        constant
        for constant, name in constants
        if name in names and re.search(rf"[!=]= {constant}\b|\b{constant} [!=]= ", text)
    ]


def test_no_constant_stands_for_a_name():
    names = documented()
    assert [name_of(path) for path in ELSEWHERE if compared_constants(path.read_text(), names)] == []


def test_the_rule_of_constants_bites():
    named = 'constexpr std::string_view kConv = "conv";\n'
    assert compared_constants(named + "if (kConv == node.operation) return;", {"conv"}) == ["kConv"]
    assert compared_constants(named + "if (node.operation != kConv) return;", {"conv"}) == ["kConv"]
    assert compared_constants(named + "return kConv;", {"conv"}) == []
