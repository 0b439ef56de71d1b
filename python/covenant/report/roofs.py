"""Rooflines of a machine: the most operations and off-chip bytes per cycle."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from covenant.machine import Machine
from covenant.machine.units import lanes_of, multipliers_of, multiplying, working_on_lanes


@dataclass(frozen=True)
class Roofs:
    """Limits of a roofline, per cycle."""

    array: int
    """Operations of a node that multiplies, two for each multiply-accumulate; 0 if there is none."""
    lanes: int
    """Elementwise operations of a node that works on lanes; 0 if there is none."""
    bytes: float
    """Bytes over all edges of off-chip memory together, instruction fetch not among them; edges of one bus take
    turns."""
    clock_hertz: float
    buffers: dict[str, int]
    """Bytes of one buffer of each scratchpad, in the order of the machine."""
    units: dict[str, str]
    """Kind of each unit that computes, by its name."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in layers.json."""
        return {key: value for key, value in vars(self).items() if key != "units"}


def roofs_of(machine: Machine) -> Roofs:
    """Roofs of a machine, from its description."""
    graph = json.loads(machine.to_json())
    arrays, lanes = multiplying(graph), working_on_lanes(graph)
    kinds = {memory["name"]: memory["kind"] for memory in graph["memories"]}
    widths: dict[str, int] = {}  # by bus; an edge without one is its own
    for edge in graph["edges"]:
        ends = {kinds.get(edge["from"]), kinds.get(edge["to"])}
        if "offchip" not in ends or "instruction" in ends:
            continue
        bus = edge.get("bus") or f"{edge['from']}->{edge['to']}"
        widths[bus] = max(widths.get(bus, 0), edge["bandwidth"])
    return Roofs(
        array=2 * multipliers_of(arrays[-1]) if arrays else 0,
        lanes=lanes_of(lanes[-1]) if lanes else 0,
        bytes=sum(widths.values()) / 8,
        clock_hertz=graph["clock_hertz"],
        buffers={
            memory["name"]: memory["data_width"] * memory["banks"] * memory["depth"] // 8
            for memory in graph["memories"]
            if memory["kind"] == "scratchpad"
        },
        units={node["name"]: node["unit"] for node in graph["computes"]},
    )
