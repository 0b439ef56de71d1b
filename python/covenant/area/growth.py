"""Modules that grow with a parameter: their area from that of small ones."""

from __future__ import annotations

from collections.abc import Mapping

from covenant.area.instances import Instance
from covenant.area.synthesis import Block, Synthesiser

__all__ = ["ADDRESS_BITS", "LARGE", "SMALL", "grown", "um2_of"]

SMALL, LARGE = 4, 8
"""Sizes of the modules that others are composed from."""
ADDRESS_BITS = 20
"""Bits of an address in those."""


def grown(
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


def um2_of(blocks: tuple[Block, ...]) -> float:
    """Area of all of them."""
    return sum(block.um2 for block in blocks)
