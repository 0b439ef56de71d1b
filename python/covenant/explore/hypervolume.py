"""The hypervolume of a front: the part of a box that it dominates, computed exactly, slice by slice.

Zitzler and Thiele, "Multiobjective Optimization Using Evolutionary Algorithms", 1998.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["hypervolume"]


def hypervolume(costs: Sequence[Sequence[float]], reference: Sequence[float]) -> float:
    """The volume between costs and a reference that is worse in every part.

    Args:
        costs: to be low; those not below the reference in every part add nothing.
        reference: as many parts.

    Example:
        >>> hypervolume([(1.0, 3.0), (2.0, 1.0)], (4.0, 4.0))
        7.0
    """
    inside = sorted({tuple(cost) for cost in costs if all(a < b for a, b in zip(cost, reference, strict=True))})
    return _volume(inside, tuple(reference))


def _volume(costs: list[tuple[float, ...]], reference: tuple[float, ...]) -> float:
    """Volume of costs sorted by their first part: between neighbours, what all before dominate in the other parts."""
    if len(reference) == 1:
        return reference[0] - costs[0][0] if costs else 0.0
    total = 0.0
    for place, cost in enumerate(costs):
        end = costs[place + 1][0] if place + 1 < len(costs) else reference[0]
        if end > cost[0]:
            rest = sorted({one[1:] for one in costs[: place + 1]})
            total += (end - cost[0]) * _volume(rest, reference[1:])
    return total
