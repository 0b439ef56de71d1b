"""Columns about a machine's hardware: they need no model, and all but the area need no tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from covenant.machine import Machine, buffer_bits
from covenant.machine.units import multipliers_of, multiplying

__all__ = ["AREA", "COUNTED", "HARDWARE", "hardware_of"]

AREA = "area_proxy"
COUNTED = ("pe_count", "buffer_bits", "bus_bits")
HARDWARE = (*COUNTED, AREA)


def hardware_of(machine_json: str, columns: Sequence[str]) -> dict[str, Any]:
    """These columns of a machine; none of one that does not hold together (empty).

    Raises:
        CovenantError: as `area_of`, if the area is asked for.
    """
    if not machine_json:
        return {}
    found = dict(_counted(machine_json))
    if AREA in columns:
        found[AREA] = _area(machine_json)
    return {column: found[column] for column in columns}


@lru_cache(maxsize=4096)
def _area(machine_json: str) -> float:
    """A search asks for it before and after it has results: the RTL is not written out again each time."""
    from covenant.area import area_of  # noqa: PLC0415 (only those who name areas pay)

    return area_of(Machine.from_json(machine_json)).um2


@lru_cache(maxsize=4096)
def _counted(machine_json: str) -> dict[str, int]:
    machine = json.loads(machine_json)
    memories = {one["name"]: one for one in machine["memories"]}
    return {
        "pe_count": sum(map(multipliers_of, multiplying(machine))),
        "buffer_bits": sum(buffer_bits(machine).values()),
        "bus_bits": sum(
            one["bandwidth"] for one in machine["edges"]
            if "offchip" in (memories.get(one[end], {}).get("kind") for end in ("from", "to"))
        ),
    }  # fmt: skip
