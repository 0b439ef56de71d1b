"""Relu, Max and Min in float before a layer that reads them: the bytes of ONNX Runtime, or a step beside them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import as_written
from oracle_models import ModelBuilder

import covenant

LAYERS = {
    "GlobalAveragePool": lambda b, y: b.add("GlobalAveragePool", y),
    "AveragePool": lambda b, y: b.add("AveragePool", y, kernel_shape=[2, 2]),
    "LayerNormalization": lambda b, y: b.add("LayerNormalization", y, np.ones(6, np.float32), axis=-1),
    "ReduceMean": lambda b, y: b.add("ReduceMean", y, np.array([2])),
    "Softmax": lambda b, y: b.add("Softmax", y, axis=-1),
}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("picking", ["Relu", "Max", "Min"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_what_is_picked_has_a_scale(layer, picking, dtype, tmp_path):
    random = np.random.default_rng(5)
    zero, steps = dtype(np.iinfo(dtype).min + 117), (np.float32(0.02), np.float32(0.015))
    feed = {name: random.normal(size=(1, 4, 5, 6)).astype(np.float32) for name in ("x", "z")}
    feed = feed if picking != "Relu" else {"x": feed["x"]}
    builder = ModelBuilder(feed)
    stored = [
        builder.add("DequantizeLinear", builder.add("QuantizeLinear", name, steps[0], zero), steps[0], zero)
        for name in feed
    ]
    made = LAYERS[layer](builder, builder.add(picking, *stored))
    y = builder.add("QuantizeLinear", made, steps[1], zero)
    model = builder.model({builder.add("DequantizeLinear", y, steps[1], zero): np.float32})
    model.opset_import[0].version, model.ir_version = 18, 8
    onnx.save(model, tmp_path / "x.onnx")
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:07")), feed).outputs.values()
    assert np.abs(made - expected).max() <= steps[1] * 1.01
    assert np.unique(expected).size > 2
