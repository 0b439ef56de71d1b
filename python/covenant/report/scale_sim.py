"""The three report files of SCALE-Sim v3, for tools that read them; a cell stays empty where nothing was measured.

A layer is one row, whatever its operation. Cycles count from the start of the layer and include prefetch and
instruction fetch. Elements of the operands of the array count in its own vectors, padding included; bytes of
off-chip memory are those asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from covenant.machine import Machine
from covenant.machine.units import multipliers_of, multiplying
from covenant.report.layers import ReportLayer
from covenant.report.timeline import tracks_of
from covenant.runtime.result import Result

COMPUTE = (
    "LayerID", "Total Cycles (incl. prefetch)", "Total Cycles", "Stall Cycles", "Overall Util %",
    "Mapping Efficiency %", "Compute Util %",
)  # fmt: skip
BANDWIDTH = (
    "LayerID", "Avg IFMAP SRAM BW", "Avg FILTER SRAM BW", "Avg OFMAP SRAM BW", "Avg IFMAP DRAM BW",
    "Avg FILTER DRAM BW", "Avg OFMAP DRAM BW",
)  # fmt: skip
DETAILED = (
    "LayerID", *(
        f"{memory} {tensor} {column}"
        for memory in ("SRAM", "DRAM")
        for tensor, last in (("IFMAP", "Reads"), ("Filter", "Reads"), ("OFMAP", "Writes"))
        for column in ("Start Cycle", "Stop Cycle", last)
    ),
)  # fmt: skip
_OPERANDS = ("input", "weight", "output")


def scale_sim_reports(machine: Machine, layers: Sequence[ReportLayer], result: Result) -> dict[str, str]:
    """The files, by name."""
    measured = _Measured(machine, layers, result)
    compute, bandwidth, detailed = [], [], []
    for layer in layers:
        of_array = layer.macs > 0 and layer.engine == measured.array
        util = _percent(layer.macs, measured.size * layer.cycles) if of_array else None
        busy = _percent(layer.macs, measured.size * layer.compute) if of_array else None
        stalls = sum(layer.stalls.values())
        compute.append([layer.index, layer.cycles, layer.cycles, stalls, util, None, busy])
        onchip = [measured.elements(layer.index, operand) if of_array else None for operand in _OPERANDS]
        offchip = [measured.bytes(layer.index, operand) for operand in _OPERANDS]
        bandwidth.append([layer.index, *(_per_cycle(amount, layer.cycles) for amount in (*onchip, *offchip))])
        spans = [measured.array_span(layer.index) if of_array else (None, None)] * 2 + [(None, None)]
        spans += [measured.offchip_span(layer.index, operand) for operand in _OPERANDS]
        amounts = [*onchip, *offchip]
        detailed.append(
            [layer.index, *(cell for span, amount in zip(spans, amounts, strict=True) for cell in (*span, amount))]
        )
    return {
        "COMPUTE_REPORT.csv": _csv(COMPUTE, compute),
        "BANDWIDTH_REPORT.csv": _csv(BANDWIDTH, bandwidth),
        "DETAILED_ACCESS_REPORT.csv": _csv(DETAILED, detailed),
    }


class _Measured:
    """Figures of the array's operands in the run, layer by layer."""

    def __init__(self, machine: Machine, layers: Sequence[ReportLayer], result: Result) -> None:
        graph = json.loads(machine.to_json())
        node = next(iter(multiplying(graph)), None)
        attributes = node["attributes"] if node else {}
        self.array: str | None = node["name"] if node else None
        self.size = multipliers_of(node) if node else 0
        self._memories = {operand: attributes.get(operand) for operand in _OPERANDS}
        self._vectors = {memory["name"]: memory["banks"] for memory in graph["memories"]}
        self._offchip = {memory["name"] for memory in graph["memories"] if memory["kind"] == "offchip"}
        self._stats = result.stats
        starts, at = [], 0
        for layer in layers:
            starts.append(at)
            at += layer.cycles
        self._spans: dict[tuple[int, str], tuple[int, int]] = {}
        for event in tracks_of(result.trace_json):
            if event["cat"] != "command" or event["track"] == "layers":
                continue
            block = event["args"]["block"]
            first, last = event["ts"] - starts[block], event["ts"] + event["dur"] - 1 - starts[block]
            before = self._spans.get((block, event["track"]), (first, last))
            self._spans[block, event["track"]] = min(before[0], first), max(before[1], last)

    def elements(self, block: int, operand: str) -> int | None:
        """Elements that the array has read or, for its output, written."""
        key = "writes" if operand == "output" else "reads"
        rows = [
            row for row in self._stats["block_accesses"]
            if row["block"] == block and row["engine"] == self.array and row["operand"] == operand
        ] if self._stats.get("block_accesses") else []  # fmt: skip
        return sum(row[key] * self._vectors[row["memory"]] for row in rows) if rows else None

    def _rows(self, block: int, operand: str) -> list[dict[str, Any]]:
        """Rows of off-chip traffic: what is loaded into the operand's memory, or all that is stored."""
        rows = [row for row in self._stats.get("block_offchip", []) if row["block"] == block]
        if operand == "output":
            return [row for row in rows if row["bytes_written"]]
        return [row for row in rows if row["operand"] == self._memories[operand] and row["bytes_read"]]

    def bytes(self, block: int, operand: str) -> int | None:
        """Bytes of off-chip memory that this operand has moved."""
        key = "bytes_written" if operand == "output" else "bytes_read"
        rows = self._rows(block, operand)
        return sum(row[key] for row in rows) if rows else None

    def array_span(self, block: int) -> tuple[int | None, int | None]:
        """First and last cycle in which the array reads."""
        return self._spans.get((block, self.array or ""), (None, None))

    def offchip_span(self, block: int, operand: str) -> tuple[int | None, int | None]:
        """First and last cycle of the transfers of an operand."""
        engines = {row["engine"] for row in self._rows(block, operand)}
        spans = [span for (of, engine), span in self._spans.items() if of == block and engine in engines]
        return (min(span[0] for span in spans), max(span[1] for span in spans)) if spans else (None, None)


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def _per_cycle(amount: int | None, cycles: int) -> float | None:
    return None if amount is None or not cycles else amount / cycles


def _csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Text in SCALE-Sim's form: a comma and a space between cells, a comma at the end of each line."""
    lines = [header, *([_cell(value) for value in row] for row in rows)]
    return "".join(", ".join(line) + ",\n" for line in lines)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
