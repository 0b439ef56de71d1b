"""Carriers: nodes that move or pick elements, and so commute with quantising and with elementwise operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.kernels import MOVEMENTS

__all__ = ["LIMITS", "Goal", "computed_values", "goal_in", "is_carrier", "is_moved", "keeps_zero", "moved_operands"]

POOLS = frozenset({"GlobalMaxPool", "MaxPool", "ReduceMax"})
LIMITS = frozenset({"Clip", "Relu"})


def is_carrier(model: EditableModel, node: Any | None) -> bool:
    """Whether a node's results are elements of its operands, or 0: a movement, or a pool that picks the largest."""
    if node is None or node.domain not in ("", "ai.onnx"):
        return False
    if node.op_type in POOLS:
        return len([value for value in node.output if value]) == 1
    if node.op_type == "Pad":
        return _pads_with_zero(model, node)
    if node.op_type == "Resize":
        attributes = attributes_of(node)
        places = attributes.get("coordinate_transformation_mode", b"")
        return attributes.get("mode", b"nearest") == b"nearest" and places != b"tf_crop_and_resize"
    return node.op_type in MOVEMENTS


def _pads_with_zero(model: EditableModel, node: Any) -> bool:
    attributes = attributes_of(node)
    if attributes.get("mode", b"constant") != b"constant":
        return True
    value = model.constant(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros(1)
    return value is not None and not value.any() and not attributes.get("value", 0)


def moved_operands(node: Any) -> Sequence[str]:
    """The operands that a carrier moves; the others say how."""
    return list(node.input) if node.op_type == "Concat" else list(node.input[:1])


def is_moved(model: EditableModel, node: Any | None) -> bool:
    """Whether a node is a carrier, or limits what one makes."""
    while node is not None and node.op_type in LIMITS:
        node = model.maker(node.input[0])
    return is_carrier(model, node)


def keeps_zero(model: EditableModel, node: Any) -> bool:
    """Whether a limit leaves 0 as it is: zeros around a tensor may then come before or after it."""
    attributes = attributes_of(node)
    bounds = [attributes.get("min", -np.inf), attributes.get("max", np.inf)]
    for place, value in enumerate(node.input[1:3]):
        if value:
            array = model.constant(value)
            if array is None or array.size != 1:
                return False
            bounds[place] = array.item()
    return bool(bounds[0] <= 0 <= bounds[1])


def computed_values(model: EditableModel) -> set[str]:
    """Real values that depend on a stored tensor, without those that a DequantizeLinear makes."""
    depends: set[str] = set()  # on a stored tensor, which is among them
    computed: set[str] = set()
    for node in model.nodes:
        if node.op_type in ("DequantizeLinear", "QuantizeLinear", "QGemm") or node.op_type.startswith("QLinear"):
            if model.constant(node.input[0]) is None:
                depends.update(node.output)
        elif not depends.isdisjoint(node.input):
            depends.update(node.output)
            computed.update(node.output)
    return computed


@dataclass(frozen=True)
class Goal:
    """How a QuantizeLinear quantises: equal ones do the same."""

    scale: float
    zero_point: tuple[str, float] | None
    said: bytes
    """Attributes and domain of the QuantizeLinear."""


def goal_in(model: EditableModel, quantize: Any) -> Goal | None:
    """Goal of a QuantizeLinear; None if its scale is no constant, or not one number."""
    known = [model.constant(value) for value in quantize.input[1:] if value]
    if not known or any(one is None or one.size != 1 for one in known):
        return None
    first, *rest = [(str(one.dtype), float(one.reshape(-1)[0])) for one in known if one is not None]
    said = sorted(entry.SerializeToString() for entry in quantize.attribute if entry.name != "axis")
    return Goal(first[1], rest[0] if rest else None, quantize.domain.encode() + b"".join(said))
