"""Builds random float models to be quantised: layers with activation functions, branches, pools, chains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from oracle_models import ModelBuilder

SHAPE = (1, 3, 11, 9)
SAMPLES = 12


class FloatModel:
    """One model, and data for it; equal seeds give equal ones."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._random = np.random.default_rng(seed)
        builder = ModelBuilder({"x": np.zeros(SHAPE, np.float32)})
        y, channels = self._conv(builder, "x", 3, 8)
        for _ in range(self._random.integers(1, 4)):
            y, channels = self._block(builder, y, channels)
        y = builder.add("Flatten", builder.add("GlobalAveragePool", y), axis=1)
        y = builder.add("Gemm", y, self._normal(7, channels), self._normal(7), transB=1)
        self.path = folder / f"float{seed}.onnx"
        onnx.save(builder.model({y: np.float32}), self.path)
        self.operators = [node.op_type for node in builder.nodes]
        self.data = self._random.normal(size=(SAMPLES, *SHAPE[1:])).astype(np.float32)
        self.data_by_name = {"x": self.data}

    def _normal(self, *shape: int) -> np.ndarray:
        """Random weights whose magnitudes differ widely between output channels."""
        rows = np.exp(self._random.normal(scale=0.7, size=(shape[0], *[1] * (len(shape) - 1))))
        fan_in = max(1, int(np.prod(shape[1:])))
        return (self._random.normal(scale=(2 / fan_in) ** 0.5, size=shape) * rows).astype(np.float32)

    def _conv(self, builder: ModelBuilder, y: str, channels: int, made: int, **attributes: Any) -> tuple[str, int]:
        group = attributes.get("group", 1)
        operands = [self._normal(made, channels // group, 3, 3)]
        if self._random.random() < 0.7:
            operands.append(self._normal(made))
        y = builder.add("Conv", y, *operands, pads=[1, 1, 1, 1], **attributes)
        return self._activated(builder, y), made

    def _activated(self, builder: ModelBuilder, y: str) -> str:
        kind = self._random.integers(5)
        if kind < 2:
            return builder.add("Relu", y)
        if kind == 2:
            return builder.add("Clip", y, np.float32(0), np.float32(6))
        if kind == 3:
            return builder.add("Mul", y, builder.add("HardSigmoid", y))
        return y

    def _block(self, builder: ModelBuilder, y: str, channels: int) -> tuple[str, int]:
        kind = self._random.integers(4)
        if kind == 0:
            other, _ = self._conv(builder, y, channels, channels)
            return self._activated(builder, builder.add("Add", other, y)), channels
        if kind == 1:
            y, _ = self._conv(builder, y, channels, channels, group=channels)
            return self._conv(builder, y, channels, 12)
        if kind == 2:
            y = builder.add("MaxPool", y, kernel_shape=[2, 2], strides=[1, 1])
            return self._conv(builder, y, channels, 10)
        left, some = self._conv(builder, y, channels, 6)
        right, more = self._conv(builder, y, channels, 4)
        return builder.add("Concat", left, right, axis=1), some + more


def attention() -> tuple[Any, np.ndarray]:
    """A float model with products of activations, a softmax, a normalisation, a chain and movements; data for it."""
    random = np.random.default_rng(0)

    def some(*shape: int) -> np.ndarray:
        return random.normal(scale=0.3, size=shape).astype(np.float32)

    data = random.normal(size=(12, 8, 16)).astype(np.float32)
    builder = ModelBuilder({"x": data[:1]})
    query, key, value = (builder.add("MatMul", "x", some(16, 16)) for _ in range(3))
    scores = builder.add("MatMul", query, builder.add("Transpose", key, perm=[0, 2, 1]))
    scores = builder.add("Softmax", builder.add("Mul", scores, np.float32(0.25)), axis=-1)
    y = builder.add("Add", builder.add("MatMul", scores, value), "x")
    y = builder.add("LayerNormalization", y, np.ones(16, np.float32), np.zeros(16, np.float32))
    y = builder.add("Add", builder.add("MatMul", y, some(16, 24)), some(24))
    y = builder.add("Mul", builder.add("Sigmoid", y), y)
    y = builder.add(
        "Concat", y, builder.add("Transpose", builder.add("Transpose", y, perm=[0, 2, 1]), perm=[0, 2, 1]), axis=1
    )
    y = builder.add("Slice", y, np.array([0], np.int64), np.array([12], np.int64), np.array([1], np.int64))
    return builder.model({builder.add("MatMul", y, some(24, 4)): np.float32}), data
