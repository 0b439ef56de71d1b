"""Modules that grow with the machine, from small ones of the same kind: what one more row, column, lane or port takes.

The elements of an array are alike, so its area is a constant, one for each row, one for each column and one for each
element: four small arrays say them all. The same holds for lanes and for elements of a port. How the modules of units
grow is in `units`. Other modules are synthesised as they stand in the machine, but for constants that only number them
or place them in a memory (CONSTANTS): those decide which bits of an adder are 0, not how wide it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from covenant.area.growth import ADDRESS_BITS, LARGE, SMALL, grown, um2_of
from covenant.area.instances import Instance
from covenant.area.synthesis import Block, Synthesiser
from covenant.area.units import UNITS, UnitModules

__all__ = ["CONSTANTS", "blocks_of"]

CONSTANTS: Mapping[str, Mapping[str, str]] = {
    "covenant_sequencer": {"Engine": "1"},
    "covenant_dma": {"Memory": "1", "BufferUnits": "1024", "UnitBytes": "64"},
}
"""Parameters by module that are left at one value."""


def blocks_of(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """The area of one instance with its submodules."""
    unit = UNITS.get(instance.module, UnitModules())
    rule = unit.whole or _COMPOSED.get(instance.module)
    if rule:
        return rule(instance, synthesiser)
    given = {**instance.parameters, **unit.constants, **CONSTANTS.get(instance.module, {})}
    blocks = synthesiser.blocks(instance.module, given, boxed=_BOXED)
    return (*blocks, *unit.inside(instance, synthesiser)) if unit.inside else blocks


def _channel(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Engines: each takes and gives a token of any counter in a cycle, one after the other."""
    blocks = grown(instance, "NumEngines", (1, 2), instance.parameters, synthesiser)
    few, more = (
        synthesiser.blocks(instance.module, dict(instance.parameters) | {"NumEngines": str(count)})[0].delay_ps
        for count in (1, 2)
    )
    return tuple(replace(one, delay_ps=few + (instance.number("NumEngines") - 1) * (more - few)) for one in blocks)


def _scratchpad(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Ports: each takes so much for each element. What is stored is the machine's memory, and counted there."""
    element = instance.number("DataBytes")

    def at(reads: int = SMALL, writes: int = SMALL, **skews: str) -> tuple[Block, ...]:
        sizes = {"DataBytes": element, "Banks": 1, "Rows": 2**ADDRESS_BITS, "ReadElements": reads,
                 "WriteElements": writes, "ReadsOf": f"16'd{reads}", "WritesOf": f"16'd{writes}"}  # fmt: skip
        return synthesiser.blocks(instance.module, {name: str(value) for name, value in sizes.items()} | skews)

    first = at()
    read = (um2_of(at(reads=LARGE)) - um2_of(first)) / (LARGE - SMALL)
    write = (um2_of(at(writes=LARGE)) - um2_of(first)) / (LARGE - SMALL)
    um2 = um2_of(first) - SMALL * (read + write)
    um2 += read * _elements(instance, "ReadsOf") + write * _elements(instance, "WritesOf")
    delay = first[0].delay_ps
    if int(instance.parameters.get("NumSkews", "0")):
        is_output = re.findall(r"1'd([01])", instance.parameters["SkewWrites"])
        for columns, writes in zip(instance.numbers("ColumnsOf"), is_output, strict=True):
            few, many = (
                at(NumSkews="1", SkewColumns=str(count), ColumnsOf=f"16'd{count}", SkewWrites=f"1'b{writes}")
                for count in (SMALL, LARGE)
            )
            slope = (um2_of(many) - um2_of(few)) / (LARGE - SMALL)
            um2 += um2_of(few) - um2_of(first) + slope * (columns - SMALL)
            delay = max(delay, many[0].delay_ps)
    return (Block(instance.module, 1, um2, 0, delay),)


def _elements(instance: Instance, parameter: str) -> int:
    return sum(instance.numbers(parameter))


_BOXED = tuple(module for unit in UNITS.values() for module in unit.boxed)
_COMPOSED = {"covenant_channel": _channel, "covenant_scratchpad": _scratchpad}
