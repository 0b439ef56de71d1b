"""Scales and zero points of one element, written as vectors: they mean what scalars do."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from test_tables import SHAPE, Network

import covenant
from covenant import oracle
from covenant.model.scalar_scales import with_scalar_scales

IMAGE = np.random.default_rng(5).normal(size=SHAPE).astype(np.float32)
LAYERS = {
    "a sum by a constant": lambda n: n.builder.add("Add", n.real(), np.float32(0.4)),
    "a function": lambda n: n.builder.add("Mul", n.real(), n.builder.add("Sigmoid", n.real())),
    "a sum": lambda n: n.builder.add("Add", n.real(), n.real(n.conv(n.now, 6, 6))),
    "a layer": lambda n: n.builder.add("Abs", n.real(n.conv(n.now, 1, 6))),
}


def network_of(layer):
    """Its model with scalars, and the same with vectors."""
    network = Network(7)
    network.now = network.stored(LAYERS[layer](network))
    scalars = network.model()
    vectors = onnx.ModelProto()
    vectors.CopyFrom(scalars)
    steps = {value for node in vectors.graph.node if "Linear" in node.op_type for value in node.input[1:]}
    for tensor in vectors.graph.initializer:
        if tensor.name in steps and not tensor.dims:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).reshape(1), tensor.name))
    return scalars, vectors


@pytest.mark.parametrize("layer", LAYERS)
def test_vectors_of_one_element_are_scalars(layer, tmp_path):
    made = []
    for name, model in zip(("scalars", "vectors"), network_of(layer), strict=True):
        onnx.save(model, tmp_path / f"{name}.onnx")
        got = covenant.run(covenant.compile(tmp_path / f"{name}.onnx", "genesys:8x8"), IMAGE).outputs
        expected = oracle.run(tmp_path / f"{name}.onnx", IMAGE)
        made += [got, expected]
    assert len({next(iter(outputs.values())).tobytes() for outputs in made}) == 1


def test_what_else_reads_a_vector_keeps_it():
    """One initialiser is a scale and an operand; scales of blocks are no scalars."""
    network = Network(8)
    network.builder.constants.append(numpy_helper.from_array(np.array([0.03], np.float32), "shared"))
    network.now = network.stored(network.builder.add("Mul", network.real(), "shared"), ("shared", np.int8(0)))
    made = with_scalar_scales(network.model())
    shapes = {tensor.name: list(tensor.dims) for tensor in made.graph.initializer}
    assert (shapes["shared"], shapes["shared/scalar"]) == ([1], [])
    assert with_scalar_scales(made) is made
    for node in made.graph.node:
        node.input[:] = [value.removesuffix("/scalar") for value in node.input]
        node.attribute.extend([onnx.helper.make_attribute("block_size", 2)] if "Linear" in node.op_type else [])
    assert with_scalar_scales(made) is made
