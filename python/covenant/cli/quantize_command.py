"""`covenant quantize`: quantises a float model."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from covenant.choices import METHODS, SIGNS, WIDTHS
from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.output import Output
from covenant.errors import CovenantError, Diagnostic
from covenant.quantization import QuantizationReport, quantize
from covenant.quantization.bits import BYTE

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
        "-o", "--output", metavar="QUANTISED", required=True, help="the quantised model that is written"
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
    machine = machine_of(arguments.machine, arguments) if arguments.machine else None
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
        _print(report, output)
    _warn(report, output)
    return 0


def _print(report: QuantizationReport, output: Output) -> None:
    output.line(f"{report.output}: calibrated by {report.samples} samples")
    _print_rewrites(report, output)
    output.table("Operators as ONNX Runtime runs them", ["operator", "times"], report.operators.items())
    output.table(
        f"int{report.elements} beside float",
        ["output", "largest difference", "mean difference", "signal to noise", "same largest"],
        [
            (
                one.name, f"{one.largest:.4g}", f"{one.mean:.4g}", f"{one.noise_decibel:.1f} dB",
                "" if one.same_largest is None else f"{one.same_largest:.1%}",
            )
            for one in report.errors
        ],
    )  # fmt: skip
    if report.varying:
        output.line(f"not compared, for their shape depends on what they hold: {', '.join(report.varying)}")
    if report.layers:
        output.table(
            "Each layer beside itself in float",
            ["layer", "operator", "weight bits", "activation bits", "relative error", "signal to noise"],
            [
                (
                    one.name, one.operator, one.weight_bits or "", one.activation_bits, f"{one.relative_error:.4f}",
                    f"{one.sqnr_decibel:.1f} dB",
                )
                for one in report.layers
            ],
        )  # fmt: skip
    counts = [f"{name} {_counted(bits)}" for name, bits in _fewer(report)]
    if counts:
        output.line(f"bits: {', '.join(counts)}")
    if report.equalized:
        output.line(f"pairs of layers whose channels were equalised: {report.equalized}")
    if report.bias_corrections is not None:
        output.line(f"layers whose biases were corrected: {len(report.bias_corrections)}")
    if report.tables and report.elements <= BYTE:
        size = "256 bytes" if report.elements == BYTE else f"{2**report.elements} entries"
        output.line(f"chains of float operators that become a table of {size} each: {report.tables}")
    elif report.tables:
        output.line(
            f"chains of float operators of which no machine has a table at {report.elements} bits: {report.tables}"
        )
    if report.closing:
        output.line(f"left in float at the end, for the host: {', '.join(report.closing)}")
    if report.float_operators:
        output.line(
            f"left in float in the middle, where no table can stand for them: {', '.join(report.float_operators)}"
        )


def _print_rewrites(report: QuantizationReport, output: Output) -> None:
    if report.rewrites:
        output.table("Rewritten in float", ["what", "times"], [(one.what, one.count) for one in report.rewrites])


def _warn(report: QuantizationReport, output: Output) -> None:
    """Prints what a user has to know before using the model, to standard error; the exit code stays 0."""
    for one in report.swallowed:
        output.note(
            f"warning: {one.name}: a step of {one.step:.4g} swallows its values: {one.share:.0%} of them lie on "
            f"{one.levels} levels, for its range is {one.least:.4g} to {one.greatest:.4g}; clamp what is far out in "
            "the float model, or try --method percentile or --elements 16"
        )
    if report.refusal is not None:
        one = report.refusal
        subject = f"{one.subject}: " if one.subject else ""
        got = f" (got: {one.offending})" if one.offending else ""
        said = f"[{one.code}] {subject}{one.message}{got}; fix: {one.fix}"
        output.note(f"warning: `covenant run` will refuse {report.output}: {said}")


def _fewer(report: QuantizationReport) -> list[tuple[str, dict[str, int]]]:
    """Bits of weights and activations, where they are not all those of an element."""
    both = (("weights", report.weight_bits), ("activations", report.activation_bits))
    return [(name, bits) for name, bits in both if set(bits.values()) - {report.elements}]


def _counted(bits: dict[str, int]) -> str:
    """Counts by number of bits, as in: 3 of 4 and 1 of 8."""
    numbers = sorted(bits.values())
    return " and ".join(f"{numbers.count(one)} of {one}" for one in sorted(set(numbers)))


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
