"""Moves a QuantizeLinear before movements, right behind the operator that computes.

Tools place a QuantizeLinear after a Transpose, a MaxPool or a Concat of what a Conv makes. Quantising is monotone and
works element by element, so operators that only move or pick elements do the same on stored values. Elementwise
operators after a movement go before it: a layer clamps its own result, and a chain becomes one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from covenant.model.carriers import (
    LIMITS,
    Goal,
    computed_values,
    goal_in,
    is_carrier,
    is_moved,
    keeps_zero,
    moved_operands,
)
from covenant.model.editable_model import EditableModel, made_node
from covenant.model.float_subgraphs import ELEMENTWISE
from covenant.model.kernels import MOVEMENTS
from covenant.model.stored_values import real_constant

__all__ = ["elements_first", "quantized_first", "stored_after_movements"]


def elements_first(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Puts elementwise operators on one tensor before the movement of a computed value."""
    computed = computed_values(model)
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        place = _only_varying(model, node) if node.op_type in ELEMENTWISE and not node.domain else None
        before = None if place is None else model.maker(node.input[place])
        if before is None or not _commutes(model, before, node) or before.input[0] not in computed:
            continue
        if not model.is_read_once(node.input[place]) or before.output[0] in replacements:
            continue
        value = f"{before.input[0]}/for/{node.output[0]}"
        first, moved = type(node)(), type(node)()
        first.CopyFrom(node)
        first.input[place], first.output[0] = before.input[0], value
        moved.CopyFrom(before)
        moved.input[0], moved.output[0] = value, node.output[0]
        replacements[before.output[0]] = []
        replacements[node.output[0]] = [first, moved]
    return replacements


def _only_varying(model: EditableModel, node: Any) -> int | None:
    """Place of the one operand of an elementwise node whose others are single numbers."""
    places = [place for place, value in enumerate(node.input) if value and model.constant(value) is None]
    constants = [model.constant(value) for value in node.input if value]
    if len(places) != 1 or any(one is not None and (one.size != 1 or one.ndim > 1) for one in constants):
        return None
    return places[0]


def _commutes(model: EditableModel, before: Any, node: Any) -> bool:
    """Whether an elementwise operator may come before a carrier as well as after it."""
    if not is_carrier(model, before) or len(before.output) > 1 or before.op_type == "Concat":
        return False
    shapes = [model.shape(before.input[0]), model.shape(before.output[0])]
    if any(shape is None or not shape for shape in shapes):
        return False
    if node.op_type in LIMITS:
        return before.op_type != "Pad" or keeps_zero(model, node)
    return before.op_type in MOVEMENTS and before.op_type != "Pad"


