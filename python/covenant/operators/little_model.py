"""Models of one operator, small enough to be compiled in a moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covenant.model.element_types import element_type, limits

__all__ = ["ELEMENTS", "Bias", "Input", "LittleModel", "Real", "Stored", "Weights"]

ELEMENTS = {
    f"{'i' if signed else 'u'}{width}": (width, signed) for width in (8, 4, 16) for signed in (True, False)
}  # fmt: skip
"""Types of elements: name -> bits, and whether they have a sign."""
_SCALE = np.float32(0.05)
_WEIGHT_SCALE = np.float32(0.02)


@dataclass(frozen=True)
class Input:
    """A tensor that the operator takes from the layers before it."""

    shape: tuple[int, ...]


@dataclass(frozen=True)
class Weights:
    """A quantised constant."""

    shape: tuple[int, ...]
    is_operand: bool = False
    """Whether it has the type of the activations, not of weights."""


@dataclass(frozen=True)
class Bias:
    """32-bit integers at the scale of the input times that of the weights."""

    length: int


@dataclass(frozen=True)
class Real:
    """A constant in single precision, one element for each of `shape`, evenly between `least` and `most`."""

    shape: tuple[int, ...]
    least: float = 0.5
    most: float = 1.5


@dataclass(frozen=True)
class Stored:
    """A constant of any other type: indices, shapes, counts."""

    elements: Any
    dtype: str = "int64"


@dataclass
class LittleModel:
    """Collects the nodes of one model.

    Args:
        elements: of its activations, a key of `ELEMENTS`.
        opset: of ONNX's own operators.
        behind_a_layer: what the operator reads has been made by a quantised layer, no QuantizeLinear.
    """

    elements: str
    opset: int = 21
    behind_a_layer: bool = False
    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the activations."""
        width, signed = ELEMENTS[self.elements]
        return element_type(width, signed=signed)

    @property
    def zero(self) -> str:
        """The zero point of the activations: in the middle of what has no sign, as ONNX Runtime's quantiser has it."""
        least, most = limits(self.dtype)
        return self.constant(np.asarray((least + most + 1) // 2).astype(self.dtype))

    @property
    def output_scale(self) -> np.float32:
        """Scale of the operator's result."""
        return _SCALE

    @property
    def input_scale(self) -> np.float32:
        """Scale of the operator's input."""
        return _SCALE * np.float32(2 if self.behind_a_layer else 1)

    def scale(self, value: float = _SCALE) -> str:
        """A constant of one element."""
        return self.constant(np.asarray(value, np.float32))

    def constant(self, array: np.ndarray) -> str:
        """The name of a new initialiser."""
        from onnx import numpy_helper  # noqa: PLC0415  (import costs; other commands do not pay)

        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, operands: list[str], outputs: int = 1, **attributes: Any) -> list[str]:
        """The outputs of a new node; `operator` may have a domain before it: com.microsoft.QGemm."""
        from onnx import helper  # noqa: PLC0415

        domain, _, name = operator.rpartition(".")
        made = [f"{name}{len(self.nodes)}_{place}" for place in range(outputs)]
        label = f"{name}{len(self.nodes)}"
        self.nodes.append(helper.make_node(name, operands, made, label, domain=domain, **attributes))
        return made

    def quantize(self, real: str, scale: float = _SCALE) -> str:
        """Stored elements of a tensor in single precision."""
        return self.add("QuantizeLinear", [real, self.scale(scale), self.zero])[0]

    def dequantize(self, stored: str, scale: float = _SCALE) -> str:
        """The other way."""
        return self.add("DequantizeLinear", [stored, self.scale(scale), self.zero])[0]

    def input(self, shape: tuple[int, ...]) -> str:
        """Stored elements of a new graph input, or of a layer that adds it to itself; `input_scale` is theirs."""
        from onnx import TensorProto, helper  # noqa: PLC0415

        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        stored = self.quantize(name)
        if not self.behind_a_layer:
            return stored
        real = self.dequantize(stored)
        return self.quantize(self.add("Add", [real, real])[0], self.input_scale)

    def weights(self, operand: Weights) -> tuple[str, str, str]:
        """Stored elements, scale and zero point; weights are of 8 bits at most, with a sign, about 0."""
        width, signed = ELEMENTS[self.elements]
        dtype = element_type(width if operand.is_operand else min(width, 8), signed=signed or not operand.is_operand)
        least, most = limits(dtype)
        count = int(np.prod(operand.shape))
        elements = np.arange(count, dtype=np.int64) * 7 % (most - least - 1) + least + 1
        stored = self.constant(elements.reshape(operand.shape).astype(dtype))
        return stored, self.scale(_WEIGHT_SCALE), self.constant(np.zeros((), dtype))

    def bias(self, operand: Bias) -> str:
        """Stored elements of a bias."""
        return self.constant(np.arange(operand.length, dtype=np.int32) * 3 - operand.length)

    def real_operand(self, operand: Any) -> str:
        """An operand as an operator of a QDQ model reads it."""
        match operand:
            case Input():
                return self.dequantize(self.input(operand.shape), self.input_scale)
            case Weights():
                return self.add("DequantizeLinear", list(self.weights(operand)))[0]
            case Bias():
                scale = self.scale(self.input_scale * _WEIGHT_SCALE)
                return self.add("DequantizeLinear", [self.bias(operand), scale])[0]
        return self.plain_operand(operand)

    def plain_operand(self, operand: Any) -> str:
        """A constant that is not quantised; None is an operand that is left out."""
        match operand:
            case Real():
                count = int(np.prod(operand.shape))
                elements = np.linspace(operand.least, operand.most, count, dtype=np.float32)
                return self.constant(elements.reshape(operand.shape))
            case Stored():
                return self.constant(np.asarray(operand.elements, operand.dtype))
            case None:
                return ""
        raise TypeError(operand)

    def model(self, outputs: list[str], dtype: Any = np.float32) -> Any:
        """The `onnx.ModelProto` with these outputs, of shapes as they are inferred."""
        from onnx import helper, shape_inference  # noqa: PLC0415

        element = int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
        entries = [helper.make_tensor_value_info(name, element, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "little", self.inputs, entries, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        return shape_inference.infer_shapes(model)
