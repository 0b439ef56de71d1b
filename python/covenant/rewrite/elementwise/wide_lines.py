"""Rewrites affine functions of 16-bit elements, which have no table, into convolutions of one element a channel.

A BatchNormalization, and chains of sums and products with numbers, to a HardSigmoid, Relu or Clip at most. A weight of
127 and a bias in its units are a factor and an offset to more digits than elements have. ONNX Runtime rounds on the
way: elements may be a step away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, attributes_of
from covenant.model.element_types import is_byte, limits
from covenant.model.stored_values import Meaning, Steps, goal_of, meaning_of, real_vector

__all__ = ["wide_lines"]

_WEIGHT = 127
_MOST_SUM = 2**31 - 1
_FINEST = 2.0**-6
"""Steps of the result: no unit of a bias is larger."""
_FARTHEST = 2.0**18
"""Steps of the result: offsets that f32 holds to a fraction of one."""
_CHANNELS = (3, 4)
"""Ranks of tensors that a convolution takes."""
_NUMBERS = frozenset({"Add", "Div", "Mul", "Neg", "Sub"})
_BOUNDS = frozenset({"Clip", "Relu"})
_CHAINED = _NUMBERS | _BOUNDS | {"BatchNormalization", "HardSigmoid"}


@dataclass(frozen=True)
class _Line:
    """A factor and an offset for each channel, [channels] or of one element; the result is limited to two numbers."""

    factor: np.ndarray
    offset: np.ndarray
    least: float = -np.inf
    most: float = np.inf

    def then(self, factor: Any, offset: Any) -> _Line:
        """The line followed by another one."""
        ends = (
            sorted(end * factor + offset for end in (self.least, self.most)) if self.is_bounded else [-np.inf, np.inf]
        )
        return _Line(self.factor * factor, self.offset * factor + offset, *ends)

    def within(self, least: float, most: float) -> _Line:
        """No less and no more than two numbers."""
        ends = (float(np.clip(end, least, most)) for end in (self.least, self.most))
        return replace(self, least=next(ends), most=next(ends))

    @property
    def is_bounded(self) -> bool:
        """Whether it has an end."""
        return bool(np.isfinite(self.least) or np.isfinite(self.most))

    @property
    def is_usable(self) -> bool:
        """Whether a weight says it."""
        return bool(np.isfinite(self.factor).all() and np.isfinite(self.offset).all() and self.factor.all())


def wide_lines(model: EditableModel) -> dict[str, Sequence[Any]]:
    """Rewrites lines between a DequantizeLinear and a QuantizeLinear of more than 8 bits, unless they leave 32 bits."""
    replacements: dict[str, Sequence[Any]] = {}
    for dequantize in model.nodes:
        if dequantize.op_type != "DequantizeLinear" or model.constant(dequantize.input[0]) is not None:
            continue
        source = meaning_of(model, dequantize)
        if source is not None and not is_byte(source.zero.dtype) and source.step > 0:
            for node in model.readers(dequantize.output[0]):
                if node.op_type in _CHAINED:
                    replacements |= _replaced(model, node, dequantize.output[0], source)
    return replacements


def _replaced(model: EditableModel, node: Any, real: str, source: Meaning) -> dict[str, Sequence[Any]]:
    """The chain that begins with a node on a dequantised tensor as a convolution; empty if it stays."""
    shape = model.shape(real)
    if not shape:
        return {}
    line, value, last, is_bound = _Line(np.ones(1), np.zeros(1)), real, node, True
    while last is not None and (found := _after(model, line, last, value, shape)) is not None:
        line, value, is_bound = found, last.output[0], is_bound and last.op_type in _BOUNDS
        last = model.reader(value)
    goal = goal_of(model, value)
    if goal is None or is_bound or not line.is_usable:  # bounds alone are layers
        return {}
    made = _convolution(model, _named(node, value), real, (source, goal[1]), line)
    return {} if made is None else {value: made}


def _after(model: EditableModel, line: _Line, node: Any, value: str, shape: tuple[int, ...]) -> _Line | None:
    """A line and a node after it; None if the node is no part of a chain."""
    attributes = attributes_of(node)
    if node.domain not in ("", "ai.onnx") or model.shape(node.output[0]) != shape:
        return None
    if node.op_type == "HardSigmoid":
        return line.then(attributes.get("alpha", 0.2), attributes.get("beta", 0.5)).within(0, 1)
    if node.op_type in _BOUNDS and node.input[0] == value:
        ends = _ends_of(model, node)
        return None if ends is None else line.within(*ends)
    if node.op_type == "BatchNormalization":
        found = _normalisation(model, node, shape[1]) if len(shape) > 1 and node.input[0] == value else None
        return None if found is None or line.is_bounded else line.then(*found)
    return _with_number(model, line, node, value)


def _ends_of(model: EditableModel, node: Any) -> tuple[float, float] | None:
    """Numbers between which a Relu or Clip holds its operand; None if they are not constant."""
    if node.op_type == "Relu":
        return 0.0, np.inf
    stated = [
        _number(model, value) if value else end
        for value, end in zip([*node.input[1:], "", ""], (-np.inf, np.inf), strict=False)
    ]
    return None if node.attribute or None in stated or stated[0] > stated[1] else (stated[0], stated[1])


def _with_number(model: EditableModel, line: _Line, node: Any, value: str) -> _Line | None:
    """A sum or a product with a number."""
    if node.op_type == "Neg":
        return line.then(-1, 0)
    if node.op_type not in _NUMBERS or len(node.input) != 2 or node.input[0] == node.input[1]:
        return None
    place = list(node.input).index(value)
    number = _number(model, node.input[1 - place])
    if number is None or (node.op_type == "Div" and (place == 1 or number == 0)):
        return None
    steps = {
        "Add": (1, number), "Mul": (number, 0), "Div": (1 / number if number else 0, 0),
        "Sub": (1, -number) if place == 0 else (-1, number),
    }  # fmt: skip
    return line.then(*steps[node.op_type])


def _number(model: EditableModel, value: str) -> float | None:
    """A float constant of one element: stored ones are operands of layers."""
    real = model.constant(value)
    return float(real.reshape(-1)[0]) if real is not None and real.size == 1 and real.dtype == np.float32 else None


def _normalisation(model: EditableModel, node: Any, channels: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Factors and offsets, [channels] each; None if they are not constant."""
    known = [real_vector(model, value) for value in node.input[1:5]]
    attributes = attributes_of(node)
    if attributes.get("training_mode", 0) or any(node.output[1:]):
        return None
    if any(one is None or one.shape != (channels,) for one in known):
        return None
    gain, offset, mean, variance = (one.astype(np.float64) for one in known if one is not None)
    with np.errstate(all="ignore"):
        factor = gain / np.sqrt(variance + attributes.get("epsilon", 1e-5))
        return factor, offset - mean * factor


