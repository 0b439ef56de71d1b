"""Columns of a study's table: their titles, how they are shown, and which of them are choices of the study.

Nothing here knows all columns: one that is new is shown by its name and by the type of its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Protocol

__all__ = ["Breakdown", "Column", "Goal", "Table", "breakdowns_of", "columns_of", "names_of"]

_SETTINGS = ("model", "machine", "parameters", "memory", "numerics")
"""Fields of a row that the study chooses; all others are results."""
_LEFT_OUT = (
    "status", "code", "text", "seconds", "images", "compared_images", "equal_images", "simulated_images",
    "expected_from", "hits",
)  # fmt: skip
"""Fields that are told in another way."""
_TITLES = {
    "seconds_of_machine": "time (µs)",
    "accuracy": "accuracy",
    "onnxruntime_accuracy": "ONNX Runtime",
    "bytes_offchip": "bytes off-chip",
    "energy_proxy": "energy proxy (pJ)",
    "area_proxy": "area proxy (µm²)",
    "pe_count": "multipliers",
    "stalls_by_cause": "Where the cycles go",
    "energy_by_component": "Where the energy goes",
    "utilisation_of": "Utilisation of each engine",
    "layer_errors": "How far each layer is from float",
}
_UNITS = {
    "stalls_by_cause": ("cycles", "spent on"),
    "energy_by_component": ("energy proxy (pJ)", "component"),
    "layer_errors": ("relative error of a layer by itself", "layer"),
    "utilisation_of": ("share of what it could do in all cycles", "engine"),
}
"""Unit of a breakdown's axis, and what one part of it is."""
_PERCENT = ("utilisation",)
_LESS_IS_BETTER = (
    "cycles", "seconds_of_machine", "stalls", "bytes_offchip", "energy_proxy", "area_proxy", "pe_count", "buffer_bits",
    "bus_bits",
)  # fmt: skip
_MORE_IS_BETTER = ("accuracy", "utilisation")
_WIDE = 20
"""Values over several orders are drawn on a logarithmic axis: the largest over the smallest is more than this."""


class Goal(Protocol):
    """An objective: `covenant.study.description.Objective`."""

    @property
    def column(self) -> str:
        """A field of the rows."""
        ...

    @property
    def sense(self) -> str:
        """`min` or `max`."""
        ...


class Table(Protocol):
    """A table to show: `covenant.study.table.StudyResult`, or anything else that has rows and objectives."""

    @property
    def name(self) -> str:
        """Heading of the table."""
        ...

    @property
    def objectives(self) -> Sequence[Goal]:
        """Objectives of the front; the first one counts first."""
        ...

    @property
    def rows(self) -> Sequence[Any]:
        """Values of a dataclass, as `covenant.study.table.StudyRow`."""
        ...

    @property
    def front_places(self) -> Sequence[int]:
        """Places of the rows on the front."""
        ...

    @property
    def ties(self) -> Mapping[int, Sequence[int]]:
        """By place of a row on the front, those that are tied with it."""
        ...

    @property
    def failed(self) -> int:
        """Points without values that are not merely missing."""
        ...

    @property
    def missing(self) -> int:
        """Points that are not computed yet."""
        ...


@dataclass(frozen=True)
class Column:
    """One column: a value for each row."""

    key: str
    """The field, and the name in it, as in `parameters.M`."""
    title: str
    kind: str
    """How a value is shown: text; count; share, 0..1; percent, of 0..1; number."""
    values: tuple[Any, ...]
    """None where a row has none."""
    is_setting: bool
    """Chosen by the study; not a result."""
    intervals: tuple[tuple[float, float] | None, ...] = ()
    """Confidence interval of each value; empty of a column that has none."""

    @property
    def id(self) -> str:
        """Name of the column as a field of a chart's data, where a dot has a meaning of its own."""
        return self.key.replace(".", "/")

    @property
    def ends(self) -> tuple[str, str]:
        """Names of the ends of its intervals as fields of a chart's data; of a column without, its own."""
        return (f"{self.id}/low", f"{self.id}/high") if self.intervals else (self.id, self.id)

    def fields_of(self, place: int) -> dict[str, Any]:
        """Value of a row, with the ends of its interval, as fields of a chart's data."""
        interval = self.intervals[place] if self.intervals else None
        return {self.id: self.values[place]} | (dict(zip(self.ends, interval, strict=True)) if interval else {})

    @property
    def is_number(self) -> bool:
        """Whether it can be an axis."""
        return self.kind != "text"

    @cached_property
    def distinct(self) -> tuple[Any, ...]:
        """Values of the column, each once: numbers in their order, texts in that of the study."""
        found = dict.fromkeys(value for value in self.values if value is not None)
        return tuple(sorted(found)) if self.is_number else tuple(found)

    @property
    def varies(self) -> bool:
        """Whether rows differ in it."""
        return len(self.distinct) > 1

    @property
    def is_bits(self) -> bool:
        """Whether it is a precision: bits of weights, activations or accumulators."""
        return self.is_setting and self.is_number and self.key.rpartition(".")[2].endswith("bits")

    @property
    def is_wide(self) -> bool:
        """Whether its values are drawn on a logarithmic axis."""
        return self.is_number and self.varies and self.distinct[0] > 0 and self.distinct[-1] > _WIDE * self.distinct[0]

    @property
    def sense(self) -> str:
        """`min` or `max`, where it is known which values are better; else empty."""
        return "min" if self.key in _LESS_IS_BETTER else "max" if self.key in _MORE_IS_BETTER else ""


