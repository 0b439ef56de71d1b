"""Energy of the work of each kind of unit: one function per kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from covenant.energy.costs import DEFAULTS, Costs, EnergyPart

__all__ = ["BLOCK_COUNTERS", "COUNTERS", "BlockCounter", "Counter"]

Node = Mapping[str, Any]
Counter = Callable[[Costs, Sequence[Node], str, Mapping[str, Any]], Iterator[EnergyPart]]
"""Parts for one entry of a run's statistics: costs, nodes of the kind, name of the operation, the entry itself."""
BlockCounter = Callable[[Costs, Sequence[Node], Sequence[Mapping[str, Any]]], Iterator[EnergyPart]]
"""Parts for all blocks of a run, of kinds whose operations it does not count: costs, nodes of the kind, blocks."""
_LANE_BITS = 32


def _products(costs: Costs, nodes: Sequence[Node], operation: str, entry: Mapping[str, Any]) -> Iterator[EnergyPart]:
    """Products and sums of systolic arrays."""
    if operation != "gemm":
        return
    count = entry["operations"]
    component = "+".join(one["name"] for one in nodes)
    gemms = _gemms(nodes)
    stated = max(
        one.get("energy", 0.0) / (node["attributes"]["rows"] * node["attributes"]["columns"]) for node, one in gemms
    )
    widest = _widest(costs, gemms)
    default = costs.table.multiply_accumulate(*widest)
    products = costs.part(component, nodes, "multiply-accumulate", "mac", count, stated, default)
    yield products
    if products.source == DEFAULTS:  # what machine or table state is that of a whole element
        yield EnergyPart(component, "registers", count, costs.table.register_bits(sum(widest)), DEFAULTS)


def _lanes(costs: Costs, nodes: Sequence[Node], operation: str, entry: Mapping[str, Any]) -> Iterator[EnergyPart]:
    """Operations of the lanes of SIMD arrays."""
    if not entry["operations"]:
        return
    for in_f32 in (False, True):
        count = entry["in_f32"] if in_f32 else entry["operations"] - entry["in_f32"]
        yield from _lane_operations(costs, nodes, operation, count, in_f32=in_f32)


def _lane_operations(
    costs: Costs, nodes: Sequence[Node], name: str, count: int, *, in_f32: bool
) -> Iterator[EnergyPart]:
    if not count:
        return
    component = "+".join(one["name"] for one in nodes)
    alike = [
        (node, one) for node in nodes for one in node["capabilities"]
        if one["name"] == name.upper() and (one["output"]["dtype"] == "f32" or name == "quantize") == in_f32
    ]  # fmt: skip
    stated = max((one.get("energy", 0.0) / node["attributes"]["lanes"] for node, one in alike), default=0.0)
    given = max((costs.table.given_for(node["name"], name) or 0.0 for node in nodes), default=0.0)
    table_bytes = 1024 if any(one["name"] == "LOOKUP" and one["output"]["dtype"] == "f32"
                              for node in nodes for one in node["capabilities"]) else 256  # fmt: skip
    known = stated or given
    default = known or costs.table.lane_operation(name, table_bytes, in_f32=in_f32)
    event = f"{name} (f32)" if in_f32 else name
    yield costs.part(component, nodes, event, name, count, stated, default)
    stages = max((one["latency"] for _, one in alike), default=1)
    if not known:
        yield EnergyPart(component, f"{event}: stages", count * stages, costs.table.register_bits(_LANE_BITS), DEFAULTS)


def _packets(costs: Costs, nodes: Sequence[Node], blocks: Sequence[Mapping[str, Any]]) -> Iterator[EnergyPart]:
    """Real products and sums of a core; there is no figure for all else that packets do."""
    gemms = _gemms(nodes)
    if not gemms:
        return
    owners = list({node["name"]: node for node, _ in gemms}.values())
    component = "+".join(one["name"] for one in owners)
    products = [max(prod(tensor["shape"]) for tensor in one["inputs"]) for _, one in gemms]
    stated = max(one.get("energy", 0.0) / count for (_, one), count in zip(gemms, products, strict=True))
    default = costs.table.multiply_accumulate(*_widest(costs, gemms))
    count = sum(one["macs"] for one in blocks)
    yield costs.part(component, owners, "multiply-accumulate", "mac", count, stated, default)


def _gemms(nodes: Sequence[Node]) -> list[tuple[Node, Mapping[str, Any]]]:
    """Capabilities of this name, each with its node."""
    return [(node, one) for node in nodes for one in node["capabilities"] if one["name"] == "GEMM"]


def _widest(costs: Costs, gemms: Sequence[tuple[Node, Mapping[str, Any]]]) -> tuple[int, int, int]:
    """Bits of both inputs and of the sum, of the widest: a run does not count element types one by one."""
    widths = [
        (
            *(costs.bits_of(tensor["dtype"]) for tensor in one["inputs"][:2]),
            node["attributes"].get("accumulator", costs.bits_of(one["output"]["dtype"])),
        )
        for node, one in gemms
    ]
    return max(widths, key=sum)


COUNTERS: Mapping[str, Counter] = {"systolic_array": _products, "simd_array": _lanes}
"""By kind of unit."""
BLOCK_COUNTERS: Mapping[str, BlockCounter] = {"vliw_core": _packets}
"""By kind of unit."""
