"""`covenant sensitivity`: errors of each layer of a quantised model, and which of them costs accuracy."""

from __future__ import annotations

import argparse

from covenant.cli.accuracy_command import add_data
from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.output import Output
from covenant.cli.source import positive
from covenant.evaluation import (
    ErrorOf,
    LayerSensitivity,
    SensitivityResult,
    draw_sensitivity,
    parts_of,
    sensitivity,
    sensitivity_to_bits,
    shown,
    shown_gain,
)
from covenant.report.chart import check_chart_file

EXAMPLES = """  covenant sensitivity digits_qdq.onnx --data digits_test.npz --float digits_float.onnx
  covenant sensitivity model.onnx --data test.npz --errors-only --json
  covenant sensitivity model.onnx --data test.npz --images 200 --picture layers.svg
  covenant sensitivity model.onnx --data test.npz -m hvx --metric sqnr
  covenant sensitivity float.onnx --data test.npz --calibrate samples.npz --weight-bits 3 --more-bits 8"""
COLUMNS = (
    "layer", "operation", "error alone", "error in the chain", "SQNR, dB", "beyond the range", "at its ends",
    "accuracy in float", "gain",
)  # fmt: skip


def add(commands: object) -> None:
    """Adds the command."""
    parser = add_command(commands, "sensitivity", EXAMPLES)
    parser.add_argument(
        "model", metavar="MODEL",
        help="an .onnx model, int8, in QDQ style unless --errors-only; with --calibrate, a float one",
    )  # fmt: skip
    add_data(parser)
    parser.add_argument("-m", "--machine", help="scale as this machine does (default: in single precision)")
    add_machine_settings(parser)
    parser.add_argument(
        "--errors-only", action="store_true", help="do not run the model once for each layer with that layer in float"
    )
    parser.add_argument(
        "--calibrate", metavar="FILE",
        help=".npz with samples: MODEL is a float one, quantised with few bits of weights, and run once for each layer "
        "with more bits in that layer",
    )  # fmt: skip
    parser.add_argument(
        "--weight-bits", type=positive, default=4, metavar="N", help="of all layers, with --calibrate (default: 4)"
    )
    parser.add_argument(
        "--more-bits", type=positive, default=8, metavar="N", help="of one layer at a time, likewise (default: 8)"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw a bar for each layer, .svg or .png; needs matplotlib")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Shows a row for each layer."""
    if arguments.picture:
        check_chart_file(arguments.picture)
    machine = machine_of(arguments.machine, arguments) if arguments.machine else None
    with output.activity("sensitivity") as tell:
        options = {
            "metric": arguments.metric, "output": arguments.output, "images": arguments.images,
            "requant": machine.requant if machine else "fp32", "accumulators": machine,
            "one_in_float": not arguments.errors_only, "threads": arguments.threads, "progress": tell,
        }  # fmt: skip
        if arguments.calibrate is None:
            result = sensitivity(arguments.model, arguments.data, float_model=arguments.float_model, **options)
        else:
            result = sensitivity_to_bits(
                arguments.model, arguments.data, arguments.calibrate, weight_bits=arguments.weight_bits,
                more_bits=arguments.more_bits, **options,
            )  # fmt: skip
    if arguments.picture:
        draw_sensitivity(result, arguments.picture)
    if output.json:
        output.object(result.to_dict())
    else:
        bits = (f"accuracy at {result.more_bits} bits", "gain of bits") if result.more_bits else ()
        rows = [_cells(result, one)[: len(COLUMNS) + len(bits)] for one in result.layers]
        output.table(f"{result.model}, {result.images:,} images", COLUMNS + bits, rows)
        what = parts_of(result.metric)[1] + (
            f" with weights of {result.weight_bits} bits" if result.weight_bits else ""
        )
        in_float = shown(result.metric, result.float_accuracy)
        output.line(f"{what}: {shown(result.metric, result.accuracy)}; in float {in_float} ({result.float_source})")
        if result.accuracy_at_more_bits is not None:
            output.line(f"all layers of {result.more_bits} bits: {shown(result.metric, result.accuracy_at_more_bits)}")
    return 0


def _cells(result: SensitivityResult, layer: LayerSensitivity) -> list[object]:
    known = layer.statistics
    return [
        known.node,
        known.operation,
        _percent(known.alone),
        _percent(known.chain),
        "" if known.chain is None else f"{known.chain.decibel:.1f}",
        _count(known.below + known.above, known.elements * result.images) if known.chain else "",
        _count(known.at_lowest + known.at_highest, known.elements * result.images),
        "" if layer.accuracy_in_float is None else shown(result.metric, layer.accuracy_in_float),
        _gain(result.metric, result.gain(layer)),
        "" if layer.accuracy_at_more_bits is None else shown(result.metric, layer.accuracy_at_more_bits),
        _gain(result.metric, result.gain_of_bits(layer)),
    ]


def _gain(metric: str, gain: float | None) -> str:
    return "" if gain is None else shown_gain(metric, gain)


def _percent(error: ErrorOf | None) -> str:
    return "" if error is None else f"{error.relative:.2%}"


def _count(some: int, total: int) -> str:
    return f"{some / total:.2%}"
