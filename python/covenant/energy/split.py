"""The energy of a run, split by component: counts from its statistics, times figures of the machine or of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from covenant.energy.costs import MACHINE, Costs, EnergyPart
from covenant.energy.errors import user_error
from covenant.energy.memory_energy import MemoryEnergy, memory_energy
from covenant.energy.table import EnergyTable
from covenant.energy.units import BLOCK_COUNTERS, COUNTERS
from covenant.runtime.result import Result

__all__ = ["Energy", "EnergyPart", "energy_of"]

_ROWS = {"activate": "activations", "refresh": "refreshes"}
"""Counts of models of off-chip memory, by the event."""


@dataclass(frozen=True)
class Energy:
    """A proxy for the dynamic energy of one run; leakage, clock and wires are not in it."""

    parts: tuple[EnergyPart, ...]
    """Events that happened: compute nodes, memories on the chip, memories off it, instructions."""
    sources: Mapping[str, str]
    """Sources of the defaults."""

    @property
    def picojoules(self) -> float:
        """Energy of all parts."""
        return sum(part.picojoules for part in self.parts)

    @property
    def by_component(self) -> dict[str, float]:
        """Energy of each component, in the order of the parts."""
        found: dict[str, float] = {}
        for part in self.parts:
            found[part.component] = found.get(part.component, 0.0) + part.picojoules
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain values; keys: docs/reference/energy.md."""
        return {
            "picojoules": self.picojoules,
            "by_component": self.by_component,
            "parts": [part.to_dict() for part in self.parts],
            "sources": dict(self.sources),
        }


def energy_of(result: Result, table: EnergyTable | None = None) -> Energy:
    """The energy of a run by what it has counted.

    What an event costs says, in this order: the machine (`energy`, `read_energy`, `write_energy` that are not 0), the
    table, the defaults.

    Args:
        result: of a session.
        table: None: the defaults.

    Raises:
        CovenantError: ENG0001, the run counted no events (a backend that counts none, contexts of a core together);
            ENG0003, no energy is known for an operation; ENG0006, the table names what the machine has not.
        ValueError: the run is not known to be of one machine.
    """
    machine, statistics = result.machine, result.stats
    if machine is None:
        raise ValueError("only a result of a session knows its machine")
    if not statistics.get("accesses") or "operations" not in statistics:
        raise user_error("ENG0001", "the run has not counted the events that energy is made of", machine.name,
                         fix="run on --backend systemc, one context at a time")  # fmt: skip
    counter = _Counter(machine.to_dict(), table or EnergyTable.defaults())
    counter.check_names()
    parts = (*counter.computes(statistics), *counter.onchip(statistics), *counter.instructions(statistics),
             *counter.offchip(statistics))  # fmt: skip
    return Energy(tuple(part for part in parts if part.count), counter.table.sources | counter.memory_sources)


