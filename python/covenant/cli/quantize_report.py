"""Report of `covenant quantize` for people."""

from __future__ import annotations

from covenant.cli.output import Output
from covenant.quantization import QuantizationReport
from covenant.quantization.bits import BYTE


def show(report: QuantizationReport, output: Output) -> None:
    """Prints what was rewritten, what stayed in float, and how far the quantised model is from float."""
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


def warn(report: QuantizationReport, output: Output) -> None:
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
