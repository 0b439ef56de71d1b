"""Cross-layer equalisation: channels between two layers are scaled so that the weights of both use their range."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.quantization.weight_scales import output_axis

__all__ = ["equalized"]

_LAYERS = ("Conv", "Gemm", "MatMul")
_BETWEEN = frozenset({"AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Identity", "LeakyRelu", "MaxPool", "Relu"})
"""Operators through which a positive factor of a channel passes unchanged."""
_RESHAPING = frozenset({"Flatten", "Reshape", "Squeeze"})
"""Operators through which it passes where a channel is one pixel."""
_MOST_ROUNDS, _NEAR_ONE = 40, 1e-3


def equalized(model: EditableModel) -> int:
    """Scales the channels between pairs of layers; how many pairs there are. The model computes the same function.

    Nagel et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.1: for the ranges
    r1 and r2 of a channel in the weights of the layer that makes it and of the one that reads it, the former is divided
    by s = sqrt(r1 r2) / r2 and the latter multiplied by it, over and over, until no s is far from 1. Between them stand
    operators that commute with a positive factor alone (not a Clip), and nothing else reads what they make.
    """
    pairs = [(node, after) for node in model.nodes if (after := _next_layer(model, node)) is not None]
    weights = {node.name: np.float64(model.constant(node.input[1])) for pair in pairs for node in pair}
    factors = {node.name: np.ones(_channels(model, node)) for node, _ in pairs}
    for _ in range(_MOST_ROUNDS):
        farthest = 0.0
        for node, after in pairs:
            made, read = output_axis(node), _input_axis(model, after)
            scale = _scales(_range(weights[node.name], made), _range(weights[after.name], read))
            weights[node.name] = _along(weights[node.name], 1 / scale, made)
            weights[after.name] = _along(weights[after.name], scale, read)
            factors[node.name] = factors[node.name] / scale
            farthest = max(farthest, float(np.abs(np.log(scale)).max(initial=0)))
        if farthest < _NEAR_ONE:
            break
    for node in {node.name: node for pair in pairs for node in pair}.values():
        node.input[1] = model.add_constant(weights[node.name].astype(np.float32), node.input[1])
        if node.name in factors and len(node.input) > 2 and node.input[2]:
            bias = np.float64(model.constant(node.input[2])) * factors[node.name]
            node.input[2] = model.add_constant(bias.astype(np.float32), node.input[2])
    model.replace({})
    return len(pairs)


def _next_layer(model: EditableModel, node: Any) -> Any | None:
    """The layer that alone reads what a layer makes, through operators that keep a factor of each channel."""
    if not _is_layer(model, node) or node.op_type == "MatMul":  # whose bias is a node of its own
        return None
    value = node.output[0]
    while (reader := model.reader(value)) is not None:
        if reader.op_type in _LAYERS:
            return reader if _takes_channels(model, reader, value) else None
        shape = model.shape(value)
        flattens = reader.op_type in _RESHAPING and shape is not None and set(shape[2:]) <= {1}
        if not flattens and reader.op_type not in _BETWEEN:
            return None
        made = model.shape(reader.output[0])
        if flattens and (made is None or shape is None or made[:2] != shape[:2]):
            return None
        value = reader.output[0]
    return None


def _takes_channels(model: EditableModel, node: Any, value: str) -> bool:
    """Whether a layer's input channels are those of the value at axis 1."""
    if not _is_layer(model, node) or node.input[0] != value or _input_axis(model, node) is None:
        return False
    return node.op_type != "MatMul" or len(model.shape(value) or ()) == 2


def _is_layer(model: EditableModel, node: Any) -> bool:
    """Whether the node is a layer with constant weights whose channels have an axis of their own."""
    if node.op_type not in _LAYERS:
        return False
    weights = model.constant(node.input[1])
    biases = [model.constant(value) for value in node.input[2:3] if value]
    is_plain = weights is not None and (node.op_type == "Conv" or weights.ndim == 2)
    is_vector = all(bias is not None and bias.ndim == 1 and bias.size == _channels(model, node) for bias in biases)
    return is_plain and is_vector and not attributes_of(node).get("transA", 0)


def _channels(model: EditableModel, node: Any) -> int:
    return model.constant(node.input[1]).shape[output_axis(node)]  # type: ignore[union-attr]


def _input_axis(model: EditableModel, node: Any) -> int | None:
    """The axis of the input channels in the weights; None of a Conv in groups that is not depthwise."""
    if node.op_type == "Conv":
        shape, group = model.constant(node.input[1]).shape, attributes_of(node).get("group", 1)  # type: ignore[union-attr]
        if group == 1:
            return 1
        return 0 if shape[0] == group and shape[1] == 1 else None
    return 1 + output_axis(node) if output_axis(node) == 0 else 0


def _range(weights: np.ndarray, axis: int) -> np.ndarray:
    """Largest magnitude of each channel."""
    return np.abs(np.moveaxis(weights, axis, 0).reshape(weights.shape[axis], -1)).max(axis=1, initial=0)


def _scales(made: np.ndarray, read: np.ndarray) -> np.ndarray:
    """1 of channels that one of both does not use."""
    used = (made > 0) & (read > 0)
    return np.sqrt(np.where(used, made, 1) / np.where(used, read, 1))


def _along(weights: np.ndarray, factors: np.ndarray, axis: int) -> np.ndarray:
    return weights * factors.reshape([-1 if d == axis % weights.ndim else 1 for d in range(weights.ndim)])
