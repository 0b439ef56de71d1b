"""InstanceNormalization of stored values: each channel's pixels are rows, normalised by themselves.

Its gain and offset are those of the channel, so it is a LayerNormalization with one of each for every row, and so is a
GroupNormalization with one for every group. Other groups are a LayerNormalization of their own. Nothing is rounded
between. ONNX Runtime adds in another order: bytes may be a step away, as for every normalisation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.stored_values import Steps, goal_of, meaning_of, real_vector

__all__ = ["instances_as_rows"]

_MOST = 256
"""Groups with a gain for each of their channels: each is several layers."""


def instances_as_rows(model: EditableModel) -> dict[str, Sequence[Any]]:
    """InstanceNormalization and GroupNormalization between a DequantizeLinear and a QuantizeLinear.

    One LayerNormalization, or one for each group whose channels have gains of their own.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type in ("GroupNormalization", "InstanceNormalization"):
            replacements |= _rows(model, node)
    return replacements


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
    is_by_row = gains.size == offsets.size == groups
    if not is_by_row and groups > _MOST:
        return {}
    (quantize, goal), steps = found, Steps(model, node)
    pixels = int(np.prod(shape[2:])) * shape[1] // groups
    epsilon = attributes_of(node).get("epsilon", 1e-5)
    rows = steps.reshape(dequantize.input[0], [shape[0], groups, pixels], "rows")

    def normal(stored: str, numbers: Sequence[np.ndarray], name: str) -> str:
        """The rows of a stored value, normalised and stored."""
        real = steps.add("DequantizeLinear", [stored, *dequantize.input[1:]], name)
        operands = [real, *(steps.constant(np.float32(one)) for one in numbers)]
        made = steps.add("LayerNormalization", operands, f"{name}/normal", epsilon=epsilon, axis=-1)
        return steps.add("QuantizeLinear", [made, goal.scale, goal.zero_point], f"{name}/quantised")

    if is_by_row:
        joined = normal(rows, [one.reshape(groups, 1) for one in (gains, offsets)], "channels")
    else:
        spread = [np.repeat(one, groups * pixels // one.size).reshape(groups, pixels) for one in (gains, offsets)]
        parts = []
        for group in range(groups):
            ends = [steps.constant(np.array([end], np.int64)) for end in (group, group + 1, 1)]
            stored = steps.add("Slice", [rows, *ends], f"group{group}/stored")
            parts.append(normal(stored, [one[group] for one in spread], f"group{group}"))
        joined = steps.add("Concat", parts, "joined", axis=1) if len(parts) > 1 else parts[0]
    whole = steps.constant(np.array(shape, np.int64))
    last = made_node("Reshape", [joined, whole], quantize.output[0], f"{node.name}/image")
    return {node.output[0]: [], quantize.output[0]: [*steps.made, last]}