def _convolution(
    model: EditableModel, node: Any, real: str, ends: tuple[Meaning, Meaning], line: _Line
) -> list[Any] | None:
    """Nodes from a dequantised tensor to what `node` makes; None where biases do not fit."""
    (source, goal), shape = ends, model.shape(real) or ()
    image = shape if len(shape) in _CHANNELS else _image(shape)
    factor, offset = (np.broadcast_to(one, (image[1],)) for one in (line.factor, line.offset))
    scales = (np.abs(factor) / _WEIGHT).astype(np.float32)
    units = (source.step * scales).astype(np.float32)
    least, most = limits(source.zero.dtype)
    with np.errstate(all="ignore"):
        biases = np.rint(offset / units)
    has_room = np.abs(biases) <= _MOST_SUM - _WEIGHT * (most - least)
    is_fine = (units > 0) & (units <= goal.step * _FINEST) & (np.abs(offset) <= goal.step * _FARTHEST)
    if not (np.isfinite(biases) & has_room & is_fine).all():
        return None
    steps, channels, kernel = Steps(model, node), image[1], [1] * (len(image) - 2)
    weights = (_WEIGHT * np.sign(factor)).astype(np.int8).reshape(channels, 1, *kernel)
    held = {"weights": (weights, scales, np.int8(0)), "biases": (biases.astype(np.int32), units, np.int32(0))}
    operands = [
        steps.add("DequantizeLinear", [*map(steps.constant, (array, scale, np.full(channels, zero)))], what, axis=0)
        for what, (array, scale, zero) in held.items()
    ]
    flat = real if image == shape else steps.reshape(real, image, "image")
    names = ["convolved"] * line.is_bounded + ["bounded"] * (image != shape) + [""]
    made = steps.add("Conv", [flat, *operands], names.pop(0), group=channels, kernel_shape=kernel)
    if line.is_bounded:
        ends = [steps.constant(np.float32(end)) if np.isfinite(end) else "" for end in (line.least, line.most)]
        made = steps.add("Clip", [made, *ends], names.pop(0))
    if image != shape:
        steps.reshape(made, shape, names.pop(0))
    return steps.made


def _image(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that a convolution takes, of the same elements in their order."""
    if len(shape) <= 2:
        return (1, *shape, 1)[-3:]
    return (*shape[:3], int(np.prod(shape[3:])))


def _named(node: Any, value: str) -> Any:
    """A node called as the first of a chain that makes what the last one does."""
    made = type(node)()
    made.CopyFrom(node)
    made.output[0] = value
    return made