def quantized_first(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Puts a QuantizeLinear before the movements that it reads."""
    computed = computed_values(model)
    made = _Made(model)
    for node in model.nodes:
        if node.op_type == "QuantizeLinear" and node.input[0] in computed:
            made.add(node)
    return made.replacements


class _Made:
    """Nodes that replace movements, once for each quantisation."""

    def __init__(self, model: EditableModel) -> None:
        self.replacements: dict[str, list[Any]] = {}
        self._model = model
        self._known: dict[tuple[str, Goal], str] = {}
        self._count = 0

    def add(self, quantize: Any) -> None:
        """Lets a QuantizeLinear read values of elements that are quantised before."""
        goal = goal_in(self._model, quantize)
        if goal is None or not self._moves_computed(quantize.input[0]):
            return
        nodes: list[Any] = []
        again = type(quantize)()
        again.CopyFrom(quantize)
        again.input[0] = self._value(quantize.input[0], goal, quantize, nodes)
        self.replacements[quantize.output[0]] = [*nodes, again]

    def _moves_computed(self, value: str) -> bool:
        """Whether movements lead to it from a computed value, or join tensors that are stored differently."""
        if not is_moved(self._model, self._model.maker(value)):
            return False
        stored: set[tuple[str, ...]] = set()
        wanted = [value]
        while wanted:
            one = wanted.pop()
            node = self._model.maker(one)
            if is_moved(self._model, node):
                if node.op_type == "ReduceMax" and one != value:
                    return True
                wanted.extend(moved_operands(node))
            elif not self._is_stored(one):
                return True
            else:
                stored.add(tuple(node.input[1:]) if node is not None else (one,))
        return len(stored) > 1 and self._model.maker(value).op_type != "Concat"

    def _is_stored(self, value: str) -> bool:
        node = self._model.maker(value)
        return self._model.constant(value) is not None or (node is not None and node.op_type == "DequantizeLinear")

    def _is_alike(self, dequantize: Any, goal: Goal) -> bool:
        """Whether the dequantised tensor is stored as the goal says, or is constant."""
        found = goal_in(self._model, dequantize)
        is_constant = self._model.constant(dequantize.input[0]) is not None
        return is_constant or (found is not None and (found.scale, found.zero_point) == (goal.scale, goal.zero_point))

    def _value(self, value: str, goal: Goal, quantize: Any, nodes: list[Any]) -> str:
        """The name of the same elements after quantising; nodes for it are appended."""
        node = self._model.maker(value)
        if (value, goal) in self._known:
            return self._known[value, goal]
        self._count += 1
        if is_moved(self._model, node):
            return self._moved(node, value, goal, quantize, nodes)
        if self._model.constant(value) is not None or (self._is_stored(value) and self._is_alike(node, goal)):
            return value
        self._known[value, goal] = self._stored(value, quantize, nodes)
        return self._known[value, goal]

    def _stored(self, value: str, quantize: Any, nodes: list[Any]) -> str:
        """Quantised as a node does it, and dequantised."""
        first = type(quantize)()
        first.CopyFrom(quantize)
        first.input[0], first.output[0] = value, f"{value}/stored{self._count}"
        first.name = f"{quantize.name or quantize.output[0]}/{value}"
        real, inputs = f"{value}/real{self._count}", [first.output[0], *quantize.input[1:]]
        nodes += [first, made_node("DequantizeLinear", inputs, real, f"{first.name}/real", quantize.domain)]
        return real

    def _moved(self, node: Any, value: str, goal: Goal, quantize: Any, nodes: list[Any]) -> str:
        moved = type(node)()
        moved.CopyFrom(node)
        for place, operand in enumerate(moved_operands(node)):
            moved.input[place] = self._value(operand, goal, quantize, nodes)
        for place, output in enumerate(node.output):
            if output:
                moved.output[place] = f"{output}/moved{self._count}"
                self._known[output, goal] = moved.output[place]
        nodes.append(moved)
        joins_constants = node.op_type == "Concat" and any(
            real_constant(self._model, one) is not None for one in node.input
        )
        if joins_constants or node.op_type == "ReduceMax":  # which others say where a QuantizeLinear follows
            self._known[value, goal] = self._stored(moved.output[0], quantize, nodes)
        return self._known[value, goal]


def stored_after_movements(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Movements of one stored tensor before elementwise operators: stored and dequantised once more after them.

    That changes no element, and what reads them reads a DequantizeLinear.
    """
    replacements: dict[str, Sequence[Any]] = {}
    for node in model.nodes:
        if not is_carrier(model, node) or len(node.output) > 1:
            continue
        readers = model.readers(node.output[0])
        if not any(reader.op_type in ELEMENTWISE or reader.op_type == "BatchNormalization" for reader in readers):
            continue
        dequantize = _dequantized(model, node)
        if dequantize is None or goal_in(model, dequantize) is None:
            continue
        before, stored = f"{node.output[0]}/moved", f"{node.output[0]}/stored"
        moved = type(node)()
        moved.CopyFrom(node)
        moved.output[0] = before
        meaning = list(dequantize.input[1:])
        if len(meaning) < 2 or not meaning[1]:
            meaning = [meaning[0], model.add_constant(_zero(model, dequantize.input[0]), dequantize.input[0])]
        replacements[node.output[0]] = [
            moved,
            made_node("QuantizeLinear", [before, *meaning], stored, f"{node.name}/stored", dequantize.domain),
            made_node("DequantizeLinear", [stored, *meaning], node.output[0], f"{node.name}/real", dequantize.domain),
        ]
    return replacements


def _zero(model: EditableModel, stored: str) -> np.ndarray:
    """Zero point 0 of the type of a stored tensor."""
    from onnx import helper  # noqa: PLC0415

    return np.zeros((), helper.tensor_dtype_to_np_dtype(model.element_type(stored)))


def _dequantized(model: EditableModel, node: Any) -> Any | None:
    """The DequantizeLinear of an activation whose elements a node moves, through carriers that move one tensor."""
    found: Any | None = node
    while is_carrier(model, found) and len(moved_operands(found)) == 1:
        found = model.maker(moved_operands(found)[0])
    if found is None or found.op_type != "DequantizeLinear" or model.constant(found.input[0]) is not None:
        return None
    return found
