"""Bars of measured figures: groups side by side on a logarithmic axis, drawn by matplotlib.

The colours are those of pictures of machines (picture.py). Equal figures give equal files.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.files import check_writable, write_whole

FORMATS = (".svg", ".png")
SERIES = ("#35853a", "#c6dbef", "#86b6dc", "#4a8fc4", "#1f5a99", "#0b2f5e", "#8d8d8d", "#d98f2b", "#a34d8e")
"""Colours of series: the first, as compute nodes; then from light to dark, as memories."""
GRID = "#dddddd"
TEXT = "#222222"
SIZE = (15.0, 6.4)  # inches; slides are as wide for their height
DOTS = 160  # per inch, of PNG
PER_ROW = 5  # names in a row of the legend
GROUP = 0.82  # of the room between two groups that bars fill


@dataclass(frozen=True)
class Bars:
    """A picture of grouped bars, each a ratio: above 1 it grows upwards, below 1 downwards."""

    title: str
    subtitle: str
    unit: str
    """Label of the axis."""
    groups: Sequence[str]
    """Names along the axis, "NETWORK/LAYER": networks are named once below their layers."""
    series: Mapping[str, Sequence[float]]
    """Series by name in the legend: one ratio per group. At most as many as SERIES."""
    labelled: int = 1
    """Groups at the end that stand apart, with their figures on top of the bars."""


def check_chart_file(path: str | os.PathLike[str]) -> None:
    """Checks that a picture can be written there.

    Raises:
        CovenantError: CLI0006, not there; CLI0012, matplotlib is not installed; CLI0013, neither .svg nor .png.
    """
    if Path(path).suffix.lower() not in FORMATS:
        raise CovenantError(
            Diagnostic("CLI0013", "there is no such format of pictures", os.fspath(path), offending=Path(path).suffix,
                       allowed=FORMATS, fix="name the file .svg or .png")
        )  # fmt: skip
    check_writable(path)
    try:
        import matplotlib  # noqa: F401, PLC0415 (optional, and slow to import)
    except ImportError as error:
        raise CovenantError(
            Diagnostic("CLI0012", "a Python package that this needs cannot be loaded", os.fspath(path),
                       offending=str(error), fix="pip install matplotlib, or leave the picture out")
        ) from error  # fmt: skip


def write_chart(bars: Bars, path: str | os.PathLike[str]) -> None:
    """Draws into a file; SVG or PNG by its name.

    Raises:
        CovenantError: as `check_chart_file`.
    """

    def draw(figure: Any) -> None:
        figure.set_size_inches(SIZE)
        rows = -(-len(bars.series) // PER_ROW)
        _draw(figure.add_axes((0.055, 0.17, 0.935, 0.67 - 0.04 * rows)), bars)
        figure.text(0.055, 0.945, bars.title, fontsize=17, fontweight="bold", va="center")
        figure.text(0.055, 0.895, bars.subtitle, fontsize=10.5, color="#555555", va="center")

    write_figure(draw, path, layout="none")


def write_figure(draw: Callable[[Any], None], path: str | os.PathLike[str], *, layout: str) -> None:
    """Lets `draw` fill an empty `matplotlib.figure.Figure`, and writes it as a file; SVG or PNG by its name.

    Args:
        draw: called once, with the fonts and colours of our pictures set.
        path: of the file.
        layout: one of matplotlib's layout engines.

    Raises:
        CovenantError: as `check_chart_file`.
    """
    check_chart_file(path)
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    kind = Path(path).suffix.lower()[1:]
    # No date and no random names: equal figures give equal files.
    still = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}[kind]
    with mpl.rc_context({"font.family": "DejaVu Sans", "svg.hashsalt": "covenant", "text.color": TEXT}):
        figure = Figure(layout=layout)
        draw(figure)
        content = io.BytesIO()
        figure.savefig(content, format=kind, dpi=DOTS, metadata=still)
    write_whole(path, content.getvalue())


def _draw(axes: Any, bars: Bars) -> None:
    places, widths = _places(bars)
    for number, (name, ratios) in enumerate(bars.series.items()):
        shift = (number + 0.5) / len(bars.series) - 0.5
        lefts = [place + shift * width for place, width in zip(places, widths, strict=True)]
        wide = [width / len(bars.series) for width in widths]
        drawn = axes.bar(lefts, [ratio - 1 for ratio in ratios], wide, bottom=1, color=SERIES[number], label=name,
                         edgecolor="white", linewidth=0.4, zorder=3)  # fmt: skip
        for bar, ratio in list(zip(drawn, ratios, strict=True))[-bars.labelled :]:
            up = ratio >= 1
            axes.annotate(_short(ratio), (bar.get_x() + bar.get_width() / 2, ratio), (0, 3 if up else -3),
                          textcoords="offset points", ha="center", va="bottom" if up else "top", fontsize=9.5,
                          fontweight="bold", zorder=4)  # fmt: skip
    _scale(axes, bars)
    _names(axes, bars, places, widths)
    axes.legend(ncols=PER_ROW, loc="lower left", bbox_to_anchor=(-0.005, 1.0), frameon=False, fontsize=10.5,
                handlelength=1.1, handleheight=1.0, columnspacing=1.8, borderaxespad=0.2)  # fmt: skip


def _network(group: str) -> str:
    return group.partition("/")[0] if "/" in group else ""


def _places(bars: Bars) -> tuple[list[float], list[float]]:
    """Middle and width of each group: some room between networks, and more before the groups that stand apart."""
    places, widths = [], []
    at = 0.0
    for index, group in enumerate(bars.groups):
        apart = index >= len(bars.groups) - bars.labelled
        if index:
            at += 0.45 if _network(group) != _network(bars.groups[index - 1]) else 0.0
        room = 3.2 if apart else 1.0
        places.append(at + room / 2)
        widths.append(room * GROUP)
        at += room
    return places, widths


def _scale(axes: Any, bars: Bars) -> None:
    ratios = [ratio for series in bars.series.values() for ratio in series]
    axes.set_yscale("log")
    axes.set_ylim(min(0.8, min(ratios) / 1.3), max(ratios) * 1.6)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}×")
    axes.yaxis.grid(visible=True, which="major", color=GRID, zorder=0)
    axes.yaxis.grid(visible=True, which="minor", color=GRID, linewidth=0.3, zorder=0)
    axes.tick_params(axis="both", which="both", length=0)
    axes.axhline(1, color=TEXT, linewidth=1.1, zorder=5)
    axes.set_ylabel(bars.unit, fontsize=11)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def _names(axes: Any, bars: Bars, places: Sequence[float], widths: Sequence[float]) -> None:
    """Layers below the axis, and below these each network once."""
    axes.set_xlim(places[0] - widths[0] / 2 - 0.1, places[-1] + widths[-1] / 2 + 0.1)
    layers = [group.partition("/")[2] or group for group in bars.groups]
    apart = len(layers) - bars.labelled
    names = [name.replace("-", "\n") for name in layers[:apart]] + layers[apart:]
    axes.set_xticks(places, names, fontsize=9)
    for tick in axes.get_xticklabels()[apart:]:
        tick.set_fontweight("bold")
    along = axes.get_xaxis_transform()  # data along the axis, fractions of its height below
    for network in dict.fromkeys(map(_network, bars.groups)):
        members = [i for i, group in enumerate(bars.groups) if network and _network(group) == network]
        if not members:
            continue
        left, right = (places[i] + side * widths[i] / 2 for i, side in ((members[0], -1), (members[-1], 1)))
        axes.plot([left, right], [-0.125, -0.125], color="#888888", linewidth=1.0, transform=along, clip_on=False)
        axes.text((left + right) / 2, -0.145, network, ha="center", va="top", fontsize=10.5, transform=along)


def _short(ratio: float) -> str:
    return f"{ratio:,.0f}×" if ratio >= 20 else f"{ratio:.2g}×"
