"""Work of `covenant bench embedding --search-nodes`: counts nodes, and draws Figure 8 of Rieber, Acosta and Fröning."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from covenant.bench.embedding import CHANNELS, SearchEffort, search_effort, statements_of
from covenant.bench.embedding.search import PIXELS, TAPS
from covenant.cli.output import Output
from covenant.report.chart import GRID, SERIES, check_chart_file, write_figure

_MARKS = {"NCHW": "o", "NHWC": "^", "HWNC": "s"}
_COLOURS = dict(zip(("none", "A", "B", "AB"), (SERIES[5], SERIES[0], SERIES[7], SERIES[8]), strict=True))
_KEYS = ("layout", "channels", "strategy", "nodes", "fails", "depth", "assets", "found", "complete")


@dataclass(frozen=True)
class SearchNodesRequest:
    """Convolutions and strategies."""

    channels: tuple[int, ...]
    """() stands for those of the figure."""
    layouts: tuple[str, ...]
    strategies: tuple[str, ...]
    sums: str
    picture: str | None


def measure(request: SearchNodesRequest, output: Output) -> int:
    """Prints a row for each layout and strategy; exit code 0."""
    if request.picture:
        check_chart_file(request.picture)
    channels = tuple(sorted(dict.fromkeys(request.channels or CHANNELS)))
    points = [
        (layout, count, strategy)
        for layout in dict.fromkeys(request.layouts)
        for strategy in dict.fromkeys(request.strategies)
        for count in channels
    ]
    efforts = [
        search_effort(layout, count, strategy, sums=request.sums)
        for layout, count, strategy in output.progress(points, "searches")
    ]
    if request.picture:
        write_figure(lambda figure: _draw(figure, efforts, channels), request.picture, layout="constrained")
    if output.json:
        statements = [asdict(one) for one in statements_of(efforts)]
        rows = [{key: getattr(effort, key) for key in _KEYS} for effort in efforts]
        output.object(
            {"instruction": "GEMM 1x16x16", "pixels": PIXELS, "taps": TAPS, "sums": request.sums, "rows": rows,
             "statements": statements, "picture": request.picture}
        )  # fmt: skip
    else:
        _print(efforts, channels, output)
    return 0


def _print(efforts: list[SearchEffort], channels: tuple[int, ...], output: Output) -> None:
    nodes = {(one.layout, one.strategy, one.channels): one.nodes for one in efforts}
    rows = [
        [layout, strategy, *(f"{nodes[layout, strategy, count]:,}" for count in channels)]
        for layout, strategy in dict.fromkeys((one.layout, one.strategy) for one in efforts)
    ]
    columns = ["layout", "strategy", *(f"{count} channels" for count in channels)]
    output.table(f"nodes until the first embedding; {PIXELS}x{PIXELS} results, {TAPS}x{TAPS} taps", columns, rows)
    for statement in statements_of(efforts):
        output.line(f"{'holds' if statement.holds else 'does not hold'}: {statement.text} ({statement.figure})")


def _draw(figure: Any, efforts: list[SearchEffort], channels: tuple[int, ...]) -> None:
    figure.set_size_inches((9.0, 5.4))
    axes = figure.add_subplot()
    for layout, strategy in dict.fromkeys((one.layout, one.strategy) for one in efforts):
        nodes = [one.nodes for one in efforts if (one.layout, one.strategy) == (layout, strategy)]
        axes.plot(channels, nodes, marker=_MARKS[layout], color=_COLOURS[strategy], linewidth=1.6, markersize=6,
                  label=layout if strategy == "none" else f"{layout} {strategy}")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(channels, [str(count) for count in channels])
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(color=GRID)
    axes.set_xlabel("channels of the input and of the output")
    axes.set_ylabel("nodes until the first embedding")
    axes.set_title("Search effort for GEMM 1x16x16 in a convolution, by layout and strategy", loc="left")
    axes.legend(ncols=3, frameon=False, fontsize=9)
