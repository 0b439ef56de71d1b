"""Writes the zero points that a model leaves out: 0 of the tensor's type, in one place for all readers.

QuantizeLinear without one makes u8, or what its `output_dtype` says; DequantizeLinear takes the type of what it reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.kernels import ZERO_POINT_OF_OUTPUT

__all__ = ["with_zero_points"]

_BOTH = ("QuantizeLinear", "DequantizeLinear")


def with_zero_points(model: Any) -> Any:
    """The model with a zero point at every QuantizeLinear and DequantizeLinear of elements of 4, 8 and 16 bits.

    Args:
        model: an `onnx.ModelProto`, its constants initialisers; left as it is.

    Returns:
        The same object if all have one.
    """
    from onnx import ModelProto, helper, numpy_helper  # noqa: PLC0415  (import costs)

    if all(_has_zero_point(node) for node in model.graph.node if node.op_type in _BOTH):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    constants = {tensor.name: tensor for tensor in made.graph.initializer}
    types = _types(made)
    for node in made.graph.node:
        if node.op_type not in _BOTH or _has_zero_point(node) or node.input[1] not in constants:
            continue
        element = types.get(node.output[0] if node.op_type == "QuantizeLinear" else node.input[0], 0)
        if element not in _narrow():
            continue
        name = f"{node.output[0]}/zero_point"
        zeros = np.zeros(tuple(constants[node.input[1]].dims), helper.tensor_dtype_to_np_dtype(element))
        made.graph.initializer.append(numpy_helper.from_array(zeros, name))
        del node.input[2:]
        node.input.append(name)
    return made


def _narrow() -> tuple[int, ...]:
    from onnx import TensorProto as T  # noqa: PLC0415

    return (T.INT4, T.UINT4, T.INT8, T.UINT8, T.INT16, T.UINT16)


def _has_zero_point(node: Any) -> bool:
    return len(node.input) > 2 and bool(node.input[2])


def _types(model: Any) -> dict[str, int]:
    """Element types by value, as far as operators that quantise or only move elements say them."""
    from onnx import TensorProto  # noqa: PLC0415

    types = {entry.name: entry.type.tensor_type.elem_type for entry in model.graph.input}
    types |= {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear":
            said = next((entry.i for entry in node.attribute if entry.name == "output_dtype"), 0)
            made = types.get(node.input[2], 0) if _has_zero_point(node) else said or TensorProto.UINT8
        elif node.op_type == "DequantizeLinear":
            made = TensorProto.FLOAT
        elif node.op_type in ZERO_POINT_OF_OUTPUT:
            place = ZERO_POINT_OF_OUTPUT[node.op_type]
            zero = node.input[place] if place < len(node.input) else ""
            made = types.get(zero, 0) if zero else TensorProto.UINT8
        else:
            made = types.get(node.input[0], 0) if node.input else 0
        types |= dict.fromkeys(node.output, made)
    return types
