"""Relu, Max and Min in float before a layer: their results keep the scale of the stored elements that they pick.

Quantisers in QOperator style leave such operators between DequantizeLinear and the layer. Zero is a stored element, and
so is the larger of two: quantising by the same scale changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.float_subgraphs import ELEMENTWISE
from covenant.model.kernels import MOVEMENTS
from covenant.model.stored_values import Meaning, Steps, meaning_of

__all__ = ["kept_scales"]

_PICKING = ("Max", "Min", "Relu")
_IN_CHAINS = ELEMENTWISE | {*MOVEMENTS, "DequantizeLinear", "MaxPool", "QuantizeLinear"}
"""Readers that go on in float, or quantise."""


def kept_scales(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites such operators where one that is no part of a chain reads what they make."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type not in _PICKING or node.domain or model.is_output(node.output[0]):
            continue
        meaning = _common(model, node)
        if meaning is None or all(reader.op_type in _IN_CHAINS for reader in model.readers(node.output[0])):
            continue
        steps = Steps(model, node)
        picked = made_node(node.op_type, node.input, f"{node.output[0]}/picked", node.name)
        stored = steps.add("QuantizeLinear", [picked.output[0], meaning.scale, meaning.zero_point], "stored")
        steps.add("DequantizeLinear", [stored, meaning.scale, meaning.zero_point])
        replacements[node.output[0]] = [picked, *steps.made]
    return replacements


def _common(model: EditableModel, node: Any) -> Meaning | None:
    """Scale and zero point that all operands have; None if they differ, or are not stored."""
    makers = [model.maker(value) for value in node.input]
    meanings = [
        meaning_of(model, maker) if maker is not None and maker.op_type == "DequantizeLinear" else None
        for maker in makers
    ]
    first = meanings[0]
    return first if first is not None and all(one is not None and one.is_like(first) for one in meanings) else None
