"""`covenant sensitivity`: errors of each layer of a quantised model, and which of them costs accuracy."""

from __future__ import annotations

import argparse

from covenant.chart import check_chart_file
from covenant.cli.accuracy_command import add_data
from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.output import Output
from covenant.evaluation import ErrorOf, LayerSensitivity, SensitivityResult, draw_sensitivity, sensitivity

EXAMPLES = """  covenant sensitivity digits_qdq.onnx --data digits_test.npz --float digits_float.onnx
  covenant sensitivity model.onnx --data test.npz --errors-only --json
  covenant sensitivity model.onnx --data test.npz --images 200 --picture layers.svg
  covenant sensitivity model.onnx --data test.npz -m hvx"""
COLUMNS = (
    "layer", "operation", "error alone", "error in the chain", "SQNR, dB", "beyond the range", "at its ends",
    "accuracy in float", "gain",
)  # fmt: skip


def add(commands: object) -> None:
    """Adds the command."""
    parser = add_command(
        commands, "sensitivity", "show what rounding does to each layer of a model, and which layer costs accuracy",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument("model", metavar="MODEL", help="an .onnx model, int8, in QDQ style unless --errors-only")
    add_data(parser)
    parser.add_argument("-m", "--machine", help="scale as this machine does (default: in single precision)")
    add_machine_settings(parser)
    parser.add_argument(
        "--errors-only", action="store_true", help="do not run the model once for each layer with that layer in float"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw a bar for each layer, .svg or .png; needs matplotlib")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Shows a row for each layer."""
    if arguments.picture:
        check_chart_file(arguments.picture)
    fixed_point = bool(arguments.machine) and machine_of(arguments.machine, arguments).fixed_point
    with output.activity("sensitivity") as tell:
        result = sensitivity(
            arguments.model, arguments.data, metric=arguments.metric, output=arguments.output, images=arguments.images,
            float_model=arguments.float_model, fixed_point=fixed_point, one_in_float=not arguments.errors_only,
            threads=arguments.threads, progress=tell,
        )  # fmt: skip
    if arguments.picture:
        draw_sensitivity(result, arguments.picture)
    if output.json:
        output.object(result.to_dict())
    else:
        output.table(
            f"{result.model}, {result.images:,} images", COLUMNS, [_cells(result, one) for one in result.layers]
        )
        output.line(
            f"{result.metric}: {result.accuracy:.2%}; in float {result.float_accuracy:.2%} ({result.float_source})"
        )
    return 0


def _cells(result: SensitivityResult, layer: LayerSensitivity) -> list[object]:
    known = layer.statistics
    gain = result.gain(layer)
    return [
        known.node,
        known.operation,
        _percent(known.alone),
        _percent(known.chain),
        "" if known.chain is None else f"{known.chain.decibel:.1f}",
        _count(known.below + known.above, known.elements * result.images) if known.chain else "",
        _count(known.at_lowest + known.at_highest, known.elements * result.images),
        "" if layer.accuracy_in_float is None else f"{layer.accuracy_in_float:.2%}",
        "" if gain is None else f"{100 * gain:+.2f}",
    ]


def _percent(error: ErrorOf | None) -> str:
    return "" if error is None else f"{error.relative:.2%}"


def _count(some: int, total: int) -> str:
    return f"{some / total:.2%}"
