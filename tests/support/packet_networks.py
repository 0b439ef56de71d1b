"""Networks in the shape of published ones, with drawn weights, in QOperator style."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import helper
from test_packets import Layers


class NetworkLayers(Layers):
    """Layers, residual sums, means and convolutions channel by channel."""

    def node(self, operation: str, inputs: list[str], shape: list[int], **attributes: object) -> None:
        """One of ONNX Runtime's own operators."""
        self.append(operation, inputs, shape, domain="com.microsoft", **attributes)

    def quantized_as(self, name: str, scale: float, zero_point: int) -> list[str]:
        """A value with its scale and zero point."""
        return [name, self.constant(np.float32(scale)), self.constant(self.numpy(zero_point))]

    def result(self, scale: float, zero_point: int | None = None) -> list[str]:
        """Scale and zero point of the next value, about the middle of its range."""
        middle = 128 if self.numpy is np.uint8 else 0
        self.scale = scale
        self.zero_point = middle + int(self.random.integers(-40, 40)) if zero_point is None else zero_point
        return self.quantized_as("", self.scale, self.zero_point)[1:]

    def known(self) -> tuple[str, float, int]:
        """The value, its scale and zero point."""
        return self.value, self.scale, self.zero_point

    def add(self, other: tuple[str, float, int], zero_point: int | None = None) -> None:
        """The value and another one of its shape, with its scale and zero point."""
        inputs = self.quantized_as(*self.known()) + self.quantized_as(*other)
        self.node("QLinearAdd", inputs + self.result(float(self.random.uniform(0.02, 0.06)), zero_point), self.last)

    def multiply(self, other: tuple[str, float, int], scale: float | None = None) -> None:
        """The value and another one of its shape, or of one pixel, with its scale and zero point."""
        inputs = self.quantized_as(*self.known()) + self.quantized_as(*other)
        self.node("QLinearMul", inputs + self.result(scale or float(self.random.uniform(0.02, 0.06))), self.last)

    def sigmoid(self) -> None:
        """Appends the sigmoid of each element, computed by a table."""
        self.node("QLinearSigmoid", self.quantized_as(*self.known()) + self.result(1 / 256, self.least), self.last)

    def leaky_relu(self) -> None:
        """Appends LeakyRelu of each element, computed by a table."""
        inputs = self.quantized_as(*self.known()) + self.result(float(self.random.uniform(0.01, 0.03)))
        self.node("QLinearLeakyRelu", inputs, self.last, alpha=0.1)

    def squeeze_and_excite(self, channels: int) -> None:
        """Scales each channel by what a gate makes of the means of all."""
        image, shape = self.known(), self.last
        self.mean()
        self.convolution(channels, 1, 1, zero_point=self.least)
        self.convolution(shape[1], 1, 1)
        self.sigmoid()
        gate, (self.value, self.scale, self.zero_point), self.last = self.known(), image, shape
        self.multiply(gate, scale=0.01)

    def average_pool(self, kernel: int, stride: int, pads: tuple[int, ...] = (0, 0, 0, 0)) -> None:
        """Appends the mean of each window, taken over its elements inside the image."""
        inputs = self.quantized_as(*self.known()) + self.result(float(self.random.uniform(0.01, 0.03)))
        padded = (size + pads[i] + pads[i + 2] for i, size in enumerate(self.last[2:]))
        shape = [*self.last[:2], *((size - kernel) // stride + 1 for size in padded)]
        window = {"kernel_shape": [kernel, kernel], "strides": [stride, stride], "pads": pads}
        self.node("QLinearAveragePool", inputs, shape, **window)

    def mean(self) -> None:
        """Appends the mean of each channel."""
        inputs = self.quantized_as(*self.known())
        self.node("QLinearGlobalAveragePool", inputs + self.result(0.003), [*self.last[:2], 1, 1])

    def flatten(self) -> None:
        """Images as rows."""
        self.append("Flatten", [self.value], [self.last[0], int(np.prod(self.last[1:]))])

    def save(self, path: Path) -> Path:
        """The model as a file."""
        saved = super().save(path)
        model = onnx.load(saved)
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        onnx.save(model, saved)
        return saved


def _basic_block(layers: NetworkLayers, channels: int, stride: int) -> None:
    """Two convolutions beside a way past them."""
    before, shape = layers.known(), layers.last
    layers.convolution(channels, 3, stride, (1, 1, 1, 1), zero_point=layers.least)
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    if stride != 1 or shape[1] != channels:
        after, last = layers.known(), layers.last
        (layers.value, layers.scale, layers.zero_point), layers.last = before, shape
        layers.convolution(channels, 1, stride)
        before = layers.known()
        (layers.value, layers.scale, layers.zero_point), layers.last = after, last
    layers.add(before, zero_point=layers.least)


def resnet18(
    random: np.random.Generator, dtype: str, size: int, *, width: int = 64, classes: int = 1000
) -> NetworkLayers:
    """Images of `size` pixels; `width` channels in the first blocks."""
    layers = NetworkLayers(random, dtype, [1, 3, size, size])
    layers.convolution(width, 7, 2, (3, 3, 3, 3), zero_point=layers.least)
    layers.pool(3, 2, (1, 1, 1, 1))
    for stage in range(4):
        for block in range(2):
            _basic_block(layers, width << stage, 2 if stage > 0 and block == 0 else 1)
    layers.mean()
    layers.flatten()
    layers.product(classes)
    return layers


def mobilenet(
    random: np.random.Generator, dtype: str, size: int, *, width: int = 32, classes: int = 1000
) -> NetworkLayers:
    """The first MobileNet: convolutions channel by channel, then of single pixels."""
    layers = NetworkLayers(random, dtype, [1, 3, size, size])
    layers.convolution(width, 3, 2, (0, 0, 1, 1), zero_point=layers.least)
    for factor, stride in ((2, 1), (4, 2), (4, 1), (8, 2), (8, 1), (16, 2), *((16, 1),) * 5, (32, 2), (32, 1)):
        layers.convolution(layers.last[1], 3, stride, (1, 1, 1, 1), zero_point=layers.least, groups=layers.last[1])
        layers.convolution(width * factor, 1, 1, zero_point=layers.least)
    layers.mean()
    layers.flatten()
    layers.product(classes)
    return layers
