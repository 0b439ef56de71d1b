"""Report of `covenant accuracy` for people."""

from __future__ import annotations

from covenant.cli.output import Output
from covenant.evaluation import CONFIDENCE, RANKS, AccuracyResult, parts_of, shown


def show(result: AccuracyResult, worst: int, output: Output) -> None:
    """Prints how accurate it is, what was verified, and the worst examples."""
    rows = [(result.machine, shown(result.metric, result.accuracy, result.accuracy_interval), "")]
    if result.onnxruntime_accuracy is not None:
        equal = (
            "computes elements of this width in float: its bytes are not compared"
            if result.onnxruntime_equal is None
            else f"the same bytes of {result.onnxruntime_equal:,} of {result.images:,} images"
        )
        figure = shown(result.metric, result.onnxruntime_accuracy, result.onnxruntime_accuracy_interval)
        rows.append(("ONNX Runtime", figure, equal))
    if result.float_accuracy is not None:
        figure = shown(result.metric, result.float_accuracy, result.float_accuracy_interval)
        rows.append(("float", figure, result.float_source or ""))
    name = parts_of(result.metric)[1]
    output.table(f"{result.model}, {result.images:,} images", ["on", name, ""], rows)
    if result.hits is not None:
        output.line(f"[]: {CONFIDENCE:.0%} confidence interval of {result.hits.rows:,} rows, Wilson's")
    _show_difference("ONNX Runtime", result.onnxruntime_p_value, output)
    _show_difference("the float model", result.float_p_value, output)
    output.line(f"cycles of an image: {result.cycles:,} ({result.seconds_of_machine * 1e3:.3g} ms of the machine)")
    output.line(f"values: {result.images_per_second:,.0f} images a second")
    if result.exact_nodes:
        output.line(f"slow, by the reference operators: {', '.join(result.exact_nodes)}")
    verified = result.verified
    places = ", ".join(map(str, verified.images[:10])) + (", ..." if len(verified.images) > 10 else "")
    output.line(f"simulated with values, every byte compared: {len(verified.images)} of {result.images:,} ({places})")
    if verified.different:
        output.line(f"NOT the bytes of the SystemC model: images {', '.join(map(str, verified.different))}")
    if worst and result.metric not in RANKS:
        output.line(f"no worst examples: {name} has no rows of scores")
    if result.worst:
        of_float = " that the float model gets right" if result.float_accuracy is not None else ""
        output.table(
            f"Least margins{of_float}",
            ["image", "row", "label", "said", "margin", "loss"],
            [(one.image, one.row, one.label, one.guess, one.margin, one.loss) for one in result.worst],
        )


def _show_difference(other: str, p_value: float | None, output: Output) -> None:
    if p_value is None:
        return
    told = "differs from" if p_value < 1 - CONFIDENCE else "is tied with"
    output.line(f"{told} {other}: exact McNemar test on these images, p = {p_value:.3g}")
