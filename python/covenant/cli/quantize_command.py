"""`covenant quantize`: quantises a float model."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from covenant.choices import METHODS, SIGNS, WIDTHS
from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of, machine_request
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath
from covenant.errors import CovenantError, Diagnostic

EXAMPLES = """  covenant quantize float.onnx -o int8.onnx --calibrate samples.npz
  covenant quantize float.onnx -o int8.onnx --calibrate samples.npz --shape x=1,3,224,224
  covenant quantize float.onnx -o int8.onnx --calibrate samples.npz --method percentile --activations u8
  covenant quantize float.onnx -o w4a8.onnx --calibrate samples.npz --weight-bits conv1=8,*=4 --method mse
  covenant quantize float.onnx -o w4a4.onnx --calibrate samples.npz --bits 4 --equalize --bias-correction --layers
  covenant quantize float.onnx -o int4.onnx --calibrate samples.npz --elements 4 --method mse
  covenant quantize float.onnx -o int16.onnx --calibrate samples.npz --bits 16"""
_BITS = "2 to 16, or PATTERN=BITS,... by names of nodes: the first pattern that matches counts"


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "quantize", EXAMPLES)
    parser.add_argument("model", metavar="FLOAT", help="a float ONNX model")
    parser.add_argument(
        "-o",
        "--output",
        type=WrittenPath,
        metavar="QUANTISED",
        required=True,
        help="the quantised model that is written",
    )
    parser.add_argument(
        "--calibrate", metavar="DATA", required=True,
        help=".npz with one array for each input, samples along its first axis: ranges come from them",
    )  # fmt: skip
    parser.add_argument(
        "--shape", action="append", default=[], metavar="NAME=N,...", dest="shapes",
        help="shape of an input that has no fixed one; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--activations", choices=tuple(SIGNS), default="i8",
        help="stored activations are signed (i8) or not (u8), whatever their width (default: i8)",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=METHODS, default="minmax",
        help="how ranges are taken (default: minmax); mse, the least squared error, also chooses the scales of weights",
    )  # fmt: skip
    parser.add_argument(
        "--elements", type=int, choices=WIDTHS,
        help="bits of a stored element, which the machine must have (default: 8 if no bits are more, else 16)",
    )  # fmt: skip
    parser.add_argument(
        "--bits", metavar="BITS",
        help=f"of weights and of what layers take: {_BITS}; where none does, and by default, as many as an element has",
    )  # fmt: skip
    parser.add_argument("--weight-bits", metavar="BITS", help="of weights alone (default: as --bits)")
    parser.add_argument("--activation-bits", metavar="BITS", help="of what layers take alone (default: as --bits)")
    parser.add_argument(
        "--per-tensor", action="store_false", dest="per_channel",
        help="one scale for all output channels of a layer's weights, not one for each",
    )  # fmt: skip
    parser.add_argument(
        "--keep-float", action="append", default=[], metavar="NODE",
        help="a node at the start or the end that stays in float, * standing for any characters; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--equalize", action="store_true",
        help="scale channels between layers so that weights use their range (cross-layer equalisation)",
    )  # fmt: skip
    parser.add_argument(
        "--bias-correction", action="store_true", help="take shifts of the means of channels off the biases"
    )
    parser.add_argument("--layers", action="store_true", help="show how far each layer is from float by itself")
    parser.add_argument(
        "-m", "--machine",
        help="machine, MACHINE:PRESET, or path of an .acg file that has to take the quantised model (default: what "
        "every machine asks for)",
    )  # fmt: skip
    add_machine_settings(parser)
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints what was rewritten, what stayed in float, and how far the quantised model is from float."""
    from covenant.cli.quantize_report import show, warn
    from covenant.quantization import quantize

    machine = machine_of(machine_request(arguments)) if arguments.machine else None
    with output.activity("quantising") as tell:
        report = quantize(
            arguments.model, arguments.output, arguments.calibrate, shapes=dict(map(_shape, arguments.shapes)),
            activations=arguments.activations, per_channel=arguments.per_channel, method=arguments.method,
            weight_bits=arguments.weight_bits or arguments.bits,
            activation_bits=arguments.activation_bits or arguments.bits,
            equalize=arguments.equalize, bias_correction=arguments.bias_correction,
            elements=arguments.elements, keep_float=arguments.keep_float, layers=arguments.layers, machine=machine,
            progress=tell,
        )  # fmt: skip
    if output.json:
        output.object(asdict(report) | {"output": str(report.output)})
    else:
        show(report, output)
    warn(report, output)
    return 0


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, sizes = text.rpartition("=")
    try:
        shape = tuple(int(size) for size in sizes.split(","))
    except ValueError:
        shape = ()
    if not name or not shape or min(shape) < 1:
        raise CovenantError(
            Diagnostic("CLI0001", "wrong arguments: a shape is NAME=N,N,...", "--shape", offending=text,
                       fix="--shape x=1,3,224,224")
        )  # fmt: skip
    return name, shape
