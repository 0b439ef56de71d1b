"""Runs Yosys on the RTL of machines: refuses what is not hardware, and counts cells.

    ./dev synth
    ./dev synth genesys:8x8 genesys:16x16 --json
    ./dev synth --write      # the committed figures anew: docs/reference/rtl-cells.json

Every module is elaborated with the parameters that the machine gives it. A latch, a net that nothing drives or that two
drive, or a loop of wires ends the run with exit code 1. The table has one row for each module: how often the machine
has it; word-level cells, bits of registers, bits of memories and multipliers (those of addresses too) of all of these,
without what stands in modules below it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "build/release/tests/perf/synth/synth_sources"
FIGURES = ROOT / "docs/reference/rtl-cells.json"
MACHINES = ("genesys:8x8", "genesys:16x16")
COLUMNS = ("instances", "cells", "register_bits", "memory_bits", "multipliers")
LATCHES = r"t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr"
REGISTER = re.compile(r"^\$(?:a|s)?dff(?:e|sr|sre)?_(\d+)$|^\$aldffe?_(\d+)$|^\$sdffce_(\d+)$|^\$adffe_(\d+)$")


class NotHardwareError(Exception):
    """Yosys has found something that is not hardware."""


def script(sources: Sequence[str]) -> str:
    """Passes: elaborate, no inferred latches, nothing undriven, light clean-up, count."""
    return "; ".join(
        (
            f"read_verilog -defer -sv -DSYNTHESIS {' '.join(sources)}",
            "hierarchy -check -top covenant_top",
            "proc",
            "check -assert",
            f"select -assert-none {LATCHES}",
            "opt_expr -fine",
            "opt_merge",
            "opt_clean",
            "check -assert",
            "tee -q -o cells.json stat -width -json",
        )
    )


def base_name(module: str) -> str:
    r"""covenant_dma of `$paramod\covenant_dma\Stores=1` and of `$paramod$<hash>\covenant_dma`."""
    names = [part for part in module.split("\\") if part.startswith("covenant_")]
    return names[0] if names else module


def instances_of(modules: dict[str, Any], top: str) -> Counter[str]:
    """How often each module stands in the machine."""
    found: Counter[str] = Counter()

    def visit(name: str, times: int) -> None:
        found[name] += times
        for cell, count in modules[name]["num_cells_by_type"].items():
            if cell in modules:
                visit(cell, times * count)

    visit(top, 1)
    return found


def register_bits(cells: dict[str, int]) -> int:
    """Flip-flops of one module."""
    bits = 0
    for cell, count in cells.items():
        if matched := REGISTER.match(cell):
            bits += count * int(next(group for group in matched.groups() if group))
    return bits


def table_of(modules: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Sums by module, whatever its parameters."""
    rows: dict[str, dict[str, int]] = {}
    top = next(name for name in modules if base_name(name) == "covenant_top")
    for name, times in instances_of(modules, top).items():
        module = modules[name]
        own = {cell: count for cell, count in module["num_cells_by_type"].items() if cell not in modules}
        row = rows.setdefault(base_name(name), dict.fromkeys(COLUMNS, 0))
        row["instances"] += times
        row["cells"] += times * sum(own.values())
        row["register_bits"] += times * register_bits(own)
        row["memory_bits"] += times * module["num_memory_bits"]
        row["multipliers"] += times * sum(count for cell, count in own.items() if cell.startswith("$mul"))
    return dict(sorted(rows.items()))


def synthesise(machine: str) -> dict[str, dict[str, int]]:
    """The table of one machine. Raises NotHardwareError."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SOURCES, machine, folder], check=True)
        listed = (Path(folder) / "covenant.f").read_text().split()
        sources = [name for name in listed if name.endswith(".sv")]
        done = subprocess.run(
            ["yosys", "-q", "-p", script(sources)], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise NotHardwareError(f"{machine}: {(done.stdout + done.stderr).strip()[-2000:]}")
        text = (Path(folder) / "cells.json").read_text()
        # After the modules Yosys 0.23 prints its tree of instances, which is not JSON.
        return table_of(json.loads(text.split("\n   },")[0] + "}}")["modules"])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev synth", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "machines", nargs="*", default=MACHINES, metavar="MACHINE", help="as `covenant show` takes them"
    )
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--write", action="store_true", help=f"write them to {FIGURES.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    figures: dict[str, dict[str, dict[str, int]]] = {}
    for machine in arguments.machines:
        print(f"  yosys reads {machine} (half a minute for each 64 elements)", file=sys.stderr)
        try:
            figures[machine] = synthesise(machine)
        except NotHardwareError as error:
            print(error, file=sys.stderr)
            return 1
    if arguments.write:
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n")
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return 0
    for machine, rows in figures.items():
        print(f"\n{machine}\n{'module':26}" + "".join(f"{column.replace('_', ' '):>15}" for column in COLUMNS))
        total = {column: sum(row[column] for row in rows.values()) for column in COLUMNS}
        for name, row in [*rows.items(), ("all", total)]:
            print(f"{name:26}" + "".join(f"{row[column]:15,}" for column in COLUMNS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
