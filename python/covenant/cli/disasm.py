"""`covenant disasm`: the instruction words of a program, or the packets of an executable, as text."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_request, mistake
from covenant.cli.output import Output

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
    """Prints the listing of a program, or of an executable."""
    from covenant.cli.listing import print_executable, print_program
    from covenant.runtime.executable import is_executable_file

    machine = machine_request(arguments)
    if is_executable_file(arguments.program):
        return print_executable(arguments.program, machine, arguments.profile, output)
    if machine.is_given:
        raise mistake("a program has its machine inside", "leave out -m, --preset and --set")
    return print_program(arguments.program, arguments.profile, output)
