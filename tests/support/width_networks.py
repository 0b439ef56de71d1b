"""Quantised networks with elements of 4, 8 or 16 bits, in QDQ style, written with NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from digits import DIGITS
from onnx import helper, numpy_helper

SIGNED = {4: ml_dtypes.int4, 8: np.int8, 16: np.int16}
UNSIGNED = {4: ml_dtypes.uint4, 8: np.uint8, 16: np.uint16}


def limits(bits: int, *, signed: bool) -> tuple[int, int]:
    """The least and the greatest element."""
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


class WidthNetwork:
    """A chain of layers with random weights; scales such that sums fill the range of their elements."""

    def __init__(self, random: np.random.Generator, bits: int, shape: list[int], *, signed: bool) -> None:
        self.random, self.bits, self.signed, self.shape = random, bits, signed, shape
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.weight_bits = bits
        self._shapes = {"x": list(shape)}
        self._input = list(shape)
        self._scales: dict[str, float] = {}
        self._zeros: dict[str, int] = {}
        self._kinds: dict[str, Any] = {}
        self._weight_scale = 1.0  # about what a weight multiplies the integers of an activation by
        self._bias_scales = np.zeros(0, np.float32)
        self.last = self._through("x", 0.5)

    def shape_of(self, stored: str) -> list[int]:
        """The shape of a stored tensor."""
        return self._shapes[stored]

    def scale_of(self, stored: str) -> float:
        """Scale of a stored tensor."""
        return self._scales[stored]

    # ---- Layers

    def conv(
        self, channels: int, kernel: int, stride: int = 1, pad: int = 0, *, relu: bool = False, group: int = 1
    ) -> None:
        """A convolution with a bias, weights per channel."""
        inputs = self.shape[1] // group
        weights = self._weights((channels, inputs, kernel, kernel), 0)
        spread = self._scales[self.last] * self._weight_scale * np.sqrt(inputs * kernel * kernel)
        attributes = {"strides": [stride] * 2, "pads": [pad] * 4, "kernel_shape": [kernel] * 2, "group": group}
        made = self._node("Conv", [self._real(self.last), weights, self._bias(channels)], **attributes)
        size = [(extent + 2 * pad - kernel) // stride + 1 for extent in self.shape[2:]]
        self.shape = [self.shape[0], channels, *size]
        self._end(made, spread, relu=relu)

    def gemm(self, outputs: int) -> None:
        """A product of rows."""
        if len(self.shape) == 4:
            rows = [self.shape[0], int(np.prod(self.shape[1:]))]
            flat = self._node("Reshape", [self._real(self.last), self._constant(np.array(rows, np.int64))])
            self.shape = rows
            self.last = self._through(flat, like=self.last)
        weights = self._weights((outputs, self.shape[1]), 0)
        spread = self._scales[self.last] * self._weight_scale * np.sqrt(self.shape[1])
        made = self._node("Gemm", [self._real(self.last), weights, self._bias(outputs)], transB=1)
        self.shape = [self.shape[0], outputs]
        self._end(made, spread)

    def add(self, other: str) -> None:
        """A sum with another tensor of the same shape."""
        made = self._node("Add", [self._real(self.last), self._real(other)])
        self._end(made, self._spread(self.last) + self._spread(other))

    def mul(self, other: str) -> None:
        """A product with another tensor of the same shape."""
        made = self._node("Mul", [self._real(self.last), self._real(other)])
        self._end(made, self._spread(self.last) * self._spread(other))

    def max_pool(self, kernel: int, stride: int) -> None:
        """The largest of each window."""
        made = self._node("MaxPool", [self._real(self.last)], kernel_shape=[kernel] * 2, strides=[stride] * 2)
        self.shape = [*self.shape[:2], *((extent - kernel) // stride + 1 for extent in self.shape[2:])]
        self.last = self._through(made, like=self.last)

    def average_pool(self, kernel: int) -> None:
        """The mean of each window."""
        made = self._node("AveragePool", [self._real(self.last)], kernel_shape=[kernel] * 2, strides=[kernel] * 2)
        self.shape = [*self.shape[:2], *((extent - kernel) // kernel + 1 for extent in self.shape[2:])]
        self._end(made, self._spread(self.last))

    def mean(self) -> None:
        """The mean of each plane."""
        made = self._node("GlobalAveragePool", [self._real(self.last)])
        self.shape = [*self.shape[:2], 1, 1]
        self._end(made, self._spread(self.last) / 2)

    def softmax(self) -> None:
        """Over the channels."""
        made = self._node("Softmax", [self._real(self.last)], axis=1)
        self._end(made, 0.5)

    def concat(self, other: str) -> None:
        """Along the channels, each part under its own scale."""
        made = self._node("Concat", [self._real(self.last), self._real(other)], axis=1)
        self.shape = [self.shape[0], self.shape[1] + self._shapes[other][1], *self.shape[2:]]
        self._end(made, max(self._spread(self.last), self._spread(other)))

    # ---- The model

    def model(self) -> Any:
        """The model: float in, float out."""
        output = self._real(self.last)
        graph = helper.make_graph(
            self.nodes,
            "widths",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, self._input)],
            [helper.make_tensor_value_info(output, onnx.TensorProto.FLOAT, self.shape)],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        onnx.checker.check_model(model)
        return model

    def save(self, folder: Path) -> Path:
        """The model in a file."""
        path = folder / "widths.onnx"
        onnx.save(self.model(), path)
        return path

    def feed(self) -> dict[str, np.ndarray]:
        """Numbers over the whole range of the input, and some beyond."""
        return {"x": self.random.normal(0, 0.5, self._input).astype(np.float32)}

    # ---- Parts

    def _spread(self, name: str) -> float:
        """Approximate spread of a tensor's real numbers: a sixth of their range."""
        return self._scales[name] * (1 << self.bits) / 6

    def _end(self, made: str, spread: float, *, relu: bool = False) -> None:
        if relu:
            made = self._node("Relu", [made])
        self.last = self._through(made, spread)

    def _through(self, real: str, spread: float = 0.0, like: str = "") -> str:
        """The stored form of a float tensor, and its name."""
        if like:
            scale, zero = self._scales[like], self._zeros[like]
        else:
            scale = float(np.float32(spread * self.random.uniform(5, 7) / (1 << self.bits)))
            least, most = limits(self.bits, signed=self.signed)
            middle = (least + most + 1) // 2
            reach = (most - least) // 8
            zero = int(self.random.integers(middle - reach, middle + reach + 1))
        kind = self._kinds[like] if like else (SIGNED if self.signed else UNSIGNED)[self.bits]
        stored = self._node(
            "QuantizeLinear",
            [
                real,
                self._constant(np.float32(scale)),
                self._constant(np.array(zero, np.int32).astype(kind)),
            ],
        )
        self._scales[stored], self._zeros[stored] = scale, zero
        self._shapes[stored], self._kinds[stored] = list(self.shape), kind
        return stored

    def _real(self, stored: str) -> str:
        zero = np.array(self._zeros[stored], np.int32).astype(self._kinds[stored])
        return self._node(
            "DequantizeLinear", [stored, self._constant(np.float32(self._scales[stored])), self._constant(zero)]
        )

    def _weights(self, shape: tuple[int, ...], axis: int) -> str:
        least, most = limits(self.weight_bits, signed=True)
        stored = self.random.integers(least, most + 1, shape)
        channels = shape[axis]
        self._weight_scale = 0.01 * (1 << self.weight_bits) / 4 * (1 << self.bits) / 6
        scales = (0.01 * self.random.uniform(0.5, 1.5, channels)).astype(np.float32)
        self._bias_scales = scales
        kind = SIGNED[self.weight_bits]
        operands = [
            self._constant(stored.astype(np.int32).astype(kind)),
            self._constant(scales),
            self._constant(np.zeros(channels, np.int32).astype(kind)),
        ]
        return self._node("DequantizeLinear", operands, axis=axis)

    def _bias(self, channels: int) -> str:
        scales = (np.float32(self._scales[self.last]) * self._bias_scales).astype(np.float32)
        reach = 1 << (2 * self.bits - 3 if self.bits < 16 else 26)
        stored = self.random.integers(-reach, reach, channels).astype(np.int32)
        operands = [self._constant(stored), self._constant(scales), self._constant(np.zeros(channels, np.int32))]
        return self._node("DequantizeLinear", operands, axis=0)

    def _constant(self, array: np.ndarray) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        output = f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], output, **attributes))
        return output


