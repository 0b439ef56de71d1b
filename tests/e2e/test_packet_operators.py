"""Operators beside products on a machine that issues packets: tables, products of two tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from packet_networks import NetworkLayers
from test_packets import check, check_backends, outputs_in_qemu
from test_tables import Network, squeeze_and_excite

import covenant
from covenant.expected import fixed_point_steps

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


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_images(seed, tmp_path):
    """Between convolutions, of which the second one has room around its image, and alone."""
    random = np.random.default_rng(700 + seed)
    size, channels = int(random.integers(3, 10)), int(random.integers(1, 160))
    layers = NetworkLayers(
        random, DTYPES[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 9)), size, size]
    )
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
    assert "conv+lookup" in operations(check_real(network, tmp_path))[1].replace("_unsigned", "")


@pytest.mark.parametrize("seed", range(8))
def test_products_of_two(seed, tmp_path):
    """Of images that lie alike, of which the first one has room for a convolution after it."""
    random = np.random.default_rng(740 + seed)
    size, channels = int(random.integers(3, 10)), int(random.integers(1, 160))
    layers = NetworkLayers(
        random, DTYPES[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 9)), size, size]
    )
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
    layers = NetworkLayers(
        random, DTYPES[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 9)), size, size]
    )
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.squeeze_and_excite(int(random.integers(1, 40)))
    layers.convolution(int(random.integers(1, 40)), 3, 1, (1, 1, 1, 1))
    print(f"seed {seed}: {layers.first} to {layers.last}, {channels} channels between")
    program = check(layers, tmp_path)
    assert any("mul_channels" in operation for operation in operations(program))


@pytest.mark.parametrize("seed", range(4))
def test_a_network_of_gates(seed, tmp_path):
    check_real(squeeze_and_excite(seed), tmp_path)
