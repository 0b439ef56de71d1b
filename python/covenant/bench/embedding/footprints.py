"""Memory figures of relaxed embeddings: Tables 1 to 3 of Rieber, Acosta and Fröning (section 6).

Twelve convolutions have too few channels for the 16 inner elements of GEMM of 1x16x16. The reference pads channels
to 16. The paper's embeddings fuse taps into the inner elements instead, and give memory relative to the reference.
They are all of one family. Each direction of the window may be

- padded with taps that are zero: k' >= k;
- unrolled: a factor t of the k' taps stands in memory for each output, so that e' = outputs * t replaces the extent
  of the padded image (the paper: h' = h / stride * kh). Outputs are counted with the taps, or with the padded taps.

Channels are padded to c', and t of both directions times c' is a multiple of 16. Data and weights have
images * e'(rows) * e'(columns) * c' and outputs * k'(rows) * k'(columns) * c' elements; the reference's data are those
of the image before its own padding.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

__all__ = [
    "PRINTED_MEANS",
    "Choice",
    "Direction",
    "Footprint",
    "PrintedRow",
    "choice_of",
    "footprint_of",
    "least_weights",
    "printed_rows",
]

INNER = 16
"""Elements that the instruction sums over."""
MOST_PADDING = 16
"""Taps that are tried beside the real ones; more only add zeros."""


@dataclass(frozen=True)
class Footprint:
    """Elements relative to the reference, which pads channels."""

    data: float
    weights: float
    total: float
    """Data and weights together."""

    def printed(self) -> tuple[str, str, str]:
        """With the three digits of the paper."""
        return f"{self.data:.3f}", f"{self.weights:.3f}", f"{self.total:.3f}"


PRINTED_MEANS = {
    1: Footprint(1.385, 0.197, 1.328),
    2: Footprint(1.121, 0.193, 1.076),
    3: Footprint(0.765, 0.217, 0.744),
}
"""Geometric means that the paper prints below each table."""


@dataclass(frozen=True)
class PrintedRow:
    """One row of a table."""

    table: int
    images: int
    rows: int
    columns: int
    channels: int
    outputs: int
    """Channels of the output."""
    row_taps: int
    column_taps: int
    padding: int
    """Pixels on each side of the image."""
    row_stride: int
    column_stride: int
    printed: Footprint

    @property
    def layer(self) -> str:
        """As the paper writes it, but for the strides where they differ: data, weights, padding, strides."""
        strides = f"{self.row_stride}" if self.row_stride == self.column_stride else (
            f"{self.row_stride}x{self.column_stride}"
        )  # fmt: skip
        return (
            f"({self.images}, {self.rows}, {self.columns}, {self.channels})"
            f"({self.outputs}, {self.channels}, {self.row_taps}, {self.column_taps}) {self.padding},{strides}"
        )


@dataclass(frozen=True)
class Direction:
    """How one direction of the window lies in memory."""

    taps: int
    """k', padded ones included."""
    unrolled: int
    """t; 1: the image stays as it is."""
    keeps_outputs: bool
    """Whether outputs are counted with the taps that are not padded."""
    extent: int
    """e'."""


@dataclass(frozen=True)
class Choice:
    """One embedding of the family."""

    rows: Direction
    columns: Direction
    channels: int
    """c'."""

    @property
    def text(self) -> str:
        """For people: `rows 24 taps, 24 unrolled; columns 8 taps; 1 channel`."""
        return (
            f"rows {_words(self.rows)}; columns {_words(self.columns)}; "
            f"{self.channels} {'channel' if self.channels == 1 else 'channels'}"
        )


def printed_rows() -> tuple[PrintedRow, ...]:
    """The 36 rows of the three tables."""
    text = files("covenant.bench.embedding").joinpath("footprints.csv").read_text(encoding="utf-8")
    found = []
    for line in csv.DictReader(text.splitlines()):
        printed = Footprint(*(float(line.pop(key)) for key in ("data", "weights", "total")))
        found.append(PrintedRow(**{key: int(value) for key, value in line.items()}, printed=printed))
    return tuple(found)


def footprint_of(row: PrintedRow, choice: Choice) -> Footprint:
    """Memory of an embedding relative to the reference's."""
    data = row.images * choice.rows.extent * choice.columns.extent * choice.channels
    weights = row.outputs * choice.rows.taps * choice.columns.taps * choice.channels
    padded_data = row.images * row.rows * row.columns * INNER
    padded_weights = row.outputs * row.row_taps * row.column_taps * INNER
    return Footprint(data / padded_data, weights / padded_weights, (data + weights) / (padded_data + padded_weights))


def choice_of(row: PrintedRow) -> Choice | None:
    """The first embedding of the family that has the row's figures, to every printed digit; None if there is none."""
    printed = row.printed.printed()
    return next((choice for choice in _family(row, printed[1]) if footprint_of(row, choice).printed() == printed), None)


def least_weights(row: PrintedRow) -> float:
    """The least weights that fusing admits, relative to the reference.

    Taps and channels lie one after the other, with zeros behind the last alone.
    """
    elements = row.row_taps * row.column_taps * row.channels
    return -(-elements // INNER) / (row.row_taps * row.column_taps)


def _family(row: PrintedRow, weights: str) -> Iterator[Choice]:
    """The embeddings that have these weights, as printed."""
    reference = row.row_taps * row.column_taps * INNER
    all_columns = tuple(_directions(row.columns, row.column_taps, row.padding, row.column_stride))
    for rows in _directions(row.rows, row.row_taps, row.padding, row.row_stride):
        for columns in all_columns:
            for channels in range(row.channels, INNER + 1):
                if rows.unrolled * columns.unrolled * channels % INNER:
                    continue
                if f"{rows.taps * columns.taps * channels / reference:.3f}" == weights:
                    yield Choice(rows, columns, channels)


def _directions(extent: int, taps: int, padding: int, stride: int) -> Iterator[Direction]:
    whole = extent + 2 * padding
    for padded in range(taps, taps + MOST_PADDING + 1):
        yield Direction(padded, 1, keeps_outputs=True, extent=whole)
        for unrolled in (factor for factor in range(2, padded + 1) if padded % factor == 0):
            for counted in dict.fromkeys((taps, padded)):
                outputs = (whole - counted) // stride + 1
                yield Direction(padded, unrolled, keeps_outputs=counted == taps, extent=outputs * unrolled)


def _words(direction: Direction) -> str:
    unrolled = f", {direction.unrolled} unrolled" if direction.unrolled > 1 else ""
    return f"{direction.taps} taps{unrolled}{'' if direction.keeps_outputs else ' of fewer outputs'}"
