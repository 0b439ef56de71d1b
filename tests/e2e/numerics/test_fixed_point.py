"""Networks on a machine in fixed point: the digits, residual sums, means, limits."""

from __future__ import annotations

import numpy as np
import pytest
from digits import DIGITS, STYLES, model_of
from packet_networks import NetworkLayers, mobilenet, resnet18
from test_packets import check, outputs_in_qemu

import covenant
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, expected_outputs, fixed_point_steps


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


@pytest.mark.parametrize(("groups", "inputs", "outputs"), [(17, 8, 8), (19, 3, 7), (9, 16, 16), (5, 30, 11)])
def test_groups_that_end_within_a_vector(groups, inputs, outputs, tmp_path):
    """The last of the merged groups reads past the last channel, of the model's input and of a padded image."""
    random = np.random.default_rng(groups)
    layers = NetworkLayers(random, ("u8", "i8")[groups % 2], [1, groups * inputs, 4, 5])
    layers.convolution(groups * outputs, 3, 1, (1, 1, 1, 1), groups=groups)
    if outputs % inputs == 0:
        layers.convolution(groups * outputs, 3, 1, (1, 1, 1, 1), groups=groups)
    layers.convolution(5, 3, 1, (1, 1, 1, 1))
    check(layers, tmp_path)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_channels_that_become_pixels(mode, tmp_path):
    """A copy of as many vectors at once as there are channels: more pointers than scalar registers."""
    layers = NetworkLayers(np.random.default_rng(64), "i8", [1, 3, 24, 24])
    layers.convolution(64, 1, 1)
    layers.append("DepthToSpace", [layers.value], [1, 16, 48, 48], blocksize=2, mode=mode)
    layers.convolution(3, 1, 1)
    check(layers, tmp_path)


def windows_that_sum_to(sums: np.ndarray, rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    """[1,1,rows,columns * windows] u8: elements of each window are drawn, but for their sum."""
    image = np.zeros((rows * columns, sums.size), np.int64)
    for place in range(rows * columns):
        left = sums - image.sum(axis=0)
        most = np.minimum(left, 255)
        least = np.maximum(left - 255 * (rows * columns - 1 - place), 0)
        image[place] = random.integers(least, most + 1)
    parts = image.reshape(rows, columns, -1).transpose(0, 2, 1)
    return parts.reshape(1, 1, rows, -1).astype(np.uint8)


@pytest.mark.parametrize("machine", ["hvx", "genesys:8x8 fixed", "genesys:8x8 fixed_tflite"])
@pytest.mark.parametrize(
    ("rows", "columns", "ratio"), [(2, 2, 1.0), (1, 3, 1.0), (3, 2, 1.0), (2, 2, 1.7), (3, 3, 2.9)]
)
def test_means_are_rounded_to_the_nearest(rows, columns, ratio, machine, tmp_path):
    """Means of windows and of whole images round to the nearest of the exact quotient, not upwards."""
    random = np.random.default_rng(17)
    name, _, requant = machine.partition(" ")
    target = covenant.Machine(name, requant=requant) if requant else covenant.Machine(name)
    sums = np.array([0, 1, 2, 3, 4, 5, 9, 101, *random.integers(0, int(255 * rows * columns / ratio), 56)])
    image = windows_that_sum_to(sums, rows, columns, random)
    layers = NetworkLayers(random, "u8", list(image.shape))
    layers.scale, layers.zero_point = 0.02 * ratio, 0
    inputs = layers.quantized_as(*layers.known()) + layers.quantized_as("", 0.02, 0)[1:]
    shape = [1, 1, 1, sums.size]
    layers.node("QLinearAveragePool", inputs, shape, kernel_shape=[rows, columns], strides=[rows, columns])
    layers.save(tmp_path / "model.onnx")
    program = covenant.compile(tmp_path / "model.onnx", target)
    for backend in ("interpret", "systemc"):
        (made,) = covenant.Session(program, backend).run({"x": image}).outputs.values()
        beside = made.ravel() - sums * ratio / (rows * columns)
        assert np.abs(beside).max() <= 0.5 + 2**-5
        if ratio == 1:
            np.testing.assert_array_equal(made.ravel(), np.floor(sums / (rows * columns) + 0.5))
    (expected,) = covenant.Values(tmp_path / "model.onnx", requant=target.requant).run({"x": image[None]}).values()
    np.testing.assert_array_equal(expected.ravel(), made.ravel())


def test_a_mean_of_a_small_image_is_rounded_to_the_nearest(tmp_path):
    random = np.random.default_rng(18)
    sums = np.arange(200)
    image = windows_that_sum_to(sums, 2, 2, random).reshape(2, -1, 2).transpose(1, 0, 2)[None]
    layers = NetworkLayers(random, "u8", list(image.shape))
    layers.scale, layers.zero_point = 0.02, 0
    inputs = layers.quantized_as(*layers.known()) + layers.quantized_as("", 0.02, 0)[1:]
    layers.node("QLinearGlobalAveragePool", inputs, [1, sums.size, 1, 1])
    layers.save(tmp_path / "model.onnx")
    program = covenant.compile(tmp_path / "model.onnx", "hvx")
    (made,) = covenant.Session(program, "systemc").run({"x": image}).outputs.values()
    np.testing.assert_array_equal(made.ravel(), np.floor(sums / 4 + 0.5))
