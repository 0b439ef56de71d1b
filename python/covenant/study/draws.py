"""Drawing without replacement, the same on every computer."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

__all__ = ["drawn"]


def drawn(total: int, points: int, seed: int) -> Iterator[int]:
    """The first draws of a shuffle of 0..total-1; each is made of seed and place alone, so that more begin alike."""
    moved: dict[int, int] = {}
    for place in range(points):
        number = int.from_bytes(hashlib.sha256(f"{seed} {place}".encode()).digest())
        other = place + number % (total - place)
        yield moved.get(other, other)
        moved[other] = moved.get(place, place)
