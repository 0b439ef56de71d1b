"""Rewrites models whose layers mix signed and unsigned elements for ONNX Runtime's integer kernels.

Its kernels of products, global averages and softmax read and make one type; between types it computes in float. A
tensor of `u8` and the same one of `i8`, each element and the zero point 128 less, are the same real numbers: here each
layer with an `i8` among what it reads and makes takes all of it as `i8`, with conversions in front of it and behind it.
The kernels of `i8` are exact on every processor.

Sums, products of two and averages of windows stay as they are. What their kernels round depends on the zero point, so
their value between types is that of the operators in float.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of, made_node
from covenant.model.element_types import is_byte

__all__ = ["with_alike_types"]

_PRODUCTS = ("Conv", "Gemm", "MatMul")
_LAYERS = (*_PRODUCTS, "GlobalAveragePool", "Softmax")
_STORED = {"QLinearConv": 6, "QLinearMatMul": 6, "QGemm": 7}
"""Layers on stored values, and which input is the scale of what they make; operands at inputs 0 and 3."""
_MOVES = ("Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")
_BETWEEN = ("Clip", "Relu", *_MOVES)
"""Operators that may stand between a layer and its QuantizeLinear."""
_HALF = 128


def with_alike_types(model: Any) -> Any:
    """A copy of an `onnx.ModelProto` in which each layer with an integer kernel has one type; itself where all have."""
    from onnx import ModelProto  # noqa: PLC0415  (import costs; a program that never compares does not pay)

    if not any(node.op_type in (*_LAYERS, *_STORED) for node in model.graph.node):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    edited = EditableModel(_with_initialisers(made))
    replacements: dict[str, list[Any]] = {}
    for node in edited.nodes:
        if node.op_type in _LAYERS:
            _make_alike(edited, node, replacements)
        elif node.op_type in _STORED:
            _make_stored_alike(edited, node, replacements)
    if not replacements:
        return model
    edited.replace(replacements)
    return edited.model


@dataclass(frozen=True)
class _Stored:
    """A quantised tensor, and the names of the constants that say what it means."""

    tensor: str
    scale: str
    zero_point: str
    zero: np.ndarray

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.zero.dtype


def _with_initialisers(model: Any) -> Any:
    """The model with its Constant nodes as initialisers, as far as they are tensors."""
    kept = []
    for node in model.graph.node:
        value = attributes_of(node).get("value") if node.op_type == "Constant" else None
        if value is None:
            kept.append(node)
            continue
        value.name = node.output[0]
        model.graph.initializer.append(value)
    del model.graph.node[:]
    model.graph.node.extend(kept)
    return model


def _stored(edited: EditableModel, tensor: str, constants: Sequence[str]) -> _Stored | None:
    """A tensor by its scale and zero point; None: those are not known, or its elements are no bytes."""
    scale, zero_point = [*constants, "", ""][:2]
    zero = edited.constant(zero_point) if zero_point else np.zeros((), np.uint8)
    if edited.constant(scale) is None or zero is None or not is_byte(zero.dtype):
        return None
    return _Stored(tensor, scale, zero_point, zero)


def _dequantized(edited: EditableModel, value: str) -> _Stored | None:
    """Stored tensor that is dequantised, and perhaps moved, to give a value."""
    maker = edited.maker(value)
    while maker is not None and maker.op_type in _MOVES:
        maker = edited.maker(maker.input[0])
    if maker is None or maker.op_type != "DequantizeLinear":
        return None
    return _stored(edited, maker.input[0], maker.input[1:])


def _flipped(array: np.ndarray) -> np.ndarray:
    """The same bytes of the other sign: each element 128 more or less."""
    other = np.dtype(np.uint8 if array.dtype == np.int8 else np.int8)
    return (array.astype(np.int16) + (_HALF if other == np.uint8 else -_HALF)).astype(other)


def _make_alike(edited: EditableModel, layer: Any, replacements: dict[str, list[Any]]) -> None:
    places = (0, 1) if layer.op_type in _PRODUCTS else (0,)
    operands = [_dequantized(edited, layer.input[place]) for place in places]
    goal = _goal(edited, layer)
    if None in operands:
        return
    before: list[Any] = []
    if any(one is not None and one.dtype == np.int8 for one in (operands[0], goal, *_activations(edited, operands))):
        for place, operand in zip(places, operands, strict=True):
            if operand is not None and operand.dtype == np.uint8:
                nodes, layer.input[place] = _signed_real(edited, layer, place, operand)
                before += nodes
        if goal is not None and goal.dtype == np.uint8:
            zero_point = edited.add_constant(_flipped(goal.zero), f"{goal.tensor}/zero_point")
            quantize = next(node for node in edited.nodes if goal.tensor in node.output)
            stored = f"{goal.tensor}/alike"
            made = made_node("QuantizeLinear", [quantize.input[0], goal.scale, zero_point], stored, stored)
            replacements[goal.tensor] = [made, *_converted(stored, zero_point, goal, goal.tensor)]
    if before:
        replacements[layer.output[0]] = [*before, layer]


def _activations(edited: EditableModel, operands: Sequence[_Stored | None]) -> list[_Stored]:
    return [one for one in operands if one is not None and edited.constant(one.tensor) is None]


def _goal(edited: EditableModel, layer: Any) -> _Stored | None:
    """Stored tensor that a layer's result is quantised to; None: something else reads it."""
    reader = edited.reader(layer.output[0])
    while reader is not None and reader.op_type in _BETWEEN:
        reader = edited.reader(reader.output[0])
    if reader is None or reader.op_type != "QuantizeLinear":
        return None
    return _stored(edited, reader.output[0], reader.input[1:])


