"""Turns constants of one element beside an elementwise operator, of any rank, into scalars.

tf2onnx, Paddle and Keras write [1,1,1,1]. A single number is broadcast to any shape; where the constant had more
dimensions than the tensor beside it, the result gets them by a Reshape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from covenant.model.editable_model import EditableModel
from covenant.model.float_subgraphs import ELEMENTWISE
from covenant.model.stored_values import Steps

__all__ = ["single_numbers"]

_ELEMENTWISE = ELEMENTWISE - {"Clip", "PRelu"}
"""Clip wants single numbers itself, and slopes are broadcast in one direction alone."""


def single_numbers(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Elementwise operators beside constants of one element and several dimensions."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if node.op_type not in _ELEMENTWISE or node.domain or len(node.input) < 2:
            continue
        known = {value: array for value in node.input if (array := model.constant(value)) is not None}
        others = [model.shape(value) for value in node.input if value not in known]
        if not known or not others or any(shape is None for shape in others):
            continue
        rank = max(len(shape) for shape in others if shape is not None)
        high = {value for value, array in known.items() if array.size == 1 and array.ndim > 1}
        most, after = max(array.ndim for array in known.values()), model.shape(node.output[0])
        if not high or after is None or rank == 0:
            continue
        steps, made = Steps(model, node), type(node)()
        made.CopyFrom(node)
        for place, value in enumerate(node.input):
            if value in high:
                made.input[place] = steps.constant(known[value].reshape(()))
        steps.made.append(made)
        if most > rank:
            made.output[0] = f"{node.output[0]}/low"
            steps.reshape(made.output[0], after)
        replacements[node.output[0]] = steps.made
    return replacements
