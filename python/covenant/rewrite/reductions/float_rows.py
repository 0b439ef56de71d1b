"""Rewrites reductions of rows that a model computes in float, between DequantizeLinear and QuantizeLinear.

Quantisers leave the root mean square of rows, their norms or their deviations in float, without scales on the way. A
machine adds up stored elements exactly and continues with one number per row in f32, as in a LayerNormalization.
ONNX Runtime adds floats, so bytes may differ by a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.element_types import every_element, is_byte
from covenant.model.stored_values import Meaning, meaning_of
from covenant.rewrite.reductions.float_row_nodes import rows_of
from covenant.rewrite.reductions.pools import reduced_axes
from covenant.rewrite.reductions.row_numbers import Elements, Form, Normal, RowNumber, Stored, combined, reduced, unary

__all__ = ["float_rows"]

_ROOTS = ("LpNormalization", "RMSNormalization", "SimplifiedLayerNormalization")
_REDUCTIONS = ("ReduceL1", "ReduceL2", "ReduceMean", "ReduceSum", "ReduceSumSquare")
_REDUCING = frozenset({*_REDUCTIONS, *_ROOTS})
_SAME = ("Cast", "Dropout", "Identity")
_MOVED = ("Expand", "Reshape", "Squeeze", "Unsqueeze")


def float_rows(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites such reductions and their readers into nodes on rows, each an operation that machines have."""
    replacements: dict[str, Sequence[Any]] = {}
    if not {node.op_type for node in model.nodes} & {*_REDUCING, "Sqrt", "Reciprocal", "Pow"}:
        return replacements
    for node in model.nodes:
        if node.op_type == "QuantizeLinear" and model.maker(node.input[0]) is not None:
            replacements |= _rows(model, node)
    return replacements


def _rows(model: EditableModel, quantize: Any) -> dict[str, Sequence[Any]]:
    """Nodes that replace a QuantizeLinear and all that it reads; empty: the form is not known here."""
    goal, reader = meaning_of(model, quantize), _Reader(model)
    if goal is None or not is_byte(goal.zero.dtype):
        return {}
    form = reader.form(quantize.input[0])
    if form is None or not reader.is_several or not isinstance(form, Normal | RowNumber):
        return {}
    return rows_of(model, quantize, form, goal, reader.meanings)


