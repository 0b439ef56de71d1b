"""`covenant explain`: how each layer uses the machine's instructions, and what would use them better."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import (
    add_command,
    add_json,
    add_library,
    add_machine_settings,
    add_schedule,
    machine_request,
)
from covenant.cli.embedding_options import add_embedding_rules, embedding_rules
from covenant.cli.output import Output

EXAMPLES = """  covenant explain model.onnx -m genesys:03
  covenant explain model.onnx -m genesys:03 --layer conv3   # one layer: the data that its embeddings want
  covenant explain zoo:efficientnet_lite0 -m genesys:03 --relaxations pad,fuse,strided,unroll,band
  covenant explain float.onnx -m flexasr --matching         # operators that a machine of commands takes
  covenant explain model.onnx -m my_machine.acg --json"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "explain", EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="an int8 ONNX model, in QOperator or QDQ style")
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    add_library(parser)
    add_schedule(parser)
    parser.add_argument("--layer", metavar="NAME", help="only this layer, with all that is known of it")
    parser.add_argument(
        "--matching", action="store_true",
        help="of a float model, the operators that a machine which a host drives takes, and the rules that show them",
    )  # fmt: skip
    add_embedding_rules(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """A row for each layer; all about one."""
    if arguments.matching:
        from covenant.cli.explain_matching import explain_matching

        return explain_matching(arguments.model, machine_request(arguments), output)
    from covenant.cli.explain_layers import ExplainRequest, explain_layers

    request = ExplainRequest(
        model=arguments.model,
        machine=machine_request(arguments),
        library=arguments.library,
        schedule=arguments.schedule,
        layer=arguments.layer,
        rules=embedding_rules(arguments),
    )
    return explain_layers(request, output)
