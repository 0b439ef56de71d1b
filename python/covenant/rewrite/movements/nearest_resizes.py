"""Rewrites a Resize to the nearest element, by any ratio, into a Gather along each axis.

Which element is the nearest depends on two attributes, on rounding in f32, and on the version of the operator. ONNX
Runtime is asked: it resizes the places of elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.stored_values import Steps
from covenant.onnx_runtime.sessions import OracleError, Style, session

__all__ = ["nearest_resizes"]

_MOST_ELEMENTS = 1 << 24
"""Most elements of a tensor whose places are resized, and of the result: f32 holds as many."""


def nearest_resizes(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Resize whose every element is one of its operand's; a repetition of each as often as another stays one."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        shape = model.shape(node.input[0]) if _is_nearest(node) else None
        indices = _indices(model, node, shape) if shape else None
        if indices is None or shape is None:
            continue
        steps, value = Steps(model, node), node.input[0]
        changed = [axis for axis, one in enumerate(indices) if not np.array_equal(one, np.arange(shape[axis]))]
        if not changed:
            steps.add("Identity", [value])
        for place, axis in enumerate(changed, start=1):
            what = "" if place == len(changed) else f"axis{axis}"
            value = _picked(steps, value, (shape, axis, indices[axis]), what)
            shape = (*shape[:axis], indices[axis].size, *shape[axis + 1 :])
        replacements[node.output[0]] = steps.made
    return replacements


def _picked(steps: Steps, value: str, picked: tuple[Sequence[int], int, np.ndarray], what: str) -> str:
    """Elements along one axis: a Gather, or an Expand where each is there equally often."""
    shape, axis, indices = picked
    factor = indices.size // shape[axis]
    if not np.array_equal(indices, np.repeat(np.arange(shape[axis]), factor)):
        return steps.add("Gather", [value, steps.constant(indices)], what, axis=axis)
    apart = [*shape[: axis + 1], 1, *shape[axis + 1 :]]
    many = [*shape[: axis + 1], factor, *shape[axis + 1 :]]
    value = steps.reshape(value, apart, f"apart{axis}")
    value = steps.add("Expand", [value, steps.constant(np.array(many, np.int64))], f"many{axis}")
    return steps.reshape(value, [*shape[:axis], indices.size, *shape[axis + 1 :]], what)


def _is_nearest(node: Any) -> bool:
    attributes = attributes_of(node)
    places = attributes.get("coordinate_transformation_mode", b"half_pixel")
    is_resize = node.op_type in ("Resize", "Upsample") and not node.domain
    return is_resize and attributes.get("mode", b"nearest") == b"nearest" and places != b"tf_crop_and_resize"


def _indices(model: EditableModel, node: Any, shape: Sequence[int]) -> list[np.ndarray] | None:
    """Places of the operand that make up the result, for each axis; None where they are not known."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    after = model.shape(node.output[0])
    if after is None or max(np.prod(shape, dtype=float), np.prod(after, dtype=float)) > _MOST_ELEMENTS:
        return None
    if any(model.constant(value) is None for value in node.input[1:] if value):
        return None
    given = dict.fromkeys(value for value in node.input[1:] if value)
    single = type(node)()
    single.CopyFrom(node)
    single.input[0], single.output[0] = "places", "resized"
    graph = helper.make_graph(
        [single], "nearest", [helper.make_tensor_value_info("places", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info("resized")],
        [numpy_helper.from_array(model.constant(value), value) for value in given],
    )  # fmt: skip
    whole = helper.make_model(graph, opset_imports=model.model.opset_import, ir_version=min(model.model.ir_version, 10))
    places = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    try:
        (resized,) = session(whole.SerializeToString(), Style.QOPERATOR).run(None, {"places": places})
    except (OracleError, RuntimeError):
        return None
    if resized.ndim != len(shape) or not resized.size:
        return None
    found = np.unravel_index(resized.astype(np.int64), shape)
    indices = [np.moveaxis(one, axis, 0).reshape(one.shape[axis], -1)[:, 0] for axis, one in enumerate(found)]
    along = np.ix_(*indices)
    return indices if np.array_equal(places[along], resized) else None
