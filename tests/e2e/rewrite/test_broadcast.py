"""Sums and products of tensors of different shapes, and by constants, in both orders: equal to ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder
from test_tables import Network

import covenant
from covenant import oracle

SHAPE = (1, 6, 5, 7)
OTHERS = ((1, 6, 1, 1), (6, 1, 1), (1, 1, 1, 7), (5, 1), (1,), (1, 6, 5, 7), (1, 1, 5, 7), (7,))


def pair(network, operator, other, *, first):
    """`now` and another operand of it, which stands first or last."""
    operands = [network.real(), other]
    y = network.builder.add(operator, *(reversed(operands) if first else operands))
    return network.stored(y)


def expect_equal(network, folder):
    path = network.save(folder)
    image = np.random.default_rng(3).normal(size=SHAPE).astype(np.float32)
    expected = oracle.run(path, image)
    for machine in ("genesys:8x8", "dnnweaver"):
        result = covenant.run(covenant.compile(path, machine), image)
        for name, array in expected.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)


@pytest.mark.parametrize("operator", ["Add", "Mul"])
@pytest.mark.parametrize("shape", OTHERS, ids=str)
def test_constants(operator, shape, tmp_path):
    network = Network(11)
    network.now = network.conv(network.now, 6, 6)
    for first in (False, True):
        stored = network.generator.integers(-128, 128, shape).astype(np.int8)
        constant = network.builder.add("DequantizeLinear", stored, np.float32(0.011), np.int8(3))
        network.now = pair(network, operator, constant, first=first)
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("operator", ["Add", "Mul"])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("axes", [(2, 3), (1,), (1, 2), (3,), (1, 2, 3)], ids=str)
def test_activations(operator, first, axes, tmp_path):
    """The other operand is the largest along some axes: one index there."""
    network = Network(12)
    network.now = wide = network.conv(network.now, 6, 6)
    starts = np.zeros(len(axes), np.int64)
    narrow = network.builder.add("Slice", network.real(wide), starts, starts + 1, np.array(axes, np.int64))
    narrow = network.conv(network.stored(narrow, wide[1:]), 1 if 1 in axes else 6, 1 if 1 in axes else 6)
    network.now = pair(network, operator, network.real(narrow), first=first)
    expect_equal(network, tmp_path)


def test_ranks(tmp_path):
    """Rows beside an image: dimensions count from the last."""
    network = Network(13)
    network.now = wide = network.conv(network.now, 6, 6)
    rows = network.builder.add("Slice", network.real(wide), *(np.array([i], np.int64) for i in (2, 3, 1)))
    rows = network.stored(network.builder.add("Squeeze", rows, np.array([0, 1], np.int64)), wide[1:])
    network.now = pair(network, "Add", network.real(rows), first=False)
    expect_equal(network, tmp_path)


def test_single_elements(tmp_path):
    """ONNX Runtime adds the second one last when both operands are single elements."""
    network = Network(14)
    for turn in range(3):
        a = network.conv(network.stored(network.builder.add("GlobalAveragePool", network.real())), 1, (6, 1, 1)[turn])
        b = network.conv(network.stored(network.builder.add("GlobalAveragePool", network.real(a))), 1, 1)
        network.now = network.stored(network.builder.add("Add", network.real(a), network.real(b)))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("operator", ["Add", "Mul", "QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize(
    ("shape", "other"),
    [
        ((1, 24, 1, 1), (1, 1, 2, 3)), ((1, 3, 1, 1), (1, 1, 5, 4)), ((2, 9, 1, 1), (2, 2)),
        ((2, 7, 1, 1), (1, 1, 1, 4)), ((1, 5, 1, 1), (1, 2, 1, 5, 1, 3)), ((4, 1), (1, 5)), ((3,), (2, 1)),
    ],
    ids=str,
)  # fmt: skip
def test_both_are_repeated(shape, other, operator, first, tmp_path):
    """Two inputs, neither of which has the shape of the result."""
    random = np.random.default_rng(15)
    images = {"a": random.normal(size=shape).astype(np.float32), "b": random.normal(size=other).astype(np.float32)}
    builder = ModelBuilder(dict(images))
    scales = [(np.float32(scale), np.int8(zero)) for scale, zero in ((0.03, 5), (0.02, -7), (0.04, 11))]
    stored = [builder.add("QuantizeLinear", name, *scale) for name, scale in zip("ab", scales, strict=False)]
    operands = list(zip(stored, scales, strict=False))[:: -1 if first else 1]
    if operator.startswith("QLinear"):
        inputs = [entry for value, scale in operands for entry in (value, *scale)]
        y = builder.add(operator, *inputs, *scales[2])
    else:
        reals = [builder.add("DequantizeLinear", value, *scale) for value, scale in operands]
        y = builder.add("QuantizeLinear", builder.add(operator, *reals), *scales[2])
    made = builder.add("DequantizeLinear", y, *scales[2])
    path = tmp_path / "model.onnx"
    onnx.save(builder.model({made: np.float32}), path)
    expected = oracle.run(path, images)
    for machine in ("genesys:8x8", "dnnweaver"):
        for name, array in covenant.run(covenant.compile(path, machine), images).outputs.items():
            np.testing.assert_array_equal(array, expected[name], err_msg=machine)
