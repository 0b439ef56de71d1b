"""Whole networks on several machines: cycles, and the time and memory that compiling takes.

./dev bench networks              # a table
./dev bench networks --json
./dev bench networks --write      # into docs/reference/benchmarks.md
./dev bench networks --network densenet121 --machine genesys:09

The networks are made first: ResNets (resnet.py), and those of the zoo that need no other packages. Each is measured in
a process of its own, whose largest memory counts, the interpreter's included. Seconds of the simulation, values and
cycles, stand beside those of ONNX Runtime's own inference in the same process, on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marks import write_between
from resnet import NETWORKS, write

from covenant import zoo
from covenant.baseline import processor_name
from covenant.zoo.entries import EncoderLayer, Exported

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
MACHINES = ("genesys:03", "genesys:07", "genesys:09")
BEGIN = "<!-- ./dev bench networks --write -->"
MIB = 1024**2
VERDICTS = {True: "every byte", False: "**no**", None: "not on this processor"}
OF_ZOO = tuple(name for name, entry in zoo.ENTRIES.items() if not isinstance(entry.source, (Exported, EncoderLayer)))


def make(network: str, path: Path) -> None:
    """Writes the model of a network."""
    if network in NETWORKS:
        write(network, path)
    else:
        path.write_bytes(zoo.get(network).read_bytes())


def measured(machine: str, model: Path) -> dict[str, Any]:
    """The row of `measure_network.py`."""
    command = [sys.executable, Path(__file__).with_name("measure_network.py"), machine, model]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return {"machine": machine, **json.loads(done.stdout)}


def page(rows: Sequence[dict[str, Any]]) -> str:
    """The table in Markdown."""
    lines = [
        f"Compiled on {processor_name()}, {os.cpu_count()} cores:",
        "",
        "| network | machine | cycles | equal to ONNX Runtime | compiled in, s | processor s | MiB | simulated in, s | "
        "times ONNX Runtime |",
        "|---|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['network']} | {row['machine']} | {row['cycles']:,} | {VERDICTS[row['identical']]} | "
            f"{row['seconds']:.1f} | {row['processor_seconds']:.1f} | {row['peak_bytes'] / MIB:,.0f} | "
            f"{row['simulate_seconds']:.2f} | {row['ratio_to_onnxruntime']:.1f} |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench networks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    names = [*NETWORKS, *OF_ZOO]
    parser.add_argument("--network", action="append", choices=names, help="repeatable (default: all)", metavar="NAME")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for network in arguments.network or names:
            model = Path(folder) / f"{network}.onnx"
            make(network, model)
            for machine in arguments.machine or MACHINES:
                print(f"  {network} on {machine}", file=sys.stderr)
                rows.append(measured(machine, model))
    if arguments.write:
        write_between(PAGE, {BEGIN: page(rows)})
    print(json.dumps(rows, indent=1) if arguments.json else page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
