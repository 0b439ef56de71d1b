"""Writes QuantizeLinear and DequantizeLinear into a float model as tools other than ONNX Runtime's quantiser do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

TYPES = {"i8": np.dtype(np.int8), "u8": np.dtype(np.uint8)}
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")
MOVES = (
    "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Split", "Gather", "DepthToSpace",
    "SpaceToDepth", "Identity", "Dropout", "Tile", "Expand", "MaxPool", "GlobalMaxPool",
)  # fmt: skip
CLAMPS = ("Relu", "Clip")
NEVER_NEGATIVE = ("Relu", "Sigmoid", "Softmax", "HardSigmoid")


@dataclass(frozen=True)
class Exporter:
    """How a tool writes a quantised model."""

    activations: str = "i8"
    """i8, u8, or relu: u8 for what is never negative, i8 elsewhere."""
    symmetric: bool = True
    zero_points: bool = True
    """Whether zero points of 0 are written."""
    late: bool = False
    """Nothing is quantised in front of a movement or a MaxPool: what these move is."""
    weights: str = "stored"
    """stored, turned (stored another way round, and a Transpose after them), or float (a QuantizeLinear behind)."""
    weight_type: str = "i8"
    channels: bool = True
    """One scale for each output channel."""
    bias: str = "float"
    """float or i32."""
    constants: str = "float"
    """How constants of elementwise operators are written: float or stored."""
    keeps_scales: bool = True
    """Whether results of movements and of MaxPool keep the scale of their input."""
    cast: bool = False
    """Whether a Cast to the type that the tensor has already stands behind each QuantizeLinear."""
    turned_images: bool = False
    """Whether images have their channels last, and are transposed before and after each convolution and pool."""
    float_end: float = 0.0
    """How often the outputs of the model are not quantised."""


EXPORTERS = {
    "tensorrt": Exporter(zero_points=False, late=True, weights="float", float_end=0.5),
    "brevitas": Exporter(activations="relu"),
    "pytorch": Exporter(symmetric=False, cast=True, weights="turned"),
    "nncf": Exporter(activations="u8", symmetric=False, weights="float", keeps_scales=False),
    "aimet": Exporter(
        activations="u8", symmetric=False, weights="float", weight_type="u8", channels=False, bias="i32",
        constants="stored", keeps_scales=False,
    ),
    "tf2onnx": Exporter(symmetric=False, turned_images=True, weights="turned", constants="float", bias="i32"),
    "keras": Exporter(activations="u8", symmetric=False, turned_images=True, constants="stored", float_end=0.5),
}  # fmt: skip


class _Writer:
    """Writes the nodes of a float model again, with pairs of QuantizeLinear and DequantizeLinear between them."""

    def __init__(
        self, model: Any, exporter: Exporter, ranges: Mapping[str, tuple[float, float]], random: np.random.Generator
    ) -> None:
        self.model, self.exporter, self.ranges, self.random = model, exporter, ranges, random
        self.opset = model.opset_import[0].version
        self.values = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
        self.nodes: list[Any] = []
        self.constants: dict[str, np.ndarray] = {}
        self.real: dict[str, str] = {}
        self.scales: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self.readers: dict[str, list[Any]] = {}
        self.float_outputs: set[str] = set()  # read as they are stored, given as they were before
        self.makers = {name: node for node in model.graph.node for name in node.output}
        for node in model.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.outputs = {entry.name for entry in model.graph.output}
        self.keeps_end = random.random() < exporter.float_end
        self.domain = "com.microsoft" if random.random() < 0.08 else ""
        self.has_vectors = random.random() < 0.15  # scales of one element, as vectors

    def written(self) -> Any:
        """The whole model."""
        for entry in self.model.graph.input:
            if not all(self._is_hosted(node) for node in self.readers.get(entry.name, [])):
                self._pair(entry.name)
        for node in self.model.graph.node:
            self._node(node)
        graph = helper.make_graph(self.nodes, "exported", self.model.graph.input, [], [])
        for entry in self.model.graph.output:
            made = graph.output.add()
            made.CopyFrom(entry)
            if entry.name not in self.float_outputs:
                made.name = self.real.get(entry.name, entry.name)
        needed = {name for node in self.nodes for name in node.input}
        for name, array in (self.values | self.constants).items():
            if name in needed:
                graph.initializer.append(numpy_helper.from_array(array, name))
        opsets = [*self.model.opset_import, helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=self.model.ir_version)

    def _node(self, node: Any) -> None:
        copied = onnx.NodeProto()
        copied.CopyFrom(node)
        for place, name in enumerate(node.input):
            if name in self.values:
                copied.input[place] = self._constant(node, place, name)
            else:
                copied.input[place] = self.real.get(name, name)
        kernel = next((one.ints for one in node.attribute if one.name in ("kernel_shape", "strides")), [])
        of_images = node.op_type in ("Conv", "MaxPool", "AveragePool") and len(kernel) == 2
        if self.exporter.turned_images and of_images and self.random.random() < 0.6:
            self._turned(node, copied)
        else:
            self.nodes.append(copied)
        for name in node.output:
            if self._is_quantized(node, name):
                self._pair(name, node)

    def _turned(self, node: Any, copied: Any) -> None:
        """The node between an image with its channels last, and one that is turned back."""
        last, first = f"{node.name}_nhwc", f"{node.name}_nchw"
        self.nodes.append(helper.make_node("Transpose", [copied.input[0]], [last], perm=[0, 2, 3, 1]))
        self.nodes.append(helper.make_node("Transpose", [last], [first], perm=[0, 3, 1, 2]))
        copied.input[0] = first
        self.nodes.append(copied)

    def _is_hosted(self, node: Any) -> bool:
        """Whether a node widens an input: the host does."""
        return node.op_type == "Cast" and node.name == "widen"

    def _is_quantized(self, node: Any, name: str) -> bool:
        """Whether a pair stands behind a tensor."""
        readers = self.readers.get(name, [])
        if name not in self.ranges or not name:
            return False
        if name in self.outputs:
            if readers and self.random.random() < 0.3:
                self.float_outputs.add(name)
                return True
            return not self.keeps_end
        if len(readers) != 1:
            return True
        reader = readers[0].op_type
        is_fused = reader in CLAMPS and node.op_type in (*PRODUCTS, "Add", "BatchNormalization")
        is_normalised = reader == "BatchNormalization" and node.op_type in PRODUCTS
        is_moved = self.exporter.late and reader in MOVES and node.op_type != "Split"
        return not (is_fused or is_normalised or is_moved)

    def _pair(self, name: str, node: Any = None) -> None:
        """QuantizeLinear and DequantizeLinear behind a tensor."""
        if name not in self.ranges:
            return
        if node is not None and node.op_type in MOVES and self.exporter.keeps_scales and node.input[0] in self.scales:
            scale, zero = self.scales[node.input[0]]
        else:
            scale, zero = self._steps(name, node)
        self.scales[name] = scale, zero
        self.real[name] = self._quantized(name, name, scale, zero)

    def _steps(self, name: str, node: Any) -> tuple[np.ndarray, np.ndarray]:
        low, high = self.ranges[name]
        kind = self.exporter.activations
        if kind == "relu":
            kind = "u8" if node is not None and node.op_type in NEVER_NEGATIVE and low >= 0 else "i8"
        low, high = min(low, 0.0), max(high, 0.0)
        if self.exporter.symmetric:
            most = max(-low, high, 1e-6)
            return np.float32(most / (255 if kind == "u8" else 127)), np.zeros((), TYPES[kind])
        scale = np.float32(max(high - low, 1e-6) / 255)
        zero = np.rint(-low / scale) - (128 if kind == "i8" else 0)
        return scale, np.asarray(np.clip(zero, *((-128, 127) if kind == "i8" else (0, 255))), TYPES[kind])

    def _quantized(self, name: str, real: str, scale: np.ndarray, zero: np.ndarray, **axis: int) -> str:
        """The two nodes; the name of what comes out."""
        at, by = self._kept(f"{name}_scale", scale), self._kept(f"{name}_zero_point", zero)
        stored, back = f"{name}_quantized", f"{name}_dequantized"
        if self.exporter.zero_points or np.any(zero):
            self._step("QuantizeLinear", [real, at, by], stored, **axis)
            operands = [stored, at, by]
        elif self.opset >= 21 and self.random.random() < 0.7:
            kind = helper.np_dtype_to_tensor_dtype(zero.dtype)
            self._step("QuantizeLinear", [real, at], stored, output_dtype=kind, **axis)
            operands = [stored, at]
        else:
            self._step("QuantizeLinear", [real, at, by], stored, **axis)
            operands = [stored, at]
        if self.exporter.cast and not axis:
            kind = helper.np_dtype_to_tensor_dtype(zero.dtype)
            self.nodes.append(helper.make_node("Cast", [stored], [f"{stored}_cast"], to=kind))
            operands[0] = f"{stored}_cast"
        self._step("DequantizeLinear", operands, back, **axis)
        return back

    def _kept(self, name: str, array: np.ndarray) -> str:
        is_step = name.endswith(("_scale", "_zero_point"))
        self.constants[name] = np.reshape(array, 1) if self.has_vectors and is_step and np.ndim(array) == 0 else array
        return name

    def _step(self, operation: str, inputs: list[str], output: str, **attributes: int) -> None:
        """A QuantizeLinear or a DequantizeLinear."""
        domain = "" if "output_dtype" in attributes else self.domain
        name = f"{output}_{operation}"
        self.nodes.append(helper.make_node(operation, inputs, [output], name, domain=domain, **attributes))

    # ---- Constants

    def _constant(self, node: Any, place: int, name: str) -> str:
        array = self.values[name]
        if array.dtype != np.float32 or not np.all(np.isfinite(array)):
            return name
        if node.op_type in PRODUCTS and place < 2:
            return self._weights(node, place, name)
        if node.op_type in PRODUCTS and place == 2:
            return self._bias(node, name)
        if node.op_type in ("Add", "Mul", "Sub", "Div", "Max", "Min", "Concat") and self.exporter.constants == "stored":
            most = np.float32(max(np.abs(array).max(), 1e-6) / 127)
            stored = np.clip(np.rint(array / most), -127, 127)
            zero = 128 if self.exporter.activations == "u8" else 0
            kind = TYPES["u8" if zero else "i8"]
            made = self._kept(f"{name}_quantized", (stored + zero).astype(kind))
            return self._dequantized(f"{name}_{node.name}", made, most, np.asarray(zero, kind))
        return name

    def _weights(self, node: Any, place: int, name: str) -> str:
        """One scale for each output channel, or one; two nodes that share weights share these."""
        array, exporter = self.values[name], self.exporter
        turned_gemm = any(one.name == "transB" and one.i for one in node.attribute)
        axis = {"Conv": 0, "ConvTranspose": 1, "Gemm": 0 if turned_gemm else 1}.get(node.op_type, array.ndim - 1)
        by_channel = exporter.channels and place == 1 and array.ndim > 1
        if node.op_type == "ConvTranspose" and any(one.name == "group" and one.i > 1 for one in node.attribute):
            by_channel = False
        others = tuple(d for d in range(array.ndim) if d != axis) if by_channel else None
        most = np.maximum(np.abs(array).max(axis=others), 1e-6)
        if exporter.weight_type == "u8":
            low, high = min(float(array.min()), 0.0), max(float(array.max()), 0.0)
            scale = np.float32(max(high - low, 1e-6) / 255)
            zero = np.asarray(np.clip(np.rint(-low / scale), 0, 255), np.uint8)
        else:
            scale, zero = np.asarray(most / 127, np.float32), np.zeros(np.shape(most), np.int8)
        self.scales[name] = scale, zero
        if exporter.weights == "float":
            keep = {"axis": axis} if by_channel else {}
            return self._quantized(f"{name}_{node.name}", name, scale, zero, **keep)
        span = [1] * array.ndim
        if by_channel:
            span[axis] = -1
        info = np.iinfo(zero.dtype)
        real = np.rint(array / np.reshape(scale, span)) + np.reshape(zero, span)
        stored = np.clip(real, info.min, info.max).astype(zero.dtype)
        if exporter.weights == "turned" and array.ndim >= 2 and self.random.random() < 0.7:
            order = [*range(2, array.ndim), 1, 0] if array.ndim > 2 else [1, 0]  # as Keras keeps them
            made = self._kept(f"{name}_{node.name}_quantized", np.ascontiguousarray(stored.transpose(order)))
            along = order.index(axis)
            real_name = self._dequantized(f"{name}_{node.name}", made, scale, zero, axis=along if by_channel else None)
            back = f"{name}_{node.name}_turned"
            self.nodes.append(
                helper.make_node("Transpose", [real_name], [back], perm=[order.index(d) for d in range(array.ndim)])
            )
            return back
        made = self._kept(f"{name}_{node.name}_quantized", stored)
        return self._dequantized(f"{name}_{node.name}", made, scale, zero, axis=axis if by_channel else None)

    def _bias(self, node: Any, name: str) -> str:
        """Left in float, or an i32 at the scale of the products."""
        if self.exporter.bias == "float" or node.input[0] not in self.scales or node.input[1] not in self.scales:
            return name
        scale = np.asarray(self.scales[node.input[0]][0] * self.scales[node.input[1]][0], np.float32)
        stored = np.clip(np.rint(self.values[name] / scale.astype(np.float64)), -(2**31) + 1, 2**31 - 1)
        made = self._kept(f"{name}_{node.name}_quantized", stored.astype(np.int32))
        zero = np.zeros(scale.shape, np.int32)
        return self._dequantized(f"{name}_{node.name}", made, scale, zero, axis=0 if scale.ndim else None)

    def _dequantized(self, name: str, stored: str, scale: np.ndarray, zero: np.ndarray, axis: int | None = None) -> str:
        operands = [stored, self._kept(f"{name}_scale", scale)]
        if self.exporter.zero_points or np.any(zero):
            operands.append(self._kept(f"{name}_zero_point", zero))
        keep = {} if axis is None else {"axis": axis}
        self._step("DequantizeLinear", operands, f"{name}_real", **keep)
        return f"{name}_real"


def exported(
    model: Any, exporter: Exporter, ranges: Mapping[str, tuple[float, float]], random: np.random.Generator
) -> Any:
    """The model in QDQ form.

    Args:
        model: a float network with fixed shapes.
        exporter: how the tool writes it.
        ranges: least and greatest number of each float tensor.
        random: decides what tools leave open.
    """
    return _Writer(model, exporter, ranges, random).written()
