"""Networks on a machine in fixed point: the digits, residual sums, means, limits."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import STYLES, model_of
from onnx import helper
from test_packets import Layers, check, outputs_in_qemu

import covenant
from covenant.comparison import compare
from covenant.expected import Source, expected_outputs


@pytest.mark.parametrize("backend", ["interpret", "systemc"])
@pytest.mark.parametrize("style", STYLES)
def test_digits(style, backend, images):
    program = covenant.compile(model_of(style), covenant.Machine("hvx"))
    session = covenant.Session(program, backend)
    ours = [session.run({"image": image[None]}).outputs for image in images]
    feeds = [{"image": image[None]} for image in images]
    expected = expected_outputs(model_of(style), feeds, Source.REFERENCE, fixed_point=True).outputs
    assert compare(ours, expected).identical


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


class Residual(Layers):
    """Layers, and sums and means of them."""

    def node(self, operation: str, inputs: list[str], shape: list[int], **attributes: object) -> None:
        self.append(operation, inputs, shape, domain="com.microsoft", **attributes)

    def quantized_as(self, name: str, scale: float, zero_point: int) -> list[str]:
        """A value with its scale and zero point."""
        return [name, self.constant(np.float32(scale)), self.constant(self.numpy(zero_point))]

    def result(self, scale: float) -> list[str]:
        """Scale and zero point of the next value, about the middle of its range."""
        middle = 128 if self.numpy is np.uint8 else 0
        self.scale, self.zero_point = scale, middle + int(self.random.integers(-40, 40))
        return self.quantized_as("", self.scale, self.zero_point)[1:]

    def add(self, other: tuple[str, float, int]) -> None:
        """The value and another one of its shape, with its scale and zero point."""
        inputs = self.quantized_as(*self.known()) + self.quantized_as(*other)
        self.node("QLinearAdd", inputs + self.result(float(self.random.uniform(0.02, 0.06))), self.last)

    def mean(self) -> None:
        """Of each channel."""
        inputs = self.quantized_as(*self.known())
        self.node("QLinearGlobalAveragePool", inputs + self.result(0.003), [*self.last[:2], 1, 1])

    def known(self) -> tuple[str, float, int]:
        """The value, its scale and zero point."""
        return self.value, self.scale, self.zero_point

    def save(self, path):
        saved = super().save(path)
        model = onnx.load(saved)
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
        onnx.save(model, saved)
        return saved


@pytest.mark.parametrize("seed", range(8))
def test_residual_sums_between_padded_convolutions(seed, tmp_path):
    random = np.random.default_rng(300 + seed)
    size = int(random.integers(4, 10))
    layers = Residual(
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
    layers = Residual(random, ("u8", "i8")[seed % 2], shape)
    layers.zero_point = 127 * (1 - seed % 2)
    layers.mean()
    if seed % 4 > 1:
        layers.convolution(int(random.integers(3, 40)), 1, 1)
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)
