"""Parts of an energy, and the cost of one event: from the machine, from a table, or from the defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covenant.energy.table import EnergyTable

__all__ = ["DEFAULTS", "MACHINE", "Costs", "EnergyPart"]

DEFAULTS, MACHINE = "defaults", "machine"
"""Sources of costs, beside the file of a table."""


@dataclass(frozen=True)
class EnergyPart:
    """One kind of event of one component."""

    component: str
    """A node of the machine, or several of one unit kind joined by `+`."""
    event: str
    """multiply-accumulate, registers, an operation of lanes, stages, read, write, bits, bits moved."""
    count: int
    picojoules_each: float
    source: str
    """Source of the cost of one: machine, defaults, or the file of a table."""

    @property
    def picojoules(self) -> float:
        """Energy of all of them."""
        return self.count * self.picojoules_each

    def to_dict(self) -> dict[str, Any]:
        """Plain values; keys: docs/reference/energy.md."""
        return {
            "component": self.component,
            "event": self.event,
            "count": self.count,
            "picojoules_each": self.picojoules_each,
            "picojoules": self.picojoules,
            "source": self.source,
        }


class Costs:
    """Costs of the events of a machine's components."""

    def __init__(self, machine: Mapping[str, Any], table: EnergyTable) -> None:
        self.table = table
        self._bits = {one["name"]: one["bits"] for one in machine.get("dtypes", [])}

    def part(  # noqa: PLR0917 (what an event is, and the three that may say what it costs)
        self, component: str, nodes: Sequence[Mapping[str, Any]], event: str, action: str, count: int, stated: float,
        default: float,
    ) -> EnergyPart:  # fmt: skip
        """Events of a component, whose costs `nodes` may state in the table."""
        if stated:
            return EnergyPart(component, event, count, stated, MACHINE)
        given = [self.table.given_for(node["name"], action) for node in nodes]
        known = [one for one in given if one is not None]
        if known:
            return EnergyPart(component, event, count, max(known), self.table.source)
        return EnergyPart(component, event, count, default, DEFAULTS)

    def bits_of(self, dtype: str) -> int:
        """Width of an element type."""
        if dtype in self._bits:
            return self._bits[dtype]
        return int(re.sub(r"\D", "", dtype))