def _signed_real(edited: EditableModel, layer: Any, place: int, operand: _Stored) -> tuple[list[Any], str]:
    """The same real operand by way of `i8`: nodes that make it, and its name."""
    near = f"{layer.output[0]}/operand{place}"
    zero_point = edited.add_constant(_flipped(operand.zero), f"{near}/zero_point")
    constant = edited.constant(operand.tensor)
    maker = edited.maker(layer.input[place])
    if constant is not None and maker is not None and maker.op_type == "DequantizeLinear":
        stored = edited.add_constant(_flipped(constant), f"{near}/stored")
        dequantize = made_node("DequantizeLinear", [stored, operand.scale, zero_point], f"{near}/real", near)
        dequantize.attribute.extend(maker.attribute)
        return [dequantize], dequantize.output[0]
    given = [layer.input[place], operand.scale, zero_point]
    stored, real = f"{near}/stored", f"{near}/real"
    return [
        made_node("QuantizeLinear", given, stored, stored),
        made_node("DequantizeLinear", [stored, *given[1:]], real, real),
    ], real


def _converted(stored: str, zero_point: str, goal: _Stored, output: str) -> list[Any]:
    """Nodes that convert a stored tensor to the type and zero point of `goal`; the real numbers stay the same."""
    real = f"{output}/real"
    wanted = [goal.scale, *([goal.zero_point] if goal.zero_point else [])]
    return [
        made_node("DequantizeLinear", [stored, goal.scale, zero_point], real, real),
        made_node("QuantizeLinear", [real, *wanted], output, output),
    ]


def _make_stored_alike(edited: EditableModel, layer: Any, replacements: dict[str, list[Any]]) -> None:
    place = _STORED[layer.op_type]
    output = layer.output[0]
    operands = {at: _stored(edited, layer.input[at], layer.input[at + 1 : at + 3]) for at in (0, 3)}
    goal = _stored(edited, output, layer.input[place : place + 2])
    if goal is None or None in operands.values():
        return
    if all(one.dtype == np.uint8 for one in (operands[0], goal, *_activations(edited, [operands[3]])) if one):
        return
    made = type(layer)()
    made.CopyFrom(layer)
    nodes: list[Any] = []
    for at, operand in operands.items():
        if operand is not None and operand.dtype == np.uint8:
            before, made.input[at], made.input[at + 2] = _signed_stored(edited, operand, f"{output}/operand{at}")
            nodes += before
    nodes.append(made)
    if goal.dtype == np.uint8:
        made.output[0] = f"{output}/alike"
        made.input[place + 1] = edited.add_constant(_flipped(goal.zero), f"{output}/zero_point")
        nodes += _converted(made.output[0], made.input[place + 1], goal, output)
    if made != layer:
        replacements[output] = nodes


def _signed_stored(edited: EditableModel, operand: _Stored, near: str) -> tuple[list[Any], str, str]:
    """The same operand as `i8`: nodes that make it, its name and that of its zero point."""
    zero_point = edited.add_constant(_flipped(operand.zero), f"{near}/zero_point")
    constant = edited.constant(operand.tensor)
    if constant is not None:
        return [], edited.add_constant(_flipped(constant), f"{near}/stored"), zero_point
    real, stored = f"{near}/real", f"{near}/stored"
    given = [operand.tensor, operand.scale, *([operand.zero_point] if operand.zero_point else [])]
    return (
        [
            made_node("DequantizeLinear", given, real, real),
            made_node("QuantizeLinear", [real, operand.scale, zero_point], stored, stored),
        ],
        stored,
        zero_point,
    )
