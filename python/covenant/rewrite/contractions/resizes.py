"""Rewrites a Resize between pixels, of stored values, into a Conv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel
from covenant.model.stored_values import Steps, goal_of
from covenant.rewrite.contractions.pixel_blocks import linear_growth

__all__ = ["linear_resizes"]


def linear_resizes(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Resize by whole factors, linear between the centres of pixels: a depthwise Conv whose weights are exact in i8.

    Each channel is there as often as it takes for weights that are shared out among them to be bytes. It rounds once,
    ONNX Runtime at each product and sum of floats: at most one step lies between them.
    """
    replacements = {}
    for node in model.nodes:
        growth = linear_growth(model, node)
        if growth is None or goal_of(model, node.output[0]) is None:
            continue
        whole = np.rint(growth.blocks.weights * growth.parts).astype(np.int64)
        copies = -(-int(whole.max()) // np.iinfo(np.int8).max)
        stored = (whole + np.arange(copies).reshape(1, -1, 1, 1)) // copies
        steps, source = Steps(model, node), node.input[0]
        if copies > 1:
            batch, channels, rows, columns = model.shape(source) or ()
            value = steps.reshape(source, [batch, channels, 1, rows, columns], "apart")
            wanted = np.array([batch, channels, copies, rows, columns], np.int64)
            value = steps.add("Expand", [value, steps.constant(wanted)], "copies")
            source = steps.reshape(value, [batch, channels * copies, rows, columns], "together")
        step, zero = np.float32(1) / np.float32(growth.parts), np.int8(0)
        inputs = [steps.constant(array) for array in (stored.astype(np.int8), np.array(step), np.array(zero))]
        weights = steps.add("DequantizeLinear", inputs, "weights")
        replacements[node.output[0]] = [*steps.made, *growth.nodes(model, node, source, weights)]
    return replacements
