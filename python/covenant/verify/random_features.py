"""Unusual features of a random machine, derived from its description."""

from __future__ import annotations

import re
from typing import Any

from covenant.verify.units import unit_features

ORDINARY_BITS = 16
"""Bits of the fields for loops, runs and values of an ordinary machine."""
LONG_NAME = 40


def features_of(machine: dict[str, Any]) -> tuple[str, ...]:
    """The features of a machine, given in its JSON form; always in the same order."""
    pads = [memory for memory in machine["memories"] if memory["kind"] == "scratchpad"]
    names = {memory["name"] for memory in pads}
    kinds = {memory["name"]: memory["kind"] for memory in machine["memories"]}
    edges = machine["edges"]
    nodes = [node["name"] for node in machine["memories"] + machine["computes"]]
    reached = {end for edge in edges for end in (edge["from"], edge["to"]) if not _is_transfer(edge, kinds)}
    between = {end for edge in edges if {edge["from"], edge["to"]} <= names for end in (edge["from"], edge["to"])}
    found = {
        **unit_features(machine),
        **_apart(kinds, edges),
        "a memory on the way": bool(between),
        "a spare scratchpad": bool(names - reached - between),
        "latency of an edge": any(edge.get("latency", 0) for edge in edges),
        "a shared bus": any(edge.get("bus") for edge in edges),
        "other than 4 channels": any(pad.get("channels", 4) != 4 for pad in pads),
        "more than 4 buffers": any(pad["buffers"] > 4 for pad in pads),
        "narrow fields": any(map(_has_narrow_fields, machine["mnemonics"])),
        "words of other than 32 bits": machine["word_bits"] != 32,
        "fields anywhere in a word": any(mnemonic.get("encoding") for mnemonic in machine["mnemonics"]),
        "hard names": any(map(_is_hard, nodes)) or len({name.lower() for name in nodes}) < len(nodes),
    }
    return tuple(feature for feature, has in found.items() if has)


def _apart(kinds: dict[str, str], edges: list[dict[str, Any]]) -> dict[str, bool]:
    """Off-chip memories that activations never come back to hold weights, or words."""
    stored = {edge["to"] for edge in edges if kinds.get(edge["to"]) == "offchip"}
    apart = [edge for edge in edges if kinds.get(edge["from"]) == "offchip" and edge["from"] not in stored]
    words = {edge["from"] for edge in apart if kinds.get(edge["to"]) == "instruction"}
    weights = {edge["from"] for edge in apart if kinds.get(edge["to"]) == "scratchpad"}
    return {"weights in a memory apart": bool(weights), "words in a memory apart": bool(words)}


def _is_transfer(edge: dict[str, Any], kinds: dict[str, str]) -> bool:
    return edge["from"] in kinds and edge["to"] in kinds


def _has_narrow_fields(mnemonic: dict[str, Any]) -> bool:
    if mnemonic["does"] in ("control.block_end", "dma.fill"):  # a bit, and a byte
        return False
    return any(
        field["operand"] in ("last", "run_last", "value") and field["width"] < ORDINARY_BITS
        for field in mnemonic["fields"]
    )


def _is_hard(name: str) -> bool:
    return bool(re.search(r"^_|_$|__", name)) or len(name) > LONG_NAME
