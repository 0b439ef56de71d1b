"""The page of a study: one HTML file that needs no network. Equal tables give equal pages."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from covenant._core import version
from covenant.files import check_writable, write_whole
from covenant.report.page import resource as report_resource
from covenant.report.page import script, whole_page
from covenant.study.page.reports import Reported, folder_of_reports, link_of, target_of
from covenant.study.pictures.charts import (
    COLOURS,
    MOST_BARS,
    MOST_PARTS,
    MOST_SIDE_BY_SIDE,
    TEMPLATES,
    TIPS,
    axis_format,
    numbered,
    template,
)
from covenant.study.pictures.columns import Breakdown, Column, breakdowns_of, columns_of, names_of

__all__ = ["check_page", "write_page"]


def check_page(path: str | os.PathLike[str]) -> None:
    """Checks that a page can be written there.

    Raises:
        CovenantError: CLI0006, it cannot; CLI0012, vl-convert-python is not installed.
    """
    check_writable(path)
    script()


def write_page(table: Reported, path: str | os.PathLike[str]) -> None:
    """Writes the page. A point whose report lies in the folder beside it (`folder_of_reports`) has a link to it.

    Raises:
        CovenantError: as `check_page`.
    """
    check_page(path)
    style = report_resource("page.css") + _resource("page.css")
    text = whole_page(table.name, _resource("page.html"), style, _resource("page.js"), _facts(table, Path(path)))
    write_whole(path, text)


def _facts(table: Reported, path: Path) -> dict[str, Any]:
    columns = columns_of(table.rows)
    numbers = numbered(table)
    goals = {one.column: one.sense for one in table.objectives}
    titles = {column.key: column.title for column in columns}
    return {
        "version": version,
        "objectives": [
            {"id": key, "title": titles.get(key, key.replace("_", " ")), "sense": sense} for key, sense in goals.items()
        ],
        "failed": table.failed,
        "missing": table.missing,
        "columns": [_column(column, goals) for column in columns],
        "rows": [
            _row(table, place, name, numbers, path)
            | {name: value for column in columns for name, value in column.fields_of(place).items()}
            for place, name in enumerate(names_of(table.rows))
        ],
        "found_better": table.found_better,
        "first_batch": table.first_batch,
        "breakdowns": [_breakdown(one) for one in breakdowns_of(table.rows)],
        "most_bars": MOST_BARS,
        "most_parts": MOST_PARTS,
        "most_side_by_side": MOST_SIDE_BY_SIDE,
        "templates": {name: template(name) for name in TEMPLATES},
    }


def _column(column: Column, goals: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": column.id,
        "title": column.title,
        "kind": column.kind,
        "setting": column.is_setting,
        "objective": column.key in goals,
        "number": column.is_number,
        "bits": column.is_bits,
        "varies": column.varies,
        "few": len(column.distinct) <= (COLOURS if not column.is_setting else 2 * COLOURS),
        "wide": column.is_wide,
        "ends": column.ends if column.intervals else None,
        "sense": goals.get(column.key, column.sense),
        "format": axis_format(column) if column.is_number else "",
        "tip": TIPS.get(column.kind, ""),
    }


def _row(table: Reported, place: int, name: str, numbers: Mapping[int, int], path: Path) -> dict[str, Any]:
    row = table.rows[place]
    link = link_of(table, place, path)
    return {
        "row": place,
        "name": name,
        "front": place in numbers,
        "number": numbers.get(place),
        "tied": [best for best, tied in table.ties.items() if place in tied],
        "status": row.status,
        "code": row.code,
        "text": row.text,
        "equal": None if row.equal_images is None else f"{row.equal_images} of {row.compared_images}",
        "report": link,
        "command": None if link else _command(table, place, path),
    }


def _command(table: Reported, place: int, path: Path) -> str | None:
    """Command that writes the report of a point to where the page looks for it; None if only a study can."""
    point, row = table.points[place], table.rows[place]
    target = target_of(table, place, folder_of_reports(path))
    if target is None or row.numerics:
        return None
    words = ["covenant", "run", point.model.model, "-m", point.machine]
    words += [word for name, value in row.parameters.items() for word in ("--set", f"{name}={value}")]
    return shlex.join([*words, "--memory", point.memory, "--report", os.fspath(target)])


def _breakdown(one: Breakdown) -> dict[str, Any]:
    numbers = [number for value in one.values for number in (value or {}).values()]
    return {
        "title": one.title,
        "unit": one.unit,
        "of": one.of,
        "sum": one.is_sum,
        "parts": one.parts,
        "whole": all(isinstance(number, int) for number in numbers),
        "values": one.values,
    }


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
