"""Statistics of off-chip memories in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MemoryStatistics:
    """Statistics of one off-chip memory, or of all of a machine. An access is what a channel's bus moves at once."""

    memory: str
    """Name in the machine; empty for all together."""
    model: str
    """Value that was given as `memory=`."""
    reads: int
    """Accesses."""
    writes: int
    """Accesses."""
    bytes_read: int
    """Over the memory's own bus."""
    bytes_written: int
    """Likewise."""
    row_hits: int
    """Accesses whose row was open."""
    row_misses: int
    """Accesses whose bank had no open row."""
    row_conflicts: int
    """Accesses whose bank had another row open."""
    activations: int
    """Rows that were opened."""
    refreshes: int
    """Refreshes of all channels."""
    busy_picoseconds: int
    """Time in which data moved, of all channels added up."""
    bandwidth_bytes_per_second: float
    """Bytes over the bus between the first request and the last answer, by that time."""
    each: tuple[MemoryStatistics, ...] = ()
    """The memories one by one; empty of one of them."""


def memory_of(stats: dict[str, Any]) -> MemoryStatistics | None:
    """Statistics of all off-chip memories together in a run; None if the run has none."""
    found = stats.get("memory")
    if found is None:
        return None
    model, each = found["model"], found["each"]
    own = {key: value for key, value in found.items() if key not in ("model", "each")}
    return MemoryStatistics(
        memory="", model=model, **own, each=tuple(MemoryStatistics(model=model, **one) for one in each)
    )
