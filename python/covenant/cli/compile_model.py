"""Work of `covenant compile`: writes a program file, or shows the form of a model after a pass."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from covenant.bench.cost import measured
from covenant.bench.layers import BenchmarkLayer, benchmark_layers, compile_layer, emit_layer
from covenant.cli.arguments import machine_of, mistake
from covenant.cli.compile_in_parts import compile_in_parts
from covenant.cli.compile_request import CompileRequest
from covenant.cli.embedding_options import EMBEDDINGS
from covenant.cli.embeddings import check_embeddings, embeddings_of
from covenant.cli.explain import explain
from covenant.cli.output import Output
from covenant.cli.packets import beside_run, packets_object
from covenant.compiler import compile as compile_model
from covenant.compiler import emit
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.machine import Machine
from covenant.program import Program

ASSEMBLY = ("asm", "assembly")


def execute_compile(request: CompileRequest, output: Output) -> int:
    """Writes the program or the text; nothing is written before all of it is there."""
    _check_source(request)
    check_embeddings(request)
    state = _state(request)
    if request.parts:
        return compile_in_parts(request, state, output)
    machine = machine_of(request.machine)
    if request.explain_schedule is not None:
        if request.output or request.save_schedule:
            raise mistake("nothing is written where a layer is explained", "leave out one of the two")
        return explain(output, machine, request)
    if request.stop_after and request.save_schedule:
        raise mistake("compiling stops before the schedule is written", "use --emit instead of --stop-after")
    if request.profile and request.shown not in ASSEMBLY:
        raise mistake("a profile is about packets at their addresses", "add --emit asm, or leave out --profile")
    if request.shown:
        return _show(request, output, machine, request.shown, state)
    if not (request.output or request.save_schedule):
        raise mistake("nowhere to write the program", "add -o FILE.cprog, or --emit PASS")
    _write_program(request, output, machine, state)
    return 0


def _state(request: CompileRequest) -> dict[str, str]:
    """Inputs of the next run by the outputs that they are."""
    if request.state and (not request.model or request.stop_after):
        raise mistake("state is a part of the program of a model", "leave out --state, or --layer and --stop-after")
    pairs = [pair.split(":") for pair in request.state]
    for pair, text in zip(pairs, request.state, strict=True):
        if len(pair) != 2 or not all(pair):
            raise mistake(
                f"--state {text} is no pair of an output and an input",
                "say OUT:IN; names with colons only covenant.compile takes",
            )
    state = dict(pairs)
    if len(state) < len(pairs):
        raise mistake("--state names an output twice", "name each output once")
    return state


def list_layers(output: Output) -> int:
    """Prints the layers of the benchmark table."""
    layers = benchmark_layers()
    if output.json:
        output.object({"layers": [_layer_object(layer) for layer in layers]})
    else:
        for layer in layers:
            output.line(layer.name)
    return 0


def _layer_object(layer: BenchmarkLayer) -> dict[str, Any]:
    return {"name": layer.name, "kind": layer.kind, "macs": layer.macs, "note": layer.note, **layer.sizes}


def _check_source(request: CompileRequest) -> None:
    """Raises CLI0001 unless there is one thing to compile, and a machine."""
    if not (request.model or request.layer):
        wrong = "one of MODEL and --layer is needed"
    elif request.model and request.layer and not request.shown:
        wrong = "both MODEL and --layer are given, and no pass is shown with --emit or --stop-after"
    elif not request.machine.spec:
        wrong = "the following arguments are required: -m/--machine"
    else:
        return
    fix = "look at: covenant compile --help"
    raise CovenantError(Diagnostic("CLI0001", f"wrong arguments: {wrong}", "command line", fix=fix))


def _show(request: CompileRequest, output: Output, machine: Machine, after: str, state: dict[str, str]) -> int:
    known: dict[str, Any] = {}
    if request.shows_embeddings:
        view = embeddings_of(request, machine)
        text, known = view.text, view.known
    else:
        text = _text_after(request, machine, after)
    if request.profile:
        listing = beside_run(text, machine, request.profile)
        text, known = listing.text, {"packets": packets_object(listing)}
    to_file = request.output and request.stop_after
    if to_file:
        write_whole(request.output, text)
    if output.json:
        output.object({"pass": after, "text": text, "output": request.output if to_file else None} | known)
    elif not to_file:
        output.text(text)
    if request.emit and (request.output or request.save_schedule):
        _write_program(request, Output(json=False), machine, state)
    return 0


def _text_after(request: CompileRequest, machine: Machine, after: str) -> str:
    try:
        if not request.model:
            return emit_layer(request.layer, machine, after, request.schedule, optimisations=request.optimisations)
        return emit(
            request.model, machine, after, request.library, request.schedule, fusion=request.fusion,
            optimisations=request.optimisations, layer=request.layer,
        )  # fmt: skip
    except CovenantError as error:
        if error.code != "GEN0030":
            raise
        allowed = (*error.allowed, EMBEDDINGS)  # no pass makes them, and so the compiler does not know of them
        raise CovenantError(replace(error.diagnostic, allowed=allowed)) from None


def _write_program(request: CompileRequest, output: Output, machine: Machine, state: dict[str, str]) -> None:
    program, cost = measured(lambda: _program(request, machine, state))
    if request.save_schedule:
        write_whole(request.save_schedule, program.schedule)
    if request.output:
        program.save(request.output)
    if output.json:
        output.object(
            {
                "model": program.model,
                "machine": machine.name,
                "parameters": machine.parameters,
                "output": request.output,
                "schedule": request.save_schedule,
                "words": len(program.words),
                "memory_bytes": program.memory_bytes,
                "layers": [
                    {"name": block.layer, "operation": block.operation, "words": block.words, "macs": block.macs}
                    for block in program.blocks
                ],
                "state": program.state,
                **asdict(cost),
            }
        )
        return
    written = ", ".join(filter(None, (request.output, request.save_schedule)))
    output.note(
        f"{written}: {len(program.blocks)} layers, {len(program.words):,} instruction words, "
        f"{program.memory_bytes:,} bytes of memory, compiled in {cost.seconds:.2f} s "
        f"({cost.processor_seconds:.2f} s of the processor, {cost.peak_memory_bytes / 2**20:,.0f} MiB at most)"
    )


def _program(request: CompileRequest, machine: Machine, state: dict[str, str]) -> Program:
    if request.model:
        return compile_model(
            request.model, machine, request.library, request.schedule, fusion=request.fusion,
            optimisations=request.optimisations, threads=request.threads, state=state,
        )  # fmt: skip
    return compile_layer(request.layer, machine, request.schedule, optimisations=request.optimisations)
