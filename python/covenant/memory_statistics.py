"""What off-chip memories have counted in a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MemoryStatistics:
    """Of one off-chip memory, or of all of a machine together. An access is what a channel's bus moves at once."""

    memory: str
    """As the machine names it; empty of all together."""
    model: str
    """What was given as `memory=`."""
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
    refreshes: int
    """Of all channels."""
    busy_picoseconds: int
    """In which data moved, of all channels added up."""
    bandwidth_bytes_per_second: float
    """Bytes over the bus between the first request and the last answer, by that time."""
    each: tuple[MemoryStatistics, ...] = ()
    """The memories one by one; empty of one of them."""


def memory_of(stats: dict[str, Any]) -> MemoryStatistics | None:
    """What the statistics of a run say of all off-chip memories together; None if they say nothing."""
    found = stats.get("memory")
    if found is None:
        return None
    model, each = found["model"], found["each"]
    own = {key: value for key, value in found.items() if key not in ("model", "each")}
    return MemoryStatistics(
        memory="", model=model, **own, each=tuple(MemoryStatistics(model=model, **one) for one in each)
    )
