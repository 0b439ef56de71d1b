"""`covenant bench`: layers, networks and streams of commands on machines, beside what is known of them."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli import (
    ablation_command,
    deepbench_command,
    embedding_command,
    matching_command,
    multitarget_command,
    networks_command,
    peers_command,
    vectors_command,
)
from covenant.cli.arguments import (
    add_command,
    add_json,
    add_machine_settings,
    add_schedule,
    add_subcommand,
    machine_request,
)
from covenant.cli.output import Output

EXAMPLES = """  covenant bench table2 -m dnnweaver
  covenant bench table2 -m genesys:07 --json
  covenant bench table2 -m dnnweaver --layer ResNet50/CONV1 --layer DLRM/FC1
  covenant bench table2 -m dnnweaver --layer DLRM/FC1 --schedule edited.schedule"""


def add(commands: Any) -> None:
    """Adds the command and its benchmarks."""
    parts = (
        multitarget_command, deepbench_command, networks_command, peers_command, ablation_command, embedding_command,
        vectors_command, matching_command,
    )  # fmt: skip
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
    table2.add_argument("--layer", action="append", metavar="NAME", help="only this layer; repeatable")
    table2.set_defaults(execute=execute)
    for part in parts:
        part.add(measures)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Measures table2."""
    from covenant.cli.table2 import measure

    return measure(machine_request(arguments), arguments.layer, arguments.schedule, output)
