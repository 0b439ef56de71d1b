"""The layers, and quantised ONNX models of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

__all__ = ["DeepBenchLayer", "convolutions", "layers", "model_of"]

_DEVIATION = np.iinfo(np.int8).max / 3**0.5  # of uniform bytes


@dataclass(frozen=True)
class DeepBenchLayer:
    """One layer; a product has its activations as rows, its weights as columns."""

    suite: str
    """server or device."""
    kind: str
    """conv or gemm."""
    input: tuple[int, ...]
    """conv: [batch, channels, rows, columns]; gemm: [N, K], the transposed second matrix."""
    weights: tuple[int, ...]
    """conv: [outputs, channels, rows, columns]; gemm: [K, M], the transposed first matrix."""
    pads: tuple[int, int] = (0, 0)
    """Above and below, left and right."""
    strides: tuple[int, int] = (1, 1)

    @property
    def name(self) -> str:
        """Name such as "server/gemm/5124x700x2048": M, N and K; for a convolution input, outputs, kernel and stride."""
        if self.kind == "gemm":
            sizes = f"{self.weights[1]}x{self.input[0]}x{self.input[1]}"
        else:
            kernel, stride = (f"{one[0]}x{one[1]}" for one in (self.weights[2:], self.strides))
            sizes = f"{'x'.join(map(str, self.input))}-{self.weights[0]}-{kernel}-{stride}"
            sizes += f"-pad{self.pads[0]}x{self.pads[1]}" if any(self.pads) else ""
        return f"{self.suite}/{self.kind}/{sizes}"

    @property
    def output(self) -> tuple[int, ...]:
        """Shape of the result."""
        if self.kind == "gemm":
            return (self.input[0], self.weights[1])
        spans = zip(self.input[2:], self.weights[2:], self.pads, self.strides, strict=True)
        return (
            self.input[0],
            self.weights[0],
            *((size + 2 * pad - kernel) // step + 1 for size, kernel, pad, step in spans),
        )

    @property
    def terms(self) -> int:
        """Products in each element of the result."""
        return self.weights[0] if self.kind == "gemm" else int(np.prod(self.weights[1:]))

    @property
    def macs(self) -> int:
        """Multiply-accumulates, those of padding included."""
        return int(np.prod(self.output)) * self.terms

    def with_rows(self, count: int) -> DeepBenchLayer:
        """The same product of so many rows at most."""
        return replace(self, input=(min(count, self.input[0]), *self.input[1:]))


@cache
def layers() -> tuple[DeepBenchLayer, ...]:
    """All of them, each once.

    Example:
        >>> layers()[0].name
        'server/conv/1x1x161x700-32-5x20-2x2'
    """
    return _listed("layers.csv")


@cache
def convolutions() -> tuple[DeepBenchLayer, ...]:
    """The 108 convolutions as Rieber, Acosta and Fröning count them.

    Some stand in DeepBench's list twice, one is commented out there ("The Programming of Deep Learning Accelerators as
    a Constraint Satisfaction Problem", section 5.1).

    Example:
        >>> len(convolutions())
        108
    """
    return _listed("convolutions.csv")


def _listed(file: str) -> tuple[DeepBenchLayer, ...]:
    text = resources.files("covenant.bench.deepbench").joinpath(file).read_text(encoding="utf-8")
    return tuple(_layer(*line.split(",")) for line in text.splitlines() if not line.startswith("#"))


def _layer(suite: str, kind: str, *sizes: str) -> DeepBenchLayer:
    number = [int(size) for size in sizes]
    if kind == "gemm":
        m, n, k = number
        return DeepBenchLayer(suite, kind, (n, k), (k, m))
    batch, channels, rows, columns, outputs = number[:5]
    kernel, pads, strides = (number[5], number[6]), (number[7], number[8]), (number[9], number[10])
    return DeepBenchLayer(suite, kind, (batch, channels, rows, columns), (outputs, channels, *kernel), pads, strides)


def model_of(layer: DeepBenchLayer) -> Any:
    """An `onnx.ModelProto` in QOperator style, i8, with weights of a seed; few results are clamped."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

    weights = np.random.default_rng(0).integers(-127, 128, layer.weights, np.int8)
    scale = np.float32(_DEVIATION**2 * layer.terms**0.5 / 40)
    constants = {"one": np.float32(1), "zero": np.int8(0), "weights": weights, "scale": scale}
    operator, attributes = "QLinearMatMul", {}
    if layer.kind == "conv":
        operator, attributes = "QLinearConv", {"pads": [*layer.pads, *layer.pads], "strides": list(layer.strides)}
    node = helper.make_node(
        operator, ["x", "one", "zero", "weights", "one", "zero", "scale", "zero"], ["y"], "layer", **attributes
    )
    graph = helper.make_graph(
        [node], "deepbench",
        [helper.make_tensor_value_info("x", TensorProto.INT8, layer.input)],
        [helper.make_tensor_value_info("y", TensorProto.INT8, layer.output)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
