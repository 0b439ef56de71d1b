"""Images of few channels that are joined of parts, or cut into them, lie as densely as others, parts and all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder
from test_windows import expect_equal

import covenant

MACHINES = {
    "genesys": {"M": 16, "N": 16},
    "uneven": {"M": 12, "N": 8, "input_depth": 128, "weight_depth": 64, "vector_depth": 96, "output_depth": 64},
}
SCALE, ZERO = np.float32(0.04), np.uint8(119)


@dataclass
class Layers:
    """A model of quantised layers on images, all values of one scale."""

    random: np.random.Generator
    shape: tuple[int, ...]
    builder: ModelBuilder = field(init=False)

    def __post_init__(self) -> None:
        self.builder = ModelBuilder({"x": np.zeros(self.shape, np.float32)})

    def stored(self, value: str) -> str:
        """The value, quantised."""
        return self.builder.add("DequantizeLinear", self.builder.add("QuantizeLinear", value, SCALE, ZERO), SCALE, ZERO)

    def conv(self, value: str, inputs: int, outputs: int, kernel: int, *, stride: int = 1, pad: int = 0) -> str:
        """A convolution whose windows are squares."""
        weights = self.random.integers(-128, 128, (outputs, inputs, kernel, kernel)).astype(np.int8)
        scales = (self.random.uniform(0.008, 0.012, outputs) / np.sqrt(inputs) / kernel).astype(np.float32)
        w = self.builder.add("DequantizeLinear", weights, scales, np.zeros(outputs, np.int8), axis=0)
        window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
        return self.stored(self.builder.add("Conv", value, w, **window))

    def join(self, *values: str, axis: int = 1) -> str:
        """The values side by side."""
        return self.stored(self.builder.add("Concat", *values, axis=axis))

    def reflect(self, value: str, sizes: tuple[int, ...], pixels: int) -> str:
        """The image of [channels, rows, columns] with its reflection around it, so many pixels wide."""
        for axis in (2, 3):
            before = [self.cut(value, axis, one, one + 1, 1) for one in range(pixels, 0, -1)]
            last = sizes[axis - 1] - 1
            after = [self.cut(value, axis, last - one, last - one + 1, 1) for one in range(1, pixels + 1)]
            value = self.join(*before, value, *after, axis=axis)
        return value

    def cut(self, value: str, axis: int, start: int, end: int, step: int) -> str:
        """A part of an axis."""
        return self.builder.add("Slice", value, *(np.array([one]) for one in (start, end, axis, step)))

    def model(self, *values: str) -> onnx.ModelProto:
        """The model with these outputs."""
        return self.builder.model(dict.fromkeys(values, np.float32))


def check(model: onnx.ModelProto, machine: str, folder) -> covenant.Program:
    return expect_equal(model, covenant.Machine("genesys", **MACHINES[machine]), folder, images=1)


@pytest.mark.parametrize("machine", MACHINES)
def test_an_image_padded_by_its_reflection(machine, tmp_path):
    layers = Layers(np.random.default_rng(1), (1, 3, 14, 18))
    x = layers.reflect(layers.stored("x"), (3, 14, 18), 4)
    program = check(layers.model(layers.conv(x, 3, 5, 9)), machine, tmp_path)
    assert [block.layer for block in program.blocks if "conv_rows" in block.operation], "81 elements, 3 channels each"


@pytest.mark.parametrize("machine", MACHINES)
def test_parts_of_few_channels(machine, tmp_path):
    layers = Layers(np.random.default_rng(2), (1, 3, 12, 15))
    x = layers.stored("x")
    parts = [layers.conv(x, 3, outputs, 3, pad=1) for outputs in (4, 2)]
    y = layers.conv(layers.join(*parts), 6, 5, 3, pad=1)
    program = check(layers.model(y, layers.conv(parts[0], 4, 3, 1)), machine, tmp_path)
    assert len([block for block in program.blocks if "conv_rows" in block.operation]) >= 3


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("channels", [24, 16, 10])
@pytest.mark.parametrize("made_by", ["max_pool", "add", "mul"])
def test_rows_behind_whole_vectors(machine, channels, made_by, tmp_path):
    """Layers that work lane by lane write pads between rows, whether channels fill the lanes or not."""
    layers = Layers(np.random.default_rng(channels), (1, channels, 16, 24))
    x = layers.stored("x")
    values = {
        "max_pool": lambda: layers.builder.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]),
        "add": lambda: layers.stored(layers.builder.add("Add", x, x)),
        "mul": lambda: layers.stored(layers.builder.add("Mul", x, x)),
    }
    y = layers.conv(values[made_by](), channels, 4, 3, pad=1)
    program = check(layers.model(layers.conv(y, 4, 3, 3, pad=1)), machine, tmp_path)
    if channels == 16 and machine == "genesys":
        assert "rows of" in str(program.schedule).split('layer "')[2], program.schedule


READERS = {
    "relu": lambda layers, x: layers.stored(layers.builder.add("Relu", x)),
    "add": lambda layers, x: layers.stored(layers.builder.add("Add", x, x)),
    "mul": lambda layers, x: layers.stored(layers.builder.add("Mul", x, x)),
    "max_pool": lambda layers, x: layers.builder.add("MaxPool", x, kernel_shape=[2, 2]),
    "softmax": lambda layers, x: layers.stored(layers.builder.add("Softmax", x, axis=1)),
    "transpose": lambda layers, x: layers.builder.add("Transpose", x, perm=[0, 2, 3, 1]),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("reader", READERS)
def test_an_input_of_which_rows_would_lie_in_pairs(machine, reader, tmp_path):
    """The convolution, two rows at a time, would have them so; an odd number of rows leaves half a pair."""
    layers = Layers(np.random.default_rng(5), (1, 3, 13, 12))
    x = layers.stored("x")
    check(layers.model(layers.conv(x, 3, 8, 3, stride=2, pad=1), READERS[reader](layers, x)), machine, tmp_path)


def grown(layers: Layers, values: list[tuple[str, tuple[int, ...]]]) -> None:
    """One more value, drawn: a convolution, a join, a reflection or a part of one that is there."""
    random = layers.random
    value, (channels, rows, columns) = values[int(random.integers(len(values)))]
    match int(random.integers(0, 6)):
        case 0 | 1:
            kernel, stride, outputs = (
                int(random.choice([1, 3, 5])),
                int(random.integers(1, 3)),
                int(random.integers(1, 9)),
            )
            size = [(one - 1) // stride + 1 for one in (rows, columns)]
            values.append(
                (layers.conv(value, channels, outputs, kernel, stride=stride, pad=kernel // 2), (outputs, *size))
            )
        case 2:
            others = [one for one in values if one[1][1:] == (rows, columns)]
            other, shape = others[int(random.integers(len(others)))]
            values.append((layers.join(value, other), (channels + shape[0], rows, columns)))
        case 3:
            axis = int(random.integers(2, 4))
            alike = [one for one in values if one[1][0] == channels and one[1][4 - axis] == (rows, columns)[3 - axis]]
            other, shape = alike[int(random.integers(len(alike)))]
            joined = [channels, rows, columns]
            joined[axis - 1] += shape[axis - 1]
            values.append((layers.join(value, other, axis=axis), tuple(joined)))
        case 4 if min(rows, columns) > 3:
            pixels = int(random.integers(1, 3))
            values.append(
                (
                    layers.reflect(value, (channels, rows, columns), pixels),
                    (channels, rows + 2 * pixels, columns + 2 * pixels),
                )
            )
        case 5:
            axis = int(random.integers(1, 4))
            size = [channels, rows, columns]
            start, step = int(random.integers(0, (size[axis - 1] + 1) // 2)), int(random.integers(1, 3))
            part = layers.cut(value, axis, start, size[axis - 1], step)
            size[axis - 1] = -(-(size[axis - 1] - start) // step)
            values.append((part, tuple(size)))


@pytest.mark.parametrize("seed", range(24))
def test_drawn_joins(seed, tmp_path):
    random = np.random.default_rng(4100 + seed)
    shape = tuple(int(random.integers(*limits)) for limits in ((1, 6), (5, 15), (5, 15)))
    layers = Layers(random, (1, *shape))
    values = [(layers.stored("x"), shape)]
    while len(layers.builder.nodes) < 16:
        grown(layers, values)
    print(f"seed {seed}: {[node.op_type for node in layers.builder.nodes if 'Linear' not in node.op_type]}")
    # Whatever is not read is an output; a convolution is last, so that something is made.
    read = {name for node in layers.builder.nodes for name in node.input}
    ends = [
        layers.conv(value, size[0], 3, 3, pad=1) for value, size in values if value not in read and min(size[1:]) > 0
    ]
    check(layers.model(*ends), ("genesys", "uneven")[seed % 2], tmp_path)
