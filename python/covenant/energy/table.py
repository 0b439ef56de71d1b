"""Energy of one event, in pJ, where the machine does not give it: published figures, and those of the user."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from covenant.energy.errors import user_error

__all__ = ["EnergyTable"]


@dataclass(frozen=True)
class EnergyTable:
    """Energies of events; `given` goes before the defaults, by component and action."""

    figures: Mapping[str, Any] = field(repr=False)
    """The content of defaults.toml."""
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """pJ by component (the name of a node of the machine) and action, as `read_reference_table` reads them."""
    source: str = "defaults"
    """Source of `given`."""

    @classmethod
    def defaults(cls) -> EnergyTable:
        """The figures that come with the SDK; their sources: `sources`."""
        return cls(_figures())

    @property
    def sources(self) -> dict[str, str]:
        """Publications of the figures by a short name, with the process that they are for."""
        return {"process": self.figures["process"], **self.figures["sources"]}

    def given_for(self, component: str, action: str) -> float | None:
        """Figure that a table states for this, in pJ; None: it does not."""
        return self.given.get(component, {}).get(action)

    def add(self, bits: int) -> float:
        """An addition of integers: on a straight line through the published widths."""
        (low, first), (high, second) = _points(self.figures["integer"]["add"])
        return max(first + (second - first) * (bits - low) / (high - low), first * bits / low if bits < low else 0.0)

    def multiply(self, bits: int, other_bits: int) -> float:
        """A multiplication of integers: a power of the product of the widths, through the published ones."""
        (low, first), (high, second) = _points(self.figures["integer"]["multiply"])
        slope = math.log(second / first) / math.log(high * high / (low * low))
        return first * (bits * other_bits / (low * low)) ** slope

    def multiply_accumulate(self, bits: int, other_bits: int, sum_bits: int) -> float:
        """A product and the addition that takes it up."""
        return self.multiply(bits, other_bits) + self.add(sum_bits)

    def register_bits(self, bits: int) -> float:
        """Registers that take a new value."""
        return bits * self.figures["register"]["bit"]

    def sram(self, array_bytes: float, bits: int) -> float:
        """An access of `bits` to an array of memory: each bit as in an array of this size.

        Between published sizes a power of the size; below them the power of the first two, above them of the last two.
        """
        points = _points(self.figures["sram"]["by_bytes"])
        pair = next((k for k in range(1, len(points) - 1) if array_bytes <= points[k][0]), len(points) - 1)
        (low, first), (high, second) = points[pair - 1], points[pair]
        slope = math.log(second / first) / math.log(high / low)
        return first * (array_bytes / low) ** slope * bits / self.figures["sram"]["access_bits"]

    def offchip(self, bits: int) -> float:
        """Bits that off-chip memory reads or writes."""
        return bits * self.figures["offchip"]["bit"]

    def lane_operation(self, name: str, table_bytes: int, *, in_f32: bool) -> float:
        """An operation of one lane, by its name in the description of machines.

        Args:
            name: "requant".
            table_bytes: size of the table that `lookup` reads.
            in_f32: it computes in single precision.

        Raises:
            CovenantError: ENG0003, there is no figure for it.
        """
        kinds = self.figures["operations"]
        parts = self.figures["operations_f32"].get(name, kinds.get(name)) if in_f32 else kinds.get(name)
        if parts is None:
            raise user_error(
                "ENG0003", "no energy is known for an operation", name,
                fix="state it: `energy` of its capability, or an action of its compute node in a table",
            )  # fmt: skip
        each = {
            "add": self.add(32),
            "multiply": self.multiply(32, 32),
            "f32_add": self.figures["single_precision"]["add"],
            "f32_multiply": self.figures["single_precision"]["multiply"],
            "register_bits": self.register_bits(1),
            "table_bytes": self.sram(table_bytes, 8),
        }
        return sum(each[part] * count for part, count in parts.items())


def _points(table: Mapping[str, float]) -> list[tuple[int, float]]:
    return [(int(key), value) for key, value in table.items()]


@cache
def _figures() -> Mapping[str, Any]:
    return tomllib.loads(files("covenant.energy").joinpath("defaults.toml").read_text(encoding="utf-8"))
