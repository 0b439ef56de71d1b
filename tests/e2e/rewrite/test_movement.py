"""Operators that only move elements: as views, as copies, between layers that compute; equal to ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from test_tables import Network

import covenant
from covenant import oracle

MACHINES = ("genesys:8x8", "genesys:8x24", "dnnweaver")


def ints(*numbers):
    """A constant of a shape, axes or bounds."""
    return np.array(numbers, np.int64)


class Moving(Network):
    """A network with the movements that exporters write, each between DequantizeLinear and QuantizeLinear."""

    def move(self, operator, *constants, stored=None, to=None, **attributes):
        """`stored`, or `now`, moved; under another quantisation if `to` is one."""
        source = stored or self.now
        y = self.builder.add(operator, self.real(source), *constants, **attributes)
        return self.stored(y, to or source[1:])

    def conv_1d(self, outputs, inputs, kernel, **attributes):
        """Convolution of `now`, a row."""
        w = self.generator.integers(-127, 128, (outputs, inputs, kernel)).astype(np.int8)
        weights = self.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
        return self.stored(self.builder.add("Conv", self.real(), weights, **attributes))

    def product(self, inputs, outputs):
        """Product of `now` and a matrix."""
        w = self.generator.integers(-127, 128, (inputs, outputs)).astype(np.int8)
        weights = self.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
        return self.stored(self.builder.add("MatMul", self.real(), weights))

    def concat(self, *parts, axis, to=None):
        """Several stored values beside each other."""
        y = self.builder.add("Concat", *[self.real(part) for part in parts], axis=axis)
        return self.stored(y, to or parts[0][1:])


def squeezed_and_turned(network):
    """Rows of an image as a sequence and back: what recognisers do."""
    network.now = network.conv(network.now, 10, 6, kernel=3)
    network.now = network.move("MaxPool", kernel_shape=[5, 1])
    network.now = network.move("Squeeze", ints(2))
    network.now = network.move("Transpose", perm=[0, 2, 1])
    network.now = network.move("Transpose", perm=[0, 2, 1])
    network.now = network.move("Unsqueeze", ints(2))
    network.now = network.conv(network.now, 5, 10)


def branches(network):
    """Four branches of a block, one under another scale, and a part of one that others read too."""
    network.now = a = network.conv(network.now, 10, 6)
    b = network.conv(a, 8, 10, kernel=3)
    c = network.move("MaxPool", stored=a, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    d = network.conv(a, 3, 10)
    network.now = network.concat(a, b, c, d, axis=1, to=a[1:])
    network.now = network.conv(network.now, 7, 31)


def dense_block(network):
    """Each layer reads all before it: a concat within a concat."""
    network.now = network.conv(network.now, 8, 6)
    for channels in (8, 13, 18):
        new = network.conv(network.now, 5, channels)
        network.now = network.concat(network.now, new, axis=1)
    network.now = network.stored(network.hard_swish())


def shuffled(network):
    """Channels in two groups, shuffled by a reshape of rank 5."""
    network.now = network.conv(network.now, 12, 6)
    network.now = network.move("Reshape", ints(1, 2, 6, 5, 7))
    network.now = network.move("Transpose", perm=[0, 2, 1, 3, 4])
    network.now = network.move("Reshape", ints(1, 12, 5, 7))
    network.now = network.conv(network.now, 4, 12)


def split(network):
    """One half through a convolution, the other beside it; parts of rows and columns."""
    network.now = network.conv(network.now, 12, 6)
    lower = network.move("Slice", ints(0), ints(5), ints(1))
    upper = network.move("Slice", ints(-7), ints(np.iinfo(np.int64).max), ints(1))
    network.now = network.concat(network.conv(lower, 9, 5), upper, axis=1)
    network.now = network.move("Slice", ints(1, 0), ints(4, 7), ints(2, 3), ints(1, 2))
    network.now = network.conv(network.now, 4, 16)


def gathered(network):
    """Channels in another order, every second row, the last column alone, and two columns as two dimensions."""
    network.now = network.conv(network.now, 12, 6)
    network.now = network.move("Gather", ints(7, 8, 9, 2, 2, -1, 0), axis=1)
    network.now = network.conv(network.now, 6, 7)
    rows = network.move("Gather", ints(0, 2, 4), axis=2)
    column = network.move("Gather", np.int64(-1), stored=rows, axis=3)
    column = network.move("Unsqueeze", ints(3), stored=column)
    pair = network.move("Gather", np.array([[1], [4]], np.int64), stored=rows, axis=-1)
    pair = network.move("Squeeze", ints(4), stored=pair)
    network.now = network.concat(network.conv(column, 6, 6), pair, axis=3)


def resized(network):
    """Two scales of a pyramid, the small one doubled and added."""
    network.now = wide = network.conv(network.now, 9, 6)
    small = network.move("MaxPool", kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 1, 1])
    small = network.conv(small, 9, 9)
    sizes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    doubled = network.move("Resize", "", np.array([1, 1, 2, 2], np.float32), stored=small, **sizes)
    doubled = network.move("Slice", ints(0, 0), ints(5, 7), ints(2, 3), stored=doubled)
    for mode, place in (("linear", "half_pixel"), ("cubic", "align_corners")):  # to the size that it has
        same = {"mode": mode, "coordinate_transformation_mode": place}
        doubled = network.move("Resize", "", np.ones(4, np.float32), stored=doubled, **same)
    network.now = network.stored(network.builder.add("Add", network.real(wide), network.real(doubled)))


def blocks(network):
    """Depth to space and back."""
    network.now = network.conv(network.now, 12, 6)
    network.now = network.move("DepthToSpace", blocksize=2, mode="CRD")
    network.now = network.move("SpaceToDepth", blocksize=2)
    network.now = network.move("DepthToSpace", blocksize=2, mode="DCR")
    network.now = network.conv(network.now, 4, 3)


def flattened(network):
    """A head: channels last, one row a pixel, beside another."""
    network.now = a = network.conv(network.now, 8, 6)
    b = network.conv(a, 8, 8)
    heads = []
    for stored in (a, b):
        turned = network.move("Transpose", stored=stored, perm=[0, 2, 3, 1])
        heads.append(network.move("Reshape", ints(1, -1, 4), stored=turned))
    network.now = network.concat(*heads, axis=1)


def chained(network):
    """Several movements in float between one DequantizeLinear and one QuantizeLinear of another scale."""
    network.now = network.conv(network.now, 10, 6)
    y = network.builder.add("Transpose", network.real(), perm=[0, 1, 3, 2])
    y = network.builder.add("Reshape", y, ints(1, 5, 14, 5))
    network.now = network.stored(network.builder.add("Identity", y))
    network.now = network.conv(network.now, 4, 5)


def one_dimension(network):
    """Convolutions and pools of rows, depthwise too, and a product by a matrix: what sequence models do."""
    network.now = network.conv(network.now, 10, 6)
    network.now = network.move("Reshape", ints(1, 10, 35))
    network.now = network.conv_1d(9, 10, kernel=3, pads=[1, 1], strides=[2])
    network.now = network.move("MaxPool", kernel_shape=[3], strides=[2])
    network.now = network.conv_1d(9, 1, kernel=1, group=9)
    network.now = network.move("Transpose", perm=[0, 2, 1])
    network.now = network.product(9, 12)
    network.now = network.move("Transpose", perm=[0, 2, 1])
    network.now = network.stored(network.builder.add("GlobalAveragePool", network.real()))


def other_rows(network):
    """Rows of a length that the rows before do not divide."""
    network.now = network.conv(network.now, 10, 6)
    network.now = network.move("Reshape", ints(1, 14, 25))
    network.now = network.product(25, 9)
    network.now = network.move("Reshape", ints(1, 18, 7))
    network.now = network.product(7, 4)
    network.now = network.move("Reshape", ints(1, 2, 3, 12))
    network.now = network.product(12, 5)


def rows_of_one_pixel(network):
    """An image reduced to a row, and a softmax of it."""
    network.now = network.conv(network.now, 10, 6)
    network.now = network.stored(network.builder.add("GlobalAveragePool", network.real()))
    network.now = network.move("Flatten")
    network.now = network.stored(
        network.builder.add("Softmax", network.real(), axis=1), (np.float32(1 / 256), np.int8(-128))
    )


def padded(network):
    """Zeros around an image, and before a row."""
    network.now = network.conv(network.now, 6, 6)
    network.now = network.move("Pad", ints(0, 0, 1, 2, 0, 0, 0, 3), np.float32(0))
    network.now = network.conv(network.now, 5, 6, kernel=3)
    network.now = network.move("Reshape", ints(5, 72))
    network.now = network.move("Pad", ints(0, 1, 2, 0))


NETWORKS = (
    padded,
    one_dimension,
    other_rows,
    rows_of_one_pixel,
    squeezed_and_turned,
    branches,
    dense_block,
    shuffled,
    split,
    gathered,
    resized,
    blocks,
    flattened,
    chained,
)


@pytest.mark.parametrize("grow", NETWORKS, ids=lambda grow: grow.__name__)
def test_machines_equal_onnx_runtime(grow, tmp_path):
    network = Moving(7, shape=(1, 6, 4, 6)) if grow is blocks else Moving(7)
    grow(network)
    path = network.save(tmp_path)
    image = np.random.default_rng(3).normal(size=network.builder.inputs["image"].shape).astype(np.float32)
    expected = oracle.run(path, image)
    for machine in MACHINES:
        result = covenant.run(covenant.compile(path, machine), image)
        for name, array in expected.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)
