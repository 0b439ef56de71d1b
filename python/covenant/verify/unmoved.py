"""Traces a moved tensor back to the tensor before its movements.

Where an operator was rewritten into others, a machine writes the result before the last of them move it. Movements that
lose no element lead back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from covenant.model.editable_model import EditableModel

__all__ = ["Unmoved"]

_RESHAPES = frozenset({"Flatten", "Reshape", "Squeeze", "Unsqueeze"})


@dataclass(frozen=True)
class _Movement:
    before: str
    after: str
    order: tuple[int, ...] | None
    """Permutation of a Transpose; None: a reshape."""
    shape: tuple[int, ...]
    """Shape of `before`."""


class Unmoved:
    """The movements of a model that lose nothing.

    Args:
        model: an ONNX model as bytes, or nothing.
    """

    def __init__(self, model: bytes) -> None:
        self._movements: list[_Movement] = []
        if model:
            self._find(model)

    def _find(self, model: bytes) -> None:
        import onnx  # noqa: PLC0415  (import costs; a model that is compiled as it stands does not pay)

        from covenant.model.editable_model import EditableModel, attributes_of  # noqa: PLC0415

        editable = EditableModel(onnx.load_from_string(model))
        shapes: dict[str, tuple[int, ...]] = {}
        kept = _kept(editable)
        for node in editable.nodes:
            if node.output[0] in kept:
                self._movements.append(
                    _Movement(node.input[0], node.output[0], None, editable.shape(node.input[0]) or ())
                )
            if node.op_type not in {*_RESHAPES, "Transpose"}:
                continue
            before, after = node.input[0], node.output[0]
            shape = shapes.get(before) or editable.shape(before)
            if node.op_type == "Transpose":
                if shape is None:
                    continue
                order = tuple(attributes_of(node).get("perm", reversed(range(len(shape)))))
                shapes[after] = tuple(shape[d] for d in order)
                self._movements.append(_Movement(before, after, order, shape))
                continue
            target = editable.constant(node.input[1]) if node.op_type == "Reshape" else None
            if target is not None and target.min() > 0:
                shapes[after] = tuple(int(size) for size in target)
            self._movements.append(_Movement(before, after, None, shape or ()))

    def with_sources(self, known: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Tensors by name, and those that movements have made them of.

        One whose shape is not known has one dimension.
        """
        found = dict(known)
        for movement in reversed(self._movements):
            array = found.get(movement.after)
            if array is None or movement.before in found:
                continue
            if movement.order is not None:
                array = array.reshape([movement.shape[d] for d in movement.order])
                found[movement.before] = array.transpose(np.argsort(movement.order))
            else:
                found[movement.before] = array.reshape(movement.shape or (-1,))
        return found

    def with_names(self, values: Mapping[str, str]) -> dict[str, str]:
        """Values by tensor, extended to the tensors from which movements have made them."""
        found = dict(values)
        for movement in reversed(self._movements):
            if movement.after in found:
                found.setdefault(movement.before, found[movement.after])
        return found


def _kept(model: EditableModel) -> set[str]:
    """Results of a QuantizeLinear of moved elements that were stored in the same way, and of their DequantizeLinear."""
    from covenant.model.carriers import goal_in  # noqa: PLC0415

    found: set[str] = set()
    for node in model.nodes:
        if node.op_type != "QuantizeLinear":
            continue
        source = model.maker(node.input[0])
        while source is not None and source.op_type in {*_RESHAPES, "Transpose"}:
            source = model.maker(source.input[0])
        if source is None or source.op_type != "DequantizeLinear":
            continue
        if (goal := goal_in(model, node)) is not None and goal == goal_in(model, source):
            found |= {node.output[0], source.output[0]}
    return found
