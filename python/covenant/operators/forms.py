"""Forms of an operator in quantised models, each a small model that is compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covenant.operators.little_model import ELEMENTS, Bias, Input, LittleModel, Real, Stored, Weights

__all__ = ["QDQ", "QOPERATOR", "Alone", "Form", "Operand", "qdq", "stored"]

QDQ, QOPERATOR = "QDQ", "QOperator"
Operand = Input | Weights | Bias | Real | Stored | None


@dataclass(frozen=True)
class Form:
    """One operator, in one spelling."""

    operator: str
    """Operator with its domain, if that is not ONNX's own."""
    style: str
    """`QDQ` or `QOPERATOR`."""
    build: Callable[[LittleModel], list[str]] = field(repr=False)
    """Adds what makes the stored results."""
    close: Callable[[LittleModel], list[str]] | None = field(default=None, repr=False)
    """Adds it as the end of a model, in float; its results. None: it cannot be one."""
    about: str = ""
    """Words that tell it from other forms of the operator."""
    opset: int = 21
    elements: tuple[str, ...] = tuple(ELEMENTS)
    """Elements that the form exists with; QOperator models have bytes alone."""
    closes_with: Any = np.float32
    """Type of the results of `close`."""
    keeps: bool = False
    """The results have the scale of the operand."""

    @property
    def name(self) -> str:
        """`Conv, depthwise`."""
        return f"{self.operator}, {self.about}" if self.about else self.operator

    def middle(self, elements: str, *, behind_a_layer: bool = False) -> Any:
        """An `onnx.ModelProto`: quantised results of the operator on quantised operands."""
        model = LittleModel(elements, self.opset, behind_a_layer)
        made = self.build(model)
        scale = model.input_scale if self.keeps else model.output_scale
        return model.model([model.dequantize(value, scale) for value in made])

    def end(self, elements: str) -> Any | None:
        """An `onnx.ModelProto`: the operator makes the outputs, from what a quantised layer has made."""
        if self.close is None:
            return None
        model = LittleModel(elements, self.opset, behind_a_layer=True)
        return model.model(self.close(model), self.closes_with)


def qdq(
    operator: str, *operands: Operand, about: str = "", opset: int = 21, outputs: int = 1, quantized: int = 1,
    cast: bool = False, keeps: bool = False, closes_with: Any = np.float32, **attributes: Any,
) -> Form:  # fmt: skip
    """A float operator between DequantizeLinear and QuantizeLinear.

    Args:
        operator: with its domain, if it is not ONNX's own.
        operands: in the operator's order; None is left out.
        about: see `Form`.
        opset: of the model.
        outputs: that the node has.
        quantized: of these, how many are.
        cast: the result is no float, and made one before it is quantised.
        keeps: the result has the scale of the operand.
        closes_with: type of the result.
        attributes: of the node.
    """

    def close(model: LittleModel) -> list[str]:
        names = [model.real_operand(operand) for operand in operands]
        return model.add(operator, names, outputs, **attributes)[:quantized]

    def build(model: LittleModel) -> list[str]:
        made = close(model)
        if cast:
            made = [model.add("Cast", [value], to=1)[0] for value in made]
        return [model.quantize(value, model.input_scale if keeps else model.output_scale) for value in made]

    return Form(operator, QDQ, build, close, about, opset, closes_with=closes_with, keeps=keeps)


def stored(operator: str, *operands: Any, about: str = "", outputs: int = 1, **attributes: Any) -> Form:
    """An operator on stored elements.

    Args:
        operator: with its domain, if it is not ONNX's own.
        operands: in the operator's order; stored elements, scale and zero point stand in the place of an `Input` or of
            `Weights`; "scale" and "zero" are those of the result.
        about: see `Form`.
        outputs: that the node has.
        attributes: of the node.
    """

    def build(model: LittleModel) -> list[str]:
        names = [name for operand in operands for name in _stored_operand(model, operand)]
        return model.add(operator, names, outputs, **attributes)

    keeps = any(isinstance(operand, Alone) for operand in operands)
    told = about or ("on stored elements" if keeps else "")
    return Form(operator, QOPERATOR, build, None, told, elements=("i8", "u8"), keeps=keeps)


@dataclass(frozen=True)
class Alone:
    """Stored elements of an operand, without scale and zero point."""

    shape: tuple[int, ...]


def _stored_operand(model: LittleModel, operand: Any) -> list[str]:
    match operand:
        case "scale":
            names = [model.scale()]
        case "zero":
            names = [model.zero]
        case Alone():
            names = [model.input(operand.shape)]
        case Input():
            names = [model.input(operand.shape), model.scale(model.input_scale), model.zero]
        case Weights():
            names = list(model.weights(operand))
        case Bias():
            names = [model.bias(operand)]
        case _:
            names = [model.plain_operand(operand)]
    return names
