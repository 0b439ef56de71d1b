"""`covenant accuracy`: a whole test set on a machine, beside the float model and ONNX Runtime."""

from __future__ import annotations

import argparse

from covenant.choices import COMPARED, METRICS
from covenant.cli.arguments import (
    add_command,
    add_json,
    add_machine_settings,
    add_memory,
    machine_of,
    machine_request,
    not_negative,
    positive,
)
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant accuracy digits_qdq.onnx --data digits_test.npz -m genesys
  covenant accuracy int8.onnx --data test.npz -m genesys --compare float,onnxruntime --float float.onnx
  covenant accuracy model.onnx --data test.npz -m genesys:8x8 --metric top5 --verify 20 --json
  covenant accuracy model.onnx --data test.npz -m genesys --metric metrics.py:characters
  covenant accuracy model.onnx --data test.npz -m hvx --worst 10 --picture worst.png"""


def add(commands: object) -> None:
    """Adds the command."""
    parser = add_command(commands, "accuracy", EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="an .onnx model, int8")
    add_data(parser)
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    add_memory(parser)
    parser.add_argument(
        "--compare", metavar="WHAT,...", default="", help=f"run the same images elsewhere, too: {', '.join(COMPARED)}"
    )
    parser.add_argument(
        "--verify", type=not_negative, default=4, metavar="N",
        help="images that the SystemC model computes, too, every byte compared: the first, the last, and others "
        "between them (default: 4; at least 2)",
    )  # fmt: skip
    parser.add_argument(
        "--worst", type=not_negative, default=5, metavar="N", help="how many of the worst examples to list (default: 5)"
    )
    parser.add_argument(
        "--picture", type=WrittenPath, metavar="FILE", help="draw the worst examples, .svg or .png; needs matplotlib"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Images and labels, with the metric that rates outputs."""
    parser.add_argument(
        "--data", required=True, metavar="FILE",
        help=".npz with one array for each input, images along its first axis, and labels",
    )  # fmt: skip
    parser.add_argument("--images", type=positive, metavar="N", help="images to run, from the first on (default: all)")
    parser.add_argument(
        "--metric", default="top1", metavar="NAME",
        help=f"{', '.join(METRICS)}, or FILE.py:FUNCTION, a function of yours (default: top1)",
    )  # fmt: skip
    parser.add_argument("--output", metavar="NAME", help="output that the metric is about (default: the only one)")
    parser.add_argument(
        "--float", metavar="FILE", dest="float_model",
        help="the float model that MODEL was made of (default: MODEL without rounding between its layers)",
    )  # fmt: skip
    parser.add_argument("--threads", type=positive, metavar="N", help="images at a time (default: one for each core)")


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Shows how accurate it is; exit code 1 if a byte that was simulated is another one."""
    from covenant.cli.accuracy_report import show
    from covenant.evaluation import accuracy, check_examples, check_metric, draw_worst
    from covenant.report.chart import check_chart_file

    if arguments.picture:
        check_chart_file(arguments.picture)
        check_metric(arguments.metric)
        check_examples(arguments.metric, arguments.worst)
    with output.activity("accuracy") as tell:
        result = accuracy(
            arguments.model, arguments.data, machine_of(machine_request(arguments)), metric=arguments.metric,
            output=arguments.output, images=arguments.images, compare=_names(arguments.compare),
            float_model=arguments.float_model, verify=arguments.verify, worst=arguments.worst,
            threads=arguments.threads, memory=arguments.memory, progress=tell,
        )  # fmt: skip
    if arguments.picture:
        draw_worst(result, arguments.picture)
    if output.json:
        output.object(result.to_dict())
    else:
        show(result, arguments.worst, output)
    return 0 if result.is_verified else 1


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
