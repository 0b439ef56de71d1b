"""Operators and instructions as the constraint model sees them, written apart from the product.

Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem",
section 3: both compute sums of products, one product for each point of a box of axes, and each of the three tensors is
indexed by some of them. Nothing here imports the product, or is made from what it has read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

Dimension = tuple[tuple[str, int], ...]
"""The axes that an index adds up, each with its coefficient; constants move all elements alike, and are left out."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of an operator: the index of each dimension."""

    dimensions: tuple[Dimension, ...]
    is_constant: bool = False

    def mentions(self, axis: str) -> bool:
        """True if an index depends on the axis."""
        return any(axis == name for dimension in self.dimensions for name, _ in dimension)


@dataclass(frozen=True)
class Operator:
    """Sums of products: result += first * second at each point of the axes."""

    name: str
    extents: tuple[tuple[str, int], ...]
    """Axes in their order, outermost first: it is that in which several are counted as one."""
    first: Tensor
    second: Tensor
    result: Tensor

    @property
    def extent(self) -> dict[str, int]:
        """Extents of the axes with more than one point; others are always at 0, and index nothing."""
        return {axis: extent for axis, extent in self.extents if extent > 1}


@dataclass(frozen=True)
class Instruction:
    """Sums of products that one execution computes, as axes and the letters of those that index each operand."""

    sizes: tuple[tuple[str, int], ...]
    first: str
    second: str
    result: str

    @property
    def size(self) -> dict[str, int]:
        """Sizes of the axes with more than one place."""
        return {axis: size for axis, size in self.sizes if size > 1}


def matrices(rows: int, columns: int, inner: int) -> Instruction:
    """An instruction of matrices [r, i] and [i, c]: results are [r, c]."""
    return Instruction((("r", rows), ("c", columns), ("i", inner)), first="ri", second="ic", result="rc")


def lanes(count: int, inner: int) -> Instruction:
    """An instruction of lanes, each of which adds up `inner` products of its own."""
    return Instruction((("l", count), ("i", inner)), first="li", second="li", result="l")


@dataclass(frozen=True)
class Convolution:
    """The shape of a convolution of two dimensions; pairs are of rows and columns."""

    batch: int
    channels: int
    image: tuple[int, int]
    outputs: int
    kernel: tuple[int, int]
    pads: tuple[int, int] = (0, 0)
    """Above and below, left and right."""
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    is_by_channels: bool = False
    """Each output sees one channel, its own: there are as many of both."""

    @property
    def results(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        rows, columns = (
            (size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1
            for size, pad, dilation, taps, stride in zip(
                self.image, self.pads, self.dilations, self.kernel, self.strides, strict=True
            )
        )
        return rows, columns

    @property
    def operator(self) -> Operator:
        """The sums of products that it computes, of constant weights."""
        (height, width), (rows, columns) = self.results, self.kernel
        down = (("oh", self.strides[0]), ("kh", self.dilations[0]))
        across = (("ow", self.strides[1]), ("kw", self.dilations[1]))
        seen, made = ("c", "c") if self.is_by_channels else ("ic", "oc")
        channels = (("c", self.channels),) if self.is_by_channels else (("oc", self.outputs),)
        sums = () if self.is_by_channels else (("ic", self.channels),)
        axes = (("n", self.batch), *channels, ("oh", height), ("ow", width), *sums, ("kh", rows), ("kw", columns))
        filters = ("kh", "kw", *sorted({seen, made}))
        return Operator(
            f"convolution {self}", axes,
            first=Tensor((_own("n"), down, across, _own(seen))),
            second=Tensor(tuple(_own(axis) for axis in filters), is_constant=True),
            result=Tensor(tuple(_own(axis) for axis in ("n", "oh", "ow", made))),
        )  # fmt: skip


def product(rows: int, inner: int, columns: int) -> Operator:
    """A product of a matrix [rows, inner] by a constant one [inner, columns]."""
    return Operator(
        f"product {rows}x{inner}x{columns}", (("n", rows), ("o", columns), ("k", inner)),
        first=Tensor((_own("n"), _own("k"))),
        second=Tensor((_own("k"), _own("o")), is_constant=True),
        result=Tensor((_own("n"), _own("o"))),
    )  # fmt: skip


def convolutions(table: Path) -> Iterator[Convolution]:
    """The convolutions of a table of DeepBench's.

    Columns are suite, kind, batch, channels, image rows and columns, outputs, kernel rows and columns, pads, strides.
    """
    for line in table.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or line.split(",")[1] != "conv":
            continue
        batch, channels, high, wide, outputs, *pairs = (int(number) for number in line.split(",")[2:])
        kernel, pads, strides = ((pairs[at], pairs[at + 1]) for at in (0, 2, 4))
        yield Convolution(batch, channels, (high, wide), outputs, kernel, pads, strides)


def _own(axis: str) -> Dimension:
    return ((axis, 1),)