class _Reader:
    """The forms of values that one QuantizeLinear depends on."""

    def __init__(self, model: EditableModel) -> None:
        self._model = model
        self._forms: dict[str, Form | None] = {}
        self._kinds: list[str] = []
        self.meanings: dict[str, tuple[Any, Meaning]] = {}
        """DequantizeLinear of each stored tensor that is read, with its scale and zero point, by tensor."""

    @property
    def is_several(self) -> bool:
        """Whether there are several float operators in a row; other rewrites handle single ones."""
        plain = [kind for kind in self._kinds if kind not in (*_SAME, *_MOVED)]
        alone = ("ReduceMean", "ReduceSum")
        return len(plain) > 1 or bool(plain and plain[0] in _REDUCING and plain[0] not in alone)

    def form(self, value: str) -> Form | None:
        """The form of a value; deep subgraphs are followed without recursion."""
        wanted = [value]
        while wanted:
            value = wanted[-1]
            missing = [] if value in self._forms else self._missing(value)
            if missing:
                wanted.extend(missing)
                continue
            wanted.pop()
            if value not in self._forms:
                self._forms[value] = self._made(value)
        return self._forms[value]

    def _missing(self, value: str) -> list[str]:
        node = self._model.maker(value)
        if node is None or node.op_type == "DequantizeLinear":
            return []
        if node.op_type not in _REDUCING | _KNOWN:
            return []
        return [one for one in node.input if one and one not in self._forms and one != value]

    def _made(self, value: str) -> Form | None:
        constant, node = self._model.constant(value), self._model.maker(value)
        if constant is not None:
            return constant.astype(np.float64) if constant.dtype.kind == "f" else constant
        if node is None or node.domain:
            return None
        if node.op_type == "DequantizeLinear":
            return self._dequantized(node)
        forms = [self._forms.get(one) for one in node.input]
        if node.op_type not in _REDUCING | _KNOWN or not forms or forms[0] is None:
            return None
        self._kinds.append(node.op_type)
        return self._computed(node, forms[0], forms)

    def _computed(self, node: Any, first: Form, forms: Sequence[Form | None]) -> Form | None:
        """The form that an operator makes of values whose forms are these."""
        special: dict[str, Callable[[], Form | None]] = {
            **dict.fromkeys(_SAME, lambda: first if len(forms) == 1 else None),
            **dict.fromkeys(_MOVED, lambda: self._moved(node, first)),
            **dict.fromkeys(_ROOTS, lambda: self._root(node, forms)),
            **dict.fromkeys(_REDUCTIONS, lambda: self._reduced(node, first)),
            "Clip": lambda: self._clipped(forms),
        }
        if node.op_type in special:
            return special[node.op_type]()
        if len(forms) == 1:
            return unary(node.op_type, first)
        second = forms[1] if len(forms) == 2 else None
        return combined(node.op_type, first, second) if second is not None and self._is_aligned(node, forms) else None

    def _reduced(self, node: Any, form: Form) -> Form | None:
        shape = self._model.shape(node.input[0])
        axes = None if shape is None else reduced_axes(self._model, node, len(shape))
        return None if axes is None else reduced(node.op_type, form, tuple(axes))

    def _dequantized(self, node: Any) -> Form | None:
        stored = self._model.constant(node.input[0])
        if stored is not None:
            return self._constant(node, stored)
        meaning, shape = meaning_of(self._model, node), self._model.shape(node.input[0])
        if meaning is None or shape is None or not is_byte(meaning.zero.dtype):
            return None
        source = node.input[0]
        self.meanings.setdefault(source, (node, meaning))
        if not self.meanings[source][1].is_like(meaning):
            return None
        return Elements(Stored(source, shape), meaning.real(every_element(meaning.zero.dtype)).astype(np.float64))

    def _constant(self, node: Any, stored: np.ndarray) -> Form | None:
        scale = self._model.constant(node.input[1])
        zero = self._model.constant(node.input[2]) if len(node.input) > 2 and node.input[2] else np.zeros((), np.int32)
        if scale is None or zero is None:
            return None
        if scale.size > 1 and stored.ndim > 1:
            along = attributes_of(node).get("axis", 1) % stored.ndim
            places = [-1 if axis == along else 1 for axis in range(stored.ndim)]
            scale, zero = (np.broadcast_to(one.reshape(-1), scale.shape).reshape(places) for one in (scale, zero))
        return (stored.astype(np.int64) - zero.astype(np.int64)).astype(np.float64) * scale.astype(np.float64)

    def _is_aligned(self, node: Any, forms: Sequence[Form | None]) -> bool:
        """Whether numbers of rows lie where their rows do: a reduction that keeps no dimensions moves them."""
        shapes = [self._model.shape(value) for value in node.input]
        for form, other, shape in zip(forms, reversed(forms), shapes, strict=True):
            if isinstance(form, RowNumber) and isinstance(other, Elements | Normal) and shape != form.shape:
                whole = other.x.of.shape if isinstance(other, Normal) else other.of.shape
                if shape != whole:
                    return False
            if isinstance(form, np.ndarray) and isinstance(other, Elements | Normal):
                whole = other.x.of.shape if isinstance(other, Normal) else other.of.shape
                if form.ndim > len(whole) or np.broadcast_shapes(form.shape, whole) != whole:
                    return False
            if isinstance(form, np.ndarray) and isinstance(other, RowNumber) and form.ndim > len(other.shape):
                return False
        return True

    def _moved(self, node: Any, form: Form) -> Form | None:
        """Numbers of rows keep what they are; nothing else does."""
        before, after = self._model.shape(node.input[0]), self._model.shape(node.output[0])
        if isinstance(form, RowNumber) and before is not None and after is not None:
            is_spread = node.op_type == "Expand" and after == form.of.shape and before == form.shape
            is_alike = [size for size in before if size != 1] == [size for size in after if size != 1]
            return form if is_spread or is_alike else None
        return form if before == after else None

    def _clipped(self, forms: Sequence[Form | None]) -> Form | None:
        limits = [form if isinstance(form, np.ndarray) else None for form in [*forms[1:], None, None][:2]]
        if any(form is not None and not isinstance(form, np.ndarray) for form in forms[1:]):
            return None
        made: Form | None = forms[0]
        if made is not None and limits[0] is not None:
            made = combined("Max", made, limits[0])
        if made is not None and limits[1] is not None:
            is_far = isinstance(made, RowNumber) and float(limits[1]) > 1e30
            made = made if is_far else combined("Min", made, limits[1])
        return made

    def _root(self, node: Any, forms: Sequence[Form | None]) -> Form | None:
        x, said = forms[0], attributes_of(node)
        if not isinstance(x, Elements):
            return None
        rank = len(x.of.shape)
        axis = said.get("axis", -1) % rank
        if node.op_type == "LpNormalization":
            row = reduced(f"ReduceL{said.get('p', 2)}", x, (axis,))
            return combined("Div", x, row) if isinstance(row, RowNumber) else None
        squares = reduced("ReduceMean", Elements(x.of, np.square(x.table)), tuple(range(axis, rank)))
        if not isinstance(squares, RowNumber) or len(node.output) > 1 or not isinstance(forms[1], np.ndarray):
            return None
        epsilon = said.get("epsilon", 1e-5)
        root = squares.scaled(1.0).shifted(float(epsilon))
        row = None if root is None else root.raised(0.5)
        normal = None if row is None else combined("Div", x, row)
        return None if normal is None else combined("Mul", normal, forms[1])


_KNOWN = frozenset(
    {
        "Abs", "Add", "Clip", "Div", "Exp", "Log", "Max", "Min", "Mul", "Neg", "Pow", "Reciprocal", "Relu", "Sigmoid",
        "Softplus", "Sqrt", "Sub", "Tanh", *_MOVED, *_SAME,
    }
)  # fmt: skip
