"""How fast compiling and simulating are, on this computer.

    ./dev bench
    ./dev exec python tests/perf/bench.py --machine genesys --machine genesys:32x32 --seconds 5

One row per model and machine: seconds to compile, cycles of one image, simulated cycles per second (median of as many
runs as fit), and the same without the cycles (`interpret`). Written to build/bench.json as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import covenant
from covenant.files import write_whole
from covenant.inputs import random_feeds

ROOT = Path(__file__).resolve().parents[2]
MODELS = (ROOT / "examples/01_digits/digits_qoperator.onnx", ROOT / "examples/01_digits/digits_qdq.onnx")
MACHINES = ("genesys:8x8", "genesys:16x16", "genesys:32x32")
AT_LEAST = 3


def median_seconds(action: Callable[[], object], budget: float) -> float:
    """Median wall-clock time of an action that is repeated until the budget is spent, at least AT_LEAST times."""
    times: list[float] = []
    while len(times) < AT_LEAST or sum(times) < budget:
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(model: Path, machine: str, budget: float) -> dict[str, Any]:
    """One row."""
    program = covenant.compile(model, machine)
    (feed,) = random_feeds(program, images=1, seed=0)
    cycles = covenant.run(program, feed).cycles
    simulate = median_seconds(lambda: covenant.run(program, feed), budget)
    return {
        "model": model.name,
        "machine": machine,
        "compile_seconds": median_seconds(lambda: covenant.compile(model, machine), budget / 4),
        "cycles": cycles,
        "simulate_seconds": simulate,
        "cycles_per_second": cycles / simulate,
        "interpret_seconds": median_seconds(lambda: covenant.run(program, feed, backend="interpret"), budget / 4),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", action="append", help=f"default: {', '.join(MACHINES)}")
    parser.add_argument("--seconds", type=float, default=2.0, help="to spend on each row (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench.json")
    arguments = parser.parse_args(argv)
    rows = []
    print(f"{'model':<24} {'machine':<16} {'compile s':>10} {'cycles':>10} {'cycles/s':>12} {'interpret s':>12}")
    for model in MODELS:
        for machine in arguments.machine or MACHINES:
            row = measure(model, machine, arguments.seconds)
            rows.append(row)
            print(
                f"{row['model']:<24} {row['machine']:<16} {row['compile_seconds']:>10.4f} {row['cycles']:>10,} "
                f"{row['cycles_per_second']:>12,.0f} {row['interpret_seconds']:>12.4f}",
                flush=True,
            )
    computer = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    write_whole(arguments.output, json.dumps({"computer": computer, "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
