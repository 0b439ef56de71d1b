"""Finds the layers of a run that are furthest from their bounds, the cause of their lost cycles, and a remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from covenant.machine.units import unit_kind
from covenant.report.layers import ReportLayer

__all__ = ["LISTED", "Loss", "losses"]

LISTED = 10
"""Layers that are listed at most."""
_COMPUTE = "compute"
_HELP = {
    "fetch": "larger tiles, for fewer words; a wider edge to the instruction memory",
    "control": "larger tiles, for fewer and longer loops",
    "bus": "a wider bus, or edges of their own for what shares it",
    "memory": "more beats under way, or a memory that answers sooner",
    "drain": "larger tiles, or fusing the layer with the one before it: each nest fills the pipeline anew",
    "registers": "tiles with more independent work between a load and its use (a schedule)",
    "queue": "fewer vector packets a scalar one: the vector side is the limit",
    "branches": "longer loops: larger tiles, more of them unrolled",
}
_FULL = (
    "more bandwidth to {0}, or tiles that use what {0} holds more often (a schedule; covenant explain MODEL --layer)"
)
_FREE = "a deeper {0}, so that the next tile fits beside the one in use, or a faster reader of {0}"


@dataclass(frozen=True)
class Loss:
    """Cycles of one layer that another schedule, machine or model may save."""

    index: int
    """Index of the layer."""
    lost: int
    """Cycles beyond the bound; without a bound, beyond those in which the main engine would do real work alone."""
    cause: str
    """Cause on which most of them are spent: one of stalls, or `compute`, where the engine works on less than it
    could."""
    help: str
    """Advice that would make them fewer."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in layers.json."""
        return asdict(self)


def losses(layers: Sequence[ReportLayer], units: dict[str, str]) -> list[Loss]:
    """The worst layers first, `LISTED` at most; none that loses nothing.

    Args:
        layers: of a run.
        units: kind of each engine that computes, by its name.
    """
    found = [_loss(layer, units) for layer in layers]
    return sorted((loss for loss in found if loss.lost > 0), key=lambda loss: (-loss.lost, loss.index))[:LISTED]


def _loss(layer: ReportLayer, units: dict[str, str]) -> Loss:
    real = round(layer.utilisation * layer.cycles)  # cycles of real work, were the engine full
    parts = layer.stalls | {_COMPUTE: max(0, layer.compute - real)}
    cause = max(sorted(parts), key=lambda name: parts[name])
    lost = layer.cycles - (real if layer.bound is None else layer.bound)
    return Loss(layer.index, max(0, lost), cause, _help(cause, units.get(layer.engine, "")))


def _help(cause: str, unit: str) -> str:
    if cause == _COMPUTE:
        return unit_kind(unit).advice
    memory, _, event = cause.partition(".")
    if event in ("full", "free"):
        return (_FULL if event == "full" else _FREE).format(memory)
    return _HELP.get(cause, "see docs/reference/statistics.md")
