"""Work of `covenant compile --part`: writes a program of several parts."""

from __future__ import annotations

from dataclasses import asdict

from covenant.bench.cost import measured
from covenant.cli.arguments import machine_of, mistake
from covenant.cli.compile_request import CompileRequest
from covenant.cli.output import Output
from covenant.cli.part_option import parts_of
from covenant.compiler.compile_parts import compile_parts


def compile_in_parts(request: CompileRequest, state: dict[str, str], output: Output) -> int:
    """Writes the program, whole or not at all."""
    parts = parts_of(request.parts)
    _check(request)
    machine = machine_of(request.machine)
    program, cost = measured(
        lambda: compile_parts(
            request.model, machine, parts, request.library, fusion=request.fusion, optimisations=request.optimisations,
            threads=request.threads, state=state,
        )
    )  # fmt: skip
    program.save(request.output)
    rows = [
        {
            "name": part.name,
            "machine": part.program.machine.name,
            "parameters": part.program.machine.parameters,
            "words": len(part.program.words),
            "memory_bytes": part.program.memory_bytes,
            "layers": [block.layer for block in part.program.blocks],
        }
        for part in program.parts
    ]
    if output.json:
        output.object(
            {"model": program.model, "output": request.output, "parts": rows, "state": program.state, **asdict(cost)}
        )
        return 0
    for row in rows:
        output.note(
            f"part {row['name']} for {row['machine']}: {len(row['layers'])} layers, {row['words']:,} instruction "
            f"words, {row['memory_bytes']:,} bytes of memory"
        )
    output.note(f"{request.output}: {len(rows)} parts, compiled in {cost.seconds:.2f} s")
    return 0


def _check(request: CompileRequest) -> None:
    """Raises CLI0008 for what is of one program only."""
    others = {
        "--layer": request.layer,
        "--schedule": request.schedule,
        "--save-schedule": request.save_schedule,
        "--emit": request.emit,
        "--stop-after": request.stop_after,
        "--profile": request.profile,
        "--explain-schedule": request.explain_schedule,
    }
    for option, value in others.items():
        if value is not None:
            raise mistake(f"a model that is cut with --part has no use for {option}", f"leave out --part, or {option}")
    if not request.output:
        raise mistake("nowhere to write the program", "add -o FILE.cprog")
    if request.output.endswith(".elf"):
        raise mistake("an executable is for one machine", "write a .cprog file, or leave out --part")
