"""Converts models in half or double precision to single precision, from which the quantiser starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["in_single_precision"]


def in_single_precision(model: Any) -> int:
    """Constants, outputs and casts in f16, bf16 or f64 become f32; inputs stay, behind a Cast for the host.

    What f32 does not hold becomes the greatest or least of its numbers; infinities stay.

    Args:
        model: an `onnx.ModelProto` without graphs inside of nodes; changed.

    Returns:
        How many of them there were.
    """
    from onnx import AttributeProto, TensorProto  # noqa: PLC0415

    others = (TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)
    tensors = list(model.graph.initializer)
    tensors += [entry.t for node in model.graph.node for entry in node.attribute if entry.type == AttributeProto.TENSOR]
    count = 0
    for tensor in tensors:
        if tensor.data_type in others:
            _widen(tensor)
            count += 1
    for entry in model.graph.output:
        if entry.type.tensor_type.elem_type in others:
            entry.type.tensor_type.elem_type = TensorProto.FLOAT
            count += 1
    for node in model.graph.node:
        for entry in node.attribute:
            if entry.name in ("dtype", "to", "stash_type", "softmax_precision") and entry.i in others:
                entry.i = TensorProto.FLOAT
                count += 1
    count += _cast_inputs(model, others)
    del model.graph.value_info[:]
    return count


def _cast_inputs(model: Any, others: Sequence[int]) -> int:
    """Readers of inputs in other precisions read these in f32."""
    from onnx import TensorProto, helper  # noqa: PLC0415

    inputs = [entry.name for entry in model.graph.input if entry.type.tensor_type.elem_type in others]
    names = {name: f"{name}/single" for name in inputs}
    for node in model.graph.node:
        for place, value in enumerate(node.input):
            node.input[place] = names.get(value, value)
    for name, single in names.items():
        model.graph.node.insert(0, helper.make_node("Cast", [name], [single], single, to=TensorProto.FLOAT))
    return len(names)


def _widen(tensor: Any) -> None:
    from onnx import numpy_helper  # noqa: PLC0415

    array = np.float64(numpy_helper.to_array(tensor))
    limit = float(np.finfo(np.float32).max)
    held = np.where(np.isfinite(array), np.clip(array, -limit, limit), array)
    tensor.CopyFrom(numpy_helper.from_array(held.astype(np.float32), tensor.name))
