"""Kinds of units, one row each; other rooms ask the row instead of comparing kinds.

What a room knows of a unit beside this is in a `units.py` of its own (energy, area, verify).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

__all__ = ["UnitKind", "lanes_of", "multiplier_shape", "multipliers_of", "multiplying", "unit_kind", "working_on_lanes"]

Node = Mapping[str, Any]
"""A compute node of a machine as `Machine.to_dict` gives it."""


@dataclass(frozen=True)
class UnitKind:
    """Properties of one kind of unit."""

    name: str
    """Name in machines: `unit = ...;`."""
    multipliers: tuple[str, ...] = ()
    """Attributes whose product is the number of multiply-accumulates in a cycle."""
    lanes: str | None = None
    """Attribute that is the number of elementwise operations in a cycle."""
    advice: str = "more work for each element, or fewer elements"
    """Advice for nodes that work on less than they could."""


_KINDS = (
    UnitKind(
        "systolic_array",
        multipliers=("rows", "columns"),
        advice="channels in multiples of the array's rows and columns, or an array of another shape",
    ),
    UnitKind(
        "simd_array",
        lanes="lanes",
        advice="elements in multiples of the lanes, or fewer operations for each: fusing, another numerics",
    ),
    UnitKind(
        "vliw_core",
        advice="channels in multiples of a vector; covenant run --profile names the packets",
    ),
)
_BY_NAME = {kind.name: kind for kind in _KINDS}


def unit_kind(name: str) -> UnitKind:
    """The row of a kind; a row that says nothing, of one that has none."""
    return _BY_NAME.get(name) or UnitKind(name)


def multiplying(machine: Mapping[str, Any]) -> list[Node]:
    """The nodes of a machine that have a number of multipliers, as declared."""
    return [node for node in machine["computes"] if unit_kind(node["unit"]).multipliers]


def working_on_lanes(machine: Mapping[str, Any]) -> list[Node]:
    """The nodes of a machine that work on a number of lanes, as declared."""
    return [node for node in machine["computes"] if unit_kind(node["unit"]).lanes]


def multiplier_shape(node: Node) -> Sequence[int]:
    """Multipliers of a node, dimension by dimension: rows and columns."""
    return [node["attributes"][name] for name in unit_kind(node["unit"]).multipliers]


def multipliers_of(node: Node) -> int:
    """Multiply-accumulates that a node does in a cycle."""
    return prod(multiplier_shape(node))


def lanes_of(node: Node) -> int:
    """Elementwise operations that a node does in a cycle."""
    return node["attributes"][unit_kind(node["unit"]).lanes]
