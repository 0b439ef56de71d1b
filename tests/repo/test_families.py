"""Only the families know units and engines; the compiler's shared rooms and those of simulation do not."""

from __future__ import annotations

import ast
import re

import pytest
from sources import ROOT, name_of, tracked

CMAKE = (ROOT / "acg/CMakeLists.txt").read_text()
FAMILIES = sorted({name_of(path).split("/")[2] for path in tracked("compiler/families/*/*")})
EVERYWHERE = ("control", "sequencer", "address_generator", "described")
"""Parts of many engines, and nodes that nothing executes: they are of no family."""
KINDS = {
    name: enumerator
    for enumerator, name in re.findall(
        r'\{UnitKind::(k\w+), "(\w+)"\}', (ROOT / "acg/operations/unit_kind.h").read_text()
    )
    if name not in EVERYWHERE
}
"""Kinds of units: the name in the machine's text, and the enumerator."""
TEXTS = "|".join(name for name in KINDS if name != "dma")  # "dma" is a word of other texts, too
ENUMERATORS = "|".join(KINDS.values())
FIRST_WORDS = "|".join(name.split("_")[0] for name in KINDS if "_" in name)
PLAIN_WORDS = "|".join(name for name in KINDS if "_" not in name)

# A unit kind by the name of the machine's text, or of the enum; an engine by its type.
OF_A_FAMILY = re.compile(rf"\b(?:{TEXTS}|{ENUMERATORS})\b|\bacg::Engine\b|\bacg::engines\b|\bacg::find_engine\b")
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
        if line.startswith(tuple(f'#include "compiler/families/{family}/' for family in FAMILIES))
        if not name_of(path).startswith("compiler/benchmarks/") and name_of(path) != "compiler/driver/families.cpp"
    ]
    assert found == []


# ---- The description of machines, random machines, and the Python package

KIND = re.compile(rf"\b(?:{TEXTS}|{ENUMERATORS})\b")
ROWS_OF_UNITS = ("acg/units/", "acg/operations/", "acg/isa/vliw/", "fuzz/units/", "fuzz/stream/")
DESCRIPTION = [
    path
    for path in tracked("acg/*.h", "acg/*.cpp", "fuzz/*.h", "fuzz/*.cpp", "offchip/*.h", "offchip/*.cpp")
    if not name_of(path).startswith(ROWS_OF_UNITS)
]
PYTHON = [path for path in tracked("python/covenant/*.py") if path.name != "units.py"]
PYTHON_KIND = re.compile(rf"\b(?:{TEXTS}|covenant_(?:{FIRST_WORDS})_\w+)\b")


def kinds_in_cpp(text: str) -> list[str]:
    """Lines of code that name a kind of unit."""
    return [line.strip() for line in text.splitlines() if KIND.search(code_of(line))]


def kinds_in_python(text: str) -> list[str]:
    """Names and texts that name a kind of unit; what documents something is none of them."""
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    said = [
        node.value if isinstance(node, ast.Constant) else node.id
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and id(node) not in documentation) or isinstance(node, ast.Name)
    ]
    return [one for one in said if isinstance(one, str) and PYTHON_KIND.search(one)]


def test_rooms_of_the_description_ask_the_rows_of_units():
    assert len(DESCRIPTION) > 100
    found = {name_of(path): kinds_in_cpp(path.read_text()) for path in DESCRIPTION}
    assert {path: lines for path, lines in found.items() if lines} == {}, "ask acg/graph/unit_info.h or a row of fuzz"


def test_python_names_kinds_of_units_in_rows_alone():
    assert len(PYTHON) > 100
    found = {name_of(path): kinds_in_python(path.read_text()) for path in PYTHON}
    assert {path: names for path, names in found.items() if names} == {}, "ask covenant.machine.units"


def test_reports_and_studies_ask_the_family():
    asking = {
        name_of(path)
        for path in tracked("python/covenant/*.py")
        if re.search(r"\bissues_packets\b", path.read_text())
        and not name_of(path).startswith(("python/covenant/machine/", "python/covenant/cli/"))
    }
    assert asking == set(), "ask covenant.machine.families"


