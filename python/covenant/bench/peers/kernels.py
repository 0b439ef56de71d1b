"""The kernels that are compared: their shapes, inputs and exact outputs. Their sources stand in `kernels/`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LANES, QUAD = 32, 4
_ROWS, _COLUMNS, _TERMS = 384, 1024, 1024
SIDE, CHANNELS, TAPS = 56, 64, 3
MULTIPLIER, SHIFT, ZERO = 1518500224, 5, 7

Inputs = tuple[np.ndarray, np.ndarray]
Expected = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Form:
    """One way to write a kernel."""

    name: str
    """Name of the source, `kernels/NAME.c`, or of the function of TVM, in `kernels/tvm_kernels.py`."""
    what: str
    expected: Expected | None = None
    """Exact output of a form that computes other sums or rounds in another way."""


@dataclass(frozen=True)
class Kernel:
    """One computation, in any form."""

    name: str
    what: str
    forms: tuple[Form, ...]
    """Forms in C."""
    tvm_forms: tuple[Form, ...]
    inputs: Callable[[], Inputs]
    """Both inputs as the sources want them, always the same."""
    expected: Expected
    """The exact output of these inputs."""


def _bytes(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def _gemm_inputs() -> Inputs:
    return _bytes(_ROWS, _TERMS), _bytes(_COLUMNS // LANES, _TERMS // QUAD, LANES, QUAD)


def _gemm(a: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """[columns / 32][terms / 4][32][4] is a matrix of [terms][columns]."""
    b = packed.transpose(1, 3, 0, 2).reshape(_TERMS, _COLUMNS)
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int32)  # exact: the sums have 26 bits


def _gemm_signed(a: np.ndarray, packed: np.ndarray) -> np.ndarray:
    return _gemm(a, packed.view(np.int8))


def _conv_inputs() -> Inputs:
    image = np.zeros((SIDE + 2, SIDE + 2, CHANNELS), np.uint8)
    image[1:-1, 1:-1] = _bytes(SIDE, SIDE, CHANNELS)
    return image, _bytes(CHANNELS // LANES, TAPS, TAPS, CHANNELS // QUAD, LANES, QUAD)


def _conv(image: np.ndarray, packed: np.ndarray) -> np.ndarray:
    """[outputs / 32][3][3][inputs / 4][32][4] is [3][3][inputs][outputs]."""
    weights = packed.transpose(1, 2, 3, 5, 0, 4).reshape(TAPS, TAPS, CHANNELS, CHANNELS)
    sums = np.zeros((SIDE, SIDE, CHANNELS))
    for y in range(TAPS):
        for x in range(TAPS):
            pixels = image[y : y + SIDE, x : x + SIDE].astype(np.float64)
            sums += pixels @ weights[y, x].astype(np.float64)
    return sums.astype(np.int32)


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
    return _bytes(SIDE, SIDE, CHANNELS), np.zeros(1, np.uint8)


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
            Form("gemm_scheduled", "4 rows x 32, registered"),
            Form("gemm_local", "4 rows x 32, sums in a buffer"),
            Form("gemm_signed", "4 rows x 32, registered, u8 * i8", _gemm_signed),
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
)
"""All of them."""
