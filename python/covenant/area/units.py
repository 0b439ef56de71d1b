"""Modules of each kind of unit that grow with it, and how their area is composed: one row a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from covenant.area.growth import ADDRESS_BITS, LARGE, SMALL, grown, um2_of
from covenant.area.instances import Instance
from covenant.area.synthesis import Block, Synthesiser

__all__ = ["PIPELINED", "STAGES", "UNITS", "Composer", "UnitModules"]

Composer = Callable[[Instance, Synthesiser], tuple[Block, ...]]


@dataclass(frozen=True)
class UnitModules:
    """The module of a kind of unit, and those inside of it."""

    constants: Mapping[str, str] = field(default_factory=dict)
    """Parameters that are left at one value."""
    boxed: tuple[str, ...] = ()
    """Modules inside that are left out where the module itself is synthesised, and composed by `inside`."""
    inside: Composer | None = None
    whole: Composer | None = None
    """Composes the module with all that is inside; None: it is synthesised."""
    pipelined: tuple[str, ...] = ()
    """Arithmetic inside that a synthesiser spreads over the stages after it."""
    stages: str | None = None
    """Parameter that is the number of these stages."""


_GRID = "covenant_systolic_grid"
_SUMS = ("InputBits", "WeightBits", "AccumulatorBits", "Saturates")
"""Widths of elements and of sums and how these end, where they are not those of the module itself."""


def _systolic_grid(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Rows and columns, and bytes of the weight memory's write port; elements and sums as wide as they are."""
    rows, columns, bytes_ = (instance.number(name) for name in ("Rows", "Columns", "WriteBytes"))
    widths = {name: instance.parameters[name] for name in _SUMS if name in instance.parameters}
    weight_bits = int(widths.get("WeightBits", 8))

    def at(r: int, c: int, b: int = SMALL) -> tuple[Block, ...]:
        unit = r * c * weight_bits // 8
        sizes = {"Rows": r, "Columns": c, "UnitBytes": unit, "WeightUnits": 2**ADDRESS_BITS // unit, "WriteBytes": b}
        return synthesiser.blocks(_GRID, {name: str(value) for name, value in sizes.items()} | widths)

    first, more_rows, more_columns, both = (at(r, c) for c in (SMALL, LARGE) for r in (SMALL, LARGE))
    wide = at(SMALL, SMALL, LARGE)
    span = LARGE - SMALL
    x, y, z = (rows - SMALL) / span, (columns - SMALL) / span, (bytes_ - SMALL) / span
    um2 = um2_of(first) * ((1 - x) * (1 - y) - z) + um2_of(more_rows) * x * (1 - y) + um2_of(more_columns) * (1 - x) * y
    um2 += um2_of(both) * x * y + um2_of(wide) * z
    # Registers that hold back a row grow with its number.
    skew = (int(widths.get("InputBits", 8)) + 1) * 4 ** (rows - 1).bit_length()
    delay = max(block.delay_ps for block in both)
    return (Block(_GRID, 1, um2, skew + rows + 1, delay),)


def _simd_array(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Lanes. Arithmetic of a lane is a module of its own."""
    fixed = ("Engine", "MaxLatency", "NumMemories", "Immediate", "Touched", "Buffers")
    given = {name: instance.parameters[name] for name in fixed}
    return grown(instance, "Lanes", (SMALL, LARGE), given, synthesiser)


UNITS: Mapping[str, UnitModules] = {
    "covenant_systolic_array": UnitModules(
        constants={
            "Rows": "8", "Columns": "8", "WriteBytes": "16", "WeightUnitBytes": "64",
            **{f"{role}BufferUnits": "1024" for role in ("Input", "Weight", "Bias", "Output")},
            **{f"{role}UnitElements": "8" for role in ("Input", "Bias", "Output")},
        },  # those of its control: the grid is composed
        boxed=(_GRID,),
        inside=_systolic_grid,
    ),
    "covenant_simd_array": UnitModules(
        whole=_simd_array,
        pipelined=tuple(f"covenant_simd_{part}" for part in ("f32", "fixed", "integer", "lanes", "lookup", "requant")),
        stages="MaxLatency",
    ),
}  # fmt: skip
"""By module."""
PIPELINED = frozenset(module for unit in UNITS.values() for module in unit.pipelined)
STAGES = {module: unit.stages for module, unit in UNITS.items() if unit.stages}
"""Parameter that is a number of stages, by module."""
