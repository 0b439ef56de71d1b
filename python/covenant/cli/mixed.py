"""`covenant run --rtl`: some layers on the RTL, the rest on the SystemC model."""

from __future__ import annotations

from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.output import Output
from covenant.cli.run_request import RunRequest
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.program.inputs import Feed
from covenant.runtime.mixed import MixedResult, choose_layers, run_mixed
from covenant.runtime.verilated import VerilatedModel


def check_mixed(request: RunRequest) -> None:
    """Raises CLI0008 for what does not go together with layers on the RTL; before any work."""
    if not request.is_mixed:
        return
    if request.asked_backend or request.packets.trace or request.wave:
        raise mistake(
            "layers on the RTL run beside the SystemC model, without trace and waves",
            "leave out --backend, --trace and --wave, or --rtl and --rtl-window",
        )
    if request.memory != FIXED_MEMORY:
        raise mistake(
            "layers on the RTL run apart: which rows of a memory are open is not handed over to them",
            "leave out --memory, or --rtl and --rtl-window; with --backend rtl all layers run on the RTL",
        )


def run_all_mixed(request: RunRequest, program: Program, feeds: list[Feed], output: Output) -> list[MixedResult]:
    """Every image up to the first that differs."""
    layers = [name.strip() for name in (request.rtl or "").split(",") if name.strip()]
    if not layers and request.rtl_window is None:
        raise mistake("--rtl names no layer", "name layers, separated by commas")
    choose_layers(program, layers, request.rtl_window)  # says what is wrong before a model is built
    results: list[MixedResult] = []
    with output.activity(f"{program.model} on {program.machine.name}") as tell:
        model = VerilatedModel(program.machine, request.build, progress=tell)
        for feed in feeds:
            result = run_mixed(program, feed, layers, words=request.rtl_window, build=model, progress=tell)
            results.append(result)
            if not result.identical:
                break
    return results


def mixed_report(results: list[MixedResult]) -> dict[str, Any]:
    """Report for `covenant run --json`."""
    last = results[-1]
    return {
        "layers": [layer.layer.name for layer in last.layers if layer.backend == "rtl"],
        "identical": last.identical,
        "instructions": sum(result.instructions for result in results),
        "cycles": sum(result.rtl_cycles for result in results),
        "differences": last.differences,
        "first": last.first.to_dict() | {"image": len(results) - 1} if last.first else None,
        "build_seconds": max(result.build_seconds for result in results),
    }


def show_mixed(report: dict[str, Any], results: list[MixedResult], output: Output) -> None:
    """Prints which layers ran where, and whether they agree."""
    output.table(
        "Layers on the RTL",
        ["name", "backend", "cycles", "agreement"],
        [[layer.layer.name, layer.backend, layer.layer.cycles, layer.agreement or "-"] for layer in results[-1].layers],
    )
    output.line(
        f"{report['instructions']:,} instructions, {report['cycles']:,} cycles on the RTL, "
        f"{report['differences']:,} differences"
    )
    if results[-1].first:
        output.line(f"image {len(results) - 1}: {results[-1].first.text}")