def test_a_kind_that_is_named_is_found():
    assert kinds_in_cpp("if (unit == UnitKind::kSimdArray) return;  // lanes") != []
    assert kinds_in_cpp('    unit = "systolic_array";') != []
    assert kinds_in_cpp("int x;  // of a vliw_core") == []
    assert kinds_in_python('nodes = [one for one in nodes if one["unit"] == "simd_array"]') == ["simd_array"]
    assert kinds_in_python('def f():\n    """Rows of a systolic_array."""') == []


# ---- The RTL: its generator, its run, and its modules

# A unit kind, an engine of one, or a direction of transfers, in code and in text that the generator writes.
OF_A_UNIT = re.compile(
    rf"{FIRST_WORDS}|\b(?:{PLAIN_WORDS})\b|_(?:{PLAIN_WORDS})|\bk(?:Dma|Load|Store|Copy|Gemm)\b", re.IGNORECASE
)
UNITS_OF_RTL = re.compile(rf"rtl/(?:gen|src)/(?:{'|'.join(FAMILIES)})/(?:\w+/|units\.cpp$)")
RTL = [path for path in tracked("rtl/*.h", "rtl/*.cpp", "rtl/*.sv") if not UNITS_OF_RTL.match(name_of(path))]


def units_of_rtl_in(text: str) -> list[str]:
    """Lines of code that name a unit kind."""
    return [line.strip() for line in text.splitlines() if OF_A_UNIT.search(code_of(line))]


def test_only_folders_of_units_and_their_table_name_units_of_the_rtl():
    assert len(RTL) > 70
    found = {name_of(path): units_of_rtl_in(path.read_text()) for path in RTL}
    assert {path: lines for path, lines in found.items() if lines} == {}, "ask rtl/gen/common/unit.h or unit_row.h"


def test_units_of_the_rtl_are_folders_of_generator_and_modules():
    kinds, modules = (
        {name_of(path).split("/")[3] for path in tracked(f"rtl/{room}/stream/*/*")} for room in ("gen", "src")
    )
    assert kinds == modules


def test_a_unit_of_the_rtl_that_is_named_is_found():
    assert units_of_rtl_in("  if (unit.compute->unit == acg::UnitKind::kSimdArray) continue;") != []
    assert units_of_rtl_in('  text += "  covenant_systolic_array u_array (";') != []
    assert units_of_rtl_in("  covenant_dma_load u_path (") != []
    assert units_of_rtl_in("  case EngineKind::kStore:") != []
    assert units_of_rtl_in("  output logic write_valid_o,  // of a SIMD array") == []


# ---- Simulation

# The model, what runs programs on it, and its bindings. A folder in sim/stream is a unit kind; one in sim/sc
# or in python/_core is a family; what their rows share is in `common`.
TABLES_OF_SIMULATION = ("sim/sc/families.cpp", "python/_core/families.cpp")
OF_ONE_FAMILY = tuple(f"{room}/{family}/" for room in ("sim", "sim/sc", "python/_core") for family in FAMILIES)
SIMULATION = [
    path
    for folder in ("sim", "runtime", "python/_core")
    for path in tracked(f"{folder}/*.h", f"{folder}/*.cpp")
    if not name_of(path).startswith((*OF_ONE_FAMILY, *TABLES_OF_SIMULATION))
]
UNIT_KINDS = sorted(path.name for path in (ROOT / "sim/stream").iterdir() if path.is_dir() and path.name != "common")
SHARED_BY_UNITS = [
    path
    for path in tracked("sim/stream/*.h", "sim/stream/*.cpp")
    if not name_of(path).startswith(("sim/stream/units.cpp", *(f"sim/stream/{kind}/" for kind in UNIT_KINDS)))
]


