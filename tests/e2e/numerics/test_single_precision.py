"""Averages of windows and softmax, which are computed in f32: every byte equal to ONNX Runtime's."""

from __future__ import annotations

import numpy as np
import pytest
from test_tables import Network

import covenant
from covenant import oracle
from covenant.errors import CovenantError

ONE_256TH = np.float32(1 / 256)


def expect_equal(network, folder, machines=("genesys:8x8", "genesys:8x24", "dnnweaver")):
    path = network.save(folder)
    shape = [entry.dim_value for entry in network.model().graph.input[0].type.tensor_type.shape.dim]
    image = np.random.default_rng(5).normal(size=shape).astype(np.float32)
    expected = oracle.run(path, image)
    for machine in machines:
        result = covenant.run(covenant.compile(path, machine), image)
        for name, array in expected.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)


POOLS = (
    {"kernel_shape": [3, 2], "strides": [2, 2]},
    {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [1, 1, 1, 1]},
    {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [1, 1, 1, 1], "count_include_pad": 1},
    {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [0, 1, 1, 1], "ceil_mode": 1},
    {"kernel_shape": [3, 3], "strides": [2, 1], "auto_pad": "SAME_UPPER"},
    {"kernel_shape": [10, 12]},
)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("pool", POOLS, ids=str)
def test_averages(pool, dtype, tmp_path):
    network = Network(21, (1, 19, 10, 12), dtype)
    network.now = network.stored(network.builder.add("AveragePool", network.real(), **pool))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("pool", POOLS[3:5], ids=str)
def test_maxima_with_a_window_past_the_end(pool, tmp_path):
    network = Network(22, (1, 19, 10, 12))
    _, *quantization = network.now
    network.now = network.stored(network.builder.add("MaxPool", network.real(), **pool), quantization)
    expect_equal(network, tmp_path)


def test_averages_of_rows(tmp_path):
    network = Network(23, (2, 9, 31))
    network.now = network.stored(network.builder.add("AveragePool", network.real(), kernel_shape=[4], strides=[3]))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((1, 40), 1), ((40, 1), 0), ((7, 33), -1), ((7, 33), 0), ((2, 3, 17, 29), 3), ((2, 3, 17, 29), 2),
     ((2, 3, 17, 29), 1), ((1, 5, 1, 1), 1), ((3, 2, 1), 1), ((2, 2, 2, 3, 5), 4)],
)  # fmt: skip
def test_softmax(shape, axis, dtype, tmp_path):
    network = Network(24, shape, dtype)
    least = dtype(np.iinfo(dtype).min)
    network.now = network.stored(network.builder.add("Softmax", network.real(), axis=axis), (ONE_256TH, least))
    # A table makes it a layer of the machine: what ends a model is the host's.
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("axis", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 9])
def test_softmax_between_convolutions_of_few_channels(axis, rows, tmp_path):
    """Tensors with few channels may lie without the padding of whole vectors."""
    network = Network(29, (1, 3, rows, 5))
    network.now = network.conv(network.now, 3, 3)
    least = (ONE_256TH, np.int8(-128))
    network.now = network.stored(network.builder.add("Softmax", network.real(), axis=axis), least)
    network.now = network.conv(network.now, 4, 3)
    expect_equal(network, tmp_path, ["genesys:8x8", "genesys:09", "dnnweaver"])


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_softmax_before_a_product_of_all_of_it(axis, tmp_path):
    """Rows lie in the order in which the softmax works, which need not be that of pixels and channels."""
    network = Network(30, (2, 5, 6, 7))
    least = (ONE_256TH, np.int8(-128))
    network.now = network.stored(network.builder.add("Softmax", network.real(), axis=axis), least)
    w = network.generator.integers(-127, 128, (5 * 6 * 7, 9)).astype(np.int8)
    weights = network.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
    network.now = network.stored(network.builder.add("Flatten", network.real(), axis=1), network.now[1:])
    network.now = network.stored(network.builder.add("MatMul", network.real(), weights))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("scale", [1e-4, 0.02, 0.7, 20.0])
@pytest.mark.parametrize("steps", [1 / 256, 1 / 100, 1 / 3])
def test_softmax_of_any_scales(scale, steps, tmp_path):
    network = Network(25, (3, 50))
    network.now = network.stored("image", (np.float32(scale), np.int8(-11)))
    network.now = network.stored(
        network.builder.add("Softmax", network.real(), axis=1), (np.float32(steps), np.int8(-100))
    )
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    expect_equal(network, tmp_path, ["genesys:8x8"])


@pytest.mark.parametrize(("scale", "stored"), [(0.02, 2e-5), (0.01, 3e-5), (0.003, 3.5e-5)])
def test_softmax_of_long_rows_with_small_shares(scale, stored, tmp_path):
    """Steps are so small that each rounding of the sums shows."""
    network = Network(41, (1, 12, 197, 197))
    network.now = network.stored("image", (np.float32(scale), np.int8(3)))
    made = network.builder.add("Softmax", network.real(network.now), axis=-1)
    network.now = network.stored(made, (np.float32(stored), np.int8(-128)))
    expect_equal(network, tmp_path)


def test_a_row_that_fits_no_buffer_is_refused(tmp_path):
    """The row's sum would be computed in parts, in another order."""
    network = Network(26, (8, 6000))
    least = (ONE_256TH, np.int8(-128))
    network.now = network.stored(network.builder.add("Softmax", network.real(), axis=1), least)
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    with pytest.raises(CovenantError, match="CDL0051"):
        covenant.compile(network.save(tmp_path), "genesys:8x8")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("operator", ["Sub", "Div"])
def test_two_tensors(operator, dtype, tmp_path):
    network = Network(27, dtype=dtype)
    network.now = wide = network.conv(network.now, 6, 6)
    other = network.conv(network.now, 6, 6)
    network.now = network.stored(network.builder.add(operator, network.real(wide), network.real(other)))
    expect_equal(network, tmp_path)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("operator", ["Sub", "Div"])
def test_a_tensor_and_one_of_another_shape(operator, first, tmp_path):
    """One number for each channel, and a constant of a row."""
    network = Network(28)
    network.now = wide = network.conv(network.now, 6, 6)
    narrow = network.stored(network.builder.add("GlobalAveragePool", network.real()))
    pair = [network.real(wide), network.real(narrow)]
    network.now = network.stored(network.builder.add(operator, *(reversed(pair) if first else pair)))
    stored = network.generator.integers(1, 128, (1, 1, 1, 7)).astype(np.int8)
    constant = network.builder.add("DequantizeLinear", stored, np.float32(0.011), np.int8(0))
    pair = [network.real(), constant]
    network.now = network.stored(network.builder.add(operator, *(reversed(pair) if first else pair)))
    expect_equal(network, tmp_path)
