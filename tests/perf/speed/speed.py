"""Simulated cycles per second of the SystemC model and of the Verilated RTL, on one program with values and cycles.

    ./dev bench speed
    ./dev bench speed --machine genesys:16x16 --n 1024 --json
    ./dev bench speed --machine hvx

Each row is one process that runs both models on the same program: a layer of the benchmark table, cut where asked.
Seconds are processor time (both models have one thread), the median of three runs of the RTL and of fifteen of
SystemC, five before each of the RTL. Bytes and cycles of both must be the same: exit code 1 if not, or if a ratio is
below 200 or the RTL slower than 0.6 and 0.15 million cycles a second at 16x16 and 32x32 (so that the ratio is not won
by a slow RTL).

A machine that issues packets has a row of its own: packets per second of our model, values and cycles on, and of QEMU,
which has values only, on the same executable. Bytes must be the same: exit code 1 if not, below 10 million packets a
second, or if QEMU is faster.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from packets import measure_packets

import covenant

ROOT = Path(__file__).resolve().parents[3]
BENCH = ROOT / "build/release/tests/perf/speed/speed"
CACHE = ROOT / "build/release/rtl_models"
LEAST_RATIO = 200
LEAST_RTL = {"genesys:16x16": 0.6e6, "genesys:32x32": 0.15e6}


def measure(machine: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """One row: what the bench prints, and whether it is good enough."""
    sizes = [str(arguments.m), str(arguments.k), str(arguments.n)]
    print(f"  {machine}: the first run builds its Verilated model (a minute or more)", file=sys.stderr)
    done = subprocess.run(
        [BENCH, machine, CACHE, arguments.layer, *sizes], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(done.returncode)
    row: dict[str, Any] = json.loads(done.stdout)
    is_fast = row["rtl_cycles_per_second"] >= LEAST_RTL.get(machine, 0)
    row["good"] = row["same"] and row["ratio"] >= LEAST_RATIO and is_fast
    return row


def show_cycles(rows: Sequence[dict[str, Any]]) -> None:
    """The rows of machines with RTL."""
    print(f"{'machine':16}{'layer':16}{'cycles':>12}{'systemc/s':>14}{'rtl/s':>12}{'ratio':>8}  same bytes and cycles")
    for row in rows:
        print(
            f"{row['machine']:16}{row['layer']:16}{row['cycles']:12,}{row['systemc_cycles_per_second']:14,.0f}"
            f"{row['rtl_cycles_per_second']:12,.0f}{row['ratio']:8.1f}  {'yes' if row['same'] else 'NO'}"
        )


def show_packets(rows: Sequence[dict[str, Any]]) -> None:
    """The rows of machines that issue packets."""
    print(
        f"{'machine':16}{'layer':16}{'packets':>12}{'core/s':>14}{'values/s':>14}{'qemu/s':>14}{'ratio':>8}  same bytes"
    )
    for row in rows:
        print(
            f"{row['machine']:16}{row['layer']:16}{row['packets']:12,}{row['packets_per_second']:14,}"
            f"{row['packets_per_second_without_cycles']:14,}{row['qemu_packets_per_second']:14,}{row['ratio']:8.2f}"
            f"  {'yes' if row['same'] else 'NO'}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench speed", description=__doc__.split("\n\n")[0])
    parser.add_argument("--machine", action="append", help="default: genesys:16x16, genesys:32x32 and hvx")
    parser.add_argument("--layer", default="BERT-LG/GEMM1", help="a gemm of the benchmark table")
    parser.add_argument("--m", type=int, default=384, help="rows at most")
    parser.add_argument("--k", type=int, default=1024, help="products of a sum at most; with packets all")
    parser.add_argument("--n", type=int, default=4096, help="columns at most; with packets all")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    arguments = parser.parse_args(argv)
    machines = arguments.machine or [*LEAST_RTL, "hvx"]
    with_packets = [machine for machine in machines if covenant.Machine(machine).issues_packets]
    cycles = [measure(machine, arguments) for machine in machines if machine not in with_packets]
    packets = [measure_packets(machine, arguments.layer, arguments.m) for machine in with_packets]
    rows = [*cycles, *packets]
    if arguments.json:
        print(json.dumps(rows, indent=1))
    else:
        if cycles:
            show_cycles(cycles)
        if packets:
            show_packets(packets)
    return 0 if all(row["good"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
