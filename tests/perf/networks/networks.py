"""Whole networks on several machines: cycles, and the time and memory that compiling takes.

./dev bench networks              # a table
./dev bench networks --json
./dev bench networks --write      # into docs/reference/benchmarks.md

The networks are made first (resnet.py). Each is compiled in a process of its own, whose largest memory counts, the
interpreter's included.
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

from covenant.baseline import processor_name

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
MACHINES = ("genesys:03", "genesys:07", "genesys:09")
BEGIN = "<!-- ./dev bench networks --write -->"
MIB = 1024**2


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
        "| network | machine | cycles | seconds | processor seconds | MiB |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        lines.append(
            f"| {row['network']} | {row['machine']} | {row['cycles']:,} | {row['seconds']:.1f} | "
            f"{row['processor_seconds']:.1f} | {row['peak_bytes'] / MIB:,.0f} |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev bench networks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    parser.add_argument("--network", action="append", choices=sorted(NETWORKS), help="repeatable (default: all)")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for network in arguments.network or NETWORKS:
            model = Path(folder) / f"{network}.onnx"
            write(network, model)
            for machine in arguments.machine or MACHINES:
                print(f"  {network} on {machine}", file=sys.stderr)
                rows.append(measured(machine, model))
    if arguments.write:
        write_between(PAGE, {BEGIN: page(rows)})
    print(json.dumps(rows, indent=1) if arguments.json else page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
