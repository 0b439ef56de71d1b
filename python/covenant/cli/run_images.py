"""`covenant run` of a model or a program: every image, cycle by cycle, compared with an oracle if asked."""

from __future__ import annotations

import contextlib
import io
import time
import zipfile
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from covenant import oracle
from covenant.choices import Source
from covenant.cli.arguments import mistake
from covenant.cli.contexts import (
    check_contexts,
    check_machine,
    contexts_report,
    results_of,
    run_together,
    show_contexts,
)
from covenant.cli.energy_table import check_energy, energy_report, energy_table_of, show_energy
from covenant.cli.mixed import check_mixed, mixed_report, run_all_mixed, show_mixed
from covenant.cli.output import Output
from covenant.cli.packets import check_packets, packets_report, show_packets
from covenant.cli.run_report import runs_report, show
from covenant.cli.run_request import RunRequest
from covenant.cli.source import feeds_of, program_of
from covenant.errors import CovenantError, Diagnostic
from covenant.files import check_writable, write_whole
from covenant.machine.memory_models import memory_model
from covenant.program import Program, is_program_file
from covenant.program.inputs import Feed
from covenant.runtime.mixed import MixedResult
from covenant.runtime.parts_session import PartsResult
from covenant.runtime.result import Result
from covenant.runtime.session import Session
from covenant.verify.byte_differences import differences_to_onnxruntime
from covenant.verify.expected import describe
from covenant.verify.verdict import Verdict, verdict_of

_Answer = TypeVar("_Answer")


def run_images(request: RunRequest, output: Output) -> int:
    """Runs every image; 1 if a comparison differs."""
    _check_request(request)
    for path in filter(None, (request.packets.trace, request.output, request.wave, request.packets.save_profile)):
        check_writable(path)  # before the work, and before anything is written
    if request.report:
        from covenant.report import PAGE, check_report_folder, write_report  # other runs do not pay for it

        check_report_folder(request.report)
    table = energy_table_of(request)
    memory_model(request.memory)  # says what is wrong before the work
    start = time.perf_counter()
    program = program_of(request.source)
    check_packets(request.packets, program.machine)
    check_machine(request, program.machine)
    if request.compare:
        from_the_source(request, _check_source)  # before the work
    compiled = time.perf_counter()
    feeds = feeds_of(request.source, program, output, together=request.contexts or 1)
    mixed = run_all_mixed(request, program, feeds, output) if request.is_mixed else []
    feeds = feeds[: len(mixed)] if mixed else feeds
    together = run_together(request, program, feeds, output)
    results = [_as_result(one) for one in mixed] or results_of(together) or _run_all(request, program, feeds, output)
    simulated = time.perf_counter()
    verdict = _compared(request, program, feeds, results, output) if request.compare else None
    if request.packets.trace:
        write_whole(request.packets.trace, (together or results)[0].trace_json)
        output.note(f"trace: {request.packets.trace} (open it at https://ui.perfetto.dev)")
    if request.output:
        save_outputs(request.output, results)
    report = runs_report(program, results, verdict, together) | {
        **_beside_onnxruntime(request, program, feeds, results, output),
        **packets_report(request.packets, request.source.model, program, results[0], output),
        **energy_report(request, results[0], table),
        "contexts": contexts_report(program.machine, together),
        "rtl": mixed_report(mixed) if mixed else None,
        "seed": request.source.seed_of_input,
        "compile_seconds": compiled - start,
        "simulate_seconds": simulated - compiled,
        "seconds": time.perf_counter() - start,
    }
    if request.report:
        write_report(request.report, program, results[0], request.source.model, report)
        output.note(f"report: {request.report}/{PAGE}")
    if output.json:
        output.object(report)
    else:
        show(report, output)
        show_contexts(report["contexts"], output)
        show_packets(request.packets, request.source.model, program, results[0], output)
        show_energy(request, results[0], table, output)
        if mixed:
            show_mixed(report["rtl"], mixed, output)
    differs = (verdict and not verdict.holds) or (mixed and not mixed[-1].identical)
    return 1 if differs else 0


def _check_request(request: RunRequest) -> None:
    """Raises CLI0008 for arguments that do not go together; before any work."""
    check_contexts(request)
    check_energy(request)
    _check_executable_options(request)
    _check_compared(request)
    if request.layers and request.is_mixed:
        raise mistake(
            "layers on the RTL are compared at their seams, all others run on one backend",
            "leave out --layers, or --rtl and --rtl-window",
        )
    if request.report and request.is_mixed:
        raise mistake("a report is of a run on one backend", "leave out --report, or --rtl and --rtl-window")
    if request.report and request.backend == "interpret":
        raise mistake(
            "a report is about time, which --backend interpret does not have", "leave out --backend interpret"
        )
    if request.packets.is_profiled and not request.is_systemc:
        raise mistake(
            "packets are counted by the SystemC model", "leave out --backend, --rtl and --rtl-window, or the profile"
        )
    check_mixed(request)
    if request.wave and request.backend != "rtl":
        raise mistake("only the RTL has waveforms", "add --backend rtl")


