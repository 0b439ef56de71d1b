"""Kernels that are whole layers of quantised networks: weights are signed bytes, sums become bytes again.

`docs/reference/numerics.md` (fixed point) defines what they compute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from covenant.bench.peers.kernel import Form, Inputs, Kernel, random_bytes

_QUAD, _LANES = 4, 32  # terms of a word, words of a vector
ZERO = 128
"""Zero point of all outputs of products."""
DEPTHWISE_SHIFT, POINTWISE_SHIFT, GEMV_SHIFT = 8, 10, 12
SIDE, CHANNELS, TAPS = 56, 64, 3
"""Pixels of a side and channels of the images of depthwise, average_pool and add; taps of a side of depthwise."""
POINTWISE_SIDE, POINTWISE_CHANNELS = 28, 128
TERMS = COLUMNS = 1024
"""Sizes of gemv."""
FIRST_SCALE, SECOND_SCALE, OFFSET = 0.75, 0.5, 1.75
"""Scales of both sides of add over that of the sum; what its zero points make."""
ADD_SHIFT = 15
"""The greatest for which both scales have 15 bits."""


@dataclass(frozen=True)
class Product:
    """Weights and fractions of a layer of products, in the order of networks."""

    weights: np.ndarray
    """i8 [terms..., outputs]."""
    fractions: np.ndarray
    """i32 [outputs]: scales times 2^(31 + shift)."""
    shift: int

    @property
    def scales(self) -> np.ndarray:
        """f32 [outputs], exact."""
        return (self.fractions * 2.0 ** -(31 + self.shift)).astype(np.float32)

    def output(self, sums: np.ndarray) -> np.ndarray:
        """Bytes of exact sums [..., outputs]: both roundings are half up."""
        scaled = (sums.astype(np.int64) * self.fractions + (1 << 30)) >> 31
        return np.clip(((scaled + (1 << (self.shift - 1))) >> self.shift) + ZERO, 0, 255).astype(np.uint8)

    def second(self, packed: np.ndarray, fractions: np.ndarray) -> np.ndarray:
        """The second input of sources: packed weights, fractions in the order in which they meet them, two numbers."""
        ending = np.array([self.shift, ZERO], np.int32)
        parts = (packed, fractions.astype(np.int32), ending)
        return np.concatenate([np.ascontiguousarray(part).reshape(-1).view(np.uint8) for part in parts])


def _product(shift: int, *shape: int) -> Product:
    random = np.random.default_rng(1)
    weights = random.integers(-128, 128, shape, dtype=np.int8)
    # Of 24 bits, as scales in f32 have; the greatest has them all, so that the shift is this one.
    fractions = random.integers(1 << 23, 1 << 24, shape[-1]) << 7
    return Product(weights, fractions.astype(np.int64), shift)


def depthwise_product() -> Product:
    """Weights [3, 3, channels]."""
    return _product(DEPTHWISE_SHIFT, TAPS, TAPS, CHANNELS)


def pointwise_product() -> Product:
    """Weights [inputs, outputs]."""
    return _product(POINTWISE_SHIFT, POINTWISE_CHANNELS, POINTWISE_CHANNELS)


def gemv_product() -> Product:
    """Weights [terms, columns]."""
    return _product(GEMV_SHIFT, TERMS, COLUMNS)


def _depthwise_inputs() -> Inputs:
    image = np.zeros((SIDE + 2, SIDE + 2, CHANNELS), np.uint8)
    image[1:-1, 1:-1] = random_bytes(SIDE, SIDE, CHANNELS)
    layer = depthwise_product()
    # [rows of outputs][columns of taps][channels / 32][32][4]: a word has the taps of a column for one of two rows.
    words = np.zeros((2, TAPS, CHANNELS, _QUAD), np.int8)
    for row in range(2):
        words[row, :, :, row : row + TAPS] = layer.weights.transpose(1, 2, 0)
    return image, layer.second(words, layer.fractions)


def _depthwise(image: np.ndarray, _second: np.ndarray) -> np.ndarray:
    layer = depthwise_product()
    sums = np.zeros((SIDE, SIDE, CHANNELS), np.int64)
    for y, x in product(range(TAPS), range(TAPS)):
        sums += image[y : y + SIDE, x : x + SIDE].astype(np.int64) * layer.weights[y, x]
    return layer.output(sums)


def _interleaved(columns: np.ndarray) -> np.ndarray:
    """[..., 128 * n] becomes [..., n, 4, 32]: of 128 columns, block j has j, j + 4, j + 8, ..."""
    return columns.reshape(*columns.shape[:-1], -1, _LANES, 4).swapaxes(-1, -2)


def _quads(weights: np.ndarray) -> np.ndarray:
    """[terms, outputs] becomes [outputs / 128, terms / 4, 4 blocks, 32, 4 terms]."""
    blocks = _interleaved(weights.reshape(-1, _QUAD, weights.shape[1]))
    return blocks.transpose(2, 0, 3, 4, 1)


def _pointwise_inputs() -> Inputs:
    layer = pointwise_product()
    image = random_bytes(POINTWISE_SIDE**2, POINTWISE_CHANNELS)
    # Zeros fill up the last group of 32 pixels.
    filled = np.concatenate([image, np.zeros((-len(image) % _LANES, POINTWISE_CHANNELS), np.uint8)])
    return filled, layer.second(_quads(layer.weights), _interleaved(layer.fractions))


def _pointwise(image: np.ndarray, _second: np.ndarray) -> np.ndarray:
    layer = pointwise_product()
    pixels = image[: POINTWISE_SIDE**2]
    return layer.output(pixels.astype(np.int64) @ layer.weights.astype(np.int64))


def _gemv_inputs() -> Inputs:
    layer = gemv_product()
    blocks = _quads(layer.weights)
    # 256 columns at a time: two times four blocks side by side.
    pairs = blocks.reshape(-1, 2, *blocks.shape[1:]).swapaxes(1, 2)
    return random_bytes(1, TERMS), layer.second(pairs, _interleaved(layer.fractions))


def _gemv(row: np.ndarray, _second: np.ndarray) -> np.ndarray:
    layer = gemv_product()
    return layer.output(row.astype(np.int64) @ layer.weights.astype(np.int64))


def _unsigned(weights: int) -> Callable[[np.ndarray], np.ndarray]:
    """The second input with so many bytes of weights 128 more than they are."""

    def packed(second: np.ndarray) -> np.ndarray:
        return np.concatenate([second[:weights] ^ 0x80, second[weights:]])

    return packed


def _average_pool_inputs() -> Inputs:
    return random_bytes(SIDE, SIDE, CHANNELS), np.zeros(1, np.uint8)


def _average_pool(image: np.ndarray, _unused: np.ndarray) -> np.ndarray:
    """Halves up: the machine doubles sums before it scales them, so that its two roundings are one."""
    sums = image.reshape(SIDE // 2, 2, SIDE // 2, 2, CHANNELS).sum(axis=(1, 3), dtype=np.int64)
    return ((sums + 2) >> 2).astype(np.uint8)


def _add_numbers() -> tuple[int, int, int, int]:
    """Both scales, the offset with the half that rounds, and the shift."""
    one = 1 << ADD_SHIFT
    return round(FIRST_SCALE * one), round(SECOND_SCALE * one), round(OFFSET * one) + one // 2, ADD_SHIFT


def _add_inputs() -> Inputs:
    a, b = random_bytes(2, SIDE, SIDE, CHANNELS)
    first_scale, second_scale, offset, shift = _add_numbers()
    numbers = np.array([second_scale << 16 | first_scale, offset, shift], np.int32)
    return a, np.concatenate([b.reshape(-1), numbers.view(np.uint8)])


def _add(a: np.ndarray, second: np.ndarray) -> np.ndarray:
    first_scale, second_scale, offset, shift = _add_numbers()
    b = second[: a.size].reshape(a.shape)
    sums = a.astype(np.int64) * first_scale + b.astype(np.int64) * second_scale + offset
    return np.clip(sums >> shift, 0, 255).astype(np.uint8)


QUANTISED_LAYERS = (
    Kernel(
        "depthwise",
        "3x3 of each of 64 channels, 56x56 pixels: u8 * i8 -> u8",
        (Form("depthwise_row", "2 pixels of a row"), Form("depthwise_rows", "2 pixels of 2 rows")),
        (),
        _depthwise_inputs,
        _depthwise,
    ),
    Kernel(
        "pointwise",
        "1x1, 128 channels to 128, 28x28 pixels: u8 * i8 -> u8",
        (
            Form("pointwise_words", "4 pixels x 128, words", packed=_unsigned(POINTWISE_CHANNELS**2)),
            Form("pointwise_doubles", "4 pixels x 128, double words", packed=_unsigned(POINTWISE_CHANNELS**2)),
        ),
        (),
        _pointwise_inputs,
        _pointwise,
    ),
    Kernel(
        "gemv",
        "1 row, 1024 columns, 1024 terms: u8 * i8 -> u8",
        (
            Form("gemv_signed", "256 columns, words broadcast"),
            Form("gemv_unsigned", "256 columns, words", packed=_unsigned(TERMS * COLUMNS)),
        ),
        (),
        _gemv_inputs,
        _gemv,
    ),
    Kernel(
        "average_pool",
        "mean of 2x2 of 56x56x64 bytes",
        (Form("average_pool", "128 at a time"),),
        (),
        _average_pool_inputs,
        _average_pool,
    ),
    Kernel(
        "add",
        "56x56x64 bytes and as many, each with its scale",
        (
            Form("add_products", "128 at a time, even and odd"),
            Form("add_pairs", "128 at a time, pairs"),
        ),
        (),
        _add_inputs,
        _add,
    ),
)
"""All of them."""
