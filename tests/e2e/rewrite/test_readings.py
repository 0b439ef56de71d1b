"""One tensor, read in several ways: as rows and as images, along an axis and lane by lane, with pads around it."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from both_ways import as_written, random_feeds
from oracle_models import ModelBuilder

import covenant

STEP = np.float32(0.05)
ZERO = np.uint8(120)
SHARE = np.float32(1 / 256)


class Readings(ModelBuilder):
    """Quantised operators of one float input `x`."""

    def pair(self, value, step=STEP, zero=ZERO):
        """QuantizeLinear and DequantizeLinear."""
        return self.add("DequantizeLinear", self.add("QuantizeLinear", value, step, zero), step, zero)

    def weights(self, *shape):
        """Stored weights, dequantised."""
        stored = np.random.default_rng(len(self.nodes)).integers(-90, 90, shape).astype(np.int8)
        return self.add("DequantizeLinear", stored, np.float32(0.02), np.int8(0))

    def shares(self, value, axis):
        """A quantised Softmax."""
        return self.pair(self.add("Softmax", value, axis=axis), SHARE, np.uint8(0))

    def saved(self, folder, *outputs):
        """The model as a file."""
        path = folder / "model.onnx"
        onnx.save(self.model(dict.fromkeys(outputs, np.float32)), str(path))
        return path


def held(path, machine):
    """Runs a model on the units and by the interpreter, and holds both to ONNX Runtime without optimisations."""
    feeds = random_feeds(path)
    program = covenant.compile(path, machine)
    ours = covenant.Session(program, "systemc").run(feeds).outputs
    interpreted = covenant.Session(program, "interpret").run(feeds).outputs
    written = as_written(path, feeds)
    assert max(np.unique(array).size for array in written.values()) > 1
    for name, array in written.items():
        np.testing.assert_array_equal(ours[name], interpreted[name])
        assert np.abs(ours[name] - array).max() <= 1.001 * STEP


@pytest.mark.parametrize("machine", ["genesys:8x8", "dnnweaver"])
@pytest.mark.parametrize("shape", [(1, 2), (2, 3), (1, 17), (1, 1, 5), (2, 3, 4), (1, 3, 2, 2), (1, 5, 1, 1)], ids=str)
def test_a_softmax_and_a_sum_read_one_tensor(shape, machine, tmp_path):
    for axis, is_first in itertools.product([1, -1], [True, False]):
        if shape[axis] == 1:
            continue
        builder = Readings({"x": np.zeros(shape, np.float32)})
        x = builder.pair("x")
        shares = builder.shares(x, axis)
        operands = [shares, x] if is_first else [x, shares]
        product = builder.pair(builder.add("Mul", *operands[::-1]))
        path = builder.saved(tmp_path, builder.pair(builder.add("Add", *operands)), product, shares)
        held(path, machine)


WINDOWS = {
    "a convolution": lambda b, x, c: b.add("Conv", x, b.weights(4, c, 5, 5), pads=[2, 2, 2, 2]),
    "one at an edge": lambda b, x, c: b.add("Conv", x, b.weights(3, c, 3, 2), pads=[0, 1, 2, 0]),
    "one channel by channel": lambda b, x, c: b.add("Conv", x, b.weights(c, 1, 3, 3), pads=[1, 1, 1, 1], group=c),
    "a transposed one": lambda b, x, c: b.add("ConvTranspose", x, b.weights(c, 4, 3, 3)),
    "maxima": lambda b, x, c: b.add("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
    "means": lambda b, x, c: b.add("AveragePool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
}


@pytest.mark.parametrize("machine", ["genesys:8x8", "hvx"])
@pytest.mark.parametrize("window", WINDOWS)
def test_windows_reach_past_a_row(window, machine, tmp_path):
    """A row of channels, seen as one pixel: others read it as a row still."""
    for channels in (1, 8, 33):
        builder = Readings({"x": np.zeros((1, channels), np.float32)})
        row = builder.pair("x")
        pixel = builder.pair(builder.add("Reshape", row, np.array([1, channels, 1, 1])))
        seen = builder.pair(WINDOWS[window](builder, pixel, channels))
        again = builder.pair(builder.add("MatMul", row, builder.weights(channels, 5)))
        held(builder.saved(tmp_path, seen, again), machine)
