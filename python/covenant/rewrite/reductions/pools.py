"""Rewrites reductions into pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import every_element, limits
from covenant.model.stored_values import Steps, axes_of, goal_of
from covenant.rewrite.elementwise.tables import DOMAIN, OPERATOR

__all__ = ["REDUCTIONS", "global_maxima", "reduced_axes", "reductions"]

REDUCTIONS = {"ReduceMax": "MaxPool", "ReduceMean": "GlobalAveragePool", "ReduceSum": "GlobalAveragePool"}
"""Pool that replaces each reduction."""
_MOST_OF_TABLES = 255
"""The largest element that has an entry in one; wider ones are multiplied (`wide_lines`)."""


def global_maxima(model: EditableModel) -> dict[str, Sequence[Any]]:
    """GlobalMaxPool: one window."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "GlobalMaxPool" else None
        if shape is not None and len(shape) > 2:
            pool = made_node("MaxPool", [node.input[0]], node.output[0], node.name, kernel_shape=shape[2:])
            replacements[node.output[0]] = [pool]
    return replacements


def reductions(model: EditableModel) -> dict[str, Sequence[Any]]:
    """ReduceMax, ReduceMean and ReduceSum as pools: the dimensions that go become rows of an image."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type in REDUCTIONS else None
        axes = reduced_axes(model, node, len(shape)) if shape is not None else None
        found = goal_of(model, node.output[0]) if shape is not None else None
        if shape is None or axes is None or found is None:
            continue
        steps = Steps(model, node)
        kept = [d for d in range(len(shape)) if d not in axes]
        batch = [0] if kept[:1] == [0] and len(kept) > 1 else []
        order = [*batch, *(d for d in kept if d not in batch), *axes]
        image = [
            int(np.prod([shape[d] for d in batch])), int(np.prod([shape[d] for d in kept if d not in batch])),
            int(np.prod([shape[d] for d in axes])), 1,
        ]  # fmt: skip
        value = node.input[0]
        if (axes, len(shape)) == ([2, 3], 4):
            image = list(shape)
        elif order != list(range(len(shape))):
            value = steps.add("Transpose", [value], "turned", perm=order)
        if image != [shape[d] for d in order]:
            value = steps.reshape(value, image, "image")
        pool = REDUCTIONS[node.op_type]
        value = steps.add(pool, [value], "pool", **({"kernel_shape": image[2:]} if pool == "MaxPool" else {}))
        keeps = attributes_of(node).get("keepdims", 1)
        shape_after = [1 if d in axes else size for d, size in enumerate(shape) if keeps or d not in axes]
        quantize, goal = found
        if node.op_type != "ReduceSum":
            steps.reshape(value, shape_after)
            replacements[node.output[0]] = steps.made
            continue
        # The mean in steps of the sum's scale over the count: the same stored values.
        count = np.float32(image[2] * image[3])
        step, same = steps.constant(goal.step / count), every_element(goal.zero.dtype)
        zero = steps.constant(goal.zero)
        value = steps.add("QuantizeLinear", [value, step, zero], "mean")
        if limits(goal.zero.dtype)[1] > _MOST_OF_TABLES:
            real = steps.add("DequantizeLinear", [value, step, zero], "real")
            real = steps.add("Mul", [real, steps.constant(count)], "scaled")
            value = steps.add("QuantizeLinear", [real, goal.scale, zero], "sum")
        else:
            inputs = [value, step, zero, steps.constant(same), goal.scale, zero]
            value = steps.add(OPERATOR, inputs, "sum", DOMAIN)
        wanted = steps.constant(np.array(shape_after, np.int64))
        replacements[node.output[0]] = steps.made
        replacements[quantize.output[0]] = [
            made_node("Reshape", [value, wanted], quantize.output[0], f"{node.name}/shape"),
        ]
    return replacements


def reduced_axes(model: EditableModel, node: Any, rank: int) -> list[int] | None:
    """The dimensions that go, sorted; None if they are not known, not there, or none."""
    attributes = attributes_of(node)
    stated = attributes.get("axes")
    if len(node.input) > 1 and node.input[1]:
        given = model.constant(node.input[1])
        if given is None:
            return None
        stated = given.reshape(-1).tolist()
    if not stated:
        return None if attributes.get("noop_with_empty_axes", 0) else list(range(rank))
    axes = axes_of(np.array(stated), rank)
    return None if axes is None else sorted(axes)
