"""`covenant show`: one machine, its memories, computes, edges and parameters."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of, machine_request, mistake
from covenant.cli.output import Output
from covenant.errors import CovenantError, Diagnostic
from covenant.machine import Machine, Requant, settings_of

EXAMPLES = """  covenant show genesys
  covenant show genesys:32x32 --set axi=512
  covenant show my_machine.acg --json > my_machine.json
  covenant show genesys --set M=20 --acg          # the resolved graph, in the text format
  covenant show genesys --svg > genesys.svg       # a picture of the graph
  covenant show genesys:8x8 --isa > words.md      # the manual of its instruction words
  covenant show genesys --json | covenant show -  # the same machine, read from JSON
  covenant show vta                               # a machine that a host drives: state and commands
  covenant show flexasr --instructions            # its instructions and their loops, as a tree"""

_SCALING: dict[Requant, str] = {
    "fp32": "scaled in single precision",
    "fixed": "scaled in fixed point",
    "fixed_tflite": "scaled in fixed point as TensorFlow Lite does",
}
_OVERFLOW = {"wrap": "that wrap", "saturate": "that saturate"}


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "show", EXAMPLES)
    parser.add_argument(
        "machine",
        metavar="MACHINE",
        help="machine, MACHINE:PRESET, path of an .acg file, or - for JSON from standard input",
    )
    add_machine_settings(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--acg", action="store_true", help="print the ACG text format")
    form.add_argument("--dot", action="store_true", help="print the graph for Graphviz")
    form.add_argument("--svg", action="store_true", help="print a picture: memories blue, compute nodes green")
    form.add_argument("--isa", action="store_true", help="print the manual of the instruction words, in Markdown")
    form.add_argument(
        "--instructions", action="store_true",
        help="print the tree of instructions and their loops, of a machine that commands drive",
    )  # fmt: skip
    add_json(form)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints tables, or one of the forms."""
    try:
        machine = _machine(arguments)
    except CovenantError as error:
        if error.code != "BEH0015" or arguments.acg or arguments.dot or arguments.svg:
            raise
        from covenant.cli.show_commands import show_commands

        request = machine_request(arguments, arguments.machine)
        return show_commands(request, output, as_manual=arguments.isa, as_tree=arguments.instructions)
    if arguments.instructions:
        raise mistake("--instructions is of machines that commands drive", "print the words of this one by --isa")
    if output.json:
        output.text(machine.to_json())
        return 0
    if arguments.acg:
        output.text(str(machine))
        return 0
    if arguments.isa:
        output.text(machine.isa_manual())
        return 0
    graph = machine.to_dict()
    if arguments.dot or arguments.svg:
        from covenant.machine.picture import to_dot, to_svg

        output.text(to_svg(graph) if arguments.svg else to_dot(graph))
        return 0
    clock = f"clock {graph['clock_hertz'] / 1e9:g} GHz"
    output.line(f"{machine.name}, {clock}, engines: {', '.join(machine.engines)}")
    output.line(
        f"numerics: requant {machine.requant} (sums {_SCALING[machine.requant]}), overflow {machine.overflow} "
        f"(sums of {machine.accumulator_bits} bits {_OVERFLOW[machine.overflow]})"
    )
    output.table("Parameters", ["name", "value"], _parameters(arguments, machine).items())
    output.table(
        "Memories",
        ["name", "kind", "bits", "banks", "depth", "buffers", "bytes of a buffer", "latency"],
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


def _machine(arguments: argparse.Namespace) -> Machine:
    if arguments.machine != "-":
        return machine_of(machine_request(arguments))
    if arguments.preset or arguments.settings:
        raise CovenantError(
            Diagnostic(
                "CLI0008", "JSON holds a resolved machine: it has no presets and settings", "<stdin>",
                offending=arguments.preset or arguments.settings[0], fix="give them where the JSON is written",
            )
        )  # fmt: skip
    try:
        text = sys.stdin.read()
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not text in UTF-8"
        raise CovenantError(
            Diagnostic("CLI0009", "cannot read this file", "standard input", offending=reason, fix="give JSON in UTF-8")
        ) from error
    return Machine.from_json(text)


def _parameters(arguments: argparse.Namespace, machine: Machine) -> dict[str, int]:
    """Also options that the machine does not list; JSON holds no others than it lists."""
    return ({} if arguments.machine == "-" else settings_of(arguments.machine)) | machine.parameters


def _memory_row(memory: dict[str, Any]) -> list[Any]:
    buffer_bytes = memory["data_width"] * memory["banks"] * memory["depth"] // 8
    numbers = [memory[key] for key in ("data_width", "banks", "depth", "buffers")]
    return [memory["name"], memory["kind"], *numbers, buffer_bytes, memory["latency"]]


def _operand_text(operand: dict[str, Any]) -> str:
    return f"({','.join([operand['dtype'], *map(str, operand['shape'])])})"


def _capability_text(capability: dict[str, Any]) -> str:
    inputs = ",".join(map(_operand_text, capability["inputs"]))
    return f"{_operand_text(capability['output'])}={capability['name']}({inputs})"