@dataclass(frozen=True)
class Breakdown:
    """A field that has figures by name: cycles by cause, energy by component, error by layer."""

    key: str
    title: str
    parts: tuple[str, ...]
    """Names, in the order in which they are stacked or listed."""
    values: tuple[dict[str, float] | None, ...]
    """Figures of each row."""
    is_sum: bool
    """Whether parts add up to something, and are stacked."""
    unit: str | None
    """Label of the axis; None: the title says all."""
    of: str
    """Meaning of one part."""


def columns_of(rows: Sequence[Any]) -> list[Column]:
    """Columns of settings, then of results; of results only those that a row has."""
    found: dict[str, tuple[list[Any], bool]] = {}
    for one in fields(rows[0]) if rows else ():
        values = [getattr(row, one.name) for row in rows]
        is_setting = one.name in _SETTINGS
        if one.name in _LEFT_OUT or any(isinstance(value, list | tuple) for value in values):
            continue
        if not any(isinstance(value, dict) for value in values):
            found[one.name] = values, is_setting
        elif is_setting:
            for name in dict.fromkeys(name for value in values for name in value or {}):
                found[f"{one.name}.{name}"] = [(value or {}).get(name) for value in values], True
    columns = [_column(key, values, is_setting=chosen) for key, (values, chosen) in found.items()]
    known = [column for column in columns if column.distinct]
    return [*_settings(known), *(_with_intervals(one, rows) for one in known if not one.is_setting)]


def _with_intervals(column: Column, rows: Sequence[Any]) -> Column:
    """The column with its intervals, if rows have a field of them beside it."""
    intervals = tuple(getattr(row, f"{column.key}_interval", None) for row in rows)
    return replace(column, intervals=intervals) if any(intervals) else column


def _settings(columns: Sequence[Column]) -> list[Column]:
    """Settings, without those that say the same as one before them: N where it is M."""
    found: list[Column] = []
    for column in columns:
        if column.is_setting and not (column.varies and column.values in [other.values for other in found]):
            found.append(column)
    return found


def _column(key: str, values: list[Any], *, is_setting: bool) -> Column:
    known = [value for value in values if value is not None]
    title = _TITLES.get(key) or key.rpartition(".")[2].replace("_", " ")
    kind = _kind(key, known)
    if key == "seconds_of_machine":
        values = [None if value is None else 1e6 * value for value in values]
    if kind == "text":
        values = [None if value is None else _text(value) for value in values]
    return Column(key, title, kind, tuple(values), is_setting)


def _text(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _kind(key: str, values: list[Any]) -> str:
    if not values or not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return "text"
    if key in _PERCENT:
        return "percent"
    if key.endswith("accuracy"):
        return "share"
    return "count" if all(isinstance(value, int) for value in values) else "number"


def breakdowns_of(rows: Sequence[Any]) -> list[Breakdown]:
    """Breakdowns of all results that have figures by name, sums first. Stalls include the work that they delay."""
    found = []
    for one in fields(rows[0]) if rows else ():
        values = [getattr(row, one.name) for row in rows]
        if one.name in _SETTINGS or not any(isinstance(value, dict) and value for value in values):
            continue
        if one.name == "stalls_by_cause":
            values = [
                None if value is None or row.cycles is None else {"compute": row.cycles - sum(value.values())} | value
                for row, value in zip(rows, values, strict=True)
            ]
        numbers = tuple(None if value is None else _numbers(value) for value in values)
        parts = tuple(dict.fromkeys(name for value in numbers for name in value or {}))
        if parts:
            title = _TITLES.get(one.name) or one.name.replace("_", " ").capitalize()
            is_sum = "_by_" in one.name or "split" in one.name
            found.append(Breakdown(one.name, title, parts, numbers, is_sum, *_UNITS.get(one.name, (None, "part"))))
    return sorted(found, key=lambda one: not one.is_sum)


def _numbers(value: dict[str, Any]) -> dict[str, float]:
    return {name: one for name, one in value.items() if isinstance(one, int | float) and not isinstance(one, bool)}


def names_of(rows: Sequence[Any]) -> list[str]:
    """Name of each row, for people: what the study varies, and no more."""
    settings = [column for column in columns_of(rows) if column.is_setting and column.varies]
    names = []
    for place, row in enumerate(rows):
        parts: dict[str, str] = {}  # by field: parameters stand together
        for column in settings:
            field, _, name = column.key.partition(".")
            if (value := column.values[place]) is not None:
                parts[field] = f"{parts[field]} {name}={value}" if field in parts else f"{name and name + '='}{value}"
        names.append(", ".join(parts.values()) or row.label)
    return names
