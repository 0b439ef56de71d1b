"""`covenant cosim`: the SystemC model and the RTL in lock step."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_memory, mistake, not_negative, positive
from covenant.cli.cosim_request import CosimRequest, DrawnRequest
from covenant.cli.output import Output
from covenant.cli.source_request import add_build, add_source, build_of, source_request
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant cosim model.onnx -m genesys --preset 16x16
  covenant cosim model.onnx -m genesys:8x8 --input test.npz --images 10 --json
  covenant cosim model.onnx -m genesys:8x8 --memory ddr4_2400
  covenant cosim --layer BERT-LG/GEMM1 -m genesys:16x16            # `covenant compile --layer list` names them
  covenant cosim model.cprog --wave run.fst --from 1000 --to 2000  # open it with gtkwave
  covenant cosim --random-machines 60 --random-layers 20 --seed 7 --rtl-quick --json
  covenant cosim --random-machines 20 --memory all                 # each layer with each off-chip memory
  covenant cosim --broken-machines 2000 --seed 1"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "cosim", EXAMPLES)
    add_source(parser, optional=True)
    parser.add_argument("--layer", metavar="NAME", help="a layer of the benchmark table instead of a model")
    add_memory(parser)
    parser.add_argument("--image", type=not_negative, metavar="K", help="run only image K, counted from 0")
    parser.add_argument(
        "--wave",
        type=WrittenPath,
        metavar="FILE",
        help="write waveforms of the RTL (FST); of the first image that runs",
    )
    parser.add_argument("--from", type=not_negative, default=0, metavar="CYCLE", dest="first_cycle", help="of --wave")
    parser.add_argument("--to", type=not_negative, metavar="CYCLE", dest="last_cycle", help="of --wave")
    _add_random(parser)
    _add_broken(parser)
    add_build(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def _add_random(parser: argparse.ArgumentParser) -> None:
    """The options of random runs."""
    parser.add_argument(
        "--random-machines", type=positive, metavar="N", help="run N random machines of --seed instead of a model"
    )
    parser.add_argument(
        "--random-layers", type=positive, default=20, metavar="N", help="layers on each of them (default: 20)"
    )
    parser.add_argument(
        "--first-machine", type=not_negative, default=0, metavar="K", help="number of the first (default: 0)"
    )
    parser.add_argument("--jobs", type=positive, metavar="N", help="machines at a time (default: one for each core)")
    parser.add_argument(
        "--output", metavar="DIR", default=".", help="where the files go that reproduce a difference (default: .)"
    )


def _add_broken(parser: argparse.ArgumentParser) -> None:
    """The option of broken machines."""
    parser.add_argument(
        "--broken-machines", type=positive, metavar="N", help="break N random machines of --seed: each must be refused"
    )


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Runs a model, or machines that are drawn."""
    from covenant.cli.broken_cosim import execute_broken
    from covenant.cli.cosim_model import execute_model
    from covenant.cli.random_cosim import execute_random

    if arguments.random_machines and arguments.broken_machines:
        raise mistake("machines are random or broken", "give one of --random-machines and --broken-machines")
    if arguments.random_machines:
        return execute_random(_drawn(arguments, arguments.random_machines), output)
    if arguments.broken_machines:
        return execute_broken(_drawn(arguments, arguments.broken_machines), output)
    return execute_model(_request(arguments), output)


def _request(arguments: argparse.Namespace) -> CosimRequest:
    """Request made from the parsed options."""
    return CosimRequest(
        source=source_request(arguments),
        build=build_of(arguments),
        memory=arguments.memory,
        image=arguments.image,
        wave=arguments.wave,
        first_cycle=arguments.first_cycle,
        last_cycle=arguments.last_cycle,
    )


def _drawn(arguments: argparse.Namespace, machines: int) -> DrawnRequest:
    """Request for so many machines that are drawn."""
    return DrawnRequest(
        source=source_request(arguments),
        build=build_of(arguments),
        memory=arguments.memory,
        wave=arguments.wave,
        machines=machines,
        first_machine=arguments.first_machine,
        layers=arguments.random_layers,
        jobs=arguments.jobs,
        output=arguments.output,
    )
