"""Operators beside products on a machine that issues packets: tables, products of two tensors, means of windows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from packet_networks import NetworkLayers
from test_packets import check, check_backends, outputs_in_qemu
from test_tables import Network, squeeze_and_excite

import covenant
from covenant.verify.expected import fixed_point_steps

DTYPES = ("u8", "i8")


def check_real(network: Network, folder: Path) -> covenant.Program:
    """A model in QDQ style: all ways lead to the same bytes, a step from ONNX Runtime's at most in each layer."""
    path = network.save(folder)
    shape = [entry.dim_value for entry in network.model().graph.input[0].type.tensor_type.shape.dim]
    feed = {"image": np.random.default_rng(5).normal(size=shape).astype(np.float32)}
    program = check_backends(path, feed)
    bytes_of_input = np.random.default_rng(6).integers(0, 256, int(np.prod(shape))).astype(np.uint8)
    in_qemu, on_core = outputs_in_qemu(program, bytes_of_input, folder / "model.elf")
    assert in_qemu == on_core
    assert fixed_point_steps(path, [feed]) <= 1
    return program


def operations(program: covenant.Program) -> list[str]:
    return [block.operation for block in program.blocks]


def images(random: np.random.Generator, seed: int, size: int) -> NetworkLayers:
    """Drawn: one or two images of up to eight channels."""
    return NetworkLayers(random, DTYPES[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 9)), size, size])


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_images(seed, tmp_path):
    """Between convolutions, of which the second one has room around its image, and alone."""
    random = np.random.default_rng(700 + seed)
    size, channels = int(random.integers(3, 10)), int(random.integers(1, 160))
    layers = images(random, seed, size)
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.sigmoid()
    layers.convolution(channels, 1, 1)
    layers.leaky_relu()
    before = layers.known()
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.add(before)
    layers.sigmoid()
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(4))
def test_tables_of_rows(seed, tmp_path):
    random = np.random.default_rng(720 + seed)
    layers = NetworkLayers(random, DTYPES[seed % 2], [int(random.integers(1, 20)), int(random.integers(1, 400))])
    layers.sigmoid()
    layers.product(int(random.integers(1, 300)))
    layers.leaky_relu()
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("function", ["hard_swish", "gelu"])
def test_chains_of_one_value(function, dtype, tmp_path):
    network = Network(31, (1, 6, 9, 7), dtype)
    network.now = network.conv(network.now, 40, 6, kernel=3)
    network.now = network.stored(getattr(network, function)())
    network.now = network.conv(network.now, 9, 40)
    assert any(operation.endswith("+lookup") for operation in operations(check_real(network, tmp_path)))


@pytest.mark.parametrize("seed", range(8))
def test_products_of_two(seed, tmp_path):
    """Products of images with the same layout, of which the first has room for a convolution after it."""
    random = np.random.default_rng(740 + seed)
    size, channels = int(random.integers(3, 10)), int(random.integers(1, 160))
    layers = images(random, seed, size)
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    before = layers.known()
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.multiply(before)
    layers.multiply(before, scale=0.0004 if seed == 7 else None)
    layers.convolution(int(random.integers(1, 40)), 3, 2, (1, 1, 1, 1))
    print(f"seed {seed}: {layers.first} to {layers.last}, {channels} channels between")
    check(layers, tmp_path)
    assert fixed_point_steps(tmp_path / "model.onnx", [{"x": layers.image()}]) <= 1


@pytest.mark.parametrize("seed", range(8))
def test_factors_of_channels(seed, tmp_path):
    """Squeeze and excite, as networks for mobile phones have it."""
    random = np.random.default_rng(760 + seed)
    size, channels = int(random.integers(2, 9)), int(random.integers(3, 160))
    layers = images(random, seed, size)
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.squeeze_and_excite(int(random.integers(1, 40)))
    layers.convolution(int(random.integers(1, 40)), 3, 1, (1, 1, 1, 1))
    print(f"seed {seed}: {layers.first} to {layers.last}, {channels} channels between")
    program = check(layers, tmp_path)
    assert any("mul_channels" in operation for operation in operations(program))


@pytest.mark.parametrize("seed", range(4))
def test_a_network_of_gates(seed, tmp_path):
    check_real(squeeze_and_excite(seed), tmp_path)


POOLS = (
    {"kernel_shape": [2, 2], "strides": [2, 2]},
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
    {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    {"kernel_shape": [2, 3], "strides": [2, 2], "pads": [0, 1, 1, 1]},
    {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
    {"kernel_shape": [3, 3], "strides": [2, 1], "auto_pad": "SAME_UPPER"},
    {"kernel_shape": [8, 7]},
)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("pool", POOLS, ids=str)
def test_means_of_windows(pool, dtype, tmp_path):
    """Means of a convolution's result and of the input, with convolutions of padded images around them."""
    network = Network(41, (2, 5, 8, 7), dtype)
    before = network.now
    network.now = network.conv(network.now, 37, 5, kernel=3)
    network.now = network.stored(network.builder.add("AveragePool", network.real(), **pool))
    network.now = network.conv(network.now, 5, 37, kernel=3)
    if pool.get("strides") is None and pool.get("pads"):
        of_input = network.stored(network.builder.add("AveragePool", network.real(before), **pool))
        network.now = network.stored(network.builder.add("Add", network.real(), network.real(of_input)))
    program = check_real(network, tmp_path)
    assert any("average_pool_integer" in operation for operation in operations(program))


@pytest.mark.parametrize("seed", range(8))
def test_quantized_means_of_windows(seed, tmp_path):
    random = np.random.default_rng(780 + seed)
    shape = [
        int(random.integers(1, 3)),
        int(random.integers(1, 200)),
        *(int(size) for size in random.integers(4, 10, 2)),
    ]
    layers = NetworkLayers(random, DTYPES[seed % 2], shape)
    kernel = int(random.integers(2, 5))
    layers.average_pool(kernel, int(random.integers(1, 3)), tuple(int(random.integers(0, kernel)) for _ in range(4)))
    if seed % 4 > 1:
        layers.convolution(int(random.integers(3, 40)), 3, 1, (1, 1, 1, 1))
    print(f"seed {seed}: {layers.first} to {layers.last}, windows of {kernel}")
    check(layers, tmp_path)
    assert fixed_point_steps(tmp_path / "model.onnx", [{"x": layers.image()}]) <= 1


@pytest.mark.parametrize(("operation", "packets"), [("add", 5.6), ("mul", 10.1), ("lookup", 8.1)])
def test_what_a_vector_takes(operation, packets, tmp_path):
    """Trips of one vector overlap, until what is busiest has no free packet: of products and tables."""
    layers = NetworkLayers(np.random.default_rng(8), "u8", [1, 256, 16, 16])
    other = (layers.constant(layers.image()), 0.02, 5)
    {"add": lambda: layers.add(other), "mul": lambda: layers.multiply(other), "lookup": layers.sigmoid}[operation]()
    program = check(layers, tmp_path)
    (layer,) = covenant.run(program, {"x": layers.image()}).layers
    assert layer.operation == operation
    assert layer.packets / (2 * 16 * 16) <= packets
