"""Every benchmark layer on several machines: cycles against the bound, time and memory that compiling takes.

./dev bench layers              # a table
./dev bench layers --json
./dev bench layers --write      # into docs/reference/benchmarks.md

Each layer is compiled in a process of its own, whose largest memory counts, the interpreter's included.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from covenant.baseline import processor_name
from covenant.benchmark import benchmark_layers
from covenant.files import write_whole

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
MACHINES = ("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "genesys:8x8", "genesys:16x16")
BEGIN, END = "<!-- ./dev bench layers --write -->", "<!-- end -->"
MIB = 1024**2


def measured(machine: str) -> list[dict[str, Any]]:
    """Rows of `measure.py`."""
    names = [layer.name for layer in benchmark_layers()]
    command = [sys.executable, Path(__file__).with_name("measure.py"), machine, *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def mean(rows: Sequence[dict[str, Any]]) -> float:
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))


def table(rows: dict[str, list[dict[str, Any]]], cell: Callable[[dict[str, Any]], str]) -> list[str]:
    """One line for each layer, one column for each machine."""
    lines = ["", f"| layer | {' | '.join(rows)} |", "|---|" + "---:|" * len(rows)]
    for of_layer in zip(*rows.values(), strict=True):
        lines.append(f"| {of_layer[0]['layer']} | {' | '.join(map(cell, of_layer))} |")
    return lines


def page(rows: dict[str, list[dict[str, Any]]]) -> str:
    """The tables in Markdown."""
    peaks = [max(row["peak_bytes"] for row in of_machine) / MIB for of_machine in rows.values()]
    return "\n".join(
        [
            "Simulated cycles, and in brackets how often the bound they are:",
            *table(rows, lambda row: f"{row['cycles']:,} ({row['ratio']:.3f})"),
            f"| **geometric mean** | {' | '.join(f'**{mean(of_machine):.3f}**' for of_machine in rows.values())} |",
            "",
            "What the bound comes from:",
            *table(rows, lambda row: row["limited_by"]),
            "",
            f"Processor seconds to compile a layer on {processor_name()}; memory of the largest process:",
            *table(rows, lambda row: f"{row['compile_seconds']:.2f}"),
            f"| **MiB at most** | {' | '.join(f'**{peak:,.0f}**' for peak in peaks)} |",
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench layers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    parser.add_argument("--json", action="store_true", help="the rows as JSON, by machine")
    parser.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    rows: dict[str, list[dict[str, Any]]] = {}
    for machine in arguments.machine or MACHINES:
        print(f"  {machine}", file=sys.stderr)
        rows[machine] = measured(machine)
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        write_whole(PAGE, f"{before}{BEGIN}\n\n{page(rows)}\n\n{END}{rest.partition(END)[2]}")
    print(json.dumps(rows, indent=1) if arguments.json else page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
