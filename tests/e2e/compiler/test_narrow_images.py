"""Images whose channels fill a vector only several times over: vectors of several pixels."""

from __future__ import annotations

import numpy as np
import pytest
from packet_networks import NetworkLayers
from test_packets import check

import covenant

DTYPES = ("u8", "i8")
CHANNELS = (16, 32, 64)
SAME = (1, 1, 1, 1)


def grown(layers: NetworkLayers, random: np.random.Generator, channels: int) -> None:
    """One more layer, drawn, of as many channels."""
    before = layers.known()
    match int(random.integers(0, 9)):
        case 0:
            layers.convolution(channels, 3, 1, SAME)
        case 1:
            layers.convolution(channels, 3, int(random.integers(1, 3)), SAME, groups=channels)
        case 2:
            layers.convolution(channels, 5, 1, (2, 2, 2, 2), groups=channels)
        case 3:
            layers.pool(2, 2)
        case 4:
            # Around an image is its zero point: no pool may read it as greater than the least value.
            layers.convolution(channels, 1, 1, zero_point=layers.least)
            layers.pool(3, int(random.integers(1, 3)), SAME)
        case 5:
            layers.sigmoid()
        case 6:
            layers.convolution(channels, 1, 1)
            layers.add(before)
        case 7:
            layers.average_pool(3, int(random.integers(1, 3)))
        case _:
            layers.squeeze_and_excite(int(random.integers(1, 9)))


@pytest.mark.parametrize("seed", range(16))
def test_drawn_layers(seed, tmp_path):
    random = np.random.default_rng(924 + seed)
    channels = CHANNELS[int(random.integers(0, len(CHANNELS)))]
    # Widths of whole vectors, and others.
    size = [int(random.integers(8, 17)), int(random.integers(1, 4)) * 8 + int(random.integers(0, 4) == 0)]
    layers = NetworkLayers(random, DTYPES[seed % 2], [int(random.integers(1, 3)), int(random.integers(1, 9)), *size])
    layers.convolution(channels, 3, 1, SAME)
    while len(layers.nodes) < 5 and min(layers.last[2:]) > 4:
        grown(layers, random, channels)
    print(f"seed {seed}: {layers.first} to {layers.last}: {[node.op_type for node in layers.nodes]}")
    check(layers, tmp_path)


@pytest.mark.parametrize("stride", [3, 4])
def test_strides_that_no_deal_makes(stride, tmp_path):
    """Pixels further apart than every second one want a vector each."""
    layers = NetworkLayers(np.random.default_rng(2), "u8", [1, 3, 24, 32])
    layers.convolution(64, 3, 1, SAME)
    layers.pool(3, stride)
    layers.convolution(64, 3, stride, SAME, groups=64)
    check(layers, tmp_path)


@pytest.mark.parametrize("channels", CHANNELS)
def test_a_pool_loads_each_byte_once(channels, tmp_path):
    """A vector a packet: full of pixels, of which every second one is dealt out of two of them."""
    layers = NetworkLayers(np.random.default_rng(1), "u8", [1, channels, 64, 64])
    layers.sigmoid()
    layers.pool(2, 2)
    image = layers.image()
    pool = covenant.run(check(layers, tmp_path), {"x": image}).layers[-1]
    vectors = image.size // 128
    assert vectors <= pool.packets < 1.4 * vectors  # of one pixel each there would be up to eight times as many


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("channels", "stride"), [(16, 1), (16, 2), (8, 1)])
def test_adjacent_outputs_share_a_vector(channels, stride, dtype, tmp_path):
    """A product makes 32 sums: those of several pixels, where these have fewer channels."""
    layers = NetworkLayers(np.random.default_rng(channels), dtype, [1, 3, 16, 64])
    layers.convolution(channels, 3, stride, SAME)
    check(layers, tmp_path)
    text = covenant.emit(tmp_path / "model.onnx", covenant.Machine("hvx"), "network")
    assert f'lowering="{32 // channels} outputs"' in text
