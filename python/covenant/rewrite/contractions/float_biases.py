"""Float biases of quantised layers, stored as ONNX Runtime stores them.

TensorRT, Brevitas and NNCF leave biases in float. ONNX Runtime stores rint(bias / (input scale * weight scale)) in 32
bits for them, each step rounded to f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_layers import rows_of, step_after, stored_layer, with_bias
from covenant.model.stored_values import real_constant

__all__ = ["float_biases"]


def float_biases(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Biases of Conv and Gemm, one element for each output; those that do not fit stay."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        real = _real(model, node)
        layer = None if real is None else stored_layer(model, node)
        step = None if layer is None else step_after(model, node.output[0])
        rows = None if real is None or layer is None else rows_of(real, layer.outputs)
        if layer is None or step is None or rows is None:
            continue
        bias = layer.bias(rows, layer.scales, step)
        if bias is not None:
            replacements[node.output[0]] = with_bias(model, node, bias)
    return replacements


def _real(model: EditableModel, node: Any) -> np.ndarray | None:
    """The bias of a layer, times its factor, if it is a float constant, or one that is stored in fewer than 32 bits."""
    if node.op_type not in ("Conv", "Gemm") or len(node.input) < 3 or not node.input[2]:
        return None
    maker = model.maker(node.input[2])
    stored = model.constant(maker.input[0]) if maker is not None and maker.op_type == "DequantizeLinear" else None
    if stored is not None and stored.dtype == np.int32:
        return None  # as a layer takes it
    bias = real_constant(model, node.input[2])
    if bias is None or bias.dtype != np.float32:
        return None
    return bias * np.float32(attributes_of(node).get("beta", 1.0)) if node.op_type == "Gemm" else bias
