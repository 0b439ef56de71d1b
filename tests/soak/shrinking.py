"""Shrinks a plan that fails to a smaller one that fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from comparing import Outcome
from plans import MachinePlan, Plan

MOST_TRIES = 30
"""Plans that are run to make one smaller."""
SIMPLE = MachinePlan("genesys")


def shrunk(
    plan: Plan, outcome: Outcome, run: Callable[[Plan], Outcome], stopped: Callable[[], bool] = lambda: False
) -> tuple[Plan, Outcome]:
    """The smallest plan found, before `stopped` says so, that has the same verdict and code, and its outcome."""
    left = MOST_TRIES
    smaller = True
    while smaller and left:
        smaller = False
        for candidate in _smaller(plan):
            if not left or stopped():
                break
            left -= 1
            got = run(candidate)
            if stopped():  # its process was ended
                break
            if (got.verdict, got.code) == (outcome.verdict, outcome.code):
                plan, outcome, smaller = candidate, got, True
                break
    return plan, outcome


def _smaller(plan: Plan) -> Iterator[Plan]:
    """Plans with less in them, those with the most taken away first."""
    layers = plan.layers
    for size in sorted({len(layers) // 2, 1}, reverse=True):
        for first in range(0, len(layers) if size and len(layers) > 1 else 0, max(1, size)):
            yield replace(plan, layers=layers[:first] + layers[first + size :])
    if plan.start:
        yield replace(plan, start="")
    if plan.end:
        yield replace(plan, end="")
    if plan.machine != SIMPLE and not any(name == "bits" for name, _ in plan.machine.settings):
        yield replace(plan, machine=SIMPLE)
    if plan.backend == "systemc":
        yield replace(plan, backend="interpret")
    for place in range(1, len(plan.shape)):
        for size in (1, 2, plan.shape[place] // 2):
            if 0 < size < plan.shape[place]:
                yield replace(plan, shape=(*plan.shape[:place], size, *plan.shape[place + 1 :]))
