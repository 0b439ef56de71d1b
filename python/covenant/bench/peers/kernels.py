"""The kernels that are compared: their shapes, inputs and exact outputs. Their sources stand in `kernels/`."""

from __future__ import annotations

import numpy as np

from covenant.bench.layers import cropped_layer, weights_of
from covenant.bench.peers.kernel import Form, Inputs, Kernel, random_bytes
from covenant.bench.peers.quantised_layers import QUANTISED_LAYERS

LANES, QUAD = 32, 4
_ROWS, _COLUMNS, _TERMS = 384, 1024, 1024
SIDE, CHANNELS, TAPS = 56, 64, 3
MULTIPLIER, SHIFT, ZERO = 1518500224, 5, 7
SIGNED_CONV = "ResNet50/CONV2"
"""Layer of the benchmark table that is conv with signed pixels and weights."""


def _gemm_inputs() -> Inputs:
    return random_bytes(_ROWS, _TERMS), random_bytes(_COLUMNS // LANES, _TERMS // QUAD, LANES, QUAD)


def _gemm(a: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """[columns / 32][terms / 4][32][4] is a matrix of [terms][columns]."""
    b = packed.transpose(1, 3, 0, 2).reshape(_TERMS, _COLUMNS)
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int32)  # exact: the sums have 26 bits


def _gemm_signed(a: np.ndarray, packed: np.ndarray) -> np.ndarray:
    return _gemm(a, packed.view(np.int8))


def _conv_inputs() -> Inputs:
    image = np.zeros((SIDE + 2, SIDE + 2, CHANNELS), np.uint8)
    image[1:-1, 1:-1] = random_bytes(SIDE, SIDE, CHANNELS)
    return image, random_bytes(CHANNELS // LANES, TAPS, TAPS, CHANNELS // QUAD, LANES, QUAD)


def _conv(image: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """[outputs / 32][3][3][inputs / 4][32][4] is [3][3][inputs][outputs]."""
    weights = packed.transpose(1, 2, 3, 5, 0, 4).reshape(TAPS, TAPS, CHANNELS, CHANNELS)
    sums = np.zeros((SIDE, SIDE, CHANNELS))
    for y in range(TAPS):
        for x in range(TAPS):
            pixels = image[y : y + SIDE, x : x + SIDE].astype(np.float64)
            sums += pixels @ weights[y, x].astype(np.float64)
    return sums.astype(np.int32)


def _signed_conv_inputs() -> Inputs:
    """Weights of the benchmark's layer, each 128 more than it is."""
    image = np.zeros((SIDE + 2, SIDE + 2, CHANNELS), np.int8)
    image[1:-1, 1:-1] = random_bytes(SIDE, SIDE, CHANNELS).view(np.int8)
    weights = weights_of(cropped_layer(SIGNED_CONV, {})).view(np.uint8) ^ 0x80
    quads = weights.reshape(CHANNELS // LANES, LANES, CHANNELS // QUAD, QUAD, TAPS, TAPS)
    return image, np.ascontiguousarray(quads.transpose(0, 4, 5, 2, 1, 3))


def _signed_conv(image: np.ndarray, packed: np.ndarray) -> np.ndarray:
    return _conv(image, (packed ^ 0x80).view(np.int8))


def _requantize_inputs() -> Inputs:
    sums = np.random.default_rng(0).integers(-12000, 12000, (SIDE, SIDE, CHANNELS), dtype=np.int32)
    return sums, np.array([MULTIPLIER, SHIFT, ZERO] + [0] * 29, np.int32)


def _requantize(sums: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Rounded half up twice, as the instructions do: by the multiplier of 31 bits, then by the shift."""
    multiplier, shift, zero = (int(number) for number in numbers[:3])
    scaled = (sums.astype(np.int64) * multiplier + (1 << 30)) >> 31
    halves = np.clip((scaled + (1 << (shift - 1))) >> shift, -(1 << 15), (1 << 15) - 1)
    # Words, halves and bytes are narrowed by pairs of vectors: their lanes alternate.
    words = np.clip(halves + zero, 0, 255).astype(np.uint8).reshape(-1, 4, LANES)
    return words.transpose(0, 2, 1)[:, :, [0, 2, 1, 3]]


def _requantize_once(sums: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Rounded half up once, and in the order of the sums."""
    multiplier, shift, zero = (int(number) for number in numbers[:3])
    scaled = (sums.astype(np.int64) * multiplier + (1 << (shift + 30))) >> (shift + 31)
    return np.clip(scaled + zero, 0, 255).astype(np.uint8)


def _pool_inputs() -> Inputs:
    return random_bytes(SIDE, SIDE, CHANNELS), np.zeros(1, np.uint8)


def _pool(image: np.ndarray, _unused: np.ndarray) -> np.ndarray:
    return image.reshape(SIDE // 2, 2, SIDE // 2, 2, CHANNELS).max(axis=(1, 3))


KERNELS = (
    Kernel(
        "gemm",
        "384 rows, 1024 columns, 1024 terms: u8 * u8 -> i32",
        (
            Form("gemm_words", "4 rows x 32, words"),
            Form("gemm_doubles", "4 rows x 32, double words"),
            Form("gemm_wide", "4 rows x 64, words"),
        ),
        (
            Form("gemm_scheduled", "4 rows x 32, registered", can_prefetch=False),
            Form("gemm_local", "4 rows x 32, sums in a buffer"),
            Form("gemm_signed", "4 rows x 32, registered, u8 * i8", _gemm_signed, can_prefetch=False),
        ),
        _gemm_inputs,
        _gemm,
    ),
    Kernel(
        "conv",
        "3x3, 64 channels to 64, 56x56 pixels: u8 * u8 -> i32",
        (Form("conv_narrow", "4 pixels x 32, double words"), Form("conv_wide", "4 pixels x 64, words")),
        (Form("conv_local", "4 pixels x 64"), Form("conv_rows", "4 pixels x 64, rows of taps")),
        _conv_inputs,
        _conv,
    ),
    Kernel(
        "conv_i8",
        "the same: i8 * i8 -> i32",
        (
            Form("conv_narrow_signed", "4 pixels x 32, double words"),
            Form("conv_wide_signed", "4 pixels x 64, words"),
        ),
        (),
        _signed_conv_inputs,
        _signed_conv,
    ),
    Kernel(
        "requantise",
        "56x56x64 sums to bytes",
        (Form("requantise", "128 at a time"),),
        (Form("requantise_once", "128 at a time, rounded once", _requantize_once),),
        _requantize_inputs,
        _requantize,
    ),
    Kernel(
        "pool",
        "2x2 of 56x56x64 bytes",
        (Form("pool", "128 at a time"),),
        (Form("pool_pairs", "128 at a time"),),
        _pool_inputs,
        _pool,
    ),
    *QUANTISED_LAYERS,
)
"""All of them."""
