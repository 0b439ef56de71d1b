"""Report of `covenant run`: layers, cycles, and how the outputs compare with the expected ones."""

from __future__ import annotations

import math
from typing import Any

from covenant.cli.output import Output
from covenant.program import Program
from covenant.report.facts import host_facts, memory_facts
from covenant.runtime.result import Result, TogetherResult
from covenant.verify.verdict import Verdict

LAYER_COLUMNS = ("name", "operation", "cycles", "engine", "compute", "stalls", "causes", "utilisation")
PACKET_COLUMNS = ("name", "operation", "packets", *LAYER_COLUMNS[2:])
COMPARED_COLUMNS = ("layer", "tensor", "bytes", "differing", "largest difference", "first index")


def runs_report(
    program: Program, results: list[Result], verdict: Verdict | None, together: list[TogetherResult]
) -> dict[str, Any]:
    """Report for `covenant run --json` on the runs, of which some may have been at once, and on the comparison."""
    first = results[0]
    comparison = verdict.comparison if verdict else None
    return {
        "model": program.model,
        "machine": program.machine.name,
        "parameters": program.machine.parameters,
        "backend": first.backend,
        "images": len(results),
        "identical": comparison.identical if comparison else None,
        "equal_images": comparison.equal_images if comparison else None,
        "outputs": comparison.elements if comparison else None,
        "equal_outputs": comparison.equal_elements if comparison else None,
        "largest_difference": _finite(comparison.largest_difference) if comparison else None,
        "largest_steps": _finite(verdict.steps.largest_difference) if verdict and verdict.steps else None,
        "mean_steps": _finite(verdict.steps.mean_difference) if verdict and verdict.steps else None,
        "within_a_step": verdict.within_a_step if verdict else None,
        "largest_steps_of_a_layer": verdict.steps_to_onnxruntime if verdict else None,
        # `judge` is the former name of `source`: keys stay.
        "oracle": verdict.oracle | {"judge": verdict.oracle["source"]} if verdict else None,
        "witness": verdict.testimony.to_dict() if verdict and verdict.testimony else None,
        "compared_layers": verdict.layers.to_dict() if verdict and verdict.layers else None,
        "cycles": first.cycles,
        "packets": first.packets,
        "total_cycles": sum(result.cycles for result in together or results),
        "memory": memory_facts(first.stats),
        "build_seconds": max(result.build_seconds for result in results),
        "host": host_facts(program, results),
        "layers": [layer.to_dict() for layer in first.layers],
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity and no NaN."""
    return number if math.isfinite(number) else None


def show(report: dict[str, Any], output: Output) -> None:
    """The same for people, with the times that the command adds."""
    if report["layers"]:
        columns = LAYER_COLUMNS if report["packets"] is None else PACKET_COLUMNS
        output.table(
            f"{report['model']} on {report['machine']}, one image",
            columns,
            [[_cell(layer[column]) for column in columns] for layer in report["layers"]],
        )
        output.line(f"cycles: {report['cycles']:,} for one image, {report['total_cycles']:,} for {report['images']}")
        if report["packets"] is not None:
            output.line(f"packets: {report['packets']:,} for one image")
    show_memory(report["memory"], output)
    if report["host"]:
        for place in ("before", "after"):
            if report["host"][place]:
                output.line(f"on the host, in ONNX Runtime, {place} the machine: {', '.join(report['host'][place])}")
        output.line(f"time on the host: {1000 * report['host']['seconds']:.2f} ms")
    if report["oracle"]:
        source = report["oracle"]
        output.line(f"expected outputs: from {source['settings']}")
        if source["probe"]:
            output.line(f"probe: {source['probe']}")
        if source["shares"]:
            output.line(f"not independent: {source['shares']}")
        name = f"ONNX Runtime {source['version']} says" if source["version"] else "the reference says"
        output.line(
            f"{_spelt(report)} {name}: {report['equal_outputs']:,} of {report['outputs']:,} outputs equal, "
            f"{report['equal_images']:,} of {report['images']:,} images whole{_apart(report)}"
        )
    _show_witness(report, output)
    _show_distance(report, output)
    if report["compared_layers"]:
        _show_compared(report["compared_layers"], output)
    output.line(f"{report['backend']}: {report['simulate_seconds']:.2f} s")


MEMORY_COLUMNS = ("memory", "reads", "writes", "row hits", "row misses", "row conflicts", "refreshes", "GB/s", "peak")


def show_memory(memory: dict[str, Any] | None, output: Output) -> None:
    """A line for each off-chip memory; nothing with a fixed latency."""
    if memory is None:
        return
    peak = memory["peak_bytes_per_second"] / len(memory["each"]) / 1e9
    counted = ("memory", "reads", "writes", "row_hits", "row_misses", "row_conflicts", "refreshes")
    rows = [[*(one[key] for key in counted), one["bandwidth_bytes_per_second"] / 1e9, peak] for one in memory["each"]]
    output.table(f"off-chip memory, {memory['model']}", MEMORY_COLUMNS, rows)


def _show_witness(report: dict[str, Any], output: Output) -> None:
    """Prints how ONNX Runtime on the model as written compares, layer by layer."""
    said = report["witness"]
    if said is None:
        return
    apart = ", ".join(
        f"{name} {'without bound' if steps is None else format(steps, '.3g')}"
        for name, steps in said["largest_steps"].items()
    )
    if said["agrees"]:
        output.line(
            f"witness: ONNX Runtime unfused on the model as it is written holds {said['held']} tensors, "
            f"{said['beside']} of them a step beside, none further; outputs apart by up to: {apart}"
        )
        return
    first = said["first"]
    steps = "without bound" if first["steps"] is None else f"{first['steps']:.3g} steps"
    output.line(
        f"THE WITNESS DISAGREES: {first['tensor']} is {steps} from what ONNX Runtime, unfused, makes of the tensors "
        f"before it as the model is written; outputs apart by up to: {apart}; fused: {_fused_apart(report)}"
    )


def _fused_apart(report: dict[str, Any]) -> str:
    largest = report["largest_steps"] if report["largest_steps"] is not None else report["largest_difference"]
    return "without bound" if largest is None else f"{largest:.3g}"


def _show_distance(report: dict[str, Any], output: Output) -> None:
    """Prints the distance from ONNX Runtime of a machine that scales in its own way."""
    if report["differences_to_onnxruntime"]:
        each = ", ".join(f"{name} {difference}" for name, difference in report["differences_to_onnxruntime"].items())
        output.line(f"largest difference to ONNX Runtime, in steps: {each}")
    if report["largest_steps_of_a_layer"] is not None:
        steps = report["largest_steps_of_a_layer"]
        output.line(
            f"each layer alone within {steps} step{'s' * (steps != 1)} of what ONNX Runtime makes of its inputs"
        )


def _spelt(report: dict[str, Any]) -> str:
    if report["identical"]:
        return "identical to what"
    return "each layer within a step of what" if report["within_a_step"] else "DIFFERENT from what"


def _apart(report: dict[str, Any]) -> str:
    """Distance of outputs from those of an operator that rounds in an order of its own."""
    if not report["oracle"]["inexact"] or report["identical"] or report["largest_steps"] is None:
        return ""
    operators = ", ".join(report["oracle"]["inexact"])
    return f"; by up to {report['largest_steps']:g} steps, {report['mean_steps']:.3g} in the mean ({operators})"


def _show_compared(report: dict[str, Any], output: Output) -> None:
    """Every tensor that a layer writes, and the first that differs."""
    rows = [
        (tensor["layer"], tensor["tensor"], tensor["bytes"], *_difference(tensor)) for tensor in report["tensors"]
    ]  # fmt: skip
    output.table("what each layer writes, in order of execution", COMPARED_COLUMNS, rows)
    compared, tensors = report["compared"], len(report["tensors"])
    within = sum(bool(tensor["differing"]) for tensor in report["tensors"])
    equal = f"all equal but {within}, which are within a step" if within else "all equal"
    verdict = equal if report["first_different"] is None else f"the first layer that differs: {_first(report)}"
    output.line(f"{compared} of {tensors} tensors have a counterpart; {verdict}")


def _difference(tensor: dict[str, Any]) -> tuple[Any, ...]:
    if not tensor["compared"]:
        return "no counterpart", "", tensor["no_counterpart"]
    if not tensor["differing"]:
        return 0, "", ""
    return tensor["differing"], _largest(tensor), f"image {tensor['first_image']}, {tensor['first_index']}"


def _largest(tensor: dict[str, Any]) -> str:
    largest = tensor["largest_difference"]
    return "infinite" if largest is None else f"{largest:g}"


def _first(report: dict[str, Any]) -> str:
    tensor = next(entry for entry in report["tensors"] if entry["layer"] == report["first_different"])
    return (
        f"{tensor['layer']}, {tensor['differing']:,} bytes of {tensor['tensor']}, by up to {_largest(tensor)}, "
        f"first at {tensor['first_index']} of image {tensor['first_image']}"
    )


def _cell(value: Any) -> Any:
    """Causes of stalls, largest first; everything else as it is."""
    if not isinstance(value, dict):
        return value
    causes = sorted(value.items(), key=lambda item: -item[1])
    return ", ".join(f"{cause} {cycles}" for cause, cycles in causes if cycles)
