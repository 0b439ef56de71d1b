"""Chooses the pictures of a study's table, whatever its columns are: each fills a template of Vega-Lite.

The page of a study fills the same templates in the reader's browser.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from covenant.report.page import look
from covenant.study.pictures.columns import Breakdown, Column, Table, breakdowns_of, columns_of, names_of

__all__ = [
    "COLOURS", "MOST_BARS", "MOST_PARTS", "MOST_SIDE_BY_SIDE", "TEMPLATES", "TIPS", "Chart", "axis_format", "charts_of",
    "filled", "numbered", "part_colours", "template",
]  # fmt: skip

TEMPLATES = ("pareto", "against", "parts", "bars")
COLOURS = 8
"""Values that are told apart by colours, at most."""
MOST_BARS = 60
"""Points in one picture of bars; of more, those of the front, and of these the first."""
MOST_SIDE_BY_SIDE = 5
"""Points of which figures by name stand beside each other."""
MOST_PARTS = 24
"""Most figures of a breakdown that is no sum that a chart shows: the largest."""
_INTERVALS = "; bars: 95 % confidence"
FLOAT = "float_accuracy"
"""The column that accuracy against bits is seen beside."""
TIPS = {"count": ",d", "share": ".4f", "percent": ".1%", "number": ",.5~g"}


@dataclass(frozen=True)
class Chart:
    """A picture before it has colours."""

    name: str
    """Name of its file."""
    title: str
    subtitle: str
    template: str
    """One of TEMPLATES."""
    values: Mapping[str, Any]
    """Values that fill the template, beside the colours."""
    rows: tuple[Mapping[str, Any], ...]
    """Data of the chart."""
    names: tuple[str, ...] = ()
    """Names of what its numbers stand for, from 1."""


def charts_of(table: Table) -> list[Chart]:
    """All pictures for which the table has columns; none if it has no results.

    The front of the first objective beside each other one; accuracy against each precision, or the first objective
    against each setting; figures by name (stalls, energy), stacked where they add up.
    """
    columns = columns_of(table.rows)
    numbers = numbered(table)
    names = names_of(table.rows)
    rows = [
        {"name": name, "front": place in numbers, "number": numbers.get(place), "chosen": False}
        | {name: value for column in columns for name, value in column.fields_of(place).items()}
        for place, name in enumerate(names)
    ]
    rows.sort(key=lambda row: row["front"])  # what is drawn last lies on top
    found = [*_fronts(table, columns, rows), *_against(table, columns, rows)]
    return [*found, *(_parts(one, names, numbers) for one in breakdowns_of(table.rows))]


def numbered(table: Table) -> dict[int, int]:
    """The rows of the front, by place, from 1 at the best in the first objective."""
    first = table.objectives[0]
    sign = -1 if first.sense == "max" else 1
    order = sorted(table.front_places, key=lambda place: (sign * getattr(table.rows[place], first.column), place))
    return {place: number for number, place in enumerate(order, 1)}


def filled(node: Any, values: Mapping[str, Any]) -> Any:
    """A template with its @names replaced; a text that is nothing but a name becomes the value itself."""
    if isinstance(node, str):
        if node[:1] == "@" and node[1:] in values:
            return values[node[1:]]
        for name in sorted(values, key=len, reverse=True):
            node = node.replace(f"@{name}", str(values[name])) if f"@{name}" in node else node
        return node
    if isinstance(node, list):
        return [filled(one, values) for one in node]
    return {key: filled(one, values) for key, one in node.items()} if isinstance(node, dict) else node


def template(name: str) -> Any:
    """One of TEMPLATES, as it is in its file."""
    return json.loads(resources.files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"))


def part_colours(parts: Sequence[str], side: int = 0) -> list[str]:
    """Colours of the parts of a whole, on white (0) or on black (1): their own, or the next that is free."""
    known = look()
    others = [part for part in parts if part not in known["named"]]
    free = [*known["waits"], *known["series"][1:]]
    return [
        (known["named"].get(part) or free[others.index(part) % len(free)])[side] for part in parts
    ]  # fmt: skip


def _fronts(table: Table, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> list[Chart]:
    by_key = {column.key: column for column in columns}
    keys = [one.column for one in table.objectives if one.column in by_key]
    if len(keys) == 1 and "accuracy" in by_key and keys != ["accuracy"]:
        keys.append("accuracy")
    senses = {one.column: one.sense for one in table.objectives}
    order = sorted((row for row in rows if row["front"]), key=lambda row: row["number"])
    made = []
    for key in keys[1:]:
        x, y = by_key[keys[0]], by_key[key]
        signs = {axis: _sign(senses.get(one.key, one.sense)) for axis, one in (("xsign", x), ("ysign", y))}
        made.append(
            Chart(
                name=f"front-{x.key}-{y.key}".replace("_", "-"), title=table.name,
                subtitle=f"{y.title} and {x.title}; numbers: points that nothing else is better than"
                         + _INTERVALS * bool(x.intervals or y.intervals),
                template="pareto", values=_axes(x, y) | signs | _coloured(columns), rows=tuple(rows),
                names=tuple(row["name"] for row in order),
            )
        )  # fmt: skip
    return made


def _against(table: Table, columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> list[Chart]:
    """Accuracy against every precision; of a study of one precision, the first objective against its settings."""
    by_key = {column.key: column for column in columns}
    settings = [column for column in columns if column.is_setting and column.is_number and column.varies]
    bits = [column for column in settings if column.is_bits]
    y = by_key.get("accuracy" if bits else table.objectives[0].column)
    if y is None:
        return []
    is_beside_float = y.key == "accuracy" and FLOAT in by_key
    beside = {"float": FLOAT if is_beside_float else y.id, "floatopacity": int(is_beside_float)}
    made = []
    for x in bits or settings:
        told = [dict(row) for row in rows]
        for row in told:  # points that differ in this setting alone, and in the memory, are one line
            others = (one.id for one in columns if one.is_setting and one.id not in (x.id, "memory"))
            row["series"] = " ".join(str(row[key]) for key in others) if bits else str(row.get("model"))
        made.append(
            Chart(
                name=f"{y.key}-against-{x.title}".replace("_", "-").replace(" ", "-"), title=table.name,
                subtitle=f"{y.title} against {x.title}; lines: means{', dotted: in float' * is_beside_float}"
                         + _INTERVALS * bool(y.intervals),
                template="against",
                values=_axes(x, y) | _coloured(columns, x) | beside | {"series": "series"}, rows=tuple(told),
            )
        )  # fmt: skip
    return made


def _parts(one: Breakdown, names: Sequence[str], numbers: Mapping[int, int]) -> Chart:
    known = [place for place, value in enumerate(one.values) if value]
    chosen = known if one.is_sum and len(known) <= MOST_BARS else [place for place in numbers if place in known]
    chosen = chosen[: MOST_BARS if one.is_sum else MOST_SIDE_BY_SIDE] or known[:MOST_SIDE_BY_SIDE]
    parts = one.parts if one.is_sum else largest_parts(one, chosen)
    rows = [
        {"name": names[place], "part": part, "order": order, "value": value[part], "total": sum(value.values())}
        for place in chosen
        for value in [one.values[place] or {}]
        for order, part in enumerate(parts)
        if part in value
    ]
    room = min(420, 12 + 7 * max(len(names[place]) for place in chosen))
    whole = all(isinstance(row["value"], int) for row in rows)
    values = {
        "title": one.unit, "of": one.of, "format": "~s" if one.is_sum else ",.4~g", "parts": parts,
        "tipformat": ",d" if whole else ",.5~g",
        "room": room if one.is_sum else 260, "pad": room + 5, "stack": "zero", "columns": 6,
        "height": {"step": 19 if one.is_sum else 15},
    }  # fmt: skip
    which = "all points" if chosen == known else "points of the front" if numbers else "the first points"
    return Chart(name=one.key.replace("_", "-"), title=one.title, subtitle=which,
                 template="parts" if one.is_sum else "bars", values=values, rows=tuple(rows))  # fmt: skip


def largest_parts(one: Breakdown, places: Sequence[int]) -> tuple[str, ...]:
    """Up to MOST_PARTS of the parts, in their order: those that are largest in one of these rows."""
    size = {part: max(abs((one.values[place] or {}).get(part, 0)) for place in places) for part in one.parts}
    kept = sorted(one.parts, key=lambda part: -size[part])[:MOST_PARTS]
    return tuple(part for part in one.parts if part in kept)


def _axes(x: Column, y: Column) -> dict[str, Any]:
    found: dict[str, Any] = {"height": 400}
    for axis, column in (("x", x), ("y", y)):
        found |= {
            axis: column.id, f"{axis}low": column.ends[0], f"{axis}high": column.ends[1], f"{axis}title": column.title,
            f"{axis}scale": "log" if column.is_wide else "linear", f"{axis}format": axis_format(column),
        }  # fmt: skip
    tips = [{"field": "name", "title": "point"}]
    tips += [
        {"field": column.key.replace(".", "\\."), "title": column.title, "format": TIPS[column.kind]}
        for column in (x, y)
    ]
    return found | {"tooltip": tips}


def axis_format(column: Column) -> str:
    """Format of the numbers at an axis, for d3-format."""
    if column.kind == "count":
        return "~s" if column.distinct[-1] >= 1_000_000 else ",d"
    return {"share": ".4~f", "percent": ".0%"}.get(column.kind, "~s")


def _sign(sense: str) -> int:
    return {"min": 1, "max": -1}.get(sense, 0)


def _coloured(columns: Sequence[Column], beside: Column | None = None) -> dict[str, Any]:
    """Colours by a setting of few values: the model, if there are several; else the field of `beside`, or the first."""
    few = [one for one in columns if one.is_setting and one is not beside and 1 < len(one.distinct) <= COLOURS]
    if not few:
        return {"colour": {"value": look()["series"][0][0]}}
    field = beside.key.partition(".")[0] if beside else ""
    few.sort(key=lambda one: (one.key != "model", one.key.partition(".")[0] != field))
    return {
        "colour": {"field": few[0].id, "type": "nominal", "title": few[0].title, "sort": None,
                   "legend": {"symbolType": "circle", "symbolOpacity": 1}}
    }  # fmt: skip
