"""Report of `covenant sensitivity` for people."""

from __future__ import annotations

from covenant.cli.output import Output
from covenant.evaluation import ErrorOf, LayerSensitivity, SensitivityResult, parts_of, shown, shown_gain

COLUMNS = (
    "layer", "operation", "error alone", "error in the chain", "SQNR, dB", "beyond the range", "at its ends",
    "accuracy in float", "gain",
)  # fmt: skip


def show(result: SensitivityResult, output: Output) -> None:
    """Prints a row for each layer, and what the whole model is worth."""
    bits = (f"accuracy at {result.more_bits} bits", "gain of bits") if result.more_bits else ()
    rows = [_cells(result, one)[: len(COLUMNS) + len(bits)] for one in result.layers]
    output.table(f"{result.model}, {result.images:,} images", COLUMNS + bits, rows)
    what = parts_of(result.metric)[1] + (f" with weights of {result.weight_bits} bits" if result.weight_bits else "")
    in_float = shown(result.metric, result.float_accuracy)
    output.line(f"{what}: {shown(result.metric, result.accuracy)}; in float {in_float} ({result.float_source})")
    if result.accuracy_at_more_bits is not None:
        output.line(f"all layers of {result.more_bits} bits: {shown(result.metric, result.accuracy_at_more_bits)}")


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
