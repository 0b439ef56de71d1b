"""`covenant bench deepbench`: DeepBench's inference layers on a machine."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from covenant.cli.arguments import add_json, add_machine_settings, add_subcommand, machine_of, machine_request, mistake
from covenant.cli.deepbench_embeddings import show_embeddings
from covenant.cli.embedding_options import add_embedding_rules, embedding_rules
from covenant.cli.figures_file import FiguresFile
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output

EXAMPLES = """  covenant bench deepbench -m genesys:07 --layer 'device/*'
  covenant bench deepbench -m genesys:07 -o deepbench.json
  covenant bench deepbench -m genesys:07 --embeddings --json
  covenant bench deepbench -m genesys:07 --embeddings --relaxations pad,fuse,exchange"""
_COLUMNS = ["layer", "cycles", "bound", "ratio", "compared", "identical", "compile s", "simulate s"]
_KEYS = ("layer", "cycles", "bound", "ratio", "compared", "identical", "compile_seconds", "simulate_seconds")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(measures, "deepbench", "compile and simulate DeepBench's inference layers", EXAMPLES)
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "--layer", action="append", metavar="NAME", help="only these, * standing for any characters; repeatable"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="figures as JSON; what it has already is not measured again"
    )
    parser.add_argument(
        "--embeddings", action="store_true",
        help="simulate nothing: all embeddings of the 108 convolutions into the machine's instructions",
    )  # fmt: skip
    add_embedding_rules(parser.add_argument_group("with --embeddings"))
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints one row for each layer; exit code 1 if a byte differs from ONNX Runtime's."""
    from covenant.bench.deepbench import layers, measure

    rules = embedding_rules(arguments)
    if rules.is_given and not arguments.embeddings:
        raise mistake("--relaxations and --most-nodes are about embeddings", "add --embeddings")
    machine = machine_of(machine_request(arguments))
    if arguments.embeddings:
        return show_embeddings(machine, arguments.layer, rules.rules(), output)
    kept = FiguresFile(arguments.output, {"machine": machine.to_json()}, "layer")
    some = output.progress(chosen_layers(layers(), arguments.layer), f"deepbench on {machine.name}")
    chosen = [kept.get(layer.name) or kept.add(asdict(measure(layer, machine))) for layer in some]
    ratios = [row["ratio"] for row in chosen if row["ratio"]]
    mean = geometric_mean(ratios) if ratios else None
    identical = all(row["identical"] for row in chosen)
    if output.json:
        output.object(
            {"machine": machine.name, "preset": machine.preset, "parameters": machine.parameters, "rows": chosen,
             "geometric_mean": mean, "identical": identical}
        )  # fmt: skip
    else:
        output.table(
            f"deepbench on {arguments.machine}", _COLUMNS, [[_cell(row[key]) for key in _KEYS] for row in chosen]
        )
        output.line(f"geometric mean of cycles / bound: {mean:.3f}" if mean else "no bound is known")
    return 0 if identical else 1


def _cell(value: Any) -> Any:
    return f"{value:,}" if type(value) is int else "" if value is None else value
