"""BatchNormalization of elements of 16 bits: a convolution of one element a channel, for there is no table of them.

A weight of 127 and a bias in its units are the factor and the offset of a channel to more digits than elements have.
ONNX Runtime rounds on the way: elements may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel, attributes_of
from covenant.element_types import is_byte, limits
from covenant.equivalent_nodes import Meaning, Steps, goal_of, meaning_of, real_vector

__all__ = ["wide_normalizations"]

_WEIGHT = 127
_MOST_SUM = 2**31 - 1
_FINEST = 2.0**-6
"""Of a step of the result: no unit of a bias is larger."""
_RANKS = (3, 4)
"""Of tensors that a convolution takes."""


def wide_normalizations(model: EditableModel) -> dict[str, Sequence[Any]]:
    """BatchNormalization by constants between a DequantizeLinear and a QuantizeLinear of more than 8 bits.

    One whose biases do not fit 32 bits stays.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        goal = goal_of(model, node.output[0]) if node.op_type == "BatchNormalization" else None
        maker = model.maker(node.input[0]) if goal is not None else None
        if goal is None or maker is None or maker.op_type != "DequantizeLinear":
            continue
        source, shape = meaning_of(model, maker), model.shape(node.input[0])
        lines = None if shape is None or len(shape) not in _RANKS else _lines(model, node, shape[1])
        if source is None or shape is None or lines is None or is_byte(source.zero.dtype) or source.step <= 0:
            continue
        made = _convolution(model, node, (source, goal[1]), lines, [1] * (len(shape) - 2))
        if made is not None:
            replacements[node.output[0]] = made
    return replacements


def _lines(model: EditableModel, node: Any, channels: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Factors and offsets, [channels] each; None if they are not constant, or one is 0 or not finite."""
    known = [real_vector(model, value) for value in node.input[1:5]]
    attributes = attributes_of(node)
    if attributes.get("training_mode", 0) or any(node.output[1:]):
        return None
    if any(one is None or one.shape != (channels,) for one in known):
        return None
    gain, offset, mean, variance = (one.astype(np.float64) for one in known if one is not None)
    with np.errstate(all="ignore"):
        factor = gain / np.sqrt(variance + attributes.get("epsilon", 1e-5))
        whole = offset - mean * factor
    is_usable = np.isfinite(factor).all() and np.isfinite(whole).all() and factor.all()
    return (factor, whole) if is_usable else None


def _convolution(
    model: EditableModel,
    node: Any,
    ends: tuple[Meaning, Meaning],
    lines: tuple[np.ndarray, np.ndarray],
    kernel: list[int],
) -> list[Any] | None:
    (source, goal), (factor, offset) = ends, lines
    scales = (np.abs(factor) / _WEIGHT).astype(np.float32)
    units = (source.step * scales).astype(np.float32)
    least, most = limits(source.zero.dtype)
    with np.errstate(all="ignore"):
        biases = np.rint(offset / units)
    has_room = np.abs(biases) <= _MOST_SUM - _WEIGHT * (most - least)
    if not (np.isfinite(biases) & has_room & (scales > 0) & (units > 0) & (units <= goal.step * _FINEST)).all():
        return None
    steps, channels = Steps(model, node), len(scales)
    weights = (_WEIGHT * np.sign(factor)).astype(np.int8).reshape(channels, 1, *kernel)
    held = [(weights, scales, np.int8(0)), (biases.astype(np.int32), units, np.int32(0))]
    operands = [
        steps.add("DequantizeLinear", [*map(steps.constant, (array, scale, np.full(channels, zero)))], what, axis=0)
        for what, (array, scale, zero) in zip(("weights", "biases"), held, strict=True)
    ]
    steps.add("Conv", [node.input[0], *operands], group=channels, kernel_shape=kernel)
    return steps.made