def random_chain(random: np.random.Generator, bits: int) -> WidthNetwork:
    """Convolutions, a residual sum, pools and a product of rows, in sizes that no machine's vectors divide."""
    size = int(random.integers(6, 12))
    signed = bool(random.integers(2))
    network = WidthNetwork(random, bits, [1, int(random.integers(1, 7)), size, size], signed=signed)
    network.conv(int(random.integers(3, 21)), 3, 1, 1, relu=bool(random.integers(2)))
    before = network.last
    network.conv(network.shape[1], int(random.choice([1, 3])), 1, 0 if random.integers(2) else 1)
    if network.shape == network.shape_of(before):
        network.add(before)
    kind = random.integers(4)
    if kind == 0:
        network.max_pool(2, 2)
    elif kind == 1:
        network.average_pool(2)
    elif kind == 2:
        network.conv(int(random.integers(2, 30)), 3, 2, 1)
    else:
        network.mul(network.last)
    if random.integers(2):
        network.mean()
    network.gemm(int(random.integers(2, 20)))
    return network


def onnxruntime_on(model: Any, feed: Mapping[str, np.ndarray]) -> np.ndarray:
    """Float output of the model as it stands, computed by ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(feed))[0]


def quantized_digits(bits: int, images: np.ndarray, weight_bits: int | None = None) -> Any:
    """The float digits network with elements of `bits` bits: least and greatest number of each tensor over `images`."""
    model = onnx.load(DIGITS / "digits_float.onnx")
    ranges = _ranges(model, images)
    made = _Quantizing(bits, weight_bits or bits, ranges, {tensor.name: tensor for tensor in model.graph.initializer})
    nodes = made.nodes(model)
    graph = helper.make_graph(nodes, "digits", model.graph.input, model.graph.output, made.constants)
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(result)
    return result


def _ranges(model: Any, images: np.ndarray) -> dict[str, tuple[float, float]]:
    """Least and greatest number of every tensor, 0 included."""
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    known = {value.name for value in shown.graph.output}
    names = [output for node in model.graph.node for output in node.output]
    shown.graph.output.extend(
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names if name not in known
    )
    session = onnxruntime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    order = [value.name for value in session.get_outputs()]
    ranges = {"image": (float(min(images.min(), 0)), float(images.max()))}
    for image in images:
        for name, array in zip(order, session.run(None, {"image": image[None]}), strict=True):
            least, most = ranges.get(name, (0.0, 0.0))
            ranges[name] = (min(least, float(array.min())), max(most, float(array.max())))
    return ranges


class _Quantizing:
    """Puts QuantizeLinear and DequantizeLinear around the layers of a float model."""

    def __init__(
        self, bits: int, weight_bits: int, ranges: dict[str, tuple[float, float]], floats: dict[str, Any]
    ) -> None:
        self._bits, self._weight_bits, self._ranges, self._floats = bits, weight_bits, ranges, floats
        self.constants: list[Any] = []
        self._reals: dict[str, str] = {}
        self._steps: dict[str, float] = {}
        self._nodes: list[Any] = []

    def nodes(self, model: Any) -> list[Any]:
        """The nodes of the quantised model."""
        self._close("image", "image")
        layers = list(model.graph.node)
        for index, node in enumerate(layers):
            follows_relu = index + 1 < len(layers) and layers[index + 1].op_type == "Relu"
            inputs = [self._operand(node, place) for place in range(len(node.input))]
            copy = helper.make_node(node.op_type, inputs, list(node.output), node.name)
            copy.attribute.extend(node.attribute)
            if node.output[0] == "logits":
                copy.output[0] = "logits/float"
            self._nodes.append(copy)
            if follows_relu and layers[index + 1].input[0] == node.output[0]:
                self._reals[node.output[0]] = node.output[0]
            elif node.output[0] != "logits":
                alike = node.op_type in ("MaxPool", "Flatten")
                self._close(node.output[0], node.output[0], node.input[0] if alike else "")
            else:
                self._close("logits", "logits/float")
        return self._nodes

    def _operand(self, node: Any, place: int) -> str:
        name = node.input[place]
        if name not in self._floats:
            return self._reals[name]
        array = numpy_helper.to_array(self._floats[name])
        if place == 1:
            most = limits(self._weight_bits, signed=True)[1]
            scales = np.maximum(np.abs(array).reshape(array.shape[0], -1).max(axis=1), 1e-6) / np.float32(most)
            self._weight_scales = scales.astype(np.float32)
            shape = (-1, *([1] * (array.ndim - 1)))
            stored = np.clip(np.rint(array / self._weight_scales.reshape(shape)), -most, most)
            return self._dequantized(
                name, stored.astype(np.int32).astype(SIGNED[self._weight_bits]), self._weight_scales
            )
        scales = (np.float32(self._steps[node.input[0]]) * self._weight_scales).astype(np.float32)
        stored = np.clip(np.rint(array.astype(np.float64) / scales), -(2**31), 2**31 - 1).astype(np.int32)
        return self._dequantized(name, stored, scales)

    def _dequantized(self, name: str, stored: np.ndarray, scales: np.ndarray) -> str:
        zeros = np.zeros(scales.shape, np.int32).astype(stored.dtype)
        inputs = [
            self._constant(name, stored),
            self._constant(name + "/scale", scales),
            self._constant(name + "/zero", zeros),
        ]
        self._nodes.append(helper.make_node("DequantizeLinear", inputs, [name + "/real"], name + "/real", axis=0))
        return name + "/real"

    def _close(self, name: str, real: str, like: str = "") -> None:
        """Stored, and real again, under the range of the tensor or that of `like`."""
        least, most = limits(self._bits, signed=True)
        low, high = self._ranges[like or name]
        if like:
            self._ranges[name] = self._ranges[like]
        scale = np.float32(max((high - low) / (most - least), 1e-8))
        zero = np.array(np.clip(np.rint(least - low / scale), least, most), np.int32).astype(SIGNED[self._bits])
        self._steps[name] = float(scale)
        constants = [self._constant(name + "/scale", scale), self._constant(name + "/zero", zero)]
        last = name == "logits"
        self._nodes.append(
            helper.make_node("QuantizeLinear", [real, *constants], [name + "/stored"], name + "/quantized")
        )
        made = "logits" if last else name + "/real"
        self._nodes.append(
            helper.make_node("DequantizeLinear", [name + "/stored", *constants], [made], name + "/dequantized")
        )
        self._reals[name] = made

    def _constant(self, name: str, array: np.ndarray) -> str:
        if all(tensor.name != name for tensor in self.constants):
            self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name
