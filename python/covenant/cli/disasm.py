"""`covenant disasm`: words of a program, packets of an executable, or commands of a stream, as text."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import (
    MachineRequest,
    add_command,
    add_json,
    add_machine_settings,
    device_of,
    machine_of,
    machine_request,
    mistake,
)
from covenant.cli.output import Output
from covenant.errors import CovenantError

EXAMPLES = """  covenant disasm model.cprog
  covenant disasm model.cprog | grep GEMM
  covenant disasm model.cprog --json
  covenant disasm program.elf -m hvx
  covenant disasm model.cprog --profile model.profile   # beside what its packets have cost in a run
  covenant disasm program.json -m vta                   # commands of a host; `covenant asm` reads them back
  covenant disasm words.bin -m vta --port words         # words of a stream"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "disasm", EXAMPLES)
    parser.add_argument(
        "program", metavar="PROGRAM|EXECUTABLE|STREAM",
        help="a .cprog file, an executable of the Hexagon, or a stream of commands as `covenant replay` takes it",
    )  # fmt: skip
    parser.add_argument(
        "-m", "--machine", help="of an executable or a stream: machine, MACHINE:PRESET, or path of an .acg file"
    )
    add_machine_settings(parser)
    parser.add_argument("--port", metavar="NAME", help="of commands: their port; of words of a stream: the stream")
    parser.add_argument("--profile", metavar="RUN", help="beside each packet: what it has cost (run --save-profile)")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints the listing of a program, of an executable, or of a stream of commands."""
    from covenant.cli.listing import print_executable, print_program
    from covenant.runtime.executable import is_executable_file

    machine = machine_request(arguments)
    if is_executable_file(arguments.program):
        return print_executable(arguments.program, machine, arguments.profile, output)
    if machine.spec and _is_driven(machine):
        return _print_commands(arguments, machine, output)
    if arguments.port:
        raise mistake("only machines that commands drive have ports", "leave out --port, or name one with -m")
    if machine.is_given:
        raise mistake("a program has its machine inside", "leave out -m, --preset and --set")
    return print_program(arguments.program, arguments.profile, output)


def _is_driven(request: MachineRequest) -> bool:
    """Whether a host drives the machine by commands."""
    try:
        machine_of(request)
    except CovenantError as error:
        if error.code == "BEH0015":
            return True
        raise
    return False


def _print_commands(arguments: argparse.Namespace, request: MachineRequest, output: Output) -> int:
    """Prints the commands of a stream, or the words of a stream port."""
    from covenant.commands.listing import listing_of, port_of

    if arguments.profile:
        raise mistake("a profile is of a program's packets", "leave out --profile")
    device = device_of(request)
    port = port_of(device, arguments.port)
    lines = listing_of(arguments.program, port)
    if output.json:
        rows = [{"mnemonic": line.mnemonic, "words": list(line.words), "fields": line.fields} for line in lines]
        listing = [str(line) for line in lines]
        output.object({"machine": device.name, "port": port.name, "commands": rows, "listing": listing})
    else:
        output.text("".join(f"{line}\n" for line in (f"# {device.name}, {port.name}", *lines)))
    return 0
