"""`covenant cosim` of a model, a program or a layer: the SystemC model and the RTL in lock step."""

from __future__ import annotations

import shlex
import time
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.cosim_request import CosimRequest
from covenant.cli.output import Output
from covenant.cli.run_report import show_memory
from covenant.cli.source import feeds_of, program_of
from covenant.cli.source_request import build_words
from covenant.files import check_writable
from covenant.machine.memory_models import FIXED_MEMORY, memory_model
from covenant.program import Program, is_program_file
from covenant.report.facts import memory_facts
from covenant.runtime.difference import Difference
from covenant.runtime.verilated import VerilatedModel
from covenant.verify.lockstep import LAST_CYCLE, CosimResult, cosim

AROUND_CYCLES = 200
"""Cycles before and after a difference that are worth a look."""


def execute_model(request: CosimRequest, output: Output) -> int:
    """Runs every image on both; 1 at the first difference."""
    source = request.source
    if not (source.model or source.layer):
        raise mistake("there is nothing to run", "name a model, a program or a --layer")
    if request.wave:
        check_writable(request.wave)
    memory_model(request.memory)  # says what is wrong before the work
    start = time.perf_counter()
    program = program_of(source)
    feeds = list(enumerate(feeds_of(source, program, output)))
    if request.image is not None:
        if request.image >= len(feeds):
            raise mistake(f"there is no image {request.image}", f"take one of 0..{len(feeds) - 1}, or more --images")
        feeds = [feeds[request.image]]
    results: list[tuple[int, CosimResult]] = []
    last_cycle = LAST_CYCLE if request.last_cycle is None else request.last_cycle
    with output.activity(f"{program.model} on {program.machine.name}") as tell:
        model = VerilatedModel(program.machine, request.build, waves=bool(request.wave), progress=tell)
        for image, feed in feeds:
            wave = request.wave if not results else None
            result = cosim(
                program, feed, wave=wave, wave_cycles=(request.first_cycle, last_cycle), memory=request.memory,
                build=model, progress=tell,
            )  # fmt: skip
            results.append((image, result))
            if not result.identical:
                break
    report = _report(program, request, results) | {"seconds": time.perf_counter() - start}
    if output.json:
        output.object(report)
    else:
        _show(report, results[-1][1].first, output)
    return 0 if report["identical"] else 1


def _report(program: Program, request: CosimRequest, results: list[tuple[int, CosimResult]]) -> dict[str, Any]:
    runs = [result for _, result in results]
    image, last = results[-1]
    cycles = sum(run.cycles for run in runs)
    systemc = sum(run.systemc_seconds for run in runs)
    rtl = sum(run.rtl_seconds for run in runs)
    return {
        "model": program.model,
        "machine": program.machine.name,
        "parameters": program.machine.parameters,
        "images": len(runs),
        "seed": request.source.seed_of_input,
        "identical": last.identical,
        "instructions": sum(run.instructions for run in runs),
        "cycles": cycles,
        "differences": last.differences,
        "first": last.first.to_dict() | {"image": image} if last.first else None,
        "reproduce": _reproduce(request, image, last.first) if last.first else None,
        "memory": memory_facts(runs[0].stats),
        "layers": [
            {"name": layer.name, "operation": layer.operation, "cycles": layer.cycles} for layer in runs[0].layers
        ],
        "build_seconds": max(run.build_seconds for run in runs),
        "systemc_seconds": systemc,
        "rtl_seconds": rtl,
        "systemc_cycles_per_second": cycles / systemc if systemc else None,
        "rtl_cycles_per_second": cycles / rtl if rtl and last.identical else None,
    }


def _reproduce(request: CosimRequest, image: int, difference: Difference) -> str:
    """The command that runs only the image that differs, with waves of the cycles around the difference."""
    source, machine = request.source, request.source.machine
    words = ["covenant", "cosim", *([source.model] if source.model else ["--layer", source.layer])]
    if machine.spec and not (source.model and is_program_file(source.model)):
        words += ["-m", machine.spec]
    words += ["--preset", machine.preset] if machine.preset else []
    for setting in machine.settings:
        words += ["--set", setting]
    words += ["--library", source.library] if source.library else []
    words += ["--schedule", source.schedule] if source.schedule else []
    words += [] if source.fusion else ["--no-fusion"]
    words += ["--input", source.input] if source.input else ["--seed", str(source.seed)]
    words += ["--images", str(image + 1), "--image", str(image)]
    words += [] if request.memory == FIXED_MEMORY else ["--memory", request.memory]
    words += build_words(request.build)
    words += ["--wave", "difference.fst", "--from", str(max(0, difference.cycle - AROUND_CYCLES))]
    return shlex.join([*words, "--to", str(difference.cycle + AROUND_CYCLES)])


def _show(report: dict[str, Any], first: Difference | None, output: Output) -> None:
    if report["build_seconds"]:
        output.line(f"Verilated model built in {report['build_seconds']:.1f} s")
    output.line(
        f"{report['instructions']:,} instructions, {report['cycles']:,} cycles, {report['differences']:,} differences"
    )
    show_memory(report["memory"], output)
    if first:
        output.line(f"image {report['first']['image']}: {first.text}")
        output.line(f"waves of it: {report['reproduce']}")
    else:
        rates = (report["systemc_cycles_per_second"] or 0, report["rtl_cycles_per_second"] or 0)
        output.line(f"systemc: {rates[0]:,.0f} cycles/s, rtl: {rates[1]:,.0f} cycles/s (records and digests on)")
