"""Writes three float models as exporters write them, and samples of what each reads.

./dev exec python examples/07_float_models/make_models.py -o models
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

IMAGE = (3, 12, 10)
FEATURES = 40
SAMPLES = 16


class Network:
    """A float model that grows node by node; `now` is the value that the next node reads."""

    def __init__(self, name: str, shape: list[Any], seed: int) -> None:
        self.generator = np.random.default_rng(seed)
        self.name, self.shape, self.now = name, shape, "x"
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: Any) -> str:
        """A new constant; its name."""
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weights(self, *shape: int) -> str:
        """Random ones of this shape, scaled by what they sum up."""
        scale = np.sqrt(2 / np.prod(shape[1:]))
        return self.constant(self.generator.normal(0, scale, shape).astype(np.float32))

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """A node that reads these values, or `now`; what it makes."""
        output = f"value{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(operator, list(inputs) or [self.now], [output], f"node{len(self.nodes)}", **attributes)
        )
        self.now = output
        return output

    def conv(
        self, channels: int, inputs: int, kernel: int, *, source: str = "", stride: int = 1, group: int = 1
    ) -> str:
        """A convolution with bias that keeps the size but for its stride."""
        bias = self.constant(self.generator.normal(0, 0.1, channels).astype(np.float32))
        return self.add(
            "Conv", source or self.now, self.weights(channels, inputs // group, kernel, kernel), bias,
            pads=[kernel // 2] * 4, strides=[stride] * 2, group=group,
        )  # fmt: skip

    def model(self) -> Any:
        """The model that ends with `now`."""
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.now, onnx.TensorProto.FLOAT, None)],
            self.constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def gated() -> Any:
    """A network in the style of mobile networks: every block has a gate for each channel."""
    net = Network("gated", ["batch", *IMAGE], 1)
    net.conv(8, 3, 3, stride=2)
    net.add("HardSwish")
    for _ in range(2):
        wide = net.add("HardSwish", net.conv(16, 8, 1))
        deep = net.add("Relu", net.conv(16, 16, 3, source=wide, group=16))
        net.add("GlobalAveragePool", deep)
        net.add("Relu", net.conv(4, 16, 1))
        gate = net.add("HardSigmoid", net.conv(16, 4, 1), alpha=0.2)
        net.add("Mul", deep, gate)
        net.conv(8, 16, 1)
    net.add("ReduceMean", axes=[2, 3], keepdims=0)
    net.add("Gemm", net.now, net.weights(5, 8), net.constant(np.zeros(5, np.float32)), transB=1)
    net.add("Softmax", axis=1)
    return net.model()


def normalised() -> Any:
    """A network as training leaves it: statistics, scales and sums beside the convolutions."""
    net = Network("normalised", [1, *IMAGE], 2)
    stem = net.conv(8, 3, 3)
    net.add("MaxPool", kernel_shape=[2, 2], strides=[2, 2])
    stem = net.add("Div", net.conv(8, 8, 1), net.constant(net.generator.uniform(0.5, 2, (8, 1, 1)).astype(np.float32)))
    left = net.add("Relu", stem)
    net.conv(8, 8, 3)
    statistics = [net.constant(net.generator.uniform(0.5, 1.5, 8).astype(np.float32)) for _ in range(4)]
    right = net.add("BatchNormalization", net.now, *statistics)
    net.add("Sum", left, right, stem)
    half = net.add("Mul", net.add("Erf", net.add("Div", net.now, net.constant(np.float32(np.sqrt(2))))), net.now)
    net.conv(6, 8, 1, source=half)
    net.add("GlobalAveragePool")
    net.add("Flatten")
    return net.model()


def scores() -> Any:
    """Matrices only, one sample a row."""
    net = Network("scores", [4, FEATURES], 3)
    bias = net.constant(net.generator.normal(0, 0.1, (1, 24)).astype(np.float32))
    hidden = net.add("Gemm", "x", net.weights(FEATURES, 24), bias)
    net.add("Mul", hidden, net.add("Sigmoid", hidden))
    net.add("MatMul", net.now, net.weights(24, 3))
    net.add("Sigmoid")
    return net.model()


MODELS = {"gated": (gated, IMAGE), "normalised": (normalised, IMAGE), "scores": (scores, (FEATURES,))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("models"), help="folder (default: models)")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for name, (build, shape) in MODELS.items():
        onnx.save(build(), str(folder / f"{name}.onnx"))
        samples = np.random.default_rng(7).normal(size=(SAMPLES, *shape)).astype(np.float32)
        np.savez(folder / f"{name}.npz", x=samples)
        print(f"{folder / name}.onnx, {SAMPLES} samples in {name}.npz")


if __name__ == "__main__":
    main()
