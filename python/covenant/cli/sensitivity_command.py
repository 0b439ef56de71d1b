"""`covenant sensitivity`: errors of each layer of a quantised model, and which of them costs accuracy."""

from __future__ import annotations

import argparse

from covenant.cli.accuracy_command import add_data
from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of, machine_request, positive
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant sensitivity digits_qdq.onnx --data digits_test.npz --float digits_float.onnx
  covenant sensitivity model.onnx --data test.npz --errors-only --json
  covenant sensitivity model.onnx --data test.npz --images 200 --picture layers.svg
  covenant sensitivity model.onnx --data test.npz -m hvx --metric sqnr
  covenant sensitivity float.onnx --data test.npz --calibrate samples.npz --weight-bits 3 --more-bits 8"""


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
    parser.add_argument(
        "--picture", type=WrittenPath, metavar="FILE", help="draw a bar for each layer, .svg or .png; needs matplotlib"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Shows a row for each layer."""
    from covenant.cli.sensitivity_report import show
    from covenant.evaluation import draw_sensitivity, sensitivity, sensitivity_to_bits
    from covenant.report.chart import check_chart_file

    if arguments.picture:
        check_chart_file(arguments.picture)
    machine = machine_of(machine_request(arguments)) if arguments.machine else None
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
        show(result, output)
    return 0
