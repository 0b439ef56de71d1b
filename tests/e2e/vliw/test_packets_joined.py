"""Tensors joined and cut on a machine that writes whole vectors, into parts that do not fill vectors."""

from __future__ import annotations

import numpy as np
import pytest
from test_packets import Layers, check, check_backends, with_operators_of_microsoft

IMAGE = [1, 8, 6, 7]
CHANNELS, ROWS, COLUMNS = 1, 2, 3


class Joined(Layers):
    """Values of one scale and zero point, which movements join and cut."""

    def __init__(self, seed: int, dtype: str, shape: list[int] = IMAGE) -> None:
        super().__init__(np.random.default_rng(seed), dtype, shape)
        self.shapes = {"x": list(shape)}

    def append(self, operation: str, inputs: list[str], shape: list[int], **attributes: object) -> None:
        """A node that makes the next value."""
        super().append(operation, inputs, shape, **attributes)
        self.shapes[self.value] = shape

    def convolved(self, value: str, channels: int, kernel: int = 1) -> str:
        """Channels that a convolution makes of a value."""
        self.value, self.last = value, self.shapes[value]
        self.convolution(channels, kernel, 1, (kernel // 2,) * 4, zero_point=3)
        return self.value

    def joined(self, values: list[str], axis: int = CHANNELS) -> str:
        """Values one after the other."""
        shape = list(self.shapes[values[0]])
        shape[axis] = sum(self.shapes[value][axis] for value in values)
        self.append("Concat", values, shape, axis=axis)
        return self.value

    def cut(self, value: str, first: int, end: int, axis: int = CHANNELS, step: int = 1) -> str:
        """A part of a value."""
        shape = list(self.shapes[value])
        shape[axis] = len(range(first, end, step))
        limits = [self.constant(np.array([number], np.int64)) for number in (first, end, axis, step)]
        self.append("Slice", [value, *limits], shape)
        return self.value

    def padded(self, value: str, before: list[int], after: list[int]) -> str:
        """Zero points around a value."""
        pads = [self.constant(np.array([*before, *after], np.int64)), self.constant(self.numpy(self.zero_point))]
        shape = [sum(sizes) for sizes in zip(self.shapes[value], before, after, strict=True)]
        self.append("Pad", [value, *pads], shape)
        return self.value

    def reshaped(self, value: str, shape: list[int]) -> str:
        """The same elements in another shape."""
        self.append("Reshape", [value, self.constant(np.array(shape, np.int64))], shape)
        return self.value

    def turned(self, value: str, order: list[int]) -> str:
        """Dimensions in another order."""
        self.append("Transpose", [value], [self.shapes[value][d] for d in order], perm=order)
        return self.value


PARTS = [[1, 3], [8, 8], [64, 64], [48, 64], [100, 192], [3, 1, 64], [130, 5, 7, 250], [1] * 9, [128, 1, 128]]


@pytest.mark.parametrize("dtype", ["u8", "i8"])
@pytest.mark.parametrize("parts", PARTS)
def test_parts_of_any_number_of_channels(tmp_path, parts, dtype):
    layers = Joined(len(parts), dtype)
    whole = layers.joined([layers.convolved("x", channels) for channels in parts])
    layers.convolved(whole, 16)
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_random_parts_made_in_any_order(tmp_path, seed):
    layers = Joined(seed, "u8")
    parts = [layers.convolved("x", int(channels)) for channels in layers.random.integers(1, 200, 4)]
    layers.random.shuffle(parts)
    others = [layers.convolved(part, 8) for part in parts[:2]]
    whole = layers.joined(parts)
    layers.joined([layers.convolved(whole, 24, 3), *others])
    check(layers, tmp_path)


def test_parts_that_are_joined_themselves(tmp_path):
    layers = Joined(1, "u8")
    first, second, third = (layers.convolved("x", channels) for channels in (5, 40, 90))
    inner = layers.joined([first, second])
    layers.convolved(inner, 7)
    outer = layers.joined([third, inner, layers.value, first])
    layers.convolved(outer, 130, 3)
    check(layers, tmp_path)


def test_layers_that_all_read_what_came_before(tmp_path):
    layers = Joined(2, "u8")
    values = [layers.convolved("x", 12)]
    for _ in range(4):
        before = layers.joined(values) if len(values) > 1 else values[0]
        values.append(layers.convolved(before, 12, 3))
    layers.joined(values)
    check(layers, tmp_path)


@pytest.mark.parametrize("axis", [ROWS, COLUMNS])
def test_images_joined_along_rows_and_columns(tmp_path, axis):
    layers = Joined(3, "u8")
    whole = layers.joined([layers.convolved("x", 20), layers.convolved("x", 20)], axis)
    layers.convolved(whole, 9)
    check(layers, tmp_path)


def test_inputs_as_parts(tmp_path):
    layers = Joined(4, "i8")
    whole = layers.joined(["x", layers.convolved("x", 30), "x"])
    layers.convolved(whole, 40)
    check(layers, tmp_path)


@pytest.mark.parametrize(("first", "end", "step"), [(0, 60, 1), (3, 70, 1), (61, 200, 1), (199, 200, 1), (1, 200, 3)])
def test_cut_channels(tmp_path, first, end, step):
    layers = Joined(5, "u8")
    part = layers.cut(layers.convolved("x", 200), first, end, step=step)
    layers.convolved(part, 33)
    check(layers, tmp_path)


@pytest.mark.parametrize("axis", [ROWS, COLUMNS])
def test_cut_images(tmp_path, axis):
    layers = Joined(6, "u8")
    part = layers.cut(layers.convolved("x", 200), 1, 6, axis, 2)
    layers.convolved(part, 33)
    check(layers, tmp_path)


@pytest.mark.parametrize(("groups", "channels"), [(2, 24), (3, 60), (4, 256)])
def test_shuffled_channels(tmp_path, groups, channels):
    layers = Joined(7, "u8")
    value = layers.convolved("x", channels)
    split = layers.reshaped(value, [1, groups, channels // groups, *IMAGE[2:]])
    turned = layers.turned(split, [0, 2, 1, 3, 4])
    shuffled = layers.reshaped(turned, [1, channels, *IMAGE[2:]])
    layers.convolved(layers.joined([shuffled, value]), 20)
    check(layers, tmp_path)


@pytest.mark.parametrize(("before", "after"), [(0, 5), (7, 0), (3, 130), (128, 1)])
def test_padded_channels(tmp_path, before, after):
    layers = Joined(8, "u8")
    value = layers.padded(layers.convolved("x", 60), [0, before, 1, 0], [0, after, 0, 2])
    layers.convolved(value, 20)
    check(layers, tmp_path)


@pytest.mark.parametrize("dtype", ["u8", "i8"])
def test_windows_past_images_that_others_read_otherwise(tmp_path, dtype):
    layers = Joined(9, dtype)
    value = layers.convolved("x", 60)
    layers.pool(3, 2, (1, 1, 1, 1))
    pooled = layers.reshaped(layers.value, [1, 60, 3, 4])
    layers.convolved(value, 60, 3)
    layers.pool(3, 2, (1, 1, 1, 1))
    layers.convolved(layers.joined([pooled, layers.value]), 12, 3)
    check(layers, tmp_path)


def test_windows_past_images_that_are_joined(tmp_path):
    layers = Joined(10, "u8")
    layers.value = layers.joined([layers.convolved("x", channels) for channels in (20, 70, 30)])
    layers.pool(3, 1, (1, 1, 1, 1))
    layers.convolved(layers.value, 12)
    check(layers, tmp_path)


def test_constants_as_parts(tmp_path):
    layers = Joined(11, "u8")
    layers.convolved("x", 30)
    alike = [layers.constant(np.float32(layers.scale)), layers.constant(np.uint8(layers.zero_point))]
    fixed = layers.constant(layers.random.integers(0, 200, [1, 5, *IMAGE[2:]]).astype(np.uint8))
    parts = [layers.value, *alike, fixed, *alike, layers.value, *alike]
    layers.append("QLinearConcat", [*alike, *parts], [1, 65, *IMAGE[2:]], domain="com.microsoft", axis=1)
    layers.convolution(20, 3, 1, (1, 1, 1, 1))
    with_operators_of_microsoft(layers.save(tmp_path / "m.onnx"))
    check_backends(tmp_path / "m.onnx", {"x": layers.image()})