def _check_executable_options(request: RunRequest) -> None:
    if request.stdin:
        raise mistake("only an executable reads the standard input", "leave out --stdin; --input gives images")
    if request.max_packets:
        raise mistake("only an executable may run without an end", "leave out --max-packets")


def _check_compared(request: RunRequest) -> None:
    if request.compare and request.source.library:
        raise mistake(
            "an operator of a library has no expected outputs here",
            "leave out --compare; covenant cosim compares both models of the machine",
        )
    if request.compare and is_program_file(request.source.model):
        raise mistake(
            "a program cannot be compared: expected outputs are those of a model", "run the .onnx file with --compare"
        )
    if request.layers and not request.compare:
        raise mistake("layers are compared with expected tensors", "say whose: --compare onnxruntime --layers")


def _as_result(mixed: MixedResult) -> Result:
    """The fields that it has in common with other runs."""
    return Result(
        outputs=mixed.outputs,
        cycles=mixed.cycles,
        backend="mixed",
        seconds=mixed.systemc_seconds + mixed.rtl_seconds,
        build_seconds=mixed.build_seconds,
        statistics=mixed.stats_json,
    )


def _is_traced(request: RunRequest, program: Program) -> bool:
    return bool(request.packets.trace or (request.report and not program.machine.issues_packets))


def _run_all(request: RunRequest, program: Program, feeds: list[Feed], output: Output) -> list[Result]:
    backend = request.backend
    if backend == "rtl":
        return _run_all_on_rtl(request, program, feeds, output)
    session = Session(program, backend)
    return [
        session.run(
            feed,
            trace=index == 0 and _is_traced(request, program),
            profile=request.packets.is_profiled and index == 0,
            packets=request.packets.traced,
            memory=request.memory,
        )
        for index, feed in output.progress(list(enumerate(feeds)), f"{backend}: {program.model}")
    ]


def _run_all_on_rtl(request: RunRequest, program: Program, feeds: list[Feed], output: Output) -> list[Result]:
    results: list[Result] = []
    with output.activity(f"{program.model} on {program.machine.name}") as tell:
        session = Session(program, "rtl", waves=bool(request.wave), build=request.build, progress=tell)
        for index, feed in enumerate(feeds):
            tell("running the RTL", index, len(feeds))
            first = index == 0
            trace, wave = first and _is_traced(request, program), request.wave if first else None
            results.append(session.run(feed, trace=trace, wave=wave, memory=request.memory))
    return results


def _compared(
    request: RunRequest, program: Program, feeds: list[Feed], results: list[Result], output: Output
) -> Verdict:
    backend = request.backend

    def by_layer() -> Session:
        return Session(program, backend, build=request.build if backend == "rtl" else None)

    return from_the_source(
        request,
        lambda model, source: verdict_of(
            program, model, feeds, results, source, by_layer=by_layer if request.layers else None,
            progress=lambda images: output.progress(images, f"{backend}, layer by layer: {program.model}"),
        ),
    )  # fmt: skip


def _beside_onnxruntime(
    request: RunRequest, program: Program, feeds: list[Feed], results: list[Result], output: Output
) -> dict[str, Any]:
    """Distance of outputs from ONNX Runtime's where the reference was asked; None in it if it is missing."""
    found = None
    if request.compare == Source.REFERENCE.value:
        try:
            found = differences_to_onnxruntime(program, request.source.model, feeds, results)
        except oracle.OracleError as error:
            output.note(f"no difference to ONNX Runtime: {error}")
    return {
        "largest_difference_to_onnxruntime": found.largest if found else None,
        "differences_to_onnxruntime": found.outputs if found else None,
    }


def from_the_source(request: RunRequest, question: Callable[[str, Source], _Answer]) -> _Answer:
    """The answer of the source that was asked for. Raises CLI0004 where ONNX Runtime cannot be it."""
    try:
        return question(request.source.model, Source(request.compare))
    except oracle.OracleError as error:
        raise CovenantError(
            Diagnostic(
                "CLI0004", f"ONNX Runtime cannot give the expected outputs: {error}", request.source.model,
                offending=f"--compare {request.compare}", allowed=(f"--compare {Source.REFERENCE.value}",),
                fix=f"compare with the exact reference operators: --compare {Source.REFERENCE.value}",
            )
        ) from error  # fmt: skip


def _check_source(model: str, source: Source) -> None:
    """Raises what the comparison would; a model without exact kernels is held to what it says as it is written."""
    with contextlib.suppress(oracle.NotExactError):
        describe(model, source)


def save_outputs(path: str, results: Sequence[Result | PartsResult]) -> None:
    """Writes the outputs of all images as .npz."""
    arrays = {name: np.concatenate([result.outputs[name] for result in results]) for name in results[0].outputs}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:  # what numpy.savez writes, for any name of an output
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array)
    write_whole(path, buffer.getvalue())
