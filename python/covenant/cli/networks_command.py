"""`covenant bench networks`: whole networks on machines, beside their bounds and beside ONNX Runtime."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from covenant.cli.arguments import add_json, add_machine_settings, add_subcommand, machine_request
from covenant.cli.output import Output

EXAMPLES = """  covenant bench networks -m genesys:03 -m genesys:07 -m genesys:09 -o networks.json
  covenant bench networks -m genesys:09 --model zoo:squeezenet --model mine.onnx --json"""


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "networks", "compile and simulate whole networks, the zoo's or your own", EXAMPLES
    )
    parser.add_argument(
        "-m", "--machine", action="append", required=True,
        help="machine, MACHINE:PRESET, or path of an .acg file; repeatable",
    )  # fmt: skip
    add_machine_settings(parser)
    parser.add_argument(
        "--model", action="append", metavar="MODEL", dest="models",
        help="an .onnx model or zoo:NAME; repeatable (default: all of the zoo that can be made here)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="figures as JSON; what it has already is not measured again"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Measures each network on each machine."""
    from covenant.cli.networks import measure_all

    requests = {spec: machine_request(arguments, spec) for spec in arguments.machine}
    return measure_all(requests, arguments.models, arguments.output, output)
