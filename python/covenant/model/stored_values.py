"""Scales and zero points of stored values, and builders of the nodes that replace another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.model.editable_model import EditableModel, made_node
from covenant.model.element_types import limits
from covenant.model.kernels import MOVEMENTS, ZERO_POINT_OF_OUTPUT

__all__ = ["Meaning", "Steps", "axes_of", "goal_of", "meaning_of", "real_constant", "real_vector", "stored_meaning"]

_KEEPING = frozenset({"Clip", "MaxPool", "Relu"})
"""Operators on stored values whose result means what their operand does."""


@dataclass(frozen=True)
class Meaning:
    """Names of the constants that say what stored values mean, and what they are."""

    scale: str
    zero_point: str
    step: np.float32
    zero: np.ndarray
    """One element of the stored dtype."""

    @property
    def lowest(self) -> int:
        """The least stored element."""
        return limits(self.zero.dtype)[0]

    @property
    def highest(self) -> int:
        """The greatest stored element."""
        return limits(self.zero.dtype)[1]

    def is_like(self, other: Meaning) -> bool:
        """Whether stored values mean the same under both."""
        return self.step == other.step and self.zero == other.zero and self.zero.dtype == other.zero.dtype

    def stored(self, real: np.ndarray) -> np.ndarray:
        """QuantizeLinear."""
        steps = np.rint(real.astype(np.float32) / self.step) + np.float32(self.zero)
        return np.clip(steps, self.lowest, self.highest).astype(self.zero.dtype)

    def real(self, stored: np.ndarray) -> np.ndarray:
        """DequantizeLinear. A mask may have an infinite step, of which none at all is no number: as in ONNX Runtime."""
        with np.errstate(invalid="ignore", over="ignore"):
            return (stored.astype(np.int32) - self.zero.astype(np.int32)).astype(np.float32) * self.step


def axes_of(stated: np.ndarray, rank: int) -> list[int] | None:
    """Axes as they are stated, none counted from the end; None if one is outside of the rank or named twice."""
    axes = [int(axis) for axis in stated.reshape(-1)]
    wrapped = [axis + rank if axis < 0 else axis for axis in axes]
    is_right = all(-rank <= axis < rank for axis in axes) and len(set(wrapped)) == len(wrapped)
    return wrapped if is_right else None


def meaning_of(model: EditableModel, node: Any, place: int = 1) -> Meaning | None:
    """Meaning that a node's inputs from `place` on give: one scale for the whole tensor, and its zero point."""
    names = [*node.input[place : place + 2], ""][:2]
    scale = model.constant(names[0])
    if scale is None or scale.size != 1:
        return None
    zero = model.constant(names[1]) if names[1] else np.zeros((), np.uint8)
    if zero is None:
        return None
    return Meaning(*names, np.float32(scale.reshape(-1)[0]), zero.reshape(-1)[:1].reshape(()))


def stored_meaning(model: EditableModel, value: str) -> Meaning | None:
    """Meaning of a stored tensor's elements, from the node that has made it, or from one that dequantises it."""
    maker = model.maker(value)
    while maker is not None and (maker.op_type in MOVEMENTS or maker.op_type in _KEEPING):
        value = maker.input[0]
        maker = model.maker(value)
    if maker is not None:
        zero = 2 if maker.op_type == "QuantizeLinear" else ZERO_POINT_OF_OUTPUT.get(maker.op_type)
        return None if zero is None else meaning_of(model, maker, zero - 1)
    said = [reader for reader in model.readers(value) if reader.op_type == "DequantizeLinear"]
    return meaning_of(model, said[0]) if said else None


def goal_of(model: EditableModel, value: str) -> tuple[Any, Meaning] | None:
    """The QuantizeLinear that alone reads a value, and what it makes of it."""
    reader = model.reader(value)
    if reader is None or reader.op_type != "QuantizeLinear":
        return None
    meaning = meaning_of(model, reader)
    return None if meaning is None else (reader, meaning)


def real_constant(model: EditableModel, value: str) -> np.ndarray | None:
    """An f32 initialiser, or one that is dequantised."""
    maker = model.maker(value)
    if maker is None or maker.op_type != "DequantizeLinear":
        return model.constant(value)
    stored, meaning = model.constant(maker.input[0]), meaning_of(model, maker)
    return None if stored is None or meaning is None else meaning.real(stored)


def real_vector(model: EditableModel, value: str) -> np.ndarray | None:
    """A constant vector, as it is or dequantised with a scale for each element, or one for all."""
    maker = model.maker(value)
    if maker is None or maker.op_type != "DequantizeLinear":
        return model.constant(value)
    stored, *meaning = (model.constant(one) for one in maker.input if one)
    if stored is None or any(one is None for one in meaning):
        return None
    zero = meaning[1] if len(meaning) > 1 else np.zeros((), np.int32)
    whole = np.int64(stored) - np.int64(zero)  # type: ignore[arg-type]
    return whole.astype(np.float32) * np.asarray(meaning[0], np.float32)


class Steps:
    """Nodes one after the other that end in what `node` makes, named after it."""

    def __init__(self, model: EditableModel, node: Any) -> None:
        self.made: list[Any] = []
        self._model = model
        self._output = node.output[0]
        self._name = node.name or node.output[0]

    def constant(self, array: np.ndarray) -> str:
        """The name of a new initialiser."""
        return self._model.add_constant(array, self._output)

    def add(self, operator: str, inputs: Sequence[str], what: str = "", domain: str = "", **attributes: Any) -> str:
        """The value that it makes; `what` names it, nothing: the last step."""
        output = f"{self._output}/{what}" if what else self._output
        name = f"{self._name}/{what}" if what else self._name
        self.made.append(made_node(operator, inputs, output, name, domain, **attributes))
        return output

    def reshape(self, value: str, shape: Sequence[int], what: str = "") -> str:
        """A Reshape to a constant shape; `what` as for `add`."""
        return self.add("Reshape", [value, self.constant(np.array(shape, np.int64))], what)

    def under(self, goal: Meaning, value: str, what: str) -> str:
        """A real value quantised and dequantised."""
        stored = self.add("QuantizeLinear", [value, goal.scale, goal.zero_point], f"{what}/stored")
        return self.add("DequantizeLinear", [stored, goal.scale, goal.zero_point], f"{what}/real")

    def real(self, goal: Meaning, stored: np.ndarray, what: str) -> str:
        """A stored constant, dequantised."""
        return self.add("DequantizeLinear", [self.constant(stored), goal.scale, goal.zero_point], what)
