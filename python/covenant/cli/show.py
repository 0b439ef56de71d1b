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
    graph = machine.to_dict()
    output.line(f"{machine.name}, clock {graph['clock_hertz'] / 1e9:g} GHz, engines: {', '.join(machine.engines)}")
    output.table("Parameters", ["name", "value"], machine.parameters.items())
    output.table(
        "Memories",
        ["name", "kind", "bits", "banks", "depth", "halves", "bytes of a half", "latency"],
        [_memory_row(memory) for memory in graph["memories"]],
    )
    output.table(
        "Computes",
        ["name", "unit", "capability", "latency"],
        [
            [compute["name"], compute["unit"], _capability_text(capability), capability["latency"]]
            for compute in graph["computes"]
            for capability in compute["capabilities"]
        ],
    )
    output.table(
        "Edges",
        ["from", "to", "bits per cycle"],
        [[edge["from"], edge["to"], edge["bandwidth"] or "as wide as the node"] for edge in graph["edges"]],
    )
    return 0


def _memory_row(memory: dict[str, Any]) -> list[Any]:
    half_bytes = memory["data_width"] * memory["banks"] * memory["depth"] // 8
    numbers = [memory[key] for key in ("data_width", "banks", "depth", "buffers")]
    return [memory["name"], memory["kind"], *numbers, half_bytes, memory["latency"]]


def _operand_text(operand: dict[str, Any]) -> str:
    return f"({','.join([operand['dtype'], *map(str, operand['shape'])])})"


def _capability_text(capability: dict[str, Any]) -> str:
    inputs = ",".join(map(_operand_text, capability["inputs"]))
    return f"{_operand_text(capability['output'])}={capability['name']}({inputs})"
