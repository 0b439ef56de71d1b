"""InstanceNormalization of stored values: each channel's pixels are rows, normalised by themselves.

Its gain and offset are those of the channel, so each channel is a LayerNormalization of its own, and each group of a
GroupNormalization; neighbours with the same gains and offsets are rows of one. Nothing is rounded between. ONNX Runtime
adds in another order: bytes may be a step away, as for every normalisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.stored_values import Steps, goal_of, meaning_of, real_vector

__all__ = ["instances_as_rows"]

_MOST = 256
"""LayerNormalizations in the place of one: each is several layers."""


def instances_as_rows(model: EditableModel) -> dict[str, Sequence[Any]]:
    """InstanceNormalization and GroupNormalization between a DequantizeLinear and a QuantizeLinear.

    A LayerNormalization for each channel, or each group of channels; one for neighbours with the same numbers.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type in ("GroupNormalization", "InstanceNormalization"):
            replacements |= _rows(model, node)
    return replacements


def _firsts(gains: np.ndarray, offsets: np.ndarray) -> list[int]:
    """The first of all neighbouring rows that have the same gains and offsets."""
    both = np.concatenate([gains, offsets], axis=1)
    return [0, *(int(row) + 1 for row in np.flatnonzero((both[1:] != both[:-1]).any(axis=1)))]


def _rows(model: EditableModel, node: Any) -> dict[str, Sequence[Any]]:
    """Nodes that replace the normalisation and its QuantizeLinear; empty if it stays."""
    shape, dequantize = model.shape(node.input[0]), model.maker(node.input[0])
    found = goal_of(model, node.output[0])
    gains, offsets = (real_vector(model, value) for value in node.input[1:3])
    if shape is None or found is None or gains is None or offsets is None or len(shape) < 3:
        return {}
    groups = attributes_of(node).get("num_groups", shape[1])
    if shape[1] % groups or not {gains.shape, offsets.shape} <= {(groups,), (shape[1],)}:
        return {}
    if dequantize is None or dequantize.op_type != "DequantizeLinear" or meaning_of(model, dequantize) is None:
        return {}
    (quantize, goal), steps = found, Steps(model, node)
    pixels = int(np.prod(shape[2:])) * shape[1] // groups
    spread = [np.repeat(one, groups * pixels // one.size).reshape(groups, pixels) for one in (gains, offsets)]
    firsts = _firsts(*spread)
    if len(firsts) > _MOST:
        return {}
    epsilon = attributes_of(node).get("epsilon", 1e-5)
    rows = steps.reshape(dequantize.input[0], [shape[0], groups, pixels], "rows")
    parts = []
    for channel, last in zip(firsts, [*firsts[1:], groups], strict=True):
        ends = [steps.constant(np.array([end], np.int64)) for end in (channel, last, 1)]
        stored = steps.add("Slice", [rows, *ends], f"channel{channel}/stored") if len(firsts) > 1 else rows
        real = steps.add("DequantizeLinear", [stored, *dequantize.input[1:]], f"channel{channel}")
        operands = [real, *(steps.constant(np.float32(one[channel])) for one in spread)]
        normal = steps.add("LayerNormalization", operands, f"channel{channel}/normal", epsilon=epsilon, axis=-1)
        inputs = [normal, goal.scale, goal.zero_point]
        parts.append(steps.add("QuantizeLinear", inputs, f"channel{channel}/quantised"))
    joined = steps.add("Concat", parts, "joined", axis=1) if len(parts) > 1 else parts[0]
    whole = steps.constant(np.array(shape, np.int64))
    last = made_node("Reshape", [joined, whole], quantize.output[0], f"{node.name}/image")
    return {node.output[0]: [], quantize.output[0]: [*steps.made, last]}
