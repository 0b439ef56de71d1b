"""`covenant disasm`: the instruction words of a program, or the packets of an executable, as text."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings
from covenant.cli.executable import print_executable
from covenant.cli.output import Output
from covenant.cli.packets import beside_run, packets_object
from covenant.cli.source import mistake
from covenant.program import Program
from covenant.runtime.executable import is_executable_file

EXAMPLES = """  covenant disasm model.cprog
  covenant disasm model.cprog | grep GEMM
  covenant disasm model.cprog --json
  covenant disasm program.elf -m hvx
  covenant disasm model.cprog --profile model.profile   # beside what its packets have cost in a run"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "disasm", EXAMPLES)
    parser.add_argument("program", metavar="PROGRAM|EXECUTABLE", help="a .cprog file, or an executable of the Hexagon")
    parser.add_argument("-m", "--machine", help="of an executable: machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument("--profile", metavar="RUN", help="beside each packet: what it has cost (run --save-profile)")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints the listing."""
    if is_executable_file(arguments.program):
        return print_executable(arguments, output)
    if arguments.machine or arguments.preset or arguments.settings:
        raise mistake("a program has its machine inside", "leave out -m, --preset and --set")
    program = Program.load(arguments.program)
    text = program.disassemble()
    known = {}
    if arguments.profile:
        listing = beside_run(text, program.machine, arguments.profile)
        text, known = listing.text, {"packets": packets_object(listing)}
    if output.json:
        output.object(
            known
            | {
                "model": program.model,
                "machine": program.machine.name,
                "parameters": program.machine.parameters,
                "words": [int(word) for word in program.words],
                "layers": [
                    {"name": block.layer, "operation": block.operation, "words": block.words}
                    for block in program.blocks
                ],
                "state": program.state,
                "listing": text.splitlines(),
            }
        )
    else:
        output.text("".join(f"# state: {made} -> {read}\n" for made, read in program.state.items()) + text)
    return 0
