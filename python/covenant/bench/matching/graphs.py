"""Float ONNX graphs with random weights, written one operator of Relay after the other.

Deviations of weights come from the number of terms of a sum and from the mean square of what is summed, so that values
neither vanish nor explode on their way through a network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

__all__ = ["LINEAR", "RELU", "SWISH", "Graph"]

_SEED = 0
_OPSET, _IR_VERSION = 17, 8

# Factors of the variance of weights that undo, about, the loss of an activation: x * sigmoid(x) keeps 0.36 of the mean
# square of normal values, and more of greater ones.
LINEAR = 1.0
RELU = 2.0
SWISH = 2.5


class Graph:
    """A graph to which operators are appended; values are known by their names.

    Methods that append an operator bear the name that it has in Relay, and return the name of their result.
    """

    def __init__(self, name: str) -> None:
        """Begins an empty graph.

        Args:
            name: of the graph.
        """
        self._name = name
        self._random = np.random.default_rng(_SEED)
        self._nodes: list[onnx.NodeProto] = []
        self._weights: dict[str, onnx.TensorProto] = {}
        self._inputs: list[onnx.ValueInfoProto] = []
        self._made: dict[str, int] = {}

    def input(self, name: str, shape: Sequence[int], element: int = TensorProto.FLOAT) -> str:
        """An input of the whole graph."""
        self._inputs.append(helper.make_tensor_value_info(name, element, shape))
        return name

    # Constants.

    def weights(self, name: str, shape: Sequence[int], terms: int, gain: float = LINEAR) -> str:
        """Normal values for sums of so many terms; `gain` as LINEAR, RELU or SWISH."""
        return self.normal(name, shape, (gain / terms) ** 0.5)

    def normal(self, name: str, shape: Sequence[int], deviation: float) -> str:
        """Normal values of mean 0."""
        values = self._random.standard_normal(tuple(shape), dtype=np.float32)
        return self._constant(name, values * np.float32(deviation))

    def uniform(self, name: str, shape: Sequence[int], low: float, high: float) -> str:
        """Values from low to high, each as likely."""
        values = self._random.random(tuple(shape), dtype=np.float32)
        return self._constant(name, values * np.float32(high - low) + np.float32(low))

    def scalar(self, value: float) -> str:
        """One f32, stored once for all who ask for the same."""
        return self._constant(f"number_{value:.6g}", np.float32(value))

    def numbers(self, values: Sequence[int]) -> str:
        """Some i64, stored once for all who ask for the same: shapes, axes, bounds."""
        return self._constant("numbers_" + "_".join(map(str, values)), np.array(values, np.int64))

    def _constant(self, name: str, values: np.ndarray) -> str:
        self._weights.setdefault(name, numpy_helper.from_array(np.asarray(values), name))
        return name

    # Operators.

    def node(self, operator: str, *inputs: str, **attributes: object) -> str:
        """An ONNX node with one output."""
        return self.nodes(operator, 1, *inputs, **attributes)[0]

    def nodes(self, operator: str, count: int, *inputs: str, **attributes: object) -> list[str]:
        """An ONNX node with so many outputs."""
        number = self._made.get(operator, 0)
        self._made[operator] = number + 1
        name = f"{operator.lower()}_{number}"
        outputs = [f"{name}_out"] if count == 1 else [f"{name}_out_{index}" for index in range(count)]
        self._nodes.append(helper.make_node(operator, inputs, outputs, name, **attributes))
        return outputs

    def conv2d(
        self, image: str, filters: str, kernel: int, *, stride: int = 1, padding: int = 0, groups: int = 1
    ) -> str:
        """Convolution without a bias; images [N, C, H, W], filters [outputs, C / groups, kernel, kernel]."""
        return self.node(
            "Conv",
            image,
            filters,
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[padding] * 4,
            group=groups,
        )

    def batch_norm(self, name: str, image: str, channels: int, epsilon: float = 1e-5, gain: float = 1.0) -> str:
        """Normalisation by statistics that are stored; its scales are about `gain`."""
        return self.node(
            "BatchNormalization",
            image,
            self.uniform(f"{name}.gamma", [channels], 0.8 * gain, 1.2 * gain),
            self.normal(f"{name}.beta", [channels], 0.1),
            self.normal(f"{name}.mean", [channels], 0.1),
            self.uniform(f"{name}.variance", [channels], 0.8, 1.2),
            epsilon=epsilon,
        )

    def dense(self, rows: str, weights: str, *bias: str) -> str:
        """Product of rows [M, K] and weights [N, K]; with a bias [N] it stands for bias_add too."""
        return self.node("Gemm", rows, weights, *bias, transB=1)

    def add(self, left: str, right: str) -> str:
        """Sum, broadcast."""
        return self.node("Add", left, right)

    def multiply(self, left: str, right: str) -> str:
        """Product of elements, broadcast."""
        return self.node("Mul", left, right)

    def reshape(self, value: str, *shape: int) -> str:
        """The same elements in another shape; one size may be -1."""
        return self.node("Reshape", value, self.numbers(shape))

    def transpose(self, value: str, *axes: int) -> str:
        """Axes in another order."""
        return self.node("Transpose", value, perm=list(axes))

    def strided_slice(self, value: str, begin: Sequence[int], end: Sequence[int]) -> str:
        """A box from the first axes, in steps of 1."""
        axes = range(len(begin))
        inputs = (begin, end, axes, [1] * len(begin))
        return self.node("Slice", value, *(self.numbers(list(one)) for one in inputs))

    def dropout(self, value: str, rate: float) -> str:
        """Nothing, outside of training."""
        return self.node("Dropout", value, self.scalar(rate))

    def relu(self, value: str) -> str:
        """Values below 0 become 0."""
        return self.node("Relu", value)

    def linear(self, name: str, value: str, sizes: tuple[int, int], *, shape: Sequence[int], gain: float) -> str:
        """A layer of PyTorch as Relay's importer writes it: a dense of flattened rows, whose weights turn twice.

        Args:
            name: of the layer.
            value: what it is applied to; its last axis is reduced.
            sizes: elements of a row before and after.
            shape: of the result.
            gain: as `weights` has it.
        """
        weights = self.weights(f"{name}.weight", sizes[::-1], sizes[0], gain)
        product = self.turned_dense(value, weights, sizes[0])
        bias = self.normal(f"{name}.bias", [sizes[1]], 0.05)
        return self.add(self.reshape(product, *shape), bias)

    def turned_dense(self, value: str, weights: str, terms: int) -> str:
        """Dense of rows of so many elements and of weights that are transposed and transposed back."""
        turned = self.transpose(weights, 1, 0)
        rows = self.reshape(value, -1, terms)
        return self.dense(rows, self.transpose(turned, 1, 0))

    # The whole.

    def model(self, outputs: Mapping[str, tuple[str, Sequence[int]]]) -> onnx.ModelProto:
        """The model.

        Args:
            outputs: by the name that an output is to have, the value that it is and its shape, f32.
        """
        names = {value: name for name, (value, _) in outputs.items()}
        for node in self._nodes:
            node.input[:] = [names.get(value, value) for value in node.input]
            node.output[:] = [names.get(value, value) for value in node.output]
        graph = helper.make_graph(
            self._nodes,
            self._name,
            self._inputs,
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, (_, shape) in outputs.items()],
            list(self._weights.values()),
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
