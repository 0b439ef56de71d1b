"""Scales of weights, from 2 to 16 bits, of a tensor or of each output channel."""

from __future__ import annotations

from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of

__all__ = ["cut_off", "output_axis", "stored_weights", "weight_scales"]

_FRACTIONS = np.linspace(1, 0.2, 81)
"""Fractions of the greatest weight that are tried as the greatest represented one."""


def output_axis(node: Any) -> int:
    """The axis of the output channels in the weights of a Conv, Gemm or MatMul."""
    if node.op_type == "Conv":
        return 0
    is_turned = node.op_type == "Gemm" and attributes_of(node).get("transB", 0)
    return 0 if is_turned else -1


def weight_scales(weights: np.ndarray, bits: int, axis: int | None, *, least_error: bool) -> np.ndarray:
    """Scales of stored weights, which lie in [-(2^(bits-1) - 1), 2^(bits-1) - 1].

    Args:
        weights: f32, of any shape.
        bits: from 2 to 16.
        axis: of the output channels; None: one scale for all.
        least_error: the scale with the least squared error (Nagel et al., "A White Paper on Neural Network
            Quantization", section 3.1), which may cut off the greatest; else the greatest is represented.

    Returns:
        f32[channels], or f32[] for one scale.
    """
    channels = 1 if axis is None else weights.shape[axis]
    rows = np.float64(weights if axis is None else np.moveaxis(weights, axis, 0)).reshape(channels, -1)
    most = 2 ** (bits - 1) - 1
    greatest = np.abs(rows).max(axis=1, initial=0) / most
    scales = np.where(greatest < np.finfo(np.float32).tiny, 1.0, greatest)
    if least_error:
        scales = _least_error(rows, scales, most)
    return np.float32(scales[0] if axis is None else scales)


def _least_error(rows: np.ndarray, scales: np.ndarray, most: int) -> np.ndarray:
    best, least = scales, np.full(len(rows), np.inf)
    for fraction in _FRACTIONS:
        tried = np.float64(np.float32(scales * fraction))
        stored = np.clip(np.rint(rows / tried[:, None]), -most, most)
        error = np.square(stored * tried[:, None] - rows).sum(axis=1)
        best, least = np.where(error < least, tried, best), np.minimum(error, least)
    return best


def stored_weights(weights: np.ndarray, scales: np.ndarray, bits: int, axis: int | None) -> np.ndarray:
    """Weights in steps of their scales, none beyond what so many bits hold: i32 of their shape."""
    most = 2 ** (bits - 1) - 1
    return np.clip(np.rint(weights / _along(scales, axis, weights.ndim)), -most, most).astype(np.int32)


def cut_off(model: EditableModel, node: Any, scales: np.ndarray, bits: int, axis: int | None) -> str:
    """Gives a layer its weights once more, none beyond what is represented; the name of the new constant."""
    weights = model.constant(node.input[1])
    most = np.float32(2 ** (bits - 1) - 1) * _along(scales, axis, weights.ndim)
    node.input[1] = model.add_constant(np.clip(weights, -most, most), node.input[1])
    return node.input[1]


def _along(scales: np.ndarray, axis: int | None, dimensions: int) -> np.ndarray:
    """Scales in a shape that broadcasts along the output channels."""
    return scales if axis is None else scales.reshape([-1 if d == axis % dimensions else 1 for d in range(dimensions)])
