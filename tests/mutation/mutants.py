"""Reads the mutants, and writes sources that hold all of them.

Every mutant has a side (the list that it is written in), and keeps its number from one run to the next: its place in
its list, from 1, past what the sides before it may take. A rewritten source asks for the number that is active
(COVENANT_MUTANT) and takes the mistake or the original: one build holds all mutants, and no shipped source knows of
them.
"""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent

# Each side, and the suites that have to notice its mutants, one after another. New sides go last. Those of the first
# three are targets in tests/mutation/suite; those of the others are test programs, linked again (relink.py).
SUITES = {
    "systemc": ("mutation_suite",),
    "rtl": ("mutation_suite",),
    "generator": ("mutation_generator_suite",),
    "isa": ("unit_acg", "error_acg", "unit_stream", "property_acg", "unit_sim"),
    "frontend": ("pass_frontend", "error_frontend", "pass_pipeline"),
    "passes": ("pass_passes", "golden_figures", "error_codelet", "property_codelet", "property_pipeline"),
    "emission": ("unit_stream", "error_stream", "pass_pipeline", "property_pipeline"),
    "plan": ("error_rtl", "unit_rtl"),
    "comparator": ("unit_runtime",),
    "values": ("property_values",),
    "platform": ("unit_platform",),
    "embedding": ("property_embedding", "unit_embedding", "error_embedding"),
    "behaviour": ("unit_behaviour", "error_behaviour", "unit_command_device"),
    "match": ("unit_match",),
}
BUILT = ("systemc", "rtl", "generator")
UNFUSED = "unfused"
"""The suite that runs whole models and reads none of them through the project (suite/unfused.py)."""
SIDE_NUMBERS = 1000  # mutants that a side may have


@dataclass(frozen=True)
class Bench:
    """A bench of tests/unit/rtl that is Verilated with mutants in its modules (mutated_benches.py)."""

    top: str
    modules: tuple[str, ...]  # from the root of the project; mutants are in these
    benches: tuple[str, ...]  # what drives them
    options: tuple[str, ...] = ()
    arguments: str = ""


DEVICE = "rtl/src/device/covenant_"
BENCHES = {
    "bench_host": Bench(
        "covenant_host",
        tuple(f"{DEVICE}{name}.sv" for name in ("registers_pkg", "registers", "control", "host")),
        ("tests/unit/rtl/host_bench.cpp", "sim/common/registers.cpp"),
        ("-GNumFaults=40", "-GAlignment=8", "-GMachineHash=64'h0123456789ABCDEF"),
        "50000 1",
    ),
    "bench_axi": Bench(
        "axi_bench",
        (
            "rtl/src/common/covenant_queue.sv",
            *(f"{DEVICE}{name}.sv" for name in ("turns", "axi_read", "axi_write", "axi_read_mux", "axi_write_mux")),
        ),
        ("tests/unit/rtl/axi_bench.sv", "tests/unit/rtl/axi_bench.cpp"),
        (),
        "200000 1",
    ),
}


class MutantError(Exception):
    """A list of mutants that does not fit the sources."""


@dataclass(frozen=True)
class Mutant:
    """One mistake, and where it goes."""

    number: int  # of all sides' own
    side: str  # a key of SUITES
    name: str
    what: str
    file: str  # from the root of the project
    before: str  # text before what is replaced, `original` and `after` that: together found exactly once
    original: str
    after: str
    mutated: str
    is_statement: bool
    equivalent: str  # why no program can tell it from the original; empty if one can
    suite: str = ""  # the one that has to notice it; empty: those of its side
    needs: str = ""  # instructions of a processor without which no test reaches it, as /proc/cpuinfo names them

    @property
    def suites(self) -> tuple[str, ...]:
        """Suites that have to notice it, one after another."""
        return (self.suite,) if self.suite else SUITES[self.side]

    @property
    def is_python(self) -> bool:
        """Whether its source is Python."""
        return self.file.endswith(".py")

    @property
    def is_verilog(self) -> bool:
        """Whether its source is SystemVerilog, not C++."""
        return self.file.endswith(".sv")


def load(side: str) -> list[Mutant]:
    """All mutants of a side, in order. Raises MutantError if an entry is not complete or a name is used twice."""
    path = FOLDER / f"{side}.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    mutants: list[Mutant] = []
    first = list(SUITES).index(side) * SIDE_NUMBERS + 1
    for number, entry in enumerate(entries, first):
        text = entry["at"]
        if text.count("«") != 1 or text.count("»") != 1 or text.index("«") > text.index("»"):
            raise MutantError(f"{path}: {entry['name']}: `at` needs one « and one » after it")
        before, rest = text.split("«")
        original, after = rest.split("»")
        form = entry.get("form", "expression")
        if form not in ("expression", "statement"):
            raise MutantError(f"{path}: {entry['name']}: form is {form}, allowed are expression and statement")
        if any(known.name == entry["name"] for known in mutants):
            raise MutantError(f"{path}: {entry['name']}: a name used twice")
        mutants.append(
            Mutant(
                number,
                side,
                entry["name"],
                entry["what"],
                entry["file"],
                before,
                original,
                after,
                entry["to"],
                form == "statement",
                entry.get("equivalent", ""),
                entry.get("suite", ""),
                entry.get("needs", ""),
            )
        )
    return mutants


def load_all() -> list[Mutant]:
    """The mutants of all sides, side by side."""
    return [mutant for side in SUITES for mutant in load(side)]


def replacement(mutant: Mutant) -> str:
    """Text in place of the original: both versions, chosen by the active number. Raises MutantError for nothing."""
    if not mutant.is_statement and not (mutant.original.strip() and mutant.mutated.strip()):
        raise MutantError(f"{mutant.file}: {mutant.name}: an expression takes the place of another one, not of nothing")
    if mutant.is_verilog:
        if mutant.is_statement:
            chosen = f"if (covenant_mutation_pkg::active == {mutant.number}) begin {mutant.mutated} end "
            return f"{chosen}else begin {mutant.original} end"
        return f"((covenant_mutation_pkg::active == {mutant.number}) ? ({mutant.mutated}) : ({mutant.original}))"
    if mutant.is_python:
        if mutant.is_statement:
            raise MutantError(f"{mutant.file}: {mutant.name}: mutants of Python are expressions")
        active = f"__import__('active_mutant').NUMBER == {mutant.number}"
        return f"(({mutant.mutated}) if {active} else ({mutant.original}))"
    active = f"covenant::mutation::active() == {mutant.number}"
    if mutant.is_statement:
        return f"if ({active}) {{ {mutant.mutated} }} else {{ {mutant.original} }}"
    return f"({active} ? ({mutant.mutated}) : ({mutant.original}))"


def rewrite(text: str, mutants: list[Mutant]) -> str:
    """`text` of one file with all its mutants. Raises MutantError unless every original is found exactly once."""
    pieces: list[tuple[int, int, str]] = []
    for mutant in mutants:
        whole = mutant.before + mutant.original + mutant.after
        if (times := text.count(whole)) != 1:
            raise MutantError(f"{mutant.file}: {mutant.name}: its text is found {times} times, not once:\n  {whole}")
        start = text.index(whole) + len(mutant.before)
        pieces.append((start, start + len(mutant.original), replacement(mutant)))
    pieces.sort()
    for (_, end, _), (start, _, _) in itertools.pairwise(pieces):
        if start < end:
            raise MutantError(f"{mutants[0].file}: two mutants replace the same text")
    for start, end, new in reversed(pieces):
        text = text[:start] + new + text[end:]
    return text
