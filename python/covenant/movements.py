"""Movements of elements said by simpler ones, and moved past a QuantizeLinear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.editable_model import EditableModel, attributes_of, made_node
from covenant.equivalent_nodes import Steps, goal_of
from covenant.kernels import MOVEMENTS

__all__ = ["expansions", "mirrors", "picks", "quantised_first", "steps_back", "tiles"]

_MOVED = frozenset(MOVEMENTS) - {"Concat", "Pad", "Split"}
"""Movements of one tensor that know no value of their own."""


def expansions(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Expand to a higher rank: dimensions of one index come first."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Expand" else None
        wanted = model.constant(node.input[1]) if shape is not None else None
        if shape is None or wanted is None or wanted.size <= len(shape):
            continue
        steps = Steps(model, node)
        value = steps.reshape(node.input[0], [1] * (wanted.size - len(shape)) + list(shape), "rank")
        steps.add("Expand", [value, node.input[1]])
        replacements[node.output[0]] = steps.made
    return replacements


def tiles(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Each repeated dimension gets another one before it, which is expanded."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Tile" else None
        counts = model.constant(node.input[1]) if shape is not None else None
        if shape is None or counts is None or min(counts, default=0) < 1:
            continue
        steps = Steps(model, node)
        apart = [size for pair in zip([1] * len(shape), shape, strict=True) for size in pair]
        wanted = [size for pair in zip(counts, shape, strict=True) for size in pair]
        value = steps.reshape(node.input[0], apart, "apart")
        value = steps.add("Expand", [value, steps.constant(np.array(wanted, np.int64))], "many")
        steps.reshape(value, [size * count for size, count in zip(shape, counts, strict=True)])
        replacements[node.output[0]] = steps.made
    return replacements


def _gathered(model: EditableModel, node: Any, picked: Sequence[tuple[int, np.ndarray]]) -> list[Any]:
    """One Gather after the other in the place of a node: axes, and the indices along them."""
    steps, value = Steps(model, node), node.input[0]
    for place, (axis, indices) in enumerate(picked, start=1):
        what = "" if place == len(picked) else f"axis{axis}"
        value = steps.add("Gather", [value, steps.constant(indices)], what, axis=axis)
    return steps.made


def mirrors(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Pad with elements of the tensor: a Gather along each dimension."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Pad" else None
        pads = model.constant(node.input[1]) if shape is not None else None
        mode = attributes_of(node).get("mode", b"constant").decode()
        if shape is None or pads is None or mode == "constant" or pads.min() < 0:
            continue
        named = len(node.input) > 3 and node.input[3]
        axes = model.constant(node.input[3]) if named else np.arange(len(shape))
        if axes is None:
            continue
        ends = zip(axes % len(shape), pads[: axes.size], pads[axes.size :], strict=True)
        around = {int(axis): (int(before), int(after)) for axis, before, after in ends}
        along = [(axis, pair) for axis, pair in around.items() if any(pair)]
        picked = [(axis, np.pad(np.arange(shape[axis]), pair, mode=mode)) for axis, pair in along]
        if picked:
            replacements[node.output[0]] = _gathered(model, node, picked)
    return replacements


def steps_back(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Slice with steps back: a Gather along each dimension."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "Slice" and len(node.input) > 4 else None
        given = [model.constant(value) for value in node.input[1:]]
        if shape is None or any(one is None for one in given) or given[3].min() > 0:
            continue
        slices = zip(*(one.tolist() for one in given), strict=True)
        picked = [
            (axis % len(shape), np.arange(shape[axis])[slice(first, end if end >= -shape[axis] else None, step)])
            for first, end, axis, step in slices
        ]
        if all(indices.size for _, indices in picked):
            replacements[node.output[0]] = _gathered(model, node, picked)
    return replacements


def picks(model: EditableModel) -> dict[str, Sequence[Any]]:
    """GatherND by constant indices: of the dimensions that they name made one, a Gather."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type == "GatherND" else None
        indices = model.constant(node.input[1]) if shape is not None else None
        if shape is None or indices is None or attributes_of(node).get("batch_dims", 0):
            continue
        named, rest = shape[: indices.shape[-1]], shape[indices.shape[-1] :]
        wrapped = [column % size for column, size in zip(np.moveaxis(indices, -1, 0), named, strict=True)]
        places = np.ravel_multi_index(wrapped, named)
        steps = Steps(model, node)
        value = steps.reshape(node.input[0], [int(np.prod(named)), *rest], "joined")
        value = steps.add("Gather", [value, steps.constant(places.reshape(-1))], "picked", axis=0)
        steps.reshape(value, [*places.shape, *rest])
        replacements[node.output[0]] = steps.made
    return replacements


def _moved(model: EditableModel, node: Any | None) -> Any | None:
    """Of a movement, the node whose result it moves, through other movements."""
    if node is None or node.op_type not in _MOVED or node.domain:
        return None
    while node is not None and node.op_type in MOVEMENTS:
        node = model.maker(node.input[0])
    return node


def quantised_first(model: EditableModel) -> dict[str, Sequence[Any]]:
    """One movement between a float operator and its QuantizeLinear: it moves what is quantised."""
    for node in model.nodes:
        maker = _moved(model, node)
        if maker is None or maker.op_type == "DequantizeLinear" or not model.is_read_once(node.input[0]):
            continue
        found = goal_of(model, node.output[0])
        if found is None or (node.op_type == "Resize" and attributes_of(node).get("mode", b"nearest") != b"nearest"):
            continue
        quantize, goal = found
        stored = f"{node.output[0]}/before"
        moved = type(node)()
        moved.CopyFrom(node)
        moved.input[0], moved.output[0] = stored, quantize.output[0]
        inputs = [node.input[0], goal.scale, goal.zero_point]
        first = made_node("QuantizeLinear", inputs, stored, quantize.name)
        return {node.output[0]: [], quantize.output[0]: [first, moved]}
    return {}
