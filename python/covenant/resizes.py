"""Resize between pixels, of stored values, as a Conv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel
from covenant.equivalent_nodes import Steps, goal_of
from covenant.pixel_blocks import linear_growth

__all__ = ["linear_resizes"]


def linear_resizes(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Resize by whole factors, linear between the centres of pixels: a depthwise Conv whose weights are exact in i8.

    It rounds once, ONNX Runtime at each product and sum of floats: at most one step lies between them.
    """
    replacements = {}
    for node in model.nodes:
        growth = linear_growth(model, node)
        if growth is None or goal_of(model, node.output[0]) is None:
            continue
        stored = np.rint(growth.blocks.weights * growth.parts)
        if stored.max() > np.iinfo(np.int8).max:
            continue
        steps = Steps(model, node)
        step, zero = np.float32(1) / np.float32(growth.parts), np.int8(0)
        inputs = [steps.constant(array) for array in (stored.astype(np.int8), np.array(step), np.array(zero))]
        weights = steps.add("DequantizeLinear", inputs, "weights")
        replacements[node.output[0]] = [*steps.made, *growth.nodes(model, node, weights)]
    return replacements
