"""Functions that differ from channel to channel: a convolution, a table for each, or one for all."""

from __future__ import annotations

import numpy as np
import pytest
from test_equivalents import both, by_channel, refused
from test_tables import Network

import covenant
from covenant.rewrite.elementwise.channel_convolutions import fitted


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_lone_normalisation_is_one_layer(dtype, tmp_path):
    """Machines that scale 32-bit sums in f32 make one layer; others, a table for each channel; bytes are the same."""
    channels = 40
    random = np.random.default_rng(31)
    constants = [random.normal(size=channels), *random.normal(size=(2, channels)), random.uniform(0.1, 3, channels)]
    constants[0][:4] = [0, 1, -1, 30]
    network = Network(52, (1, channels, 3, 5), dtype)
    y = network.builder.add("BatchNormalization", network.real(), *(one.astype(np.float32) for one in constants))
    network.now = network.stored(y)
    layers = []
    for machine in (
        covenant.Machine("genesys:8x8"), covenant.Machine("genesys:8x8", accumulator=24),
        covenant.Machine("genesys:8x8", requant="fixed"), covenant.Machine("hvx"),
    ):  # fmt: skip
        ours, theirs = both(network, tmp_path, machine)
        assert all(ours[output].tobytes() == array.tobytes() for output, array in theirs.items()), machine
        layers.append(len(covenant.compile(network.save(tmp_path), machine).blocks))
    assert layers[0] == 1
    assert min(layers[1:]) >= channels - 3  # of equal tables beside each other one


@pytest.mark.parametrize("shape", [(1, 7, 24), (6, 24)])
def test_equal_channels_are_one_lookup(shape, tmp_path):
    """An addition of as many equal numbers as there are columns: nothing is cut and nothing joined."""
    network = Network(53, shape)
    y = network.builder.add("Add", network.real(), np.full(shape[-1], 0.25, np.float32))
    network.now = network.stored(y)
    for machine in (covenant.Machine("genesys:8x8"), covenant.Machine("genesys:8x8", requant="fixed")):
        ours, theirs = both(network, tmp_path, machine)
        assert all(ours[output].tobytes() == array.tobytes() for output, array in theirs.items()), machine
        blocks = covenant.compile(network.save(tmp_path), machine).blocks
        assert [block.operation for block in blocks] == ["lookup"], machine


def test_channels_that_no_convolution_makes_keep_their_tables():
    """A table that is no line: the channels beside it are convolved all the same."""
    every = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64)
    lines = [np.clip(np.rint(every * factor + 3), -128, 127).astype(np.int8) for factor in (0.7, -1.3, 0.01)]
    bent = lines[0].copy()
    bent[5] += 2
    step = (np.float32(0.1), 0)
    reals = np.stack([(every * factor + 3) * 0.1 for factor in (0.7, -1.3, 0.01, 0.7)])
    made = fitted(np.stack([*lines, bent]), reals, step, step)
    assert made.is_exact.tolist() == [True, True, True, False]
    for table, weight, bias, scale in zip(lines, made.weights, made.biases, made.scales, strict=False):
        rescale = np.float32(np.float32(step[0] * scale) / step[0])
        sums = (every.astype(np.int64) * int(weight) + int(bias)).astype(np.float32)
        np.testing.assert_array_equal(np.clip(np.rint(sums * rescale), -128, 127).astype(np.int8), table)


def test_too_many_channels_for_tables(tmp_path):
    network = Network(57, (1, 1025, 2, 2))
    by_channel(1025)(network)
    assert refused(network, tmp_path) == "ONX0028"
