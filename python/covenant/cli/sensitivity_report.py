"""Report of `covenant sensitivity` for people."""

from __future__ import annotations

from covenant.cli.output import Output
from covenant.evaluation import (
    CONFIDENCE,
    ErrorOf,
    Hits,
    LayerSensitivity,
    SensitivityResult,
    interval_of,
    parts_of,
    shown,
    shown_gain,
)

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
    here = shown(result.metric, result.accuracy, result.accuracy_interval)
    in_float = shown(result.metric, result.float_accuracy, result.float_accuracy_interval)
    output.line(f"{what}: {here}; in float {in_float} ({result.float_source})")
    if result.accuracy_at_more_bits is not None:
        whole = shown(result.metric, result.accuracy_at_more_bits, interval_of(result.hits_at_more_bits))
        output.line(f"all layers of {result.more_bits} bits: {whole}")
    if result.hits is not None:
        output.line(f"[]: {CONFIDENCE:.0%} confidence interval of {result.hits.rows:,} rows, Wilson's")
    if any("(tied)" in str(cell) for row in rows for cell in row):
        output.line(f"(tied): these images do not show it, exact McNemar test, p >= {1 - CONFIDENCE:.2g}")


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
        _accuracy(result.metric, layer.accuracy_in_float, layer.hits_in_float),
        _gain(result.metric, result.gain(layer), result.gain_p_value(layer)),
        _accuracy(result.metric, layer.accuracy_at_more_bits, layer.hits_at_more_bits),
        _gain(result.metric, result.gain_of_bits(layer), result.gain_of_bits_p_value(layer)),
    ]


def _accuracy(metric: str, accuracy: float | None, hits: Hits | None) -> str:
    return "" if accuracy is None else shown(metric, accuracy, interval_of(hits))


def _gain(metric: str, gain: float | None, p_value: float | None) -> str:
    return "" if gain is None else shown_gain(metric, gain, p_value)


def _percent(error: ErrorOf | None) -> str:
    return "" if error is None else f"{error.relative:.2%}"


def _count(some: int, total: int) -> str:
    return f"{some / total:.2%}"
