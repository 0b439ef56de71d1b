"""Max and Min of a quantised tensor and a float input: the bytes of ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import as_written
from oracle_models import ModelBuilder

import covenant


@pytest.mark.parametrize("operator", ["Max", "Min"])
@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_an_input_is_quantized_like_the_result(operator, is_moved, dtype, tmp_path):
    random, step = np.random.default_rng(3), np.float32(0.03)
    feed = {"x": random.normal(size=(1, 6, 5)).astype(np.float32)}
    zero = dtype(np.iinfo(dtype).min + 117)
    builder = ModelBuilder(feed)
    stored = builder.add("QuantizeLinear", "x", np.float32(0.02), zero)
    squashed = builder.add("Tanh", builder.add("DequantizeLinear", stored, np.float32(0.02), zero))
    squashed = builder.add("QuantizeLinear", squashed, step, zero)
    other = builder.add("DequantizeLinear", squashed, step, zero)
    value = builder.add("Reshape", "x", np.array([1, 5, 6])) if is_moved else "x"
    other = builder.add("Reshape", other, np.array([1, 5, 6])) if is_moved else other
    y = builder.add("QuantizeLinear", builder.add(operator, value, other, np.float32(0.1)), step, zero)
    model = builder.model({builder.add("DequantizeLinear", y, step, zero): np.float32})
    onnx.save(model, tmp_path / "x.onnx")
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:07")), feed).outputs.values()
    np.testing.assert_array_equal(made, expected)
    assert np.unique(expected).size > 5
