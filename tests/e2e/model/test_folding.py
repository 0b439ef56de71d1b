"""Folding of nodes that depend on constants alone, as exporters and other quantisers leave them in their models."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from test_tables import SHAPE, Network

import covenant
from covenant import oracle
from covenant.errors import CovenantError
from covenant.model.folding import folded


def expect_equal(network, folder):
    path = network.save(folder)
    image = np.random.default_rng(3).normal(size=SHAPE).astype(np.float32)
    expected = oracle.run(path, image)
    result = covenant.run(covenant.compile(path, "genesys:8x8"), image)
    for name, array in expected.items():
        np.testing.assert_array_equal(result.outputs[name], array)


def rows_by_arithmetic(network, real):
    """`x.view(x.size(0), -1)` as PyTorch exports it."""
    size = network.builder.add("Gather", network.builder.add("Shape", real), np.int64(0), axis=0)
    first = network.builder.add("Unsqueeze", size, np.zeros(1, np.int64))
    shape = network.builder.add("Concat", first, np.full(1, -1, np.int64), axis=0)
    return network.builder.add("Reshape", real, shape)


def test_shapes_that_are_computed(tmp_path):
    network = Network(31)
    network.now = wide = network.conv(network.now, 6, 6)
    network.now = network.stored(rows_by_arithmetic(network, network.real()), wide[1:])
    weights = network.generator.integers(-127, 128, (6 * 5 * 7, 9)).astype(np.int8)
    product = network.builder.add("DequantizeLinear", weights, np.float32(0.01), np.int8(0))
    network.now = network.stored(network.builder.add("MatMul", network.real(), product))
    expect_equal(network, tmp_path)
    model = folded(network.model())
    assert "Shape" not in {node.op_type for node in model.graph.node}
    assert folded(model) is model


@pytest.mark.parametrize("scale", [np.float32(0.02), np.linspace(0.01, 0.03, 8, dtype=np.float32)], ids=["one", "each"])
@pytest.mark.parametrize("domain", ["", "com.microsoft"])
def test_float_weights_that_are_quantized_in_the_model(domain, scale, tmp_path):
    """By ONNX's own operators, or by those that ONNX Runtime contributes."""
    network = Network(32)
    weights = network.generator.normal(size=(8, 6, 3, 3)).astype(np.float32)
    zero, axis = np.zeros(scale.shape, np.int8), {"axis": 0} if scale.shape else {}
    stored = network.builder.add("QuantizeLinear", weights, scale, zero, **axis)
    real = network.builder.add("DequantizeLinear", stored, scale, zero, **axis)
    network.now = network.stored(network.builder.add("Conv", network.real(), real, pads=[1] * 4))
    for node in network.builder.nodes:
        node.domain = domain if node.op_type.endswith("Linear") else ""
    expect_equal(network, tmp_path)


def test_what_is_not_constant_stays(tmp_path):
    """A shape that the model does not know is none, and what is wrong is said as before."""
    network = Network(33)
    network.now = network.stored(rows_by_arithmetic(network, network.real()), network.now[1:])
    model = network.model()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "N"
    assert "Shape" in {node.op_type for node in folded(model).graph.node}
    onnx.save(model, str(tmp_path / "open.onnx"))
    with pytest.raises(CovenantError, match="ONX0004"):
        covenant.compile(tmp_path / "open.onnx", "genesys:8x8")
