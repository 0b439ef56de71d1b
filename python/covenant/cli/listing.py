"""Listings of `covenant disasm`: the words of a program, the packets of an executable, beside a run if asked."""

from __future__ import annotations

from typing import Any

from covenant.cli.arguments import MachineRequest, mistake
from covenant.cli.executable import machine_of_executable
from covenant.cli.output import Output
from covenant.cli.packets import beside_run, packets_object
from covenant.machine import Machine
from covenant.program import Program, ProgramParts, is_parts_file
from covenant.runtime.executable import disassemble_executable


def print_program(path: str, profile: str | None, output: Output) -> int:
    """Prints the instruction words of a program."""
    if is_parts_file(path):
        return _print_parts(path, profile, output)
    program = Program.load(path)
    text, known = _beside(program.disassemble(), program.machine, profile)
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


def _print_parts(path: str, profile: str | None, output: Output) -> int:
    """Prints the instruction words of each part."""
    if profile:
        raise mistake("a profile is of one program", "leave out --profile")
    program = ProgramParts.load(path)
    if output.json:
        rows = [
            {
                "name": part.name,
                "machine": part.program.machine.name,
                "parameters": part.program.machine.parameters,
                "words": [int(word) for word in part.program.words],
                "listing": part.program.disassemble().splitlines(),
            }
            for part in program.parts
        ]
        output.object({"model": program.model, "parts": rows, "state": program.state})
    else:
        output.text(program.disassemble())
    return 0


def print_executable(path: str, request: MachineRequest, profile: str | None, output: Output) -> int:
    """Prints the packets of an executable."""
    machine = machine_of_executable(request)
    text, known = _beside(disassemble_executable(path, machine), machine, profile)
    if output.json:
        output.object({"file": path, "machine": machine.name, "listing": text.splitlines()} | known)
    else:
        output.text(text)
    return 0


def _beside(text: str, machine: Machine, profile: str | None) -> tuple[str, dict[str, Any]]:
    """The listing, with what packets have cost in the run that is kept there; and those as JSON."""
    if not profile:
        return text, {}
    listing = beside_run(text, machine, profile)
    return listing.text, {"packets": packets_object(listing)}
