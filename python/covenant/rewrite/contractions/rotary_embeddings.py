"""RotaryEmbedding of stored values by constant tables: a depthwise convolution of each element and its partner.

Each element becomes its product with a cosine and that of its partner with a sine. Both are factors of a place that 8
bits are too few for: a window holds element and partner several times, so that each factor is a sum of weights.
ONNX Runtime multiplies floats: bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import every_element, is_byte
from covenant.model.stored_values import Meaning, Steps, goal_of, meaning_of, real_constant

__all__ = ["rotary_embeddings"]

_WITHIN = 0.25
"""Largest error of a factor, in steps of the result."""
_MOST_WEIGHT = 127
_MOST_TIMES = 32
"""Copies of each element in a window."""
_MOST_PLACES = 16384
"""Channels of the convolution."""


def rotary_embeddings(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Those between a DequantizeLinear and a QuantizeLinear, whose tables are constant."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type == "RotaryEmbedding" and node.domain in ("", "ai.onnx"):
            replacements |= _convolution(model, node)
    return replacements


def _convolution(model: EditableModel, node: Any) -> dict[str, Sequence[Any]]:
    """The nodes in place of one; empty if it stays."""
    dequantize, found = model.maker(node.input[0]), goal_of(model, node.output[0])
    shape = model.shape(node.input[0])
    if dequantize is None or dequantize.op_type != "DequantizeLinear" or found is None or shape is None:
        return {}
    meaning, (quantize, goal) = meaning_of(model, dequantize), found
    factors = _factors(model, node, shape)
    if meaning is None or factors is None or not is_byte(meaning.zero.dtype) or not is_byte(goal.zero.dtype):
        return {}
    own, of_partner, partner = factors
    heads, places = int(np.prod(shape)) // own.size, own.size
    times = _times(meaning, goal, own, of_partner)
    if times is None or places > _MOST_PLACES:
        return {}
    steps = Steps(model, node)
    batch, positions, size = own.shape
    # [N,H,S,D] or [N,S,H,D], with the heads last: each other index is a channel.
    split = [shape[0], positions, heads // (shape[0] // batch), size]
    four = list(shape) if len(shape) == 4 else split
    order = [0, 2, 3, 1] if len(shape) == 4 else [0, 1, 3, 2]
    stored = dequantize.input[0]
    if len(shape) != 4:
        stored = steps.reshape(stored, four, "heads")
    stored = steps.add("Transpose", [stored], "turned", perm=order)
    turned = [four[axis] for axis in order]
    across = steps.add("Gather", [stored, steps.constant(partner)], "partners", axis=2)
    image = [shape[0] // batch, places, turned[3], 1]
    both = [steps.reshape(value, image, what) for value, what in ((stored, "own"), (across, "others"))]
    window = steps.add("Concat", both * times, "window", axis=3)
    real = steps.add("DequantizeLinear", [window, *dequantize.input[1:3]], "window/real")
    made = steps.add("Conv", [real, _weights(steps, own, of_partner, times)], "sum", group=places)
    value = steps.add("QuantizeLinear", [made, goal.scale, goal.zero_point], "stored")
    value = steps.reshape(value, turned, "places")
    back = np.argsort(order).tolist()
    if len(shape) == 4:
        last = made_node("Transpose", [value], quantize.output[0], f"{node.name}/back", perm=back)
    else:
        value = steps.add("Transpose", [value], "back", perm=back)
        whole = steps.constant(np.array(shape, np.int64))
        last = made_node("Reshape", [value, whole], quantize.output[0], f"{node.name}/whole")
    return {node.output[0]: [], quantize.output[0]: [*steps.made, last]}


def _factors(model: EditableModel, node: Any, shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Factors of each place [N or 1,S,D], of the element itself and of its partner; partners of a head's elements."""
    said = attributes_of(node)
    cosines, sines = (real_constant(model, value) for value in node.input[1:3])
    heads = said.get("num_heads", 0) if len(shape) == 3 else 0
    if cosines is None or sines is None or len(shape) not in (3, 4) or (len(shape) == 3 and not heads):
        return None
    if len(node.input) > 3 and node.input[3]:
        places = model.constant(node.input[3])
        if places is None or any((np.abs(places + 0.5) > len(table)).any() for table in (cosines, sines)):
            return None
        cosines, sines = cosines[places], sines[places]
    size = shape[-1] // heads if heads else shape[-1]
    turning = said.get("rotary_embedding_dim", 0) or size
    half = turning // 2
    positions = shape[1] if heads else shape[2]
    if cosines.ndim != 3 or cosines.shape[1:] != (positions, half) or sines.shape != cosines.shape:
        return None
    if (cosines == cosines[:1]).all() and (sines == sines[:1]).all():
        cosines, sines = cosines[:1], sines[:1]
    elif shape[0] != cosines.shape[0]:
        return None
    partner, own = np.arange(size), np.ones((*cosines.shape[:2], size))
    of_partner = np.zeros_like(own)
    first = np.arange(0, turning, 2) if said.get("interleaved", 0) else np.arange(half)
    second = first + (1 if said.get("interleaved", 0) else half)
    partner[first], partner[second] = second, first
    own[..., first], own[..., second] = cosines, cosines
    of_partner[..., first], of_partner[..., second] = -sines, sines
    return own, of_partner, partner.astype(np.int64)


def _times(meaning: Meaning, goal: Meaning, own: np.ndarray, of_partner: np.ndarray) -> int | None:
    """How often a window holds an element, so that no factor is too far off; None: too often."""
    most = float(np.abs(meaning.real(every_element(meaning.zero.dtype))).max())
    largest = float(np.maximum(np.abs(own), np.abs(of_partner)).max())
    # Two factors, each half a unit off at most; the largest is `times` weights.
    times = int(np.ceil(most * largest / (_WITHIN * float(goal.step) * _MOST_WEIGHT)))
    return max(times, 1) if times <= _MOST_TIMES else None


def _weights(steps: Steps, own: np.ndarray, of_partner: np.ndarray, times: int) -> str:
    """[places,1,1,2 * times], dequantised with a scale for each place."""
    factors = np.stack([own.reshape(-1), of_partner.reshape(-1)], axis=1)
    scales = (np.abs(factors).max(axis=1) / (_MOST_WEIGHT * times)).astype(np.float32)
    scales[scales < np.finfo(np.float32).tiny] = 1  # of factors that make nothing of any element
    whole = np.rint(factors / scales[:, None]).astype(np.int64)
    parts = [
        np.clip(whole - part * _MOST_WEIGHT * np.sign(whole), -_MOST_WEIGHT, _MOST_WEIGHT) for part in range(times)
    ]
    kept = [np.where(np.abs(whole) > part * _MOST_WEIGHT, one, 0) for part, one in enumerate(parts)]
    weights = np.concatenate(kept, axis=1).astype(np.int8).reshape(-1, 1, 1, 2 * times)
    zeros = np.zeros(len(scales), np.int8)
    operands = [steps.constant(one) for one in (weights, scales, zeros)]
    return steps.add("DequantizeLinear", operands, "weights", axis=0)
