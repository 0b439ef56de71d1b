"""`covenant disasm`: the instruction words of a program as text."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json
from covenant.cli.output import Output
from covenant.program import Program

EXAMPLES = """  covenant disasm model.cprog
  covenant disasm model.cprog | grep GEMM
  covenant disasm model.cprog --json"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "disasm", "print the instruction words of a program", EXAMPLES)
    parser.add_argument("program", metavar="PROGRAM", help="a .cprog file")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints the listing."""
    program = Program.load(arguments.program)
    text = program.disassemble()
    if output.json:
        output.object(
            {
                "model": program.model,
                "machine": program.machine.name,
                "parameters": program.machine.parameters,
                "words": [int(word) for word in program.words],
                "layers": [
                    {"name": block.layer, "operation": block.operation, "words": block.words}
                    for block in program.blocks
                ],
                "listing": text.splitlines(),
            }
        )
    else:
        output.text(text)
    return 0
