"""The kernels that are layers of quantised networks, as models of one layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.bench.peers import quantised_layers as layers
from covenant.bench.peers.kernel import Inputs
from covenant.bench.peers.networks import pixels


@dataclass(frozen=True)
class Model:
    """A model in ONNX with its inputs and its expected output `y`."""

    content: bytes
    feeds: dict[str, np.ndarray]
    y: np.ndarray


def depthwise(inputs: Inputs, expected: np.ndarray) -> Model:
    """Without what the sources of others want around the image."""
    layer = layers.depthwise_product()
    weights = layer.weights.transpose(2, 0, 1)[:, None]
    return _conv(inputs[0][1:-1, 1:-1], weights, layer, expected, group=layers.CHANNELS)


def pointwise(inputs: Inputs, expected: np.ndarray) -> Model:
    """Without what fills up the image."""
    layer, side = layers.pointwise_product(), layers.POINTWISE_SIDE
    image = inputs[0][: side**2].reshape(side, side, -1)
    return _conv(image, layer.weights.T[..., None, None], layer, expected.reshape(side, side, -1), group=1)


def gemv(inputs: Inputs, expected: np.ndarray) -> Model:
    """One row."""
    layer = layers.gemv_product()
    return _model("QLinearMatMul", {"x": inputs[0]}, expected, _product_constants(layer, layer.weights), {})


def average_pool(inputs: Inputs, expected: np.ndarray) -> Model:
    """Input and output share one scale."""
    one, zero = np.float32(1), np.uint8(0)
    constants = {"x_scale": one, "x_zero": zero, "y_scale": one, "y_zero": zero}
    attributes = {"domain": "com.microsoft", "kernel_shape": [2, 2], "strides": [2, 2]}
    return _model("QLinearAveragePool", {"x": pixels(inputs[0])}, pixels(expected), constants, attributes)


def add(inputs: Inputs, expected: np.ndarray) -> Model:
    """Zero points make the offset: 1.75 = 7 - 5 * 0.75 - 3 * 0.5."""
    a, second = inputs
    b = second[: a.size].reshape(a.shape)
    numbers = (("a", layers.FIRST_SCALE, 5), ("b", layers.SECOND_SCALE, 3), ("y", 1, 7))
    constants: dict[str, Any] = {}
    for name, scale, zero in numbers:
        constants |= {f"{name}_scale": np.float32(scale), f"{name}_zero": np.uint8(zero)}
    feeds = {"a": pixels(a), "b": pixels(b)}
    return _model("QLinearAdd", feeds, pixels(expected), constants, {"domain": "com.microsoft"})


def _product_constants(layer: layers.Product, weights: np.ndarray) -> dict[str, np.ndarray]:
    outputs = len(layer.fractions)
    return {
        "x_scale": np.float32(1), "x_zero": np.uint8(0),
        "w": weights, "w_scale": layer.scales, "w_zero": np.zeros(outputs, np.int8),
        "y_scale": np.float32(1), "y_zero": np.uint8(layers.ZERO),
    }  # fmt: skip


def _conv(image: np.ndarray, weights: np.ndarray, layer: layers.Product, expected: np.ndarray, group: int) -> Model:
    side = weights.shape[-1]
    attributes = {"kernel_shape": [side, side], "pads": [side // 2] * 4, "group": group}
    constants = _product_constants(layer, weights)
    return _model("QLinearConv", {"x": pixels(image)}, pixels(expected), constants, attributes)


def _model(
    operator: str,
    feeds: dict[str, np.ndarray],
    y: np.ndarray,
    constants: Mapping[str, np.ndarray],
    attributes: Mapping[str, Any],
) -> Model:
    """A node whose inputs are those of the model, each before the constants that have its name in front, then `w`."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415  (import costs; other kernels do not pay)

    names: list[str] = []
    for name in feeds:
        names += [name, *(constant for constant in constants if constant.startswith(f"{name}_"))]
    names += [constant for constant in constants if constant not in names]
    graph = helper.make_graph(
        [helper.make_node(operator, names, ["y"], name="layer", **attributes)],
        "layer",
        [helper.make_tensor_value_info(name, TensorProto.UINT8, array.shape) for name, array in feeds.items()],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, y.shape)],
        [numpy_helper.from_array(np.array(array, order="C"), name) for name, array in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return Model(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString(), dict(feeds), y)
