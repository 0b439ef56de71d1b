"""Products by stacks of stored matrices: each matrix multiplies its own part of the other operand.

A layer multiplies by one matrix. A stack of one is that matrix; of several, the stored operand is cut, each part
multiplied and quantised by itself, and the parts are joined: the same sums, so the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.stored_values import Steps, goal_of, meaning_of

__all__ = ["stacked_products"]

_MOST = 64
"""Matrices: each is a layer."""
_LINEAR = "QLinearMatMul"


@dataclass(frozen=True)
class _Stack:
    """A stored constant of more than two dimensions, as a node reads it."""

    side: int
    """0: it is the first operand."""
    elements: np.ndarray
    meaning: tuple[np.ndarray, ...]
    """Scale, and zero point if there is one."""
    axis: int
    """Axis along which there are several scales: of a matrix, or, below 0, of the batch, counted from its end."""
    maker: Any | None
    """The DequantizeLinear; None: the node reads it itself."""

    @property
    def batch(self) -> tuple[int, ...]:
        """All but the dimensions of a matrix."""
        return self.elements.shape[:-2]

    def matrix(self, steps: Steps, place: tuple[int, ...], what: str) -> list[str]:
        """The operand that a node reads: one value, or three."""
        is_split = self.axis < 0  # one scale for each matrix
        meaning = [one[place[self.axis]] if is_split and one.size > 1 else one for one in self.meaning]
        held = [steps.constant(one) for one in (np.ascontiguousarray(self.elements[place]), *meaning)]
        if self.maker is None:
            return held
        axis = {"axis": self.axis} if meaning[0].size > 1 else {}
        return [steps.add("DequantizeLinear", held, what, self.maker.domain, **axis)]


def stacked_products(model: EditableModel) -> dict[str, Sequence[Any]]:
    """MatMul and QLinearMatMul by stacks of matrices, where the other operand has at least their dimensions."""
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        stack = _stack_of(model, node) if node.op_type in ("MatMul", _LINEAR) and not node.domain else None
        shape = None if stack is None else model.shape(node.input[(1 - stack.side) * _width(node)])
        if stack is None or shape is None or len(shape) < max(2, stack.elements.ndim):
            continue
        if all(size == 1 for size in stack.batch):
            replacements |= _one(model, node, stack)
        elif np.broadcast_shapes(stack.batch, shape[:-2]) == shape[:-2] and np.prod(shape[:-2]) <= _MOST:
            replacements |= _several(model, node, stack, shape)
    return replacements


def _width(node: Any) -> int:
    """How many inputs say one operand."""
    return 3 if node.op_type == _LINEAR else 1


def _stack_of(model: EditableModel, node: Any) -> _Stack | None:
    for side in (1, 0):
        names, maker = list(node.input[side * _width(node) :][: _width(node)]), None
        if node.op_type == "MatMul":
            maker = model.maker(names[0])
            if maker is None or maker.op_type != "DequantizeLinear" or attributes_of(maker).get("block_size", 0):
                continue
            names = [name for name in maker.input if name]
        elements, *meaning = (model.constant(name) for name in names)
        if elements is None or elements.ndim < 3 or any(one is None for one in meaning):
            continue
        axis = _axis_of(elements, meaning, -1 if maker is None else attributes_of(maker).get("axis", 1))
        known = tuple(one.reshape(-1) if one.size > 1 else one.reshape(()) for one in meaning if one is not None)
        return None if axis is None else _Stack(side, elements, known, axis, maker)
    return None


def _axis_of(elements: np.ndarray, meaning: Sequence[Any], axis: int) -> int | None:
    """The dimension that scales lie along, as `_Stack` has it; None if there are not as many."""
    sizes = {one.size for one in meaning} - {1}
    along = axis % elements.ndim - (elements.ndim - 2)
    if not sizes:
        return 0
    return along if sizes == {elements.shape[axis % elements.ndim]} else None


def _one(model: EditableModel, node: Any, stack: _Stack) -> dict[str, Sequence[Any]]:
    """The node, by the only matrix."""
    steps = Steps(model, node)
    whole, at = type(node)(), stack.side * _width(node)
    whole.CopyFrom(node)
    inputs = list(node.input)
    inputs[at : at + _width(node)] = stack.matrix(steps, (0,) * len(stack.batch), "matrix")
    whole.input[:] = inputs
    return {node.output[0]: [*steps.made, whole]}


def _several(model: EditableModel, node: Any, stack: _Stack, shape: tuple[int, ...]) -> dict[str, Sequence[Any]]:
    """A node for each matrix of a batch; empty if what it reads or makes is not stored."""
    ends = _ends_of(model, node, stack)
    if ends is None:
        return {}
    stored, last, steps = ends[0], ends[1], Steps(model, node)
    flat, parts = steps.reshape(stored, [-1, *shape[-2:]], "flat"), []
    stacked = np.broadcast_to(stack.elements, (*shape[:-2], *stack.elements.shape[-2:]))
    whole = _Stack(stack.side, stacked, stack.meaning, stack.axis, stack.maker)
    for number, place in enumerate(np.ndindex(*shape[:-2])):
        cut = [steps.constant(np.array([one], np.int64)) for one in (number, number + 1, 0)]
        part = steps.add("Slice", [flat, *cut], f"part{number}")
        matrix = whole.matrix(steps, place, f"matrix{number}")
        if node.op_type == _LINEAR:
            other = [part, *node.input[(1 - stack.side) * 3 :][1:3]]
            operands = [*other, *matrix] if stack.side else [*matrix, *other]
            parts.append(steps.add(_LINEAR, [*operands, *node.input[6:]], f"product{number}"))
            continue
        dequantize = model.maker(node.input[1 - stack.side])
        real = [steps.add("DequantizeLinear", [part, *dequantize.input[1:]], f"real{number}", dequantize.domain)]  # type: ignore[union-attr]
        operands = [*real, *matrix] if stack.side else [*matrix, *real]
        product = steps.add("MatMul", operands, f"product{number}")
        quantize = model.reader(node.output[0])
        parts.append(steps.add("QuantizeLinear", [product, *quantize.input[1:]], f"stored{number}", quantize.domain))  # type: ignore[union-attr]
    rows, columns = (shape[-2], stacked.shape[-1]) if stack.side else (stacked.shape[-2], shape[-1])
    size = steps.constant(np.array([*shape[:-2], rows, columns], np.int64))
    joined = steps.add("Concat", parts, "joined", axis=0)
    steps.made.append(made_node("Reshape", [joined, size], last, f"{node.name or last}/shape"))
    return {node.output[0]: []} | {last: steps.made}


def _ends_of(model: EditableModel, node: Any, stack: _Stack) -> tuple[str, str] | None:
    """The stored operand, and the stored result."""
    operand = node.input[(1 - stack.side) * _width(node)]
    if node.op_type == _LINEAR:
        return operand, node.output[0]
    dequantize, found = model.maker(operand), goal_of(model, node.output[0])
    if dequantize is None or dequantize.op_type != "DequantizeLinear" or meaning_of(model, dequantize) is None:
        return None
    return None if found is None else (dequantize.input[0], found[0].output[0])
