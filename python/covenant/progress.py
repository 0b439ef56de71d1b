"""Progress reports of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""


def of_step(progress: Progress | None, step: str) -> Callable[[int, int], None] | None:
    """Progress function of a call that has one step: it takes how much is done, and of how much."""
    return None if progress is None else lambda done, total: progress(step, done, total)


def told(items: Sequence[_Item], step: str, progress: Progress | None) -> Iterator[_Item]:
    """The items, one after the other; progress is told before each, and at the end."""
    for done, item in enumerate(items):
        if progress:
            progress(step, done, len(items))
        yield item
    if progress:
        progress(step, len(items), len(items))
