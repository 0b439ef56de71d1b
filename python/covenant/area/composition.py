"""Modules that grow with the machine, from small ones of the same kind: what one more row, column, lane or port takes.

The elements of an array are alike, so its area is a constant, one for each row, one for each column and one for each
element: four small arrays say them all. The same holds for lanes of a SIMD array and for elements of a port. Other
modules are synthesised as they stand in the machine, but for constants that only number them or place them in a memory
(CONSTANTS): those decide which bits of an adder are 0, not how wide it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from covenant.area.synthesis import Block, Synthesiser

__all__ = ["CONSTANTS", "Instance", "blocks_of", "instances_of"]

CONSTANTS = {
    "covenant_sequencer": {"Engine": "1"},
    "covenant_dma": {"Memory": "1", "BufferUnits": "1024", "UnitBytes": "64"},
    "covenant_systolic_array": {
        "Rows": "8", "Columns": "8", "WriteBytes": "16", "WeightUnitBytes": "64",
        **{f"{role}BufferUnits": "1024" for role in ("Input", "Weight", "Bias", "Output")},
        **{f"{role}UnitElements": "8" for role in ("Input", "Bias", "Output")},
    },
}  # fmt: skip
"""Parameters by module that are left at one value; of a systolic array those of its control, the grid is composed."""
GRID = "covenant_systolic_grid"
SMALL, LARGE = 4, 8
"""Sizes of the modules that it is composed from."""
_SUMS = ("InputBits", "WeightBits", "AccumulatorBits", "Saturates")
"""Widths of elements and of sums and how these end, where they are not those of the module itself."""
_ADDRESS_BITS = 20
_INSTANCE = re.compile(r"\n  (?P<module>covenant_\w+)(?: #\((?P<parameters>.*?)\n  \))? (?P<name>u_\w+) \(", re.S)
_PARAMETER = re.compile(r"\.(?P<name>\w+)\s*\((?P<value>.*)\),?\s*$", re.M)


@dataclass(frozen=True)
class Instance:
    """A module in the top of a machine."""

    module: str
    name: str
    parameters: Mapping[str, str]
    """SystemVerilog constants."""

    def number(self, parameter: str) -> int:
        """A parameter that is a number."""
        return int(self.parameters[parameter])

    def numbers(self, parameter: str) -> list[int]:
        """A parameter that is a vector of numbers of 16 bits, the last one first."""
        return [int(value) for value in re.findall(r"16'd(\d+)", self.parameters[parameter])]


def instances_of(top: str) -> list[Instance]:
    """Instances in the top of a machine, as `rtl/gen` writes it."""
    return [
        Instance(one["module"], one["name"],
                 {each["name"]: each["value"].strip() for each in _PARAMETER.finditer(one["parameters"] or "")})
        for one in _INSTANCE.finditer(top)
    ]  # fmt: skip


def blocks_of(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """The area of one instance, and of what stands in it."""
    rule = _COMPOSED.get(instance.module)
    if rule:
        return rule(instance, synthesiser)
    given = dict(instance.parameters) | CONSTANTS.get(instance.module, {})
    blocks = synthesiser.blocks(instance.module, given, boxed=(GRID,))
    return (*blocks, *_grid(instance, synthesiser)) if instance.module == "covenant_systolic_array" else blocks


def _grid(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Rows and columns, and bytes of the weight memory's write port; elements and sums as wide as they are."""
    rows, columns, bytes_ = (instance.number(name) for name in ("Rows", "Columns", "WriteBytes"))
    widths = {name: instance.parameters[name] for name in _SUMS if name in instance.parameters}
    weight_bits = int(widths.get("WeightBits", 8))

    def at(r: int, c: int, b: int = SMALL) -> tuple[Block, ...]:
        unit = r * c * weight_bits // 8
        sizes = {"Rows": r, "Columns": c, "UnitBytes": unit, "WeightUnits": 2**_ADDRESS_BITS // unit, "WriteBytes": b}
        return synthesiser.blocks(GRID, {name: str(value) for name, value in sizes.items()} | widths)

    first, more_rows, more_columns, both = (at(r, c) for c in (SMALL, LARGE) for r in (SMALL, LARGE))
    wide = at(SMALL, SMALL, LARGE)
    span = LARGE - SMALL
    x, y, z = (rows - SMALL) / span, (columns - SMALL) / span, (bytes_ - SMALL) / span
    um2 = _um2(first) * ((1 - x) * (1 - y) - z) + _um2(more_rows) * x * (1 - y) + _um2(more_columns) * (1 - x) * y
    um2 += _um2(both) * x * y + _um2(wide) * z
    skew = (int(widths.get("InputBits", 8)) + 1) * 4 ** (
        rows - 1
    ).bit_length()  # what a row holds back grows with its number
    delay = max(block.delay_ps for block in both)
    return (Block(GRID, 1, um2, skew + rows + 1, delay),)


def _simd_array(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Lanes. Arithmetic of a lane is a module of its own."""
    fixed = ("Engine", "MaxLatency", "NumMemories", "Immediate", "Touched", "Buffers")
    given = {name: instance.parameters[name] for name in fixed}
    return _grown(instance, "Lanes", (SMALL, LARGE), given, synthesiser)


def _channel(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Engines: each takes and gives a token of any counter in a cycle, one after the other."""
    blocks = _grown(instance, "NumEngines", (1, 2), instance.parameters, synthesiser)
    few, more = (
        synthesiser.blocks(instance.module, dict(instance.parameters) | {"NumEngines": str(count)})[0].delay_ps
        for count in (1, 2)
    )
    return tuple(replace(one, delay_ps=few + (instance.number("NumEngines") - 1) * (more - few)) for one in blocks)


def _grown(
    instance: Instance, parameter: str, sizes: tuple[int, int], given: Mapping[str, str], synthesiser: Synthesiser
) -> tuple[Block, ...]:
    """Extrapolates on a straight line through two sizes of one parameter."""
    small, large = (
        {block.module: block for block in synthesiser.blocks(instance.module, dict(given) | {parameter: str(size)})}
        for size in sizes
    )
    x = (instance.number(parameter) - sizes[0]) / (sizes[1] - sizes[0])
    return tuple(
        Block(
            name,
            round(small[name].instances + x * (block.instances - small[name].instances)),
            small[name].um2 + x * (block.um2 - small[name].um2),
            round(small[name].memory_bits + x * (block.memory_bits - small[name].memory_bits)),
            max(small[name].delay_ps, block.delay_ps),
        )
        for name, block in large.items()
    )


def _scratchpad(instance: Instance, synthesiser: Synthesiser) -> tuple[Block, ...]:
    """Ports: each takes so much for each element. What is stored is the machine's memory, and counted there."""
    element = instance.number("DataBytes")

    def at(reads: int = SMALL, writes: int = SMALL, **skews: str) -> tuple[Block, ...]:
        sizes = {"DataBytes": element, "Banks": 1, "Rows": 2**_ADDRESS_BITS, "ReadElements": reads,
                 "WriteElements": writes, "ReadsOf": f"16'd{reads}", "WritesOf": f"16'd{writes}"}  # fmt: skip
        return synthesiser.blocks(instance.module, {name: str(value) for name, value in sizes.items()} | skews)

    first = at()
    read = (_um2(at(reads=LARGE)) - _um2(first)) / (LARGE - SMALL)
    write = (_um2(at(writes=LARGE)) - _um2(first)) / (LARGE - SMALL)
    um2 = _um2(first) - SMALL * (read + write)
    um2 += read * _elements(instance, "ReadsOf") + write * _elements(instance, "WritesOf")
    delay = first[0].delay_ps
    if int(instance.parameters.get("NumSkews", "0")):
        is_output = re.findall(r"1'd([01])", instance.parameters["SkewWrites"])
        for columns, writes in zip(instance.numbers("ColumnsOf"), is_output, strict=True):
            few, many = (
                at(NumSkews="1", SkewColumns=str(count), ColumnsOf=f"16'd{count}", SkewWrites=f"1'b{writes}")
                for count in (SMALL, LARGE)
            )
            slope = (_um2(many) - _um2(few)) / (LARGE - SMALL)
            um2 += _um2(few) - _um2(first) + slope * (columns - SMALL)
            delay = max(delay, many[0].delay_ps)
    return (Block(instance.module, 1, um2, 0, delay),)


def _elements(instance: Instance, parameter: str) -> int:
    return sum(instance.numbers(parameter))


def _um2(blocks: tuple[Block, ...]) -> float:
    return sum(block.um2 for block in blocks)


_COMPOSED = {"covenant_channel": _channel, "covenant_scratchpad": _scratchpad, "covenant_simd_array": _simd_array}
