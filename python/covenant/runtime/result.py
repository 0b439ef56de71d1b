"""Results of a run: tensors, cycles, statistics, retire records, a trace."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from covenant import _core
from covenant.files import write_whole
from covenant.runtime.memory_statistics import MemoryStatistics, memory_of
from covenant.runtime.packet_profile import PacketProfile
from covenant.tables import data_frame, html_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from covenant.machine import Machine

RECORD_FIELDS = (
    "block", "engine", "word_index", "sequence", "word", "issue", "retire", "first_port", "last_port", "stall",
    "digest",
)  # fmt: skip
"""Columns of `Result.records`, one row per executed command; meaning: acg/isa/retire_record.h.

`word` holds the lowest 64 bits of a word that has more."""


PACKET_RECORD_FIELDS = (
    "block", "sequence", "address", "issue", "run", "retire", "registers", "queue", "branches", "vector_registers",
    "vector_loads", "digest", "turn", "vector_units",
)  # fmt: skip
"""Columns of `Result.packet_records`, one row per executed packet; meaning: acg/isa/vliw/packet_record.h."""


@dataclass(frozen=True)
class Layer:
    """Cycles of one layer, from the cycle in which it starts to the one in which it is done."""

    name: str
    operation: str
    cycles: int
    engine: str
    """The compute node that the split into compute and stalls describes."""
    compute: int
    """Cycles in which it worked."""
    stalls: int
    """Cycles in which it did not: cycles - compute."""
    causes: dict[str, int]
    """The stalls by cause: "fetch", "control", "drain", or the token waited for, as in "IBUF.full"."""
    utilisation: float
    """Real work of the layer / what its compute node could have done in `cycles`; 0..1."""
    packets: int | None = None
    """Packets that were issued; None on a machine that issues none."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        return {
            "name": self.name,
            "operation": self.operation,
            "cycles": self.cycles,
            "engine": self.engine,
            "compute": self.compute,
            "stalls": self.stalls,
            "causes": self.causes,
            "utilisation": self.utilisation,
            "packets": self.packets,
        }


@dataclass(frozen=True)
class LayerTensor:
    """A tensor that a layer of a program has written."""

    layer: str
    """Name of the layer (`Block.layer`)."""
    block: int
    """Place of the layer in the program, from 0."""
    name: str
    """Name of the tensor in the model."""
    array: np.ndarray = field(repr=False)
    """Stored elements, in the model's shape."""


