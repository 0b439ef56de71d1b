"""`covenant bench`: cycles of published layers on a machine, beside a lower bound."""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

from covenant.bench.layers import BenchmarkLayer, benchmark_layers, bound_of, compile_layer, exact_sums
from covenant.cli import ablation_command, deepbench_command, multitarget, networks_command, peers_command
from covenant.cli.arguments import add_command, add_json, add_machine_settings, add_schedule, add_subcommand, machine_of
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output
from covenant.machine import Machine
from covenant.program.inputs import random_feeds
from covenant.runtime.simulate import run

EXAMPLES = """  covenant bench table2 -m dnnweaver
  covenant bench table2 -m genesys:07 --json
  covenant bench table2 -m dnnweaver --layer ResNet50/CONV1 --layer DLRM/FC1
  covenant bench table2 -m dnnweaver --layer DLRM/FC1 --schedule edited.schedule"""

COLUMNS = ("layer", "cycles", "bound", "ratio", "identical", "limited by", "compile s")


def add(commands: Any) -> None:
    """Adds the command and its benchmarks."""
    parts = (multitarget, deepbench_command, networks_command, ablation_command, peers_command)
    parser = add_command(commands, "bench", "\n".join([EXAMPLES, *(part.EXAMPLES for part in parts)]))
    measures = parser.add_subparsers(metavar="MEASURE", required=True)
    table2 = add_subcommand(
        measures, "table2", "compare the 17 layers of the Covenant paper's Table 2 with what a machine can do at best",
        EXAMPLES,
    )  # fmt: skip
    table2.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(table2)
    add_schedule(table2)
    add_json(table2)
    several = add_subcommand(
        measures, "multitarget", "compare machines with this computer's processor on these layers", multitarget.EXAMPLES
    )
    multitarget.add_options(several)
    for one in (table2, several):
        one.add_argument("--layer", action="append", metavar="NAME", help="only this layer; repeatable")
    table2.set_defaults(execute=execute)
    deepbench_command.add(measures)
    networks_command.add(measures)
    peers_command.add(measures)
    ablation_command.add(measures)
    several.set_defaults(
        execute=lambda given, output: multitarget.measure(given, chosen_layers(benchmark_layers(), given.layer), output)
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Compiles and simulates each layer; exit code 1 if a byte differs from the exact sums."""
    machine = machine_of(arguments.machine, arguments)
    layers = output.progress(chosen_layers(benchmark_layers(), arguments.layer), f"table2 on {machine.name}")
    rows = [_row(layer, machine, arguments.schedule) for layer in layers]
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
        output.table(f"table2 on {arguments.machine}", COLUMNS, [[row[key] for key in keys] for row in rows])
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
