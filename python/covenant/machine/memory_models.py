"""Models of off-chip memory: a fixed latency, or a DRAM with banks by a set of published parameters."""

from __future__ import annotations

import os
from dataclasses import dataclass

from covenant import _core

FIXED_MEMORY = "fixed"
"""The latency that the machine states, whatever the address: what a run has if nothing is said."""


@dataclass(frozen=True)
class MemoryModel:
    """A DRAM with banks, as its parameters describe it (docs/reference/memory-models.md)."""

    name: str
    """Value for `memory=`: a name, or the path of the file."""
    about: str
    """One line for people."""
    sources: dict[str, str]
    """Sources of the figures, by the keys that the file of parameters gives them."""
    channels: int
    banks: int
    """Banks of a channel."""
    row_bytes: int
    """Bytes of a bank's row: what one activation opens."""
    access_bytes: int
    """Bytes that one read or write moves over a channel's bus."""
    bytes: int
    """Bytes of all channels together."""
    clock_picoseconds: int
    burst_picoseconds: int
    """Time for which an access holds its channel's data bus."""
    row_open_picoseconds: int
    """Least time from opening a row to closing it: tRAS."""
    row_cycle_picoseconds: int
    """Least time between two activations of a bank: tRC."""
    refresh_picoseconds: int
    """Time that a refresh of a channel takes: tRFC."""
    peak_bytes_per_second: float
    """Bandwidth of all channels together, while data moves without a gap; no refresh counted."""


def memories() -> tuple[str, ...]:
    """Names that `memory=` knows without a file: FIXED_MEMORY first, then sets of parameters in alphabetical order.

    Example:
        >>> import covenant
        >>> "ddr4_2400" in covenant.memories()
        True
    """
    return tuple(_core.memory_names())


def memory_model(memory: str | os.PathLike[str]) -> MemoryModel | None:
    """Description of a model of off-chip memory.

    Args:
        memory: one of `memories()`, or the path of a file of parameters.

    Returns:
        None of FIXED_MEMORY, which has no parameters.

    Raises:
        CovenantError: there is no such memory (MEM0001), or its file is wrong (MEM0002 to MEM0005).

    Example:
        >>> import covenant
        >>> model = covenant.memory_model("ddr4_2400")
        >>> model.channels, model.banks, model.row_bytes, round(model.peak_bytes_per_second / 1e9, 1)
        (1, 16, 8192, 19.2)
    """
    found = _core.memory_parameters(os.fspath(memory))
    return None if found is None else MemoryModel(name=os.fspath(memory), **found)
