"""Figures of each layer of a program in a run, and lower bounds that follow from the layer's sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from covenant import _core
from covenant.machine import Machine
from covenant.machine.families import family_of
from covenant.program import Program
from covenant.runtime.result import Result

_TILE = re.compile(r"^ *tile (\S+) (\d+) of (\d+);$")


@dataclass(frozen=True)
class ReportLayer:
    """One layer. What the backend or the program does not say is None."""

    index: int
    name: str
    operation: str
    cycles: int
    """compute + stalls."""
    engine: str
    compute: int
    stalls: dict[str, int]
    """Cycles by cause."""
    macs: int
    elementwise: int
    utilisation: float
    bound: int | None
    """Cycles that no schedule can do better than (compiler/families/stream/block_bound.h)."""
    limited_by: str | None
    bytes_read: int | None
    """Bytes from off-chip memory, without those of instructions."""
    bytes_written: int | None
    instruction_bytes: int | None
    live_bytes: dict[str, int]
    """Bytes of off-chip memory in use while the layer runs, by kind of segment."""
    buffer_bytes: dict[str, int]
    """Bytes used of one buffer of each on-chip memory, up to the end of the last tile in it."""
    tile: str | None
    """Loops that are split, as in "oh 16/56"."""
    nodes: tuple[str, ...]
    """Names of the model's nodes that it is made of."""

    @property
    def bytes_moved(self) -> int | None:
        """Bytes to and from off-chip memory."""
        return None if self.bytes_read is None or self.bytes_written is None else self.bytes_read + self.bytes_written

    @property
    def operations(self) -> int:
        """Two for each multiply-accumulate, one for each elementwise operation; padding does not count."""
        return 2 * self.macs + self.elementwise

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in layers.json."""
        return {
            "index": self.index,
            "name": self.name,
            "operation": self.operation,
            "cycles": self.cycles,
            "bound": self.bound,
            "limited_by": self.limited_by,
            "engine": self.engine,
            "compute": self.compute,
            "stalls": self.stalls,
            "utilisation": self.utilisation,
            "macs": self.macs,
            "elementwise": self.elementwise,
            "operations": self.operations,
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "instruction_bytes": self.instruction_bytes,
            "live_bytes": self.live_bytes,
            "buffer_bytes": self.buffer_bytes,
            "tile": self.tile,
            "nodes": list(self.nodes),
        }


def bound_of_layers(layers: Iterable[ReportLayer]) -> int | None:
    """Cycles that the model takes at least: bounds of the layers that do some of its operations; None: one has none.

    Layers that the compiler has put between others to move elements have no part in it.
    """
    bounds = [layer.bound for layer in layers if layer.operations]
    known = [bound for bound in bounds if bound is not None]
    return sum(known) if len(known) == len(bounds) else None


def report_layers(program: Program, result: Result) -> list[ReportLayer]:
    """One for each block, in order of execution."""
    rows = result.stats["blocks"]
    blocks = program.blocks
    family = family_of(program.machine)
    tiles = _tiles(program.schedule, len(rows))
    live = _live_bytes(program)
    traffic = _traffic(result.stats, program.machine)
    made = []
    for index, row in enumerate(rows):
        bound = _core.block_bound(program._core, index)
        read, written, words = traffic.get(index, (0, 0, 0)) if traffic else (None, None, None)
        made.append(
            ReportLayer(
                index=index, name=row["layer"], operation=row["operation"], cycles=row["cycles"],
                engine=row["engine"], compute=row["compute"], stalls=row["stalls"], macs=row["macs"],
                elementwise=row["elementwise"], utilisation=row["utilisation"],
                bound=bound["cycles"] if bound else None, limited_by=bound["limited_by"] if bound else None,
                bytes_read=read, bytes_written=written, instruction_bytes=words, live_bytes=live[index],
                buffer_bytes=_core.buffer_use(program._core, index) if family.has_buffers else {},
                tile=tiles[index], nodes=blocks[index].fused or (row["layer"],),
            )
        )  # fmt: skip
    return made


def _traffic(stats: dict[str, Any], machine: Machine) -> dict[int, tuple[int, int, int]]:
    """Bytes read, written, and of instructions, by block; empty if the backend does not count bytes."""
    if not stats.get("offchip"):
        return {}
    instructions = {one["name"] for one in machine.to_dict()["memories"] if one["kind"] == "instruction"}
    made: dict[int, tuple[int, int, int]] = {}
    for row in stats["block_offchip"]:
        read, written, words = made.get(row["block"], (0, 0, 0))
        if row["operand"] in instructions:
            words += row["bytes_read"]
        else:
            read, written = read + row["bytes_read"], written + row["bytes_written"]
        made[row["block"]] = read, written, words
    return made


def _tiles(schedule: str | None, layers: int) -> list[str | None]:
    """The loops that the schedule splits, layer by layer; it has the layers of the program, in their order."""
    if schedule is None:
        return [None] * layers
    tiles: list[list[str]] = []
    for line in schedule.splitlines():
        if line.startswith("layer "):
            tiles.append([])
        elif (tile := _TILE.match(line)) and tile[2] != tile[3]:
            tiles[-1].append(f"{tile[1]} {tile[2]}/{tile[3]}")
    return [", ".join(split) or "one tile" for split in tiles]


def _live_bytes(program: Program) -> list[dict[str, int]]:
    """Bytes of off-chip memory in use, by block and by kind of segment.

    Constants, instructions, inputs and outputs are there from the first block to the last; what lies between layers,
    from the first block that has to do with it to the last one. Segments that share bytes are never alive together.
    """
    segments = program._core.segments
    bindings = program._core.bindings
    used: dict[str, list[int]] = {}
    for index, segment_of in enumerate(bindings):
        for name in segment_of.values():
            used.setdefault(name, []).append(index)
    made = []
    for index in range(len(bindings)):
        live: dict[str, int] = {}
        for segment in segments:
            kind, between = segment["kind"], used.get(segment["name"], [])
            if (
                kind == "intermediate"
                and not segment["filled"]
                and not (between and between[0] <= index <= between[-1])
            ):
                continue
            live[kind] = live.get(kind, 0) + segment["size"]
        made.append(dict(sorted(live.items())))
    return made
