"""Work that others do, a little ahead of the one who reads its results."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


def in_order(
    items: Iterable[Item], submit: Callable[[Item], Future[Value]], *, ahead: int, stopped: Callable[[], bool]
) -> Iterator[tuple[Item, Value]]:
    """Items with their results, in the order of the items; none soon after `stopped` says so.

    Args:
        items: taken when there is room.
        submit: has one done.
        ahead: items that may wait for the first of them: a slow one holds up the others no sooner.
        stopped: asked between results, and while none comes. A handler of signals can set what it reads; an exception
            could be raised with a lock held.
    """
    waiting: deque[tuple[Item, Future[Value]]] = deque()

    def ended(most_left: int) -> Iterator[tuple[Item, Value]]:
        while len(waiting) > most_left and not stopped():
            item, future = waiting[0]
            with contextlib.suppress(TimeoutError):
                value = future.result(timeout=0.2)
                waiting.popleft()
                yield item, value

    for item in items:
        waiting.append((item, submit(item)))
        yield from ended(ahead)
        if stopped():
            return
    yield from ended(0)
