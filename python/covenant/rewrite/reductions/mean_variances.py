"""Rewrites MeanVarianceNormalization of stored values: elements that are normalised together become one row.

It divides by the root of the variance and 1e-9, LayerNormalization by the root of both: the same to a fraction of a
step where elements that differ at all differ by more. ONNX Runtime adds in another order: bytes may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.kernels import MOVEMENTS
from covenant.model.stored_values import Steps, axes_of, goal_of, meaning_of

__all__ = ["is_between_stored", "mean_variances"]

_AFTER = frozenset({"QuantizeLinear", *MOVEMENTS})
_APART = 1e-9
"""Added to the deviation."""
_EPSILON = 1e-18
_LEAST = 2.0**12
"""Times that, of the deviation of elements that differ."""


def is_between_stored(model: Any, node: Any) -> bool:
    """Whether a node of an `onnx.ModelProto` reads what a DequantizeLinear makes, and each reader of it quantises.

    Movements may stand on both sides.
    """
    nodes, outputs = model.graph.node, {entry.name for entry in model.graph.output}
    source, value = None, node.input[0]
    while source is None or source.op_type in MOVEMENTS:
        source = next((one for one in nodes if value in one.output), None)
        if source is None:
            return False
        value = source.input[0]
    wanted = list(node.output[:1])
    while wanted:
        value = wanted.pop()
        readers = [one for one in nodes if value in one.input]
        if value in outputs or not readers or any(one.op_type not in _AFTER for one in readers):
            return False
        wanted.extend(output for one in readers if one.op_type != "QuantizeLinear" for output in one.output)
    return source.op_type == "DequantizeLinear"


def mean_variances(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites those between a DequantizeLinear and a QuantizeLinear."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type == "MeanVarianceNormalization":
            replacements |= _rows(model, node)
    return replacements


def _rows(model: EditableModel, node: Any) -> dict[str, Sequence[Any]]:
    """Nodes that replace the normalisation and its QuantizeLinear; empty if it stays."""
    shape, dequantize, found = model.shape(node.input[0]), model.maker(node.input[0]), goal_of(model, node.output[0])
    if shape is None or found is None or dequantize is None or dequantize.op_type != "DequantizeLinear":
        return {}
    meaning = meaning_of(model, dequantize)
    axes = axes_of(np.array(attributes_of(node).get("axes", [0, 2, 3])), len(shape))
    if meaning is None or not axes:
        return {}
    order = [*(d for d in range(len(shape)) if d not in axes), *sorted(axes)]
    together = int(np.prod([shape[d] for d in axes]))
    if not _APART * _LEAST * np.sqrt(together) <= meaning.step < np.inf:
        return {}
    (quantize, goal), steps = found, Steps(model, node)
    varying = [d for d in order if shape[d] > 1]
    stored = dequantize.input[0]
    if varying != sorted(varying):
        stored = steps.add("Transpose", [stored], "turned", perm=order)
    rows = steps.reshape(stored, [-1, together], "rows")
    real = steps.add("DequantizeLinear", [rows, *dequantize.input[1:]], "real")
    ones = steps.constant(np.ones(together, np.float32))
    normal = steps.add("LayerNormalization", [real, ones], "normal", epsilon=_EPSILON, axis=-1)
    made = steps.add("QuantizeLinear", [normal, goal.scale, goal.zero_point], "quantised")
    if varying == sorted(varying):
        whole = steps.constant(np.array(shape, np.int64))
        last = made_node("Reshape", [made, whole], quantize.output[0], f"{node.name}/image")
    else:
        image = steps.reshape(made, [shape[d] for d in order], "image")
        back = np.argsort(order).tolist()
        last = made_node("Transpose", [image], quantize.output[0], f"{node.name}/back", perm=back)
    return {node.output[0]: [], quantize.output[0]: [*steps.made, last]}
