"""Writes the pictures of a study, by Vega-Lite without a browser. Equal tables give equal files."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.files import check_writable, write_whole
from covenant.report.chart import FORMATS
from covenant.report.page import look
from covenant.study.pictures.charts import Chart, charts_of, filled, part_colours, template
from covenant.study.pictures.columns import Table

__all__ = ["check_pictures", "picture_names", "write_picture", "write_pictures"]

WIDTH = 860
"""Width of a chart without its labels; pixels."""
_DOTS = 2.0
"""Pixels of PNG for each of SVG."""
_LINE = 17
"""Pixels of a name below a front."""
_VEGA_LITE = "6.1"


def picture_names(table: Table) -> list[str]:
    """Names of the pictures that the table has columns for, without an ending."""
    return [chart.name for chart in charts_of(table)]


def check_pictures(folder: str | os.PathLike[str]) -> None:
    """Checks that pictures can be written into this folder; makes it if it is not there.

    Raises:
        CovenantError: CLI0006, it cannot be written; CLI0012, vl-convert-python is not installed.
    """
    _converter(os.fspath(folder))
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CovenantError(
            Diagnostic("CLI0006", "cannot write this folder", os.fspath(folder), offending=error.strerror or "",
                       fix="name a folder that you may write to")
        ) from error  # fmt: skip


def write_pictures(table: Table, folder: str | os.PathLike[str]) -> list[Path]:
    """Draws every picture as SVG and as PNG into a folder; gives their paths.

    Raises:
        CovenantError: as `check_pictures`; STU0022, nothing can be drawn yet.
    """
    check_pictures(folder)
    charts = charts_of(table)
    if not charts:
        raise _nothing(table, os.fspath(folder))
    paths = []
    for chart in charts:
        for ending in FORMATS:
            paths.append(Path(folder) / f"{chart.name}{ending}")
            write_whole(paths[-1], _drawn(chart, ending))
    return paths


def write_picture(table: Table, path: str | os.PathLike[str], name: str | None = None) -> None:
    """Draws one picture; SVG or PNG by the name of the file.

    Args:
        table: what is shown.
        path: of the file.
        name: one of `picture_names`; None: the first of them.

    Raises:
        CovenantError: CLI0006, it cannot be written; CLI0012, vl-convert-python is not installed; CLI0013, neither .svg
            nor .png; STU0022, there is no such picture, or nothing can be drawn yet.
    """
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise CovenantError(
            Diagnostic("CLI0013", "there is no such format of pictures", os.fspath(path), offending=ending,
                       allowed=FORMATS, fix="name the file .svg or .png")
        )  # fmt: skip
    check_writable(path)
    charts = {chart.name: chart for chart in charts_of(table)}
    if not charts:
        raise _nothing(table, os.fspath(path))
    if name is not None and name not in charts:
        raise CovenantError(
            Diagnostic("STU0022", "a study has no such picture", table.name, offending=name, allowed=tuple(charts),
                       fix="name one of those listed")
        )  # fmt: skip
    write_whole(path, _drawn(charts[name] if name else next(iter(charts.values())), ending))


def spec_of(chart: Chart) -> dict[str, Any]:
    """The whole specification of Vega-Lite, on white."""
    colours = _colours()
    data = {"values": list(chart.rows)}
    values = dict(chart.values) | colours | {"data": data}
    if "parts" in values:
        values["range"] = part_colours(chart.values["parts"])
    drawn = filled(template(chart.template), values) | {"width": WIDTH}
    head = {"text": chart.title, "subtitle": chart.subtitle}
    config = filled(
        look()["config"], colours | {"series": [pair[0] for pair in look()["series"]], "paper": colours["back"]}
    )
    config["font"] = "DejaVu Sans"
    if not chart.names:
        return drawn | {"title": head, "config": config}
    data = drawn.pop("data")
    return {"title": head, "config": config, "data": data, "spacing": 18, "vconcat": [drawn, _names(chart.names)]}


def _names(names: tuple[str, ...]) -> dict[str, Any]:
    """Legend of the numbers of a front, one below the other."""
    rows = [{"at": place, "told": f"{place + 1}   {name}"} for place, name in enumerate(names)]
    return {
        "width": WIDTH, "height": _LINE * len(rows), "data": {"values": rows},
        "mark": {"type": "text", "align": "left", "fontSize": 12},
        "encoding": {
            "x": {"value": 0}, "text": {"field": "told"},
            "y": {"field": "at", "type": "ordinal", "axis": None, "sort": None},
        },
    }  # fmt: skip


@cache
def _colours() -> dict[str, str]:
    """Colours of a page in light mode, read from its style."""
    style = resources.files("covenant.report").joinpath("page.css").read_text(encoding="utf-8")
    return dict(re.findall(r"--(\w+): (#\w+)", style.partition("@media")[0]))


def _drawn(chart: Chart, ending: str) -> bytes:
    converter = _converter(chart.name)
    spec = json.dumps(spec_of(chart))
    if ending == ".svg":
        return (converter.vegalite_to_svg(spec, vl_version=_VEGA_LITE) + "\n").encode()
    return converter.vegalite_to_png(spec, vl_version=_VEGA_LITE, scale=_DOTS)


def _converter(what: str) -> Any:
    try:
        import vl_convert  # noqa: PLC0415 (optional, and large)
    except ImportError as error:
        raise CovenantError(
            Diagnostic("CLI0012", "a Python package that this needs cannot be loaded", what, offending=str(error),
                       fix="pip install vl-convert-python, or leave the pictures out")
        ) from error  # fmt: skip
    return vl_convert


def _nothing(table: Table, where: str) -> CovenantError:
    return CovenantError(
        Diagnostic("STU0022", "no point of the study has a table that could be drawn", where, subject=table.name,
                   offending=f"{len(table.rows)} points, {table.missing} not computed, {table.failed} failed",
                   fix="compute some of them first")
    )  # fmt: skip
