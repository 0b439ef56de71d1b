"""Networks on a machine in fixed point: the digits, residual sums, means, limits."""

from __future__ import annotations

import numpy as np
import pytest
from digits import DIGITS, STYLES, model_of
from packet_networks import NetworkLayers, mobilenet, resnet18
from test_packets import check, outputs_in_qemu

import covenant
from covenant.comparison import compare
from covenant.expected import Source, expected_outputs, fixed_point_steps


@pytest.mark.parametrize("backend", ["interpret", "systemc"])
@pytest.mark.parametrize("style", STYLES)
def test_digits(style, backend, images):
    program = covenant.compile(model_of(style), covenant.Machine("hvx"))
    session = covenant.Session(program, backend)
    ours = [session.run({"image": image[None]}).outputs for image in images]
    feeds = [{"image": image[None]} for image in images]
    expected = expected_outputs(model_of(style), feeds, Source.REFERENCE, requant="fixed").outputs
    assert compare(ours, expected).identical


@pytest.mark.parametrize("style", STYLES)
def test_a_step_from_onnx_runtime(style, covenant_command):
    images = DIGITS / "digits_test.npz"
    options = ("-m", "hvx", "--compare", "reference", "--input", images, "--json")
    report = covenant_command("run", model_of(style), *options).object
    assert report["identical"] is True
    assert report["largest_steps_of_a_layer"] == 1
    report = covenant_command("run", model_of(style), "-m", "genesys", "--compare", "reference", "--json").object
    assert report["largest_steps_of_a_layer"] is None


@pytest.mark.parametrize("style", STYLES)
def test_digits_in_qemu(style, tmp_path):
    program = covenant.compile(model_of(style), covenant.Machine("hvx"))
    (segment,) = [one for one in program._core.segments if one["kind"] == "input"]
    random = np.random.default_rng(5)
    for _ in range(3):
        memory = random.integers(0, 256, segment["size"]).astype(np.uint8)
        in_qemu, on_core = outputs_in_qemu(program, memory, tmp_path / "digits.elf")
        assert in_qemu == on_core
        assert len(set(in_qemu)) > 2


@pytest.mark.parametrize("seed", range(8))
def test_residual_sums_between_padded_convolutions(seed, tmp_path):
    random = np.random.default_rng(300 + seed)
    size = int(random.integers(4, 10))
    layers = NetworkLayers(
        random, ("u8", "i8")[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 20)), size, size]
    )
    channels = int(random.integers(1, 150))
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    before = layers.known()
    layers.convolution(channels, 3, 1, (1, 1, 1, 1))
    layers.add(before)
    layers.convolution(int(random.integers(1, 40)), 5, 2, (2, 1, 2, 1))
    print(f"seed {seed}: {layers.first} to {layers.last}, {channels} channels between")
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_means(seed, tmp_path):
    random = np.random.default_rng(400 + seed)
    shape = [
        int(random.integers(1, 3)),
        int(random.integers(3, 300)),
        *(int(size) for size in random.integers(1, 9, 2)),
    ]
    layers = NetworkLayers(random, ("u8", "i8")[seed % 2], shape)
    layers.zero_point = 127 * (1 - seed % 2)
    layers.mean()
    if seed % 4 > 1:
        layers.convolution(int(random.integers(3, 40)), 1, 1)
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_convolutions_channel_by_channel(seed, tmp_path):
    random = np.random.default_rng(500 + seed)
    size, channels = int(random.integers(5, 12)), int(random.integers(2, 300))
    layers = NetworkLayers(random, ("u8", "i8")[seed % 2], [int(random.integers(1, 3)), channels, size, size])
    kernel = int(random.integers(1, 6))
    pads = tuple(int(random.integers(0, kernel)) for _ in range(4))
    layers.convolution(channels, kernel, int(random.integers(1, 3)), pads, groups=channels)
    layers.convolution(int(random.integers(1, 40)), 1, 1)
    print(f"seed {seed}: {layers.first} to {layers.last}, kernels of {kernel}, pads {pads}")
    program = check(layers, tmp_path)
    assert program.blocks[0].operation == "conv_channels"


@pytest.mark.parametrize("dtype", ["u8", "i8"])
@pytest.mark.parametrize(("network", "width"), [(resnet18, 16), (mobilenet, 8)])
def test_networks(network, width, dtype, tmp_path):
    layers = network(np.random.default_rng(6), dtype, 32, width=width, classes=10)
    check(layers, tmp_path)
    assert fixed_point_steps(tmp_path / "model.onnx", [{"x": layers.image()}]) <= 1