class _Counter:
    """A machine and a table."""

    def __init__(self, machine: dict[str, Any], table: EnergyTable) -> None:
        self.table = table
        self._machine = machine
        self._costs = Costs(machine, table)
        self._memories = {one["name"]: one for one in machine["memories"]}
        self._edges = machine["edges"]
        self._word_bits = machine["word_bits"]
        self.memory_sources: dict[str, str] = {}
        """Sources of figures of models of off-chip memory, as far as they were asked for."""

    def check_names(self) -> None:
        """Raises ENG0006 for a table that names something else than this machine's nodes."""
        names = [*self._memories, *(one["name"] for one in self._machine["computes"])]
        for name in self.table.given:
            if name not in names:
                raise user_error("ENG0006", "the machine has no such component", name, file=self.table.source,
                                 offending=name, allowed=names, fix="name the nodes of `covenant show`")  # fmt: skip

    def computes(self, statistics: Mapping[str, Any]) -> Iterator[EnergyPart]:
        """Work of the compute nodes, and the registers that it passes through."""
        for entry in statistics["operations"]:
            kind, _, operation = entry["operation"].partition(".")
            nodes = [one for one in self._machine["computes"] if one["unit"] == kind]
            if nodes:
                yield from COUNTERS[kind](self._costs, nodes, operation, entry)
        for kind, count in BLOCK_COUNTERS.items():
            nodes = [one for one in self._machine["computes"] if one["unit"] == kind]
            if nodes:
                yield from count(self._costs, nodes, statistics["blocks"])

    def onchip(self, statistics: Mapping[str, Any]) -> Iterator[EnergyPart]:
        """Accesses to memories on the chip."""
        for name, memory in self._memories.items():
            if memory["kind"] not in ("scratchpad", "cache"):
                continue
            array_bytes = memory["data_width"] * memory["depth"] * memory["buffers"] / 8
            default = self.table.sram(array_bytes, _unit_bits(memory))
            for action in ("read", "write"):
                count = sum(one[f"{action}s"] for one in statistics["accesses"] if one["memory"] == name)
                yield self._costs.part(
                    name, [memory], action, action, count, memory.get(f"{action}_energy", 0.0), default
                )

    def instructions(self, statistics: Mapping[str, Any]) -> Iterator[EnergyPart]:
        """Words that are fetched into the instruction memory, and those that engines read."""
        for name, memory in self._memories.items():
            if memory["kind"] != "instruction":
                continue
            array_bytes = self._word_bits * memory["depth"] * memory["buffers"] / 8
            default = self.table.sram(array_bytes, self._word_bits)
            fetched = sum(one["bytes_read"] for one in statistics["offchip"] if one["operand"] == name)
            counts = {
                "read": sum(one["commands"] for one in statistics["engines"]),
                "write": fetched * 8 // self._word_bits,
            }
            for action, count in counts.items():
                yield self._costs.part(
                    name, [memory], action, action, count, memory.get(f"{action}_energy", 0.0), default
                )

    def offchip(self, statistics: Mapping[str, Any]) -> Iterator[EnergyPart]:
        """Bytes of memories off the chip, and bits of edges that state an energy."""
        for name, memory in self._memories.items():
            if memory["kind"] != "offchip":
                continue
            unit = _unit_bits(memory)
            counted = _counted(statistics, name)
            known = self._model_of(memory, counted)
            for action, key in (("read", "bytes_read"), ("write", "bytes_written")):
                moved = counted[key] if counted else self._asked_for(statistics, name, key)
                each = getattr(known, action) / known.access_bytes * unit / 8 if known else self.table.offchip(unit)
                stated = memory.get(f"{action}_energy", 0.0)
                yield self._costs.part(name, [memory], action, action, moved * 8 // unit, stated, each)
            for action, key in _ROWS.items():
                if counted and (known or self.table.given_for(name, action) is not None):
                    each = getattr(known, action) if known else 0.0
                    yield self._costs.part(name, [memory], action, action, counted[key], 0.0, each)
        for edge in self._edges:
            if edge.get("energy", 0.0):
                engine = f"{edge['from']}->{edge['to']}"
                moved = sum(one["bytes_read"] + one["bytes_written"] for one in statistics["offchip"]
                            if one["engine"] == engine)  # fmt: skip
                yield EnergyPart(engine, "bits moved", 8 * moved, edge["energy"], MACHINE)

    def _model_of(self, memory: Mapping[str, Any], counted: Mapping[str, Any] | None) -> MemoryEnergy | None:
        """Figures of the model that has counted; None where machine or table state what the memory takes."""
        stated = any(memory.get(f"{action}_energy", 0.0) for action in ("read", "write"))
        if counted is None or stated or self.table.given.get(memory["name"]):
            return None
        known = memory_energy(counted["model"])
        self.memory_sources |= known.sources if known else {}
        return known

    def _asked_for(self, statistics: Mapping[str, Any], memory: str, key: str) -> int:
        """Bytes that edges have asked a memory for: the edge of a core's cache both reads and writes."""
        engines = {f"{edge['from']}->{edge['to']}" for edge in self._edges if memory in (edge["from"], edge["to"])}
        return sum(one[key] for one in statistics["offchip"] if one["engine"] in engines)


def _counted(statistics: Mapping[str, Any], memory: str) -> dict[str, Any] | None:
    """Counts of a model of off-chip memory, with its name; None with a fixed latency."""
    counted = statistics.get("memory", {})
    found = next((one for one in counted.get("each", []) if one["memory"] == memory), None)
    return None if found is None else found | {"model": counted["model"]}


def _unit_bits(memory: Mapping[str, Any]) -> int:
    """Bits of one address: `granularity`, or the width of an element where it is 0, which means not given."""
    return (memory["granularity"] or memory["data_width"]) * memory["banks"]
