"""Work of `covenant bench table2`: measures layers of published networks, beside a lower bound."""

from __future__ import annotations

import math
import time
from typing import Any

from covenant.bench.layers import BenchmarkLayer, benchmark_layers, bound_of, compile_layer, exact_sums
from covenant.cli.arguments import MachineRequest, machine_of
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output
from covenant.machine import Machine
from covenant.program.inputs import random_feeds
from covenant.runtime.simulate import run

COLUMNS = ("layer", "cycles", "bound", "ratio", "identical", "limited by", "compile s")


def measure(request: MachineRequest, names: list[str] | None, schedule: str | None, output: Output) -> int:
    """Compiles and simulates each layer; exit code 1 if a byte differs from the exact sums."""
    machine = machine_of(request)
    layers = output.progress(chosen_layers(benchmark_layers(), names), f"table2 on {machine.name}")
    rows = [_row(layer, machine, schedule) for layer in layers]
    mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
    identical = all(row["identical"] for row in rows)
    if output.json:
        output.object(
            {
                "table": "table2",
                "machine": machine.name,
                "preset": machine.preset,
                "parameters": machine.parameters,
                "rows": rows,
                "geometric_mean": mean,
                "identical": identical,
            }
        )
    else:
        keys = ("layer", "cycles", "bound", "ratio", "identical", "limited_by", "compile_seconds")
        output.table(f"table2 on {request.spec}", COLUMNS, [[row[key] for key in keys] for row in rows])
        output.line(f"geometric mean of cycles / bound: {mean:.3f}")
    return 0 if identical else 1


def _row(layer: BenchmarkLayer, machine: Machine, schedule: str | None) -> dict[str, Any]:
    start = time.perf_counter()
    program = compile_layer(layer.name, machine, schedule)
    seconds = time.perf_counter() - start
    (feed,) = random_feeds(program, images=1, seed=0)
    result = run(program, feed)
    (x,) = feed.values()
    (y,) = result.outputs.values()
    bound = bound_of(layer.name, program)
    return {
        "layer": layer.name,
        "cycles": result.cycles,
        "bound": bound.cycles,
        "ratio": result.cycles / bound.cycles,
        "identical": y.tobytes() == exact_sums(layer, x).tobytes(),
        "limited_by": bound.limited_by,
        "bound_busiest": bound.busiest,
        "bound_fixed": bound.fixed,
        "macs": layer.macs,
        "words": len(program.words),
        "compile_seconds": seconds,
    }