def names_a_unit_kind(line: str) -> bool:
    """By the name of the machine's text, of the enum, or of its class."""
    classes = ["".join(word.capitalize() for word in kind.split("_")) for kind in KINDS]
    names = [*KINDS, *classes, *KINDS.values()]
    return re.search(rf"\b(?:{'|'.join(names)})\b", code_of(line)) is not None


def names_a_family(line: str) -> bool:
    """By what it includes, or by a namespace."""
    families = "|".join(FAMILIES)
    return re.search(rf'^#include "[\w/]*\b(?:{families})/|\b(?:{families})::', code_of(line)) is not None


def lines_that(rule, paths) -> list[str]:
    return [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if rule(line)
    ]


def test_rooms_of_simulation_name_no_unit_kind_and_no_family():
    assert len(SIMULATION) > 90
    assert lines_that(names_a_unit_kind, SIMULATION) == [], "ask a row of sim/sc/families.h"
    assert lines_that(names_a_family, SIMULATION) == [], "ask a row of sim/sc/families.h or python/_core/families.h"


def test_engines_name_no_unit_kind():
    assert len(SHARED_BY_UNITS) > 40
    assert lines_that(names_a_unit_kind, SHARED_BY_UNITS) == [], "ask a row of sim/stream/units.h"


def test_each_unit_kind_of_the_model_is_a_row():
    rows = (ROOT / "sim/stream/units.cpp").read_text()
    assert [kind for kind in UNIT_KINDS if f'#include "sim/stream/{kind}/' not in rows] == []


@pytest.mark.parametrize(
    "line",
    [
        "  if (engine.unit == acg::UnitKind::kDma) return;",
        '#include "sim/stream/systolic_array/systolic_array.h"',
        "const auto* array = dynamic_cast<const SimdArray*>(unit);",
        'refuse("the unit is no vliw_core");',
    ],
)
def test_a_planted_unit_kind_is_found(line):
    assert names_a_unit_kind(line)
    assert not names_a_unit_kind(f"  // {line}")


@pytest.mark.parametrize(
    "line",
    [
        '#include "sim/vliw/core.h"',
        '#include "sim/sc/stream/machine_run.h"',
        '#include "acg/isa/vliw/packet_record.h"',
        '#include "compiler/families/stream/buffer_use.h"',
        "  const vliw::Contexts& contexts = run.contexts();",
    ],
)
def test_a_planted_family_is_found(line):
    assert names_a_family(line)


@pytest.mark.parametrize("line", ["std::ofstream::pos_type at;", '#include "sim/stats/statistics.h"'])
def test_other_names_are_no_families(line):
    assert not names_a_family(line)
    assert not names_a_unit_kind(line)


# ---- Machines that commands drive are texts

DRIVEN = re.findall(r"machines/(\w+)\.acg", re.search(r"set\(commanded_files (.*?)\)", CMAKE, re.DOTALL)[1])
INCLUDED = re.findall(r"machines/(\w+)\.acg", re.search(r"set\(included_files (.*?)\)", CMAKE, re.DOTALL)[1])


def test_no_source_names_a_machine_that_commands_drive():
    """Such a machine stands in its text alone; tables of embeddings are of VTA's published instruction."""
    names = re.compile(rf"\b({'|'.join([*DRIVEN, 'adaptivfloat'])})\b", re.IGNORECASE)
    found = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in tracked("*.h", "*.cpp")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if names.search(line) and not name_of(path).startswith(("tests/", "compiler/embedding/"))
    ]
    assert {"flexasr", "hlscnn", "vta"} <= set(DRIVEN)
    assert "adaptivfloat" in INCLUDED
    assert found == []


def test_texts_of_machines_that_commands_drive_are_short():
    """A sixth or less of the published abstractions: Huang et al., 2022, say 5,600, 1,600 and 2,100 lines."""
    lines = {name: len((ROOT / f"acg/machines/{name}.acg").read_text().splitlines()) for name in (*DRIVEN, *INCLUDED)}
    assert lines["flexasr"] + lines["adaptivfloat"] + lines["piecewise"] <= 900
    assert lines["hlscnn"] <= 267
    assert lines["vta"] <= 300
