"""Convolutions in the number formats of HLSCNN, in numpy, and as streams of commands.

Written from what is public of the accelerator (registers, places in memory, widths of numbers), not from the text of
the machine: it goes over whole planes of outputs, and its shifts are divisions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covenant.commands import CommandStream, HostCommand

BASE, SPAD0, SPAD1 = 0x3200_0000, 0x4000, 0x2_4000
LANES = 8
"""Channels of a vector of activations, filters of a vector of outputs."""
WEIGHTS_AT = 0x8_0000
"""Place of weights in off-chip memory; activations lie at 0."""
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Formats:
    """Number formats, as the machine's options."""

    weight_bits: int = 16
    weight_int_bits: int = 2
    act_int_bits: int = 9
    output_int_bits: int = 9
    rounding: str = "DOWN"
    overflow: str = "SATURATE"

    def settings(self) -> dict[str, int | str]:
        """Settings of the machine."""
        return vars(self).copy()

    def fitted(self, value: Whole, bits: int) -> Whole:
        """Numbers in so many bits."""
        half = 1 << (bits - 1)
        if self.overflow == "WRAP":
            return (value + half) % (2 * half) - half
        return np.clip(value, -half, half - 1)

    def narrowed(self, value: Whole, int_bits: int) -> Whole:
        """Sums with 16 bits below the point as numbers of 16 bits, `int_bits` of them above the point."""
        scale = 2**int_bits
        half = scale // 2 if self.rounding == "NEAREST" else 0
        return self.fitted((value + half) // scale, 16)


@dataclass(frozen=True)
class Layer:
    """A convolution. Arrays hold the integers that stand for fixed-point numbers."""

    formats: Formats
    acts: Whole
    """Channels, rows, columns."""
    weights: Whole
    """Filters, channels, rows, columns; of 8 or 16 bits."""
    strides: tuple[int, int]
    bias: int | None = None
    relu: bool = False
    before: Whole | None = None
    """Sums that outputs are added to: filters, rows, columns."""

    @property
    def output_shape(self) -> tuple[int, int, int]:
        """Filters, rows, columns."""
        filters, _, *kernel = self.weights.shape
        rows, columns = (
            (size - side) // stride + 1
            for size, side, stride in zip(self.acts.shape[1:], kernel, self.strides, strict=True)
        )
        return filters, rows, columns

    @property
    def macs(self) -> int:
        """Multiply-accumulates, those of padded channels among them."""
        return self.taps * LANES

    @property
    def taps(self) -> int:
        """Sums of 8 products."""
        _, channels, *kernel = self.weights.shape
        return int(np.prod(self.output_shape)) * -(-channels // LANES) * int(np.prod(kernel))

    @property
    def cycles(self) -> int:
        """Cycles from the trigger's end to the interrupt, as the machine's text chooses them."""
        filters, channels = self.weights.shape[:2]
        rows, columns = self.acts.shape[1:]
        return self.taps + filters * -(-channels // LANES) * rows * columns + 1

    def result(self) -> Whole:
        """Outputs: filters, rows, columns."""
        formats = self.formats
        _, channels, kernel_rows, kernel_columns = self.weights.shape
        _, rows, columns = self.output_shape
        weights = self.weights * (256 if formats.weight_bits == 8 else 1)
        below = (16 - formats.weight_int_bits) + (16 - formats.act_int_bits)
        sums = np.zeros(self.output_shape, np.int64) if self.before is None else self.before
        places = [
            (first, y, x)
            for first in range(0, channels, LANES)
            for y in range(kernel_rows)
            for x in range(kernel_columns)
        ]
        for number, (first, y, x) in enumerate(places):
            seen = self.acts[
                first : first + LANES,
                y : y + (rows - 1) * self.strides[0] + 1 : self.strides[0],
                x : x + (columns - 1) * self.strides[1] + 1 : self.strides[1],
            ]
            products = seen[None] * weights[:, first : first + LANES, y, x, None, None]
            in_sum = products * 2**16 // 2**below
            added = formats.narrowed(formats.fitted(in_sum.sum(axis=1), 32), formats.act_int_bits)
            total = formats.fitted((added + sums) * 2**formats.act_int_bits, 32)
            if number < len(places) - 1:
                sums = formats.narrowed(total, formats.act_int_bits)
                continue
            if self.bias is not None:
                total = formats.fitted(total + self.bias * 2**formats.weight_int_bits, 32)
            if self.relu:
                total = np.maximum(total, 0)
            sums = formats.narrowed(total, formats.output_int_bits)
        return sums


def register(number: int, value: int) -> HostCommand:
    """A write of a register, in its lane of the beat."""
    return HostCommand("W", BASE + 4 * number, value << 32 * (number % 4))


def writes(at: int, data: bytes) -> list[HostCommand]:
    """Writes of bytes from an address on, 16 at once."""
    return [HostCommand("W", at + i, int.from_bytes(data[i : i + 16], "little")) for i in range(0, len(data), 16)]


def in_blocks(values: Whole, axis: int, kind: str) -> bytes:
    """Values whose axis is split into blocks of 8, padded by 0; what is within a block comes last."""
    padded = np.moveaxis(values, axis, -1)
    padded = np.pad(padded, [(0, 0)] * (padded.ndim - 1) + [(0, -padded.shape[-1] % LANES)])
    split = padded.reshape(*padded.shape[:-1], -1, LANES)
    return np.moveaxis(split, -2, axis).astype(kind).tobytes()


def configured(layer: Layer) -> list[HostCommand]:
    """Writes of all registers of a convolution but its trigger."""
    filters, channels, kernel_rows, kernel_columns = layer.weights.shape
    _, in_rows, in_columns = layer.acts.shape
    _, rows, columns = layer.output_shape
    flags = (layer.bias is not None) | layer.relu << 1 | (layer.before is not None) << 2
    return [
        register(18, 0),
        register(19, SPAD0),
        register(20, SPAD1),
        register(21, in_columns | in_rows << 10 | channels << 20),
        register(22, columns | rows << 10 | filters << 20),
        register(23, kernel_columns | kernel_rows << 8 | layer.strides[1] << 16 | layer.strides[0] << 19),
        register(24, (layer.bias or 0) & 0xFFFF | flags << 16 | filters << 19),
    ]


def stream_of(layer: Layer) -> CommandStream:
    """A layer as a driver writes it: memories, registers, trigger, a wait, and reads of all outputs."""
    acts = in_blocks(layer.acts, 0, "<i2")
    weights = in_blocks(layer.weights, 1, f"<i{layer.formats.weight_bits // 8}")
    weights += bytes(-len(weights) % 16)
    commands = [*writes(0, acts), *writes(WEIGHTS_AT, weights)]
    commands += [register(4, WEIGHTS_AT), register(5, len(weights) // 16), HostCommand("W", BASE + SPAD0)]
    if layer.before is not None:
        commands += [register(5, 0), *writes(BASE + SPAD1, in_blocks(layer.before, 0, "<i2"))]
    commands += [*configured(layer), register(17, 1), HostCommand("Q")]
    expected = in_blocks(layer.result(), 0, "<i2")
    reads = tuple(
        (BASE + SPAD1 + i, int.from_bytes(expected[i : i + 16], "little")) for i in range(0, len(expected), 16)
    )
    return CommandStream((*commands, *(HostCommand("R", address) for address, _ in reads)), reads)


def drawn_layer(draw: np.random.Generator, most_taps: int = 2000) -> Layer:
    """A layer of random sizes, formats and values, of at most so many sums of 8 products."""
    while True:
        formats = Formats(
            weight_bits=int(draw.choice([8, 16])),
            weight_int_bits=int(draw.integers(1, 9)),
            act_int_bits=int(draw.integers(1, 16)),
            output_int_bits=int(draw.integers(1, 16)),
            rounding=str(draw.choice(["DOWN", "NEAREST"])),
            overflow=str(draw.choice(["SATURATE", "WRAP"])),
        )
        kernel, strides = draw.integers(1, 5, 2), draw.integers(1, 4, 2)
        sizes = kernel + draw.integers(0, 8, 2)
        filters, channels = int(draw.integers(1, 12)), int(draw.integers(1, 20))
        # Large values overflow, small ones test the lowest bits.
        scale = 2.0 ** -draw.integers(0, 12)
        half = 1 << (formats.weight_bits - 1)
        layer = Layer(
            formats,
            (draw.integers(-(1 << 15), 1 << 15, (channels, *sizes)) * scale).astype(np.int64),
            draw.integers(-half, half, (filters, channels, *kernel)),
            (int(strides[0]), int(strides[1])),
            bias=int(draw.integers(-(1 << 15), 1 << 15)) if draw.random() < 0.5 else None,
            relu=bool(draw.random() < 0.5),
        )
        if layer.taps > most_taps:
            continue
        if draw.random() < 0.3:
            before = draw.integers(-(1 << 15), 1 << 15, layer.output_shape)
            layer = Layer(**(vars(layer) | {"before": before}))
        return layer
