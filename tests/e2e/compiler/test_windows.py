"""Dilated and grouped windows: every output byte is as expected, by ONNX Runtime where it is exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from expectation import expected_here
from oracle_models import ModelBuilder, reference

import covenant
from covenant.program.inputs import random_feeds
from covenant.verify.comparison import compare

MACHINES = {
    "genesys": {"M": 8, "N": 8},
    "uneven": {"M": 6, "N": 4, "input_depth": 96, "weight_depth": 24, "vector_depth": 64, "output_depth": 48},
}
DTYPES = [np.uint8, np.int8]
# channels, outputs, group, then attributes of the window
CONVOLUTIONS: dict[str, tuple[int, int, int, dict[str, Any]]] = {
    "dilated": (5, 7, 1, {"dilations": [2, 3], "pads": [2, 3, 2, 3]}),
    "dilated and strided": (9, 4, 1, {"dilations": [3, 2], "strides": [2, 2], "pads": [1, 0, 2, 4]}),
    "depthwise": (19, 19, 19, {"pads": [1, 1, 1, 1]}),
    "depthwise, strided": (32, 32, 32, {"strides": [2, 2], "pads": [0, 0, 1, 1]}),
    "depthwise with a multiplier": (6, 18, 6, {"pads": [1, 1, 1, 1]}),
    "groups of whole vectors": (32, 16, 2, {"pads": [1, 1, 1, 1]}),
    "groups merged by pairs": (16, 32, 4, {"strides": [2, 1], "pads": [1, 1, 1, 1]}),
    "depthwise, the last vector not full": (20, 20, 20, {"pads": [1, 1, 1, 1]}),
    "pairs, the last vector not full": (20, 20, 10, {"pads": [1, 1, 1, 1], "strides": [1, 2]}),
    "groups of odd sizes": (15, 10, 5, {"pads": [1, 0, 1, 0]}),
    "dilated groups": (24, 24, 3, {"dilations": [2, 2], "pads": [2, 2, 2, 2]}),
}


def activation(builder: ModelBuilder, dtype: Any, zero: int) -> tuple[str, np.float32, Any]:
    scale, point = np.float32(0.05), dtype(zero)
    return builder.add("QuantizeLinear", "x", scale, point), scale, point


def convolution(channels: int, outputs: int, group: int, window: dict[str, Any], dtype: Any, *, qdq: bool) -> Any:
    """A model of one quantised 3 x 3 convolution over 13 x 11 pixels."""
    generator = np.random.default_rng(channels * 100 + outputs)
    builder = ModelBuilder({"x": np.zeros((1, channels, 13, 11), np.float32)})
    value, x_scale, x_zero = activation(builder, dtype, 9 if dtype is np.int8 else 131)
    weights = generator.integers(-128, 128, (outputs, channels // group, 3, 3)).astype(np.int8)
    scales = np.exp(generator.uniform(-5, -3, outputs)).astype(np.float32)
    zeros = np.zeros(outputs, np.int8)
    bias = generator.integers(-3000, 3000, outputs).astype(np.int32)
    y_scale = np.float32(x_scale * scales.mean() * 70 * np.sqrt(9 * channels // group))
    window = {"kernel_shape": [3, 3], "group": group, **window}
    if qdq:
        real = builder.add("DequantizeLinear", value, x_scale, x_zero)
        real_weights = builder.add("DequantizeLinear", weights, scales, zeros, axis=0)
        real_bias = builder.add("DequantizeLinear", bias, x_scale * scales, np.zeros(outputs, np.int32), axis=0)
        value = builder.add(
            "QuantizeLinear", builder.add("Conv", real, real_weights, real_bias, **window), y_scale, x_zero
        )
    else:
        operands = [value, x_scale, x_zero, weights, scales, zeros, y_scale, x_zero, bias]
        value = builder.add("QLinearConv", *operands, **window)
    result = builder.add("DequantizeLinear", value, y_scale, x_zero)
    return builder.model({result: np.float32})


def max_pool(channels: int, extent: int, window: dict[str, Any], dtype: Any) -> Any:
    builder = ModelBuilder({"x": np.zeros((1, channels, extent, extent), np.float32)})
    value, scale, zero = activation(builder, dtype, 3)
    value = builder.add("MaxPool", value, **window)
    return builder.model({builder.add("DequantizeLinear", value, scale, zero): np.float32})


def expect_equal(
    model: Any, machine: covenant.Machine, folder: Any, images: int = 2, **options: Any
) -> covenant.Program:
    path = folder / "model.onnx"
    onnx.save(model, str(path))
    program = covenant.compile(path, machine)
    feeds = random_feeds(program, images=images, seed=5)
    expected = expected_here(path, feeds).outputs
    ours = [covenant.run(program, feed, **options).outputs for feed in feeds]
    comparison = compare(ours, expected)
    assert comparison.identical, comparison
    name = next(iter(expected[0]))
    assert np.unique(expected[0][name]).size > 4, "the outputs say something"
    reached = reference(model, {"x": np.stack([feed["x"] for feed in feeds])})
    for theirs, made in zip(expected, reached[name], strict=True):
        assert (theirs[name] == made).all()
    return program


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("qdq", [False, True], ids=["qoperator", "qdq"])
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name, qdq, machine, tmp_path):
    for dtype in DTYPES:
        model = convolution(*CONVOLUTIONS[name], dtype, qdq=qdq)
        expect_equal(model, covenant.Machine("genesys", **MACHINES[machine]), tmp_path)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_dilated_max_pools(machine, dtype, tmp_path):
    for window in (
        {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 1, 2, 0]},
        {"kernel_shape": [2, 2], "dilations": [4, 1], "strides": [2, 2]},
        {"kernel_shape": [2, 2], "dilations": [2, 4], "strides": [3, 4], "pads": [1, 0, 1, 1], "ceil_mode": 1},
        {"kernel_shape": [12, 2], "strides": [4, 1], "ceil_mode": 1},
    ):
        expect_equal(max_pool(10, 9, window, dtype), covenant.Machine("genesys", **MACHINES[machine]), tmp_path)


def test_averages_of_nothing_are_refused(tmp_path):
    """One pixel lies between the two elements of the kernel: 0 / 0 for ONNX Runtime."""
    for counts_pads in (0, 1):
        builder = ModelBuilder({"x": np.zeros((1, 2, 1, 1), np.float32)})
        value, scale, zero = activation(builder, np.int8, 3)
        window = {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1], "dilations": [2, 2], "count_include_pad": counts_pads}
        mean = builder.add("AveragePool", builder.add("DequantizeLinear", value, scale, zero), **window)
        stored = builder.add("QuantizeLinear", mean, scale, zero)
        model = builder.model({builder.add("DequantizeLinear", stored, scale, zero): np.float32})
        model.opset_import[0].version = 19
        onnx.save(model, str(tmp_path / "model.onnx"))
        if counts_pads:
            covenant.compile(tmp_path / "model.onnx", "genesys:8x8")
            continue
        with pytest.raises(covenant.CovenantError, match="ONX0009"):
            covenant.compile(tmp_path / "model.onnx", "genesys:8x8")
