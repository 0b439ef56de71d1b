"""A picture of a study: accuracy against cycles, drawn by matplotlib. Equal figures give equal files."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covenant.chart import DOTS, GRID, SERIES, TEXT, check_chart_file
from covenant.files import write_whole

__all__ = ["Dot", "write_front"]

SIZE = (10.0, 6.0)  # inches; names of the front stand below
LINE = 0.21  # inches of a name


@dataclass(frozen=True)
class Dot:
    """A point of a study."""

    cycles: int
    accuracy: float
    name: str
    is_on_front: bool


def write_front(title: str, dots: Sequence[Dot], path: str | os.PathLike[str]) -> None:
    """Draws into a file; SVG or PNG by its name.

    Raises:
        CovenantError: as `check_chart_file`.
    """
    check_chart_file(path)
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    kind = Path(path).suffix.lower()[1:]
    # No date and no random names: equal figures give equal files.
    still = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[kind]
    with mpl.rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "covenant", "text.color": TEXT}):
        names = len(_front(dots))
        figure = Figure(figsize=(SIZE[0], SIZE[1] + LINE * names), layout="constrained")
        axes = figure.add_subplot()
        _draw(axes, dots)
        axes.set_title(title, loc="left", fontweight="bold")
        if names:
            figure.legend(loc="outside lower left", frameon=False, fontsize=9, handlelength=0, handletextpad=0)
        content = io.BytesIO()
        figure.savefig(content, format=kind, dpi=DOTS, metadata=still)
    write_whole(path, content.getvalue())


def _draw(axes: Any, dots: Sequence[Dot]) -> None:
    axes.grid(color=GRID, zorder=0)
    axes.set_xlabel("cycles of one image")
    axes.set_ylabel("accuracy")
    axes.set_xscale("log")
    others = [dot for dot in dots if not dot.is_on_front]
    front = _front(dots)
    axes.scatter([dot.cycles for dot in others], [dot.accuracy for dot in others], color=SERIES[2], zorder=3)
    axes.plot([dot.cycles for dot in front], [dot.accuracy for dot in front], color=SERIES[0], marker="o", zorder=4)
    for number, dot in enumerate(front, 1):
        axes.annotate(str(number), (dot.cycles, dot.accuracy), (0, 7), textcoords="offset points", ha="center",
                      fontsize=9, fontweight="bold", zorder=5)  # fmt: skip
        axes.plot([], [], linestyle="none", label=f"{number}  {dot.name}")


def _front(dots: Sequence[Dot]) -> list[Dot]:
    return sorted((dot for dot in dots if dot.is_on_front), key=lambda dot: (dot.cycles, dot.accuracy, dot.name))
