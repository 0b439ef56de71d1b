"""Work of `covenant run` on several parts: every image, compared with an oracle if asked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from covenant.choices import Source
from covenant.cli.arguments import machine_of, mistake
from covenant.cli.output import Output
from covenant.cli.part_option import parts_of
from covenant.cli.run_images import from_the_source, save_outputs
from covenant.cli.run_request import RunRequest
from covenant.cli.source import feeds_of
from covenant.compiler.compile_parts import compile_parts
from covenant.files import check_writable
from covenant.machine.memory_models import memory_model
from covenant.program import ProgramParts, is_parts_file, is_program_file
from covenant.program.inputs import Feed
from covenant.runtime.parts_session import PartsResult, PartsSession
from covenant.verify.comparison import Comparison, compare
from covenant.verify.expected import ExpectedOutputs, expected_outputs


def is_of_parts(request: RunRequest) -> bool:
    """Whether a program of several parts is asked for: to be made, or in a file."""
    model = request.source.model
    return bool(request.parts) or (bool(model) and is_program_file(model) and is_parts_file(model))


def run_parts(request: RunRequest, output: Output) -> int:
    """Runs every image; 1 if a comparison differs."""
    _check(request)
    if request.output:
        check_writable(request.output)  # before the work
    memory_model(request.memory)  # says what is wrong before the work
    program = _program(request)
    if request.compare:
        _check_alike(program, request)
    feeds = feeds_of(request.source, program, output)
    build = request.build if request.backend == "rtl" else None
    start = time.perf_counter()
    with output.activity(f"{program.model} in parts") as tell:
        session = PartsSession(program, request.backend, build=build, progress=tell)
        results = [session.run(feed, memory=request.memory) for feed in feeds]
    expected = _expected(request, program, feeds) if request.compare else None
    comparison = compare([one.outputs for one in results], expected.outputs) if expected else None
    if request.output:
        save_outputs(request.output, results)
    report = _report(program, results, comparison) | {
        "oracle": expected.description if expected else None,
        "build_seconds": session.build_seconds,
        "seed": request.source.seed_of_input,
        "seconds": time.perf_counter() - start,
    }
    if output.json:
        output.object(report)
    else:
        _show(report, output)
    return 0 if comparison is None or comparison.identical else 1


def _check(request: RunRequest) -> None:
    """Raises CLI0008 for what only one program has."""
    packets = request.packets
    others = {
        "--layers": request.layers,
        "--report": request.report,
        "--wave": request.wave,
        "--stdin": request.stdin,
        "--max-packets": request.max_packets,
        "--energy": request.energy,
        "--energy-table": request.energy_table,
        "EXECUTABLE": request.beside,
        "--contexts": request.contexts,
        "--rtl": request.rtl,
        "--rtl-window": request.rtl_window,
        "--trace": packets.trace,
        "--profile": packets.is_profiled,
        "--schedule": request.source.schedule,
    }
    for option, value in others.items():
        if value:
            raise mistake(
                f"a program of several parts has no use for {option}",
                f"leave out {option}; covenant.PartsSession has what each part did",
            )
    if not is_program_file(request.source.model):
        return
    if request.parts:
        raise mistake("a program is cut already", "give --part with the .onnx model")
    if request.source.machine.is_given:
        raise mistake("a program has its machines inside", "leave out -m, --preset and --set")
    if request.compare:
        raise mistake(
            "a program cannot be compared: expected outputs are those of a model",
            "run the .onnx file with --part and --compare",
        )


def _program(request: RunRequest) -> ProgramParts:
    source = request.source
    if is_program_file(source.model):
        return ProgramParts.load(source.model)
    if not source.machine.spec:
        raise mistake("a model needs a machine to run on", "add -m MACHINE; `covenant machines` lists them")
    return compile_parts(
        source.model, machine_of(source.machine), parts_of(request.parts), source.library, fusion=source.fusion,
        optimisations=source.optimisations,
    )  # fmt: skip


def _check_alike(program: ProgramParts, request: RunRequest) -> None:
    """Raises CLI0008 unless one expectation holds for all parts: machines of one arithmetic."""
    machines = [part.program.machine for part in program.parts]
    kinds = {(one.requant, one.accumulator_bits, one.saturates) for one in machines}
    if len(kinds) > 1 or machines[0].saturates:
        names = ", ".join(dict.fromkeys(one.name for one in machines))
        raise mistake(
            f"the model has no one result on machines of different arithmetic: {names}",
            f"leave out --compare {request.compare}, or compare each part in a session of its own",
        )


def _expected(request: RunRequest, program: ProgramParts, feeds: Sequence[Feed]) -> ExpectedOutputs:
    machine = program.parts[0].program.machine

    def outputs(model: str, source: Source) -> ExpectedOutputs:
        return expected_outputs(model, feeds, source, requant=machine.requant, accumulators=machine)

    return from_the_source(request, outputs)


def _report(program: ProgramParts, results: list[PartsResult], comparison: Comparison | None) -> dict[str, Any]:
    first = results[0]
    return {
        "model": program.model,
        "backend": first.backend,
        "images": len(results),
        "identical": comparison.identical if comparison else None,
        "outputs": comparison.elements if comparison else None,
        "equal_outputs": comparison.equal_elements if comparison else None,
        "cycles": first.cycles,
        "machine_seconds": first.machine_seconds,
        "total_cycles": sum(one.cycles for one in results),
        "parts": [
            {
                "name": part.name,
                "machine": part.program.machine.name,
                "parameters": part.program.machine.parameters,
                "cycles": run.result.cycles,
                "layers": [layer.to_dict() for layer in run.result.layers],
            }
            for part, run in zip(program.parts, first.parts, strict=True)
        ],
    }


def _show(report: dict[str, Any], output: Output) -> None:
    output.table(
        f"{report['model']} in {len(report['parts'])} parts, one image",
        ("part", "machine", "layers", "cycles"),
        [[part["name"], part["machine"], len(part["layers"]), part["cycles"]] for part in report["parts"]],
    )
    output.line(
        f"cycles: {report['cycles']:,} for one image, one part after the other: "
        f"{1e6 * report['machine_seconds']:,.3f} microseconds at the clocks of the machines"
    )
    if report["oracle"]:
        output.line(f"expected outputs: from {report['oracle']['settings']}")
        output.line(f"{report['equal_outputs']:,} of {report['outputs']:,} outputs equal")
