"""Unusual features of random machines that concern kinds of units."""

from __future__ import annotations

import json
from typing import Any

_ARRAY, _LANES = "systolic_array", "simd_array"
ALL_CAPABILITIES = 21
"""Capabilities of a SIMD array that lacks none."""


def unit_features(machine: dict[str, Any]) -> dict[str, bool]:
    """Whether a machine, given in its JSON form, has each of the features; always in the same order."""
    arrays, lanes = _nodes(machine, _ARRAY), _nodes(machine, _LANES)
    abilities = {json.dumps(compute["capabilities"], sort_keys=True) for compute in lanes}
    return {
        "two systolic arrays": len(arrays) > 1,
        "two SIMD arrays": len(lanes) > 1,
        "SIMD arrays that differ": len(abilities) > 1,
        "missing capabilities": all(len(compute["capabilities"]) < ALL_CAPABILITIES for compute in lanes),
        "sums that saturate": any(compute["attributes"].get("saturates") for compute in machine["computes"]),
        "sums scaled in fixed point": any("REQUANT_FIXED" in one for one in abilities),
        "halves rounded away from zero": any(compute["attributes"].get("half_away") for compute in lanes),
        **_lanes(machine),
        **_sums(machine),
    }


def _nodes(machine: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [compute for compute in machine["computes"] if compute["unit"] == kind]


def _lanes(machine: dict[str, Any]) -> dict[str, bool]:
    columns = int(_nodes(machine, _ARRAY)[-1]["attributes"]["columns"])
    lanes = int(_nodes(machine, _LANES)[-1]["attributes"]["lanes"])
    divides = lanes % columns == 0 or columns % lanes == 0
    return {"fewer lanes than columns": lanes < columns, "lanes beside columns": not divides}


def _sums(machine: dict[str, Any]) -> dict[str, bool]:
    """Features of the memories of biases and outputs."""
    arrays = [one["attributes"] for one in _nodes(machine, _ARRAY)]
    users = [(array[role], int(array["columns"])) for array in arrays for role in ("bias", "output")]
    shapes = {memory["name"]: (memory["data_width"], memory["banks"]) for memory in machine["memories"]}
    names = [name for name, _ in users]
    return {
        "sums in elements of other widths or banks": any(shapes[name] != (32, columns) for name, columns in users),
        "arrays that share sums": len(set(names)) < len(names),
    }
