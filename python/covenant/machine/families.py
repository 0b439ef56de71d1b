"""Families of machines, one row each: properties of programs and runs that reports and studies need."""

from __future__ import annotations

from dataclasses import dataclass

from covenant.machine.machine import Machine

__all__ = ["Family", "family_of"]


@dataclass(frozen=True)
class Family:
    """Properties that all machines of a family share."""

    has_buffers: bool
    """Tiles lie in buffers of scratchpads, whose use is known layer by layer."""
    has_timeline: bool
    """A trace has few enough events for a page: one for a command of an engine, not one for a packet."""
    stops_between_layers: bool
    """A layer can be run by itself, on tensors that others have written."""


_GROUPS = Family(has_buffers=True, has_timeline=True, stops_between_layers=True)
_PACKETS = Family(has_buffers=False, has_timeline=False, stops_between_layers=False)


def family_of(machine: Machine) -> Family:
    """The row of a machine."""
    return _PACKETS if machine.issues_packets else _GROUPS
