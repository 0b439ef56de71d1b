"""Residual networks with random weights.

He et al., "Deep Residual Learning for Image Recognition", Table 1: 224 x 224 images, 1000 classes. Batch normalisation
is folded into the convolutions, as exporters do; blocks of three have their stride in the 3 x 3 convolution.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from covenant.zoo.entries import Residual

__all__ = ["residual_network"]

_SEED = 0
_SIDE = 224
_CLASSES = 1000
_OPSET, _IR_VERSION = 17, 8


@dataclass
class _Builder:
    """Nodes and weights in the order in which they are asked for."""

    random: np.random.Generator
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, operator: str, name: str, *inputs: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [f"{name}_out"], name, **attributes))
        return f"{name}_out"

    def parameters(self, name: str, shape: tuple[int, ...], gain: float) -> tuple[str, str]:
        """Weights that keep the magnitude of their input, and a bias."""
        deviation = gain * (2.0 / np.prod(shape[1:])) ** 0.5
        arrays = {
            f"{name}.weight": self.random.normal(0.0, deviation, shape),
            f"{name}.bias": self.random.normal(0.0, 0.05, shape[0]),
        }
        self.weights += [numpy_helper.from_array(array.astype(np.float32), key) for key, array in arrays.items()]
        return tuple(arrays)

    def conv(
        self, name: str, image: str, shape: tuple[int, int], kernel: int, stride: int = 1, *, gain: float = 1.0
    ) -> str:
        """`shape`: input and output channels."""
        weights = self.parameters(name, (shape[1], shape[0], kernel, kernel), gain)
        return self.node(
            "Conv", name, image, *weights, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4
        )

    def conv_relu(self, name: str, image: str, shape: tuple[int, int], kernel: int, stride: int) -> str:
        return self.node("Relu", f"{name}_relu", self.conv(name, image, shape, kernel, stride))

    def block(self, name: str, image: str, channels: tuple[int, int], stride: int, *, is_bottleneck: bool) -> str:
        """`channels`: those of the image, and of the inner convolutions."""
        inputs, width = channels
        outputs = 4 * width if is_bottleneck else width
        if is_bottleneck:
            inner = self.conv_relu(f"{name}_conv1", image, (inputs, width), 1, 1)
            inner = self.conv_relu(f"{name}_conv2", inner, (width, width), 3, stride)
            inner = self.conv(f"{name}_conv3", inner, (width, outputs), 1, 1, gain=0.3)
        else:
            inner = self.conv_relu(f"{name}_conv1", image, (inputs, width), 3, stride)
            inner = self.conv(f"{name}_conv2", inner, (width, outputs), 3, 1, gain=0.3)
        if inputs != outputs or stride != 1:
            image = self.conv(f"{name}_shortcut", image, (inputs, outputs), 1, stride, gain=0.7)
        return self.node("Relu", f"{name}_relu", self.node("Add", f"{name}_add", inner, image))


def residual_network(name: str, shape: Residual) -> onnx.ModelProto:
    """The float network: `image` f32 [1, 3, 224, 224] to `logits` f32 [1, 1000].

    Args:
        name: of its graph.
        shape: which one.
    """
    builder = _Builder(np.random.default_rng(_SEED))
    value = builder.conv_relu("stem", "image", (3, 64), 7, 2)
    value = builder.node("MaxPool", "pool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for stage, blocks in enumerate(shape.blocks):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            name_of_block = f"stage{stage + 1}_{block + 1}"
            value = builder.block(name_of_block, value, (channels, width), stride, is_bottleneck=shape.is_bottleneck)
            channels = 4 * width if shape.is_bottleneck else width
    value = builder.node("Flatten", "flatten", builder.node("GlobalAveragePool", "average", value), axis=1)
    weights = builder.parameters("classifier", (_CLASSES, channels), 0.7)
    builder.nodes.append(helper.make_node("Gemm", [value, *weights], ["logits"], "classifier", transB=1))
    graph = helper.make_graph(
        builder.nodes,
        name,
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, _SIDE, _SIDE])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, _CLASSES])],
        builder.weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
