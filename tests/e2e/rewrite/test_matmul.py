"""Products of two activations: every byte equal to ONNX Runtime's."""

from __future__ import annotations

import numpy as np
import pytest
from test_single_precision import expect_equal
from test_tables import Network

import covenant
from covenant.errors import CovenantError

DTYPES = (np.int8, np.uint8)
MACHINES = ("genesys:8x8", "genesys:8x24", "dnnweaver")


def quantization(dtype, zero_point, scale=0.03):
    return np.float32(scale), dtype(zero_point + (128 if dtype is np.uint8 else 0))


def turned(network, value, permutation):
    return network.builder.add("Transpose", network.real(value), perm=permutation)


def operands(network, zeros, shape=None):
    """The image, and a table of it, perhaps in another shape."""
    a = network.stored("image", quantization(network.dtype, zeros[0]))
    b = network.stored(network.builder.add("Tanh", network.real(a)), quantization(network.dtype, zeros[1], 0.01))
    return a, b


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("zeros", [(0, 0), (-7, 0), (0, 5), (-128, 127), (127, -128), (11, -3)], ids=str)
def test_zero_points_on_both_sides(zeros, dtype, tmp_path):
    network = Network(31, (2, 3, 10, 20), dtype)
    a, b = operands(network, zeros)
    product = network.builder.add("MatMul", network.real(a), turned(network, b, [0, 1, 3, 2]))
    network.now = network.stored(product, quantization(dtype, -4, 0.1))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize(
    ("shape", "first", "second"),
    [((40, 24), None, [1, 0]), ((40, 24), [1, 0], None), ((5, 17, 33), None, [0, 2, 1]), ((5, 17, 33), [0, 2, 1], None),
     ((1, 2, 3, 8, 16), None, [0, 1, 2, 4, 3]), ((3, 1, 7, 4), [1, 0, 2, 3], [0, 1, 3, 2]),
     ((3, 1, 7, 4), None, [1, 0, 3, 2]), ((6, 5, 4), [1, 0, 2], [1, 2, 0]), ((1, 9, 1), None, [0, 2, 1])],
    ids=str,
)  # fmt: skip
def test_matrices_that_lie_in_any_order(shape, first, second, tmp_path):
    """Also stacks of which one matrix meets several."""
    network = Network(32, shape)
    a, b = operands(network, (-3, 6))
    left = turned(network, a, first) if first else network.real(a)
    right = turned(network, b, second) if second else network.real(b)
    network.now = network.stored(network.builder.add("MatMul", left, right), quantization(np.int8, 2, 0.1))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize(
    ("shape", "first", "second"),
    [((4, 5, 20), [4, 5, 20], [4, 20, 5]), ((4, 5, 20), [2, 10, 20], [20, 20]), ((4, 5, 20), [400], [400, 1]),
     ((20, 20), [1, 400], [400]), ((4, 5, 20), [4, 5, 20], [4, 1, 20, 5])],
    ids=str,
)  # fmt: skip
def test_ranks_that_differ(shape, first, second, tmp_path):
    network = Network(33, shape)
    a, b = (
        network.builder.add("Reshape", network.real(one), np.array(to, np.int64))
        for one, to in zip(operands(network, (9, -2)), (first, second), strict=True)
    )
    network.now = network.stored(network.builder.add("MatMul", a, b), quantization(np.int8, 0, 0.1))
    expect_equal(network, tmp_path)


def test_a_product_without_dimensions_is_refused(tmp_path):
    network = Network(35, (30,))
    a, b = operands(network, (1, 2))
    network.now = network.stored(network.builder.add("MatMul", network.real(a), network.real(b)))
    with pytest.raises(CovenantError, match="GEN0022"):
        covenant.compile(network.save(tmp_path), "genesys")


def attention(network, heads):
    """Self-attention on `now` [1,length,channels], with projections before and after it, as exporters write it."""
    add = network.builder.add
    _, length, channels = network.builder.inputs["image"].shape
    size = channels // heads

    def projected(stored):
        # So small that sums of two products by an unsigned byte fit 16 bits: all that some processors have for them.
        w = network.generator.integers(-63, 64, (channels, channels)).astype(np.int8)
        weights = add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
        return network.stored(add("MatMul", network.real(stored), weights))

    def head(stored, permutation):
        apart = add("Reshape", network.real(stored), np.array([0, length, heads, size], np.int64))
        return network.stored(add("Transpose", apart, perm=permutation), stored[1:])

    query, key, value = (projected(network.now) for _ in range(3))
    scores = add("MatMul", network.real(head(query, [0, 2, 1, 3])), network.real(head(key, [0, 2, 3, 1])))
    scaled = network.stored(add("Div", network.real(network.stored(scores)), np.float32(size**0.5)))
    least = network.dtype(np.iinfo(network.dtype).min)
    shares = network.stored(add("Softmax", network.real(scaled), axis=-1), (np.float32(1 / 256), least))
    mixed = network.stored(add("MatMul", network.real(shares), network.real(head(value, [0, 2, 1, 3]))))
    beside = add("Transpose", network.real(mixed), perm=[0, 2, 1, 3])
    network.now = network.stored(add("Reshape", beside, np.array([1, length, channels], np.int64)), mixed[1:])
    network.now = projected(network.now)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("length", "channels", "heads"), [(16, 32, 2), (21, 24, 3), (33, 40, 5)])
def test_attention(length, channels, heads, dtype, tmp_path):
    network = Network(34, (1, length, channels), dtype)
    attention(network, heads)
    expect_equal(network, tmp_path)


@pytest.mark.parametrize(("length", "heads"), [(197, 3), (193, 1)])
def test_scores_of_rows_that_nothing_divides(length, heads, tmp_path):
    """No buffer holds a whole matrix of scores: the lanes reach into the room past each row."""
    network = Network(36, (1, heads, length, 16))
    a, b = operands(network, (3, 0))
    scores = network.stored(network.builder.add("MatMul", network.real(a), turned(network, b, [0, 1, 3, 2])))
    least = (np.float32(1 / 256), np.int8(-128))
    network.now = network.stored(network.builder.add("Softmax", network.real(scores), axis=-1), least)
    expect_equal(network, tmp_path, ["genesys:03"])


def test_a_sum_of_tensors_whose_dimensions_lie_in_different_orders(tmp_path):
    """A product by heads plus a tensor stored row by row: a copy turns one of them, and is fused with care."""
    network = Network(61, (1, 21, 4, 8))
    add, real = network.builder.add, network.real
    rows = network.stored(add("Sigmoid", real()))
    heads = network.stored(add("Transpose", real(), perm=[0, 2, 1, 3]), network.now[1:])
    turned = network.stored(add("Transpose", real(heads), perm=[0, 1, 3, 2]), heads[1:])
    scores = network.stored(add("MatMul", real(heads), real(turned)))
    mixed = network.stored(add("MatMul", real(scores), real(heads)))
    scaled = network.stored(add("Mul", real(mixed), np.float32(0.7)))
    other = network.stored(add("Transpose", real(rows), perm=[0, 2, 1, 3]), rows[1:])
    network.now = network.stored(add("Add", real(scaled), real(other)))
    expect_equal(network, tmp_path, ("genesys:8x8", "genesys:09", "dnnweaver"))
