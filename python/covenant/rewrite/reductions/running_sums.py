"""CumSum along a constant axis as a product with ones and zeros: each sum is one of stored elements.

ONNX Runtime adds floats one after the other instead, so bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_values import Steps, axes_of, goal_of, meaning_of

__all__ = ["running_sums"]


def running_sums(model: EditableModel) -> dict[str, Sequence[Any]]:
    """CumSum between a DequantizeLinear and a QuantizeLinear: a MatMul, its axis turned to the end."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type != "CumSum":
            continue
        shape = model.shape(node.input[0])
        stated = model.constant(node.input[1]) if shape else None
        axes = axes_of(stated, len(shape)) if shape and stated is not None and stated.size == 1 else None
        dequantize = model.maker(node.input[0])
        if shape is None or axes is None or goal_of(model, node.output[0]) is None or dequantize is None:
            continue
        if dequantize.op_type != "DequantizeLinear" or meaning_of(model, dequantize) is None:
            continue
        steps, axis, rank = Steps(model, node), axes[0], len(shape)
        order = [*(d for d in range(rank) if d not in (axis, rank - 1)), *([rank - 1] if axis < rank - 1 else []), axis]
        value = node.input[0] if axis == rank - 1 else steps.add("Transpose", [node.input[0]], "turned", perm=order)
        stored = steps.constant(_addends(shape[axis], attributes_of(node)))
        ones = [stored, steps.constant(np.array(1, np.float32)), steps.constant(np.array(0, np.int8))]
        product = [value, steps.add("DequantizeLinear", ones, "addends")]
        if axis == rank - 1:
            steps.add("MatMul", product)
        else:
            steps.add("Transpose", [steps.add("MatMul", product, "sums")], perm=np.argsort(order).tolist())
        replacements[node.output[0]] = steps.made
    return replacements


def _addends(count: int, attributes: dict[str, Any]) -> np.ndarray:
    """Matrix of the elements (rows) that each sum (columns) has: [count, count], 1 or 0."""
    before = np.tri(count, k=-1 if attributes.get("exclusive", 0) else 0, dtype=np.int8)
    return before if attributes.get("reverse", 0) else before.T
