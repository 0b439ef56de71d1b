"""Builds small quantised models node by node, without any part of the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

TYPES = {"i8": np.int8, "u8": np.uint8}
ELEMENTS = {"i8": TensorProto.INT8, "u8": TensorProto.UINT8}


class StoredModel:
    """Nodes, constants and inputs of a model, with random numbers of a fixed seed.

    Attributes:
        random: of weights and inputs.
        inputs: what the model is run on.
    """

    def __init__(self, opset: int = 17, dtype: str = "i8", seed: int = 7) -> None:
        self.opset, self.dtype = opset, dtype
        self.random = np.random.default_rng(seed)
        self.inputs: dict[str, np.ndarray] = {}
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def _name(self, what: str) -> str:
        self._count += 1
        return f"{what}{self._count}"

    def constant(self, array: Any, dtype: Any = np.float32) -> str:
        """An initialiser."""
        name = self._name("c")
        self._constants.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def integers(self, *values: int) -> str:
        """A vector of i64."""
        return self.constant(values, np.int64)

    def node(self, operation: str, inputs: Sequence[str], count: int = 1, domain: str = "", **attributes: Any) -> Any:
        """A node; the name, or the names, of what it makes."""
        names = [self._name("t") for _ in range(count)]
        self._nodes.append(
            helper.make_node(operation, list(inputs), names, self._name(operation), domain=domain, **attributes)
        )
        return names[0] if count == 1 else names

    def input(self, *shape: int, spread: float = 1.0) -> str:
        """A float input."""
        name = self._name("x")
        self.inputs[name] = self.random.normal(0, spread, shape).astype(np.float32)
        return name

    def stored(self, *shape: int) -> str:
        """A stored input, over the whole range of its elements."""
        name = self._name("q")
        limits = np.iinfo(TYPES[self.dtype])
        self.inputs[name] = self.random.integers(limits.min, limits.max + 1, shape).astype(TYPES[self.dtype])
        return name

    def quantized(self, *shape: int, scale: float, zero: int) -> list[str]:
        """A float input, stored; with its scale and zero point, as operators on stored tensors read it."""
        steps = self.steps(scale, zero)
        return [self.node("QuantizeLinear", [self.input(*shape), *steps]), *steps]

    def steps(self, scale: float, zero: int, dtype: str = "") -> list[str]:
        """A scale and a zero point."""
        return [self.constant(scale), self.constant(zero, TYPES[dtype or self.dtype])]

    def pair(self, value: str, scale: float, zero: int = 0, dtype: str = "") -> str:
        """QuantizeLinear and DequantizeLinear."""
        steps = self.steps(scale, zero, dtype)
        return self.node("DequantizeLinear", [self.node("QuantizeLinear", [value, *steps]), *steps])

    def image(self, *shape: int, scale: float = 0.02, zero: int = 5) -> str:
        """A quantised input."""
        return self.pair(self.input(*shape), scale, zero)

    def weights(self, *shape: int, scales: Any = 0.01, zeros: Any = 0, axis: int | None = None, most: int = 127) -> str:
        """Stored weights, dequantised; `scales` and `zeros` may have one element for each index of `axis`."""
        stored = self.random.integers(-most, most + 1, shape)
        return self.real(stored, scales, zeros, axis)

    def real(self, stored: Any, scales: Any, zeros: Any = 0, axis: int | None = None, dtype: str = "i8") -> str:
        """A stored constant, dequantised."""
        zeros = np.broadcast_to(np.asarray(zeros), np.shape(scales))
        names = [self.constant(stored, TYPES[dtype]), self.constant(scales), self.constant(zeros, TYPES[dtype])]
        return self.node("DequantizeLinear", names, **({} if axis is None else {"axis": axis}))

    def bias(self, scales: Any, count: int, zeros: Any = None) -> str:
        """An i32 bias, dequantised."""
        names = [self.constant(self.random.integers(-2000, 2001, count), np.int32), self.constant(scales)]
        if zeros is not None:
            names.append(self.constant(zeros, np.int32))
        return self.node("DequantizeLinear", names, **({"axis": 0} if np.ndim(scales) else {}))

    def output(self, value: str, element: int = TensorProto.FLOAT) -> None:
        """An output of the model."""
        self._outputs.append(helper.make_tensor_value_info(value, element, None))

    def closed(self, value: str, scale: float = 0.05, zero: int = 3) -> StoredModel:
        """The model, its last value quantised."""
        self.output(self.pair(value, scale, zero))
        return self

    def moved(self, value: str, scale: float = 0.02, zero: int = 5) -> StoredModel:
        """The model, its last value quantised and doubled: a machine has something to do."""
        real = self.pair(value, scale, zero)
        return self.closed(self.node("Add", [real, real]))

    def model(self) -> Any:
        """The `onnx.ModelProto`, with the shapes that ONNX infers."""
        entries = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.inputs.items()
        ]
        graph = helper.make_graph(self._nodes, "stored", entries, self._outputs, self._constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=8 if self.opset < 19 else 10)
        inferred = {entry.name: entry for entry in onnx.shape_inference.infer_shapes(made).graph.output}
        for entry in made.graph.output:
            if inferred[entry.name].type.tensor_type.HasField("shape"):
                entry.CopyFrom(inferred[entry.name])
        return made
