"""Rewrites means and sums of squares between a DequantizeLinear and a QuantizeLinear into tables and a product.

The square of a byte less its zero point is a whole number of 16 bits: two tables give its digits to base 255, and a
product with 127, 127, 1 and 1 adds them up, exactly. ONNX Runtime adds floats: bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.element_types import every_element, is_byte, limits
from covenant.model.kernels import square_of
from covenant.model.stored_values import Steps, goal_of, meaning_of
from covenant.rewrite.elementwise.tables import DOMAIN, OPERATOR
from covenant.rewrite.reductions.pools import reduced_axes

__all__ = ["sums_of_squares"]

_BASE = 255
_WEIGHTS = (127, 127, 1, 1)
"""Weights of the upper digit, which is there three times, and of the lower one."""
_MOST = (2**31 - 1) // 255**2
"""Elements whose squares 32 bits hold the sum of."""
_SUMS = ("ReduceMean", "ReduceSum", "ReduceSumSquare")


def sums_of_squares(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Sums and means of squares between a DequantizeLinear and a QuantizeLinear: products with the squares' digits."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type in _SUMS:
            replacements |= _product(model, node)
    return replacements


def _product(model: EditableModel, node: Any) -> dict[str, Sequence[Any]]:
    """Nodes that replace the sum; empty if it is none of squares of stored bytes."""
    value = (
        node.input[0] if node.op_type == "ReduceSumSquare" else square_of(model.maker(node.input[0]), model.constant)
    )
    dequantize = None if value is None else model.maker(value)
    shape = None if value is None else model.shape(value)
    axes = None if shape is None else reduced_axes(model, node, len(shape))
    if dequantize is None or dequantize.op_type != "DequantizeLinear" or shape is None or axes is None:
        return {}
    meaning, found = meaning_of(model, dequantize), goal_of(model, node.output[0])
    count = int(np.prod([shape[axis] for axis in axes]))
    if meaning is None or found is None or not is_byte(meaning.zero.dtype) or count > _MOST:
        return {}
    steps, kept = Steps(model, node), [axis for axis in range(len(shape)) if axis not in axes]
    stored, order = dequantize.input[0], [*kept, *axes]
    if order != list(range(len(shape))):
        stored = steps.add("Transpose", [stored], "turned", perm=order)
    rows = [int(np.prod([shape[axis] for axis in kept])), count]
    stored = steps.reshape(stored, rows, "rows")
    digits = _digits(steps, stored, meaning)
    joined = steps.add("Concat", [digits[0], digits[0], digits[0], digits[1]], "digits", axis=1)
    scale = np.float32(meaning.step * meaning.step) / np.float32(count if node.op_type == "ReduceMean" else 1)
    weights = np.repeat(np.array(_WEIGHTS, np.int8), count).reshape(-1, 1)
    operands = [
        steps.constant(weights),
        steps.constant(np.array(scale, np.float32)),
        steps.constant(np.array(np.int8(0))),
    ]
    product = steps.add("MatMul", [joined, steps.add("DequantizeLinear", operands, "weights")], "product")
    keeps = attributes_of(node).get("keepdims", 1)
    steps.reshape(
        product, [1 if axis in axes else size for axis, size in enumerate(shape) if keeps or axis not in axes]
    )
    return {node.output[0]: steps.made}


def _digits(steps: Steps, stored: str, meaning: Any) -> list[str]:
    """Both digits of the squares, as real values: the upper one first."""
    dtype, lowest = meaning.zero.dtype, limits(meaning.zero.dtype)[0]
    squares = np.square(every_element(dtype).astype(np.int64) - int(meaning.zero))
    one, zero = steps.constant(np.array(1, np.float32)), steps.constant(np.array(lowest, dtype))
    made = []
    for what, digit in (("upper", squares // _BASE), ("lower", squares % _BASE)):
        table = steps.constant((digit + lowest).astype(dtype))
        inputs = [stored, meaning.scale, meaning.zero_point, table, one, zero]
        looked_up = steps.add(OPERATOR, inputs, f"{what}/stored", DOMAIN)
        made.append(steps.add("DequantizeLinear", [looked_up, one, zero], what))
    return made
