"""Rewrites float operators between stored tensors, if they are no layer and have no table, into chains in f32.

Elements of 16 bits are too many for a table, and so are all pairs of elements of two tensors. A machine does what ONNX
Runtime does, one rounding to f32 after the other. Exponentials and what is made of them are quotients of polynomials,
as close as f32: elements may be a step away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import width_of
from covenant.model.stored_values import Meaning, Steps, meaning_of, real_constant
from covenant.rewrite.elementwise.chain_operators import MADE_OF, SAME
from covenant.rewrite.elementwise.real_chains import Chain, Real
from covenant.rewrite.elementwise.tables import DOMAIN

__all__ = ["OPERATOR", "float_chains"]

OPERATOR = "FloatChain"
"""`x0, x0_scale, x0_zero_point, ..., y_scale, y_zero_point -> y`, attribute `steps`; f32 constants have no scale."""
_FLOAT = 1
"""`onnx.TensorProto.FLOAT`."""
_MOST_STEPS = 64
_MOST_DEPTH = 64
_MOST_TABLE_BITS = 8
_BOUNDS = frozenset({"Clip", "Relu"})
_MOST_OPERANDS = 2
"""Operands of a layer."""
_OF_LAYERS = frozenset({"Add", "Div", "Max", "Min", "Mul", "Sub"})
"""Operators on two stored tensors that are a layer already."""


def float_chains(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Each QuantizeLinear after such operators, with all that it reads back to stored tensors."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        goal = meaning_of(model, node) if node.op_type == "QuantizeLinear" else None
        if goal is not None:
            made = _Reader(model, node).nodes(goal)
            replacements |= {node.output[0]: made} if made else {}
    return replacements


class _UnsaidError(Exception):
    """Something that no chain says."""


class _Reader:
    """A chain of all that one QuantizeLinear depends on, back to stored tensors."""

    def __init__(self, model: EditableModel, quantize: Any) -> None:
        self._model = model
        self._quantize = quantize
        self._shape = model.shape(quantize.input[0])
        self._chain = Chain()
        self._known: dict[str, Real] = {}
        self._inputs: list[tuple[str, Meaning]] = []
        self._visited: set[str] = set()
        self._real_inputs: list[str] = []
        self._constants: list[np.ndarray] = []
        self._kinds: list[str] = []
        """Operators that are read; nothing stands for one of more operands than layers have."""
        self._has_floats = False
        """Whether a constant with several elements has no scale: no layer reads such a one."""

    def nodes(self, goal: Meaning) -> list[Any]:
        """Nodes in the place of the QuantizeLinear; none: it is a layer or a table, or nothing that is known here."""
        value = self._quantize.input[0]
        last = self._model.maker(value)
        if not self._shape or last is None or last.op_type == "DequantizeLinear":
            return []
        try:
            self._find_inputs(value, 0)
            self._load_real_inputs()
            result = self._real(value, 0)
        except _UnsaidError:
            return []
        steps = self._chain.steps_to(result)
        loaded = sum(step.startswith("load") for step in steps)
        is_known = self._is_layer() or self._has_table(goal)
        if is_known or len(steps) > _MOST_STEPS or loaded != self._count:
            return []
        made, named = Steps(self._model, self._quantize), []
        for place, (source, meaning) in enumerate(self._inputs):
            named += [self._expanded(made, source, f"operand{place}"), meaning.scale, meaning.zero_point]
        named += [name for value in self._real_inputs for name in (value, "", "")]
        for array in self._constants:
            whole = np.ascontiguousarray(np.broadcast_to(array, self._shape))
            named += [self._model.add_constant(whole, self._quantize.output[0]), "", ""]
        named += [goal.scale, goal.zero_point]
        name = last.name or self._quantize.name or self._quantize.output[0]
        made.made.append(made_node(OPERATOR, named, self._quantize.output[0], name, DOMAIN, steps="; ".join(steps)))
        return made.made

    @property
    def _count(self) -> int:
        """Inputs of the node."""
        return len(self._inputs) + len(self._real_inputs) + len(self._constants)

    def _expanded(self, steps: Steps, stored: str, what: str) -> str:
        """A stored tensor in the shape of the result."""
        shape, whole = self._model.shape(stored) or (), self._shape or ()
        if shape == whole:
            return stored
        if len(shape) < len(whole):
            stored = steps.reshape(stored, [1] * (len(whole) - len(shape)) + list(shape), f"{what}/lifted")
        return steps.add("Expand", [stored, steps.constant(np.array(whole, np.int64))], what)

    def _has_table(self, goal: Meaning) -> bool:
        """Whether it is a function of one byte, or of one that a machine stores in as many bits."""
        widths = [width_of(meaning.zero.dtype) for meaning in (goal, *(said for _, said in self._inputs))]
        return max(widths) <= _MOST_TABLE_BITS and self._count == 1

    def _is_layer(self) -> bool:
        plain = [kind for kind in self._kinds if kind not in SAME | _BOUNDS]
        if len(plain) > 1 or self._has_floats or self._real_inputs:
            return False
        return not plain or (plain[0] in _OF_LAYERS and self._count > 1)

    def _find_inputs(self, value: str, depth: int) -> None:
        """The stored tensors come first among the inputs, in the order in which they are read."""
        node = self._model.maker(value)
        if self._model.constant(value) is not None or value in self._visited:
            return
        self._visited.add(value)
        if depth > _MOST_DEPTH or not self._is_spread(self._model.shape(value)):
            raise _UnsaidError
        if node is None:
            self._real_inputs.append(value)
            return
        if node.op_type == "DequantizeLinear":
            self._load_stored(value, node)
        elif node.op_type in MADE_OF:
            for one in filter(None, node.input):
                self._find_inputs(one, depth + 1)
        else:
            raise _UnsaidError

    def _load_stored(self, value: str, node: Any) -> None:
        """The stored tensor of a DequantizeLinear; of a constant nothing."""
        if self._model.constant(node.input[0]) is not None:
            return
        meaning = meaning_of(self._model, node)
        if meaning is None:
            raise _UnsaidError
        alike = [i for i, (one, said) in enumerate(self._inputs) if one == node.input[0] and said.is_like(meaning)]
        place = alike[0] if alike else len(self._inputs)
        if not alike:
            self._inputs.append((node.input[0], meaning))
        ends = meaning.real(np.array([meaning.lowest, meaning.highest]))
        self._known[value] = self._chain.load(place, float(ends[0]), float(ends[1]))

    def _load_real_inputs(self) -> None:
        """Float inputs of the model that are read as they are; such a chain has a stored tensor, too."""
        for place, value in enumerate(self._real_inputs, len(self._inputs)):
            is_float = self._model.element_type(value) == _FLOAT and self._model.shape(value) == self._shape
            if not is_float or value not in self._model.inputs or not self._inputs:
                raise _UnsaidError
            self._known[value] = self._chain.load(place, -math.inf, math.inf)

    def _is_spread(self, shape: tuple[int, ...] | None) -> bool:
        """Whether a tensor of this shape is broadcast to the result."""
        try:
            return bool(shape) and np.broadcast_shapes(shape or (), self._shape or ()) == self._shape
        except ValueError:
            return False

    def _real(self, value: str, depth: int) -> Real:
        """The step that makes a value, or a number."""
        if value not in self._known:
            constant = self._constant(value)
            self._has_floats |= constant is not None and constant.size > 1 and self._model.maker(value) is None
            self._known[value] = self._computed(value, depth) if constant is None else self._loaded(constant)
        return self._known[value]

    def _constant(self, value: str) -> np.ndarray | None:
        """An f32 constant, or one that is dequantised; a condition as 1 and 0."""
        constant = real_constant(self._model, value)
        return constant.astype(np.float32) if constant is not None and constant.dtype == np.bool_ else constant

    def _loaded(self, constant: np.ndarray) -> Real:
        if constant.dtype != np.float32 or not np.isfinite(constant).all() or not constant.size:
            raise _UnsaidError
        if constant.size == 1:
            return self._chain.number(float(constant.reshape(-1)[0]))
        if not self._is_spread(constant.shape):
            raise _UnsaidError
        self._constants.append(constant)
        place = self._count - 1
        return self._chain.load(place, float(constant.min()), float(constant.max()))

    def _computed(self, value: str, depth: int) -> Real:
        node = self._model.maker(value)
        shape = self._model.shape(value)
        if node is None or depth > _MOST_DEPTH or not self._is_spread(shape):
            raise _UnsaidError
        if node.op_type not in MADE_OF or any(node.output[1:]):
            raise _UnsaidError
        self._kinds.append(node.op_type if len(node.input) <= _MOST_OPERANDS else "")
        operands = [self._real(one, depth + 1) if one else None for one in node.input]
        try:
            made = MADE_OF[node.op_type](self._chain, attributes_of(node), *operands)
        except TypeError as error:  # another number of operands, or one left out
            raise _UnsaidError from error
        if made is None:
            raise _UnsaidError
        return made
