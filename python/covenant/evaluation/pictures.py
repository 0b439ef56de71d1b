"""Pictures of evaluations, drawn by matplotlib. Equal figures give equal files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from covenant.evaluation.by_layer import SensitivityResult
from covenant.evaluation.errors import user_error
from covenant.evaluation.hits import CONFIDENCE
from covenant.evaluation.metrics import gain_of, parts_of, shown
from covenant.evaluation.on_machine import AccuracyResult, WorstExample
from covenant.evaluation.ranks import RANKS
from covenant.report.chart import GRID, SERIES, TEXT, write_figure

__all__ = ["check_examples", "draw_sensitivity", "draw_worst"]

_COLUMNS = 5
_CELL = 2.2  # inches of an example
_BAR = 0.3  # inches of a layer
_COLOURS = 3  # of a channel each, in an image that has colours
_TIED = 0.35  # opacity of a gain that the images do not show
_LONGEST = 40  # letters of the name of a layer


def check_examples(metric: str, worst: int) -> None:
    """Whether so many of the worst examples by a metric can be drawn.

    Raises:
        CovenantError: ACC0011, there are none.
    """
    if metric not in RANKS:
        raise user_error("ACC0011", "the metric has no rows of scores, and no worst examples to draw", "picture",
                         offending=metric, allowed=RANKS, fix="draw no picture, or take one of these")  # fmt: skip
    if not worst:
        raise user_error("ACC0011", "there are no worst examples to draw", "picture", offending="none",
                         allowed=("1..",), fix="list some with --worst")  # fmt: skip


def draw_worst(result: AccuracyResult, path: str | os.PathLike[str]) -> None:
    """The worst examples, the worst first: what each shows, what it is, what the machine says.

    Args:
        result: what `covenant.accuracy` has given.
        path: of the file; SVG or PNG by its name.

    Raises:
        CovenantError: as `covenant.report.chart.check_chart_file` and `check_examples`.
    """
    check_examples(result.metric, len(result.worst))

    def draw(figure: Any) -> None:
        columns = min(_COLUMNS, len(result.worst))
        rows = -(-len(result.worst) // columns)
        figure.set_size_inches(_CELL * max(3, columns), (_CELL + 0.5) * rows + 0.5)
        for place, one in enumerate(result.worst):
            axes = figure.add_subplot(rows, columns, place + 1)
            _draw_image(axes, _image_of(result, one))
            colour = SERIES[0] if one.guess == one.label else "#b03030"
            axes.set_title(f"image {one.image}: {one.label}, said {one.guess}\nmargin {one.margin:.3g}", fontsize=9,
                           color=colour)  # fmt: skip
        figure.suptitle(
            f"{result.model} on {result.machine}: {result.metric} "
            f"{shown(result.metric, result.accuracy, result.accuracy_interval)}",
            fontsize=12,
        )

    write_figure(draw, path, layout="constrained")


def draw_sensitivity(result: SensitivityResult, path: str | os.PathLike[str]) -> None:
    """Draws two bars for each layer, its own error and that in the chain, and what the model gains with it in float.

    Args:
        result: what `covenant.sensitivity` has given.
        path: of the file; SVG or PNG by its name.

    Raises:
        CovenantError: as `covenant.report.chart.check_chart_file`.
    """

    def draw(figure: Any) -> None:
        layers, name = result.layers, parts_of(result.metric)[1]
        times, unit = gain_of(result.metric)
        in_unit = unit and f", {unit}"
        kinds = {
            f"{name} gained with this layer in float{in_unit}": [
                (result.gain(one), result.gain_p_value(one)) for one in layers
            ],
            f"with {result.more_bits} bits of weights in it{in_unit}": [
                (result.gain_of_bits(one), result.gain_of_bits_p_value(one)) for one in layers
            ],
        }
        known = {what: gained for what, gained in kinds.items() if any(one is not None for one, _ in gained)}
        figure.set_size_inches(6 * (1 + len(known)), _BAR * len(layers) + 1.8)
        errors, *gains = figure.subplots(1, 1 + len(known), sharey=True, squeeze=False)[0]
        places = np.arange(len(layers))
        for number, kind in enumerate(("chain", "alone")):
            found = [getattr(one.statistics, kind) for one in layers]
            heights = [100 * error.relative if error else 0.0 for error in found]
            errors.barh(places + 0.4 * number - 0.2, heights, 0.4, color=SERIES[(4, 2)[number]], label=kind, zorder=3)
        errors.set_yticks(places, [_short(one.statistics.node) for one in layers], fontsize=8)
        errors.invert_yaxis()
        errors.set_xlabel("error beside the float model, % of its norm")
        errors.legend(frameon=False, fontsize=9)
        for axes, (what, gained) in zip(gains, known.items(), strict=True):
            found = [times * (one or 0.0) for one, _ in gained]
            bars = axes.barh(
                places, found, 0.7, color=[SERIES[0] if one >= 0 else SERIES[7] for one in found], zorder=3
            )
            tied = [p_value is not None and p_value >= 1 - CONFIDENCE for _, p_value in gained]
            for bar in (bar for bar, is_tied in zip(bars, tied, strict=True) if is_tied):
                bar.set_alpha(_TIED)
            axes.axvline(0, color=TEXT, linewidth=1, zorder=4)
            axes.set_xlabel(what + ("\n(pale: tied, exact McNemar test)" if any(tied) else ""))
        for axes in (errors, *gains):
            axes.grid(axis="x", color=GRID, zorder=0)
            axes.tick_params(length=0)
            for side in ("top", "right", "left"):
                axes.spines[side].set_visible(False)
        figure.suptitle(
            f"{result.model}, {result.images:,} images: "
            f"{shown(result.metric, result.accuracy, result.accuracy_interval)}; "
            f"in float {shown(result.metric, result.float_accuracy, result.float_accuracy_interval)}",
            fontsize=12,
        )

    write_figure(draw, path, layout="constrained")


def _image_of(result: AccuracyResult, example: WorstExample) -> np.ndarray:
    """The first input of an example, without dimensions of 1."""
    assert result.data is not None  # noqa: S101 (`covenant.accuracy` gives it)
    return np.squeeze(next(iter(result.data.inputs.values()))[example.image])


def _draw_image(axes: Any, array: np.ndarray) -> None:
    """Draws a picture in grey or in colours, a curve, or the rows of a matrix."""
    axes.set_axis_off()
    array = array.astype(np.float64)
    if array.ndim == 1:
        axes.plot(array, color=SERIES[4], linewidth=0.8)
        return
    if array.ndim == _COLOURS and array.shape[0] == _COLOURS:
        spread = array.max() - array.min() or 1.0
        axes.imshow((np.moveaxis(array, 0, -1) - array.min()) / spread)
        return
    axes.imshow(array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, 1), cmap="gray")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2 - 1]}…{name[-_LONGEST // 2 :]}"
