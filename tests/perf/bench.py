"""Measures how fast this computer compiles and simulates.

    ./dev bench
    ./dev exec python tests/perf/bench.py --machine genesys --machine genesys:32x32 --seconds 5

One row per model and machine: seconds to compile, cycles of one image, simulated cycles per second (median of as many
runs as fit), and the same without the cycles (`interpret`). Then seconds to compile long chains of small layers, which
grow as their number does. Written to build/bench.json as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import covenant
from covenant.files import write_whole
from covenant.program.inputs import random_feeds

ROOT = Path(__file__).resolve().parents[2]
MODELS = (ROOT / "examples/01_digits/digits_qoperator.onnx", ROOT / "examples/01_digits/digits_qdq.onnx")
MACHINES = ("genesys:8x8", "genesys:16x16", "genesys:32x32")
AT_LEAST = 3
CHAINS = (100, 1000, 10000)
"""Layers."""


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


def chain_of(layers: int, path: Path) -> Path:
    """Max pools of small images, one after the other."""
    from onnx import TensorProto, helper, numpy_helper, save

    constants = [numpy_helper.from_array(np.float32(0.05), "s"), numpy_helper.from_array(np.int8(0), "z")]
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["v0"])]
    for i in range(layers):
        nodes.append(helper.make_node("MaxPool", [f"v{i}"], [f"v{i + 1}"], kernel_shape=[3, 3], pads=[1] * 4))
    nodes.append(helper.make_node("DequantizeLinear", [f"v{layers}", "s", "z"], ["y"]))
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, 8, 8])] for name in "xy"]
    graph = helper.make_graph(nodes, "chain", *ends, constants)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), str(path))
    return path


def measure_chains(machine: str) -> list[dict[str, Any]]:
    """Seconds to compile chains, of processor time: other work on the computer does not count."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for layers in CHAINS:
            path = chain_of(layers, Path(folder) / f"{layers}.onnx")
            start = time.process_time()
            covenant.compile(path, machine, threads=1)
            rows.append({"layers": layers, "machine": machine, "compile_seconds": time.process_time() - start})
    return rows


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
    chains = measure_chains(MACHINES[0])
    for row in chains:
        print(
            f"{row['layers']:>6,} max pools in a chain on {row['machine']}: {row['compile_seconds']:.2f} s to compile"
        )
    computer = {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    write_whole(arguments.output, json.dumps({"computer": computer, "rows": rows, "chains": chains}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
