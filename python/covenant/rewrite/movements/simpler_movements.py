"""Rewrites movements of elements into simpler ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_values import Steps, axes_of

__all__ = ["expansions", "mirrors", "picks", "rearrangements", "steps_back", "tiles"]

_REARRANGING = frozenset({"GatherElements", "ReverseSequence"})


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
        stated = model.constant(node.input[3]) if named else np.arange(len(shape))
        axes = None if stated is None else axes_of(stated, len(shape))
        if axes is None or pads.size != 2 * len(axes) or model.shape(node.output[0]) is None:
            continue
        ends = zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True)
        around = {axis: (int(before), int(after)) for axis, before, after in ends}
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
        if shape is None or any(one is None or one.size != given[0].size for one in given) or given[3].min() > 0:
            continue
        axes = axes_of(given[2], len(shape))
        if axes is None or not given[3].all():
            continue
        slices = zip(given[0].tolist(), given[1].tolist(), axes, given[3].tolist(), strict=True)
        picked = [
            (axis, np.arange(shape[axis])[slice(first, end if end >= -shape[axis] else None, step)])
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
        columns = list(zip(np.moveaxis(indices, -1, 0), named, strict=False))
        if len(columns) != indices.shape[-1] or any((abs(one + 0.5) > size).any() for one, size in columns):
            continue
        wrapped = [column % size for column, size in columns]
        places = np.ravel_multi_index(wrapped, named)
        steps = Steps(model, node)
        value = steps.reshape(node.input[0], [int(np.prod(named)), *rest], "joined")
        value = steps.add("Gather", [value, steps.constant(places.reshape(-1))], "picked", axis=0)
        steps.reshape(value, [*places.shape, *rest])
        replacements[node.output[0]] = steps.made
    return replacements


def rearrangements(model: EditableModel) -> dict[str, Sequence[Any]]:
    """GatherElements and ReverseSequence by constants: one Gather from all elements in a row."""
    replacements = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if node.op_type in _REARRANGING and not node.domain else None
        by = model.constant(node.input[1]) if shape is not None else None
        places = None if shape is None or by is None else _places(node, shape, by)
        if shape is None or places is None:
            continue
        steps = Steps(model, node)
        value = steps.reshape(node.input[0], [int(np.prod(shape))], "row")
        value = steps.add("Gather", [value, steps.constant(places.reshape(-1))], "picked", axis=0)
        steps.reshape(value, places.shape)
        replacements[node.output[0]] = steps.made
    return replacements


def _places(node: Any, shape: Sequence[int], by: np.ndarray) -> np.ndarray | None:
    """Place of each element of the result in the operand, whose elements are counted in a row."""
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415  (import costs; models without them do not pay)

    places = np.arange(np.prod(shape)).reshape(shape)
    if node.op_type == "ReverseSequence":
        (reversed_places,) = ReferenceEvaluator(node).run(None, {node.input[0]: places, node.input[1]: by})
        return np.asarray(reversed_places)
    axis = attributes_of(node).get("axis", 0)
    if by.ndim != len(shape) or not -by.ndim <= axis < by.ndim or not by.size or (abs(by + 0.5) > shape[axis]).any():
        return None
    grid = list(np.indices(by.shape, sparse=True))
    grid[axis] = by % shape[axis]
    return places[tuple(grid)]
