"""The Pareto front: the points that no other point dominates."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["front_of"]


def front_of(costs: Sequence[tuple[float, ...] | None]) -> list[int]:
    """Places of the costs that no others are as low as in every part and lower in one; equal ones stand together.

    Args:
        costs: as many parts each, to be low; None: has none, and is not on the front.

    Example:
        >>> front_of([(1.0, 5.0), (2.0, 6.0), None, (2.0, 1.0), (1.0, 5.0)])
        [0, 3, 4]
    """
    front: list[tuple[float, ...]] = []
    for cost in sorted({cost for cost in costs if cost is not None}):
        # Whatever dominates it comes before it in this order, and what dominates that is on the front.
        if not any(all(a <= b for a, b in zip(other, cost, strict=True)) for other in front):
            front.append(cost)
    kept = set(front)
    return [place for place, cost in enumerate(costs) if cost in kept]
