"""`covenant bench ablation`: what each optimisation of the compiler gains."""

from __future__ import annotations

import argparse
from itertools import pairwise
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import add_json, add_machine_settings, add_subcommand, machine_of, machine_request
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output

if TYPE_CHECKING:  # `--help` does not pay
    from covenant.bench.ablation import Step
    from covenant.bench.layers import BenchmarkLayer

EXAMPLES = """  covenant bench ablation -m hvx
  covenant bench ablation -m hvx --layer ResNet50/CONV2 --json"""


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "ablation", "add the optimisations for packets one after the other, and say what each gains", EXAMPLES
    )
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "--layer", action="append", metavar="NAME", help="only these, * standing for any characters; repeatable"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints one row for each layer; exit code 1 if a byte differs from the exact sums."""
    from covenant.bench.ablation import FACTORS, ablation_of
    from covenant.bench.layers import benchmark_layers

    machine = machine_of(machine_request(arguments))
    layers = chosen_layers(benchmark_layers(), arguments.layer)
    rows = [
        _row(layer, ablation_of(layer, machine)) for layer in output.progress(layers, f"ablation on {machine.name}")
    ]
    factors = {name: geometric_mean(row["gains"][name] for row in rows) for name in FACTORS}
    product = geometric_mean(row["product"] for row in rows)
    identical = all(row["identical"] for row in rows)
    if output.json:
        output.object(
            {"machine": machine.name, "preset": machine.preset, "parameters": machine.parameters, "factors": factors,
             "product": product, "rows": rows, "identical": identical}
        )  # fmt: skip
    else:
        columns = ("layer", "cycles without", *(f"+ {name}" for name in FACTORS), "product", "identical")
        output.table(f"ablation on {arguments.machine}: cycles", columns, [_cells(row) for row in rows])
        gains = ", ".join(f"{name} {gain:.2f}" for name, gain in factors.items())
        output.line(f"geometric means of what each gains: {gains}; together {product:.1f}")
    return 0 if identical else 1


def _row(layer: BenchmarkLayer, steps: dict[str, Step]) -> dict[str, Any]:
    cycles = {name: step.cycles for name, step in steps.items()}
    names = list(cycles)
    return {
        "layer": layer.name,
        "macs": layer.macs,
        "cycles": cycles,
        "packets": {name: step.packets for name, step in steps.items()},
        "gains": {name: cycles[before] / cycles[name] for before, name in pairwise(names)},
        "product": cycles[names[0]] / cycles[names[-1]],
        "cropped": {name: {**step.cropped, "scale": step.scale} for name, step in steps.items() if step.cropped},
        "identical": all(step.identical for step in steps.values()),
    }


def _cells(row: dict[str, Any]) -> list[Any]:
    return [row["layer"], *row["cycles"].values(), row["product"], row["identical"]]
