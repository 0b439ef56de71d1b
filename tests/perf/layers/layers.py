"""Measures every benchmark layer on several machines: cycles against the bound, time and memory of compiling.

Then models with layers that may be fused: cycles and time with and without fusion.

./dev bench layers              # a table
./dev bench layers --json
./dev bench layers --write      # into docs/reference/benchmarks.md

Each row is compiled in a process of its own, whose largest memory counts, the interpreter's included.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from marks import write_between
from shortcut_models import MODELS

from covenant.bench.baseline import processor_name
from covenant.bench.layers import benchmark_layers

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
MACHINES = ("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "genesys:8x8", "genesys:16x16")
BEGIN = "<!-- ./dev bench layers --write -->"
BEGIN_PAIRS = "<!-- ./dev bench layers --write: fusion -->"
MIB = 1024**2


Rows = dict[str, list[dict[str, Any]]]
"""Rows by machine."""


def measured(machine: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """Rows of `measure_layers.py`."""
    command = [sys.executable, Path(__file__).with_name("measure_layers.py"), machine, *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def mean(rows: Sequence[dict[str, Any]]) -> float:
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))


def table(rows: Rows, kind: str, cell: Callable[[dict[str, Any]], str]) -> list[str]:
    """One line for each layer or model (the `kind`), one column for each machine."""
    lines = ["", f"| {kind} | {' | '.join(rows)} |", "|---|" + "---:|" * len(rows)]
    for line in zip(*rows.values(), strict=True):
        lines.append(f"| {line[0][kind]} | {' | '.join(map(cell, line))} |")
    return lines


def page_of_pairs(rows: Rows) -> str:
    """The tables of fusion in Markdown."""
    return "\n".join(
        [
            "Simulated cycles of models with layers that may be fused, and in brackets without fusion:",
            *table(rows, "model", lambda row: f"{row['cycles']:,} ({row['cycles_apart']:,})"),
            "",
            "Processor seconds to compile them, and in brackets without fusion:",
            *table(rows, "model", lambda row: f"{row['compile_seconds']:.2f} ({row['compile_seconds_apart']:.2f})"),
        ]
    )


def page(rows: Rows) -> str:
    """The tables of layers in Markdown."""
    peaks = [max(row["peak_bytes"] for row in of_machine) / MIB for of_machine in rows.values()]
    return "\n".join(
        [
            "Simulated cycles, and in brackets how often the bound they are:",
            *table(rows, "layer", lambda row: f"{row['cycles']:,} ({row['ratio']:.3f})"),
            f"| **geometric mean** | {' | '.join(f'**{mean(of_machine):.3f}**' for of_machine in rows.values())} |",
            "",
            "What determines the bound:",
            *table(rows, "layer", lambda row: row["limited_by"]),
            "",
            f"Processor seconds to compile a layer on {processor_name()}; memory of the largest process:",
            *table(rows, "layer", lambda row: f"{row['compile_seconds']:.2f}"),
            f"| **MiB at most** | {' | '.join(f'**{peak:,.0f}**' for peak in peaks)} |",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench layers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    parser.add_argument("--json", action="store_true", help="the rows as JSON, by machine; `pairs`: of fusion")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    rows: Rows = {}
    pairs: Rows = {}
    for machine in arguments.machine or MACHINES:
        print(f"  {machine}", file=sys.stderr)
        rows[machine] = measured(machine, (layer.name for layer in benchmark_layers()))
        pairs[machine] = measured(machine, MODELS)
    if arguments.write:
        write_between(PAGE, {BEGIN: page(rows), BEGIN_PAIRS: page_of_pairs(pairs)})
    if arguments.json:
        print(json.dumps({**rows, "pairs": pairs}, indent=1))
    else:
        print(f"{page(rows)}\n\n{page_of_pairs(pairs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
