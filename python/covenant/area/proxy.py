"""The area of a machine as a proxy: Yosys maps its logic to standard cells, and memories count as bits."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from typing import Any

from covenant.area.cells import BIT_AREA, CellLibrary
from covenant.area.composition import blocks_of
from covenant.area.instances import instances_of
from covenant.area.store import AreaCache
from covenant.area.synthesis import Block, Synthesiser, add_block
from covenant.area.units import PIPELINED, STAGES
from covenant.machine import Machine, as_machine, scratchpad_bits
from covenant.program.rtl_folder import TOP, rtl_files

__all__ = ["Area", "AreaMemory", "area_of"]

_RULES = 1
"""Version of the composition's rules; kept areas of whole machines with another one are computed anew."""
_OTHERS = re.compile(r"covenant_(observe|axi|host|control|registers|turns)|_top\.sv$")
"""Files that are no part of the machine's top."""


@dataclass(frozen=True)
class AreaMemory:
    """A memory of the machine."""

    name: str
    bits: int
    um2: float


@dataclass(frozen=True)
class Area:
    """A proxy for the area and the cycle time of a machine: cells without wires, memories without periphery."""

    logic: tuple[Block, ...]
    """Blocks by module, each without the modules inside of it."""
    memories: tuple[AreaMemory, ...]
    """Scratchpads, by name; and `arrays of the RTL`: instruction memories, queues and rings."""
    stages: int
    """Pipeline stages over which the arithmetic of lanes is spread."""
    library: str
    """File of the cells."""
    synthesised: int = 0
    """Results that were computed for this, not found in the cache; no part of what equal machines share."""

    @property
    def logic_um2(self) -> float:
        """Area of all modules."""
        return sum(block.um2 for block in self.logic)

    @property
    def memory_um2(self) -> float:
        """Area of all memories."""
        return sum(memory.um2 for memory in self.memories)

    @property
    def um2(self) -> float:
        """Logic and memories."""
        return self.logic_um2 + self.memory_um2

    @property
    def critical_path_ns(self) -> float:
        """Delay of the longest path in one module; the arithmetic of lanes counts for one of its stages."""
        return max(
            block.delay_ps / (self.stages if block.module in PIPELINED else 1) for block in self.logic
        ) / 1000  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain values; keys: docs/reference/area.md."""
        return {
            "um2": self.um2,
            "logic_um2": self.logic_um2,
            "memory_um2": self.memory_um2,
            "critical_path_ns": self.critical_path_ns,
            "logic": [
                {"module": one.module, "instances": one.instances, "um2": one.um2, "path_ns": one.delay_ps / 1000}
                for one in self.logic
            ],
            "memories": [{"memory": one.name, "bits": one.bits, "um2": one.um2} for one in self.memories],
            "stages": self.stages,
            "library": self.library,
        }


def area_of(
    machine: Machine | str,
    *,
    library: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    bit_area: float = BIT_AREA,
) -> Area:
    """Synthesises the modules of a machine that have no result yet, and adds up their areas.

    Args:
        machine: a Machine, or the spec of one.
        library: a Liberty file; None: as `CellLibrary.load`.
        cache: folder of results; None: as `AreaCache`.
        bit_area: um2 of a bit of memory.

    Raises:
        CovenantError: the machine has no RTL (codes RTLnnnn); ARE0001 to ARE0004: library or Yosys are not there, or
            it cannot synthesise the machine.
    """
    resolved = as_machine(machine)
    files = rtl_files(resolved)
    cells, store = CellLibrary.load(library), AreaCache(cache)
    sources = {
        name: text for name, text in files.items()
        if name.endswith(".sv") and not _OTHERS.search(name) and "/" not in name
    }  # fmt: skip
    top = files[TOP]
    content = hashlib.sha256(json.dumps([_RULES, cells.digest, top, sorted(sources.items())]).encode()).hexdigest()
    known = store.get(f"machine {content}", lambda: _logic(top, Synthesiser(sources, cells, store)))
    blocks = tuple(Block(**one) for one in known["logic"])
    return Area(
        logic=tuple(sorted(blocks, key=lambda block: block.module)),
        memories=tuple(_memories(resolved, blocks, bit_area)),
        stages=known["stages"],
        library=cells.path,
        synthesised=store.made,
    )


def _logic(top: str, synthesiser: Synthesiser) -> dict[str, Any]:
    """Blocks of the whole machine by module."""
    instances = instances_of(top)
    # Logic between the instances, of which only the ports are known.
    boxed = tuple(dict.fromkeys(one.module for one in instances))
    parts = synthesiser.workers.results([
        lambda: synthesiser.blocks("covenant_top", {}, text=top, boxed=boxed),
        *(partial(blocks_of, instance, synthesiser) for instance in instances),
    ])  # fmt: skip
    found: dict[str, Block] = {}
    for block in chain.from_iterable(parts):
        add_block(found, block)
    stages = [instance.number(STAGES[instance.module]) for instance in instances if instance.module in STAGES]
    return {"logic": [asdict(block) for block in found.values()], "stages": max(stages, default=1)}


def _memories(machine: Machine, blocks: Iterable[Block], bit_area: float) -> Iterable[AreaMemory]:
    for name, bits in scratchpad_bits(machine.to_dict()).items():
        yield AreaMemory(name, bits, bits * bit_area)
    rest = sum(block.memory_bits for block in blocks)
    yield AreaMemory("arrays of the RTL", rest, rest * bit_area)
