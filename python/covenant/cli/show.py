"""`covenant show`: one machine, its memories, computes, edges and parameters."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.output import Output

EXAMPLES = """  covenant show genesys
  covenant show genesys:32x32 --set axi=512
  covenant show my_machine.acg --json > my_machine.json
  covenant show genesys --set M=20 --acg          # the resolved graph, in the text format"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "show", "show a machine with its parameters resolved", EXAMPLES)
    parser.add_argument("machine", metavar="MACHINE", help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument("--acg", action="store_true", help="print the ACG text format")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints tables, the ACG text, or the lossless JSON form."""
    machine = machine_of(arguments.machine, arguments)
    if output.json:
        output.text(machine.to_json())
        return 0
    if arguments.acg:
        output.text(str(machine))
        return 0
    summary = machine.summary
    output.line(f"{machine.name}, clock {summary['clock_hertz'] / 1e9:g} GHz")
    output.table("Parameters", ["name", "value"], machine.parameters.items())
    output.table(
        "Memories (capacity of one half)",
        ["name", "kind", "element", "banks", "depth", "halves", "bytes", "latency"],
        [
            [row["name"], row["kind"], f"{row['data_width']} bit", row["banks"], row["depth"], row["buffers"],
             row["half_bytes"], row["latency"]]
            for row in summary["memories"]
        ],
    )  # fmt: skip
    output.table(
        "Computes",
        ["name", "unit", "capability", "latency"],
        [
            [compute["name"], compute["unit"], capability["text"], capability["latency"]]
            for compute in summary["computes"]
            for capability in compute["capabilities"]
        ],
    )
    output.table(
        "Edges",
        ["from", "to", "bits per cycle"],
        [[edge["from"], edge["to"], edge["bandwidth"] or "as wide as the node"] for edge in summary["edges"]],
    )
    return 0