@dataclass(frozen=True, eq=False)
class Result:
    """One run of a program on one backend.

    Results are equal if all but wall-clock times is: every byte of the outputs, cycles, statistics, trace and records.
    """

    outputs: dict[str, np.ndarray]
    """Outputs by name, in the model's shapes and types."""
    cycles: int
    """Total of the machine's clock cycles; 0 on a backend without time."""
    backend: str
    seconds: float
    """Wall-clock time of the run. Not part of what two equal runs share."""
    statistics: _core.Statistics | str = field(repr=False, compare=False, default="{}")
    """Source of `stats_json`, or its text."""
    trace_json: str = field(repr=False, default="")
    """Chrome/Perfetto trace; empty unless asked for."""
    build_seconds: float = 0.0
    """Wall-clock time of building the Verilated model of its session, not part of `seconds`; 0 if nothing was built."""
    host_seconds: float = 0.0
    """Wall-clock time of the float operators that the host computes, not part of `seconds`."""
    records: np.ndarray = field(repr=False, default_factory=lambda: np.zeros((0, len(RECORD_FIELDS)), np.uint64))
    """Retire records: uint64[commands, RECORD_FIELDS]; no rows unless asked for, and none of packets."""
    packet_records: np.ndarray = field(
        repr=False, default_factory=lambda: np.zeros((0, len(PACKET_RECORD_FIELDS)), np.uint64)
    )
    """Records of a machine that issues packets, in place of `records`: uint64[packets, PACKET_RECORD_FIELDS]."""
    profile: tuple[PacketProfile, ...] = field(repr=False, default=())
    """Cost of each packet, by address; empty unless asked for, and for machines without packets."""
    machine: Machine | None = field(repr=False, compare=False, default=None)
    """Machine that the program ran on."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self.outputs.keys() == other.outputs.keys() and all(
            mine == theirs for mine, theirs in zip(self._content(), other._content(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays can be written to

    def _content(self) -> Iterator[Any]:
        """All that results have in common that are equal, the cheapest first."""
        yield from (self.backend, self.cycles, self.machine)
        for name, array in sorted(self.outputs.items()):
            yield name, array.dtype, array.shape, array.tobytes()
        yield from (self.stats_json, self.trace_json, self.profile)
        for array in (self.records, self.packet_records):
            yield array.shape, array.tobytes()

    def __getstate__(self) -> dict[str, Any]:
        """Pickles with the statistics as text, and without what is made of them on demand."""
        return {one.name: getattr(self, one.name) for one in fields(self)} | {"statistics": self.stats_json}

    def to_dataframe(self) -> DataFrame:
        """The layers as a data frame of pandas, with a column for each cause of stalls: `causes.fetch`.

        Raises:
            CovenantError: CLI0012, pandas is not installed.
        """
        return data_frame(_flat(layer) for layer in self.layers)

    def _repr_html_(self) -> str:
        rows = [
            (one.name, one.operation, one.cycles, one.compute, one.stalls, f"{one.utilisation:.1%}")
            for one in self.layers
        ]
        on = f" on {self.machine.name}" if self.machine else ""
        columns = ("layer", "operation", "cycles", "compute", "stalls", "utilisation")
        outputs = ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in self.outputs.items())
        return html_table(f"{self.backend}{on}: {self.cycles:,} cycles", columns, rows, f"outputs: {outputs}")

    @cached_property
    def stats_json(self) -> str:
        """`stats` as the backend wrote it: equal runs give equal bytes."""
        return self.statistics if isinstance(self.statistics, str) else self.statistics.to_json()

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Statistics per layer, engine and memory; keys: docs/reference/statistics.md."""
        return json.loads(self.stats_json)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """Layers in the order in which they ran; none on a backend without time."""
        return layers_of(self.stats)

    @cached_property
    def memory(self) -> MemoryStatistics | None:
        """Statistics of off-chip memory; None with a fixed latency, and on a backend without time."""
        return memory_of(self.stats)

    @property
    def packets(self) -> int | None:
        """Packets that were issued; None on a machine, or backend, that issues none."""
        return self.stats.get("packets")

    def save_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace, to be opened at ui.perfetto.dev."""
        write_whole(path, self.trace_json)


def result_of(raw: dict[str, Any], backend: str, machine: Machine, seconds: float) -> Result:
    """Result of one run as the core gives it, which has no records and no trace where contexts ran together."""
    records = {"records": raw["records"]} if "records" in raw else {}
    return Result(
        outputs=raw["outputs"],
        cycles=raw["cycles"],
        backend=backend,
        seconds=seconds,
        statistics=raw["stats"],
        trace_json=raw.get("trace", ""),
        packet_records=raw["packet_records"],
        profile=tuple(PacketProfile(**packet) for packet in raw["profile"]),
        machine=machine,
        **records,
    )


@dataclass(frozen=True)
class TogetherResult:
    """Several runs of a program at once, each on a hardware context of its own."""

    results: tuple[Result, ...]
    """Result of each input, in their order. Its cycles are those until it had ended; its trace is empty."""
    cycles: int
    """Cycles until the last one had ended."""
    packets: int
    """Issued by all."""
    events: dict[str, int] = field(repr=False)
    """Events of the whole core, by name. Names: docs/reference/units/vliw_core.md."""
    context_events: tuple[dict[str, int], ...] = field(repr=False)
    """The same of each context, without what they share."""
    trace_json: str = field(repr=False, default="")
    """Chrome/Perfetto trace, the tracks of each context one below the other; empty unless asked for."""


def layers_of(stats: dict[str, Any]) -> tuple[Layer, ...]:
    """The layers in the statistics of a run."""
    return tuple(_layer(row) for row in stats.get("blocks", []))


def _flat(layer: Layer) -> dict[str, Any]:
    row = layer.to_dict()
    return row | {f"causes.{cause}": cycles for cause, cycles in row.pop("causes").items()}


def _layer(row: dict[str, Any]) -> Layer:
    return Layer(
        name=row["layer"],
        operation=row["operation"],
        cycles=row["cycles"],
        engine=row["engine"],
        compute=row["compute"],
        stalls=sum(row["stalls"].values()),
        causes=row["stalls"],
        utilisation=row["utilisation"],
        packets=row.get("packets"),
    )
