"""Comparing a run with an oracle, byte by byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """How many outputs of how many images are equal, bit for bit."""

    images: int
    equal_images: int
    """Images of which every output byte is equal."""
    elements: int
    equal_elements: int
    largest_difference: float
    """Of any element; infinite where a shape, a type or a name differs."""

    @property
    def identical(self) -> bool:
        """True if every byte of every image is equal, and there was at least one."""
        return self.images > 0 and self.equal_images == self.images


def compare(ours: Sequence[Mapping[str, np.ndarray]], theirs: Sequence[Mapping[str, np.ndarray]]) -> Comparison:
    """Compares outputs image by image.

    Example:
        >>> one, two = {"y": np.array([1, 2], np.int8)}, {"y": np.array([1, 4], np.int8)}
        >>> compare([one, one], [one, two])
        Comparison(images=2, equal_images=1, elements=4, equal_elements=3, largest_difference=2.0)
    """
    equal_images = elements = equal_elements = 0
    largest = 0.0
    for mine, other in zip(ours, theirs, strict=True):
        equal, total, difference = _compare_image(mine, other)
        elements += total
        equal_elements += equal
        equal_images += equal == total
        largest = max(largest, difference)
    return Comparison(len(ours), equal_images, elements, equal_elements, largest)


def _compare_image(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]) -> tuple[int, int, float]:
    equal = total = 0
    largest = 0.0
    for name in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(name), theirs.get(name)
        total += max(array.size for array in (mine, other) if array is not None)
        if mine is None or other is None or mine.shape != other.shape or mine.dtype != other.dtype:
            return 0, max(total, 1), float("inf")
        same = _bytes_of(mine) == _bytes_of(other)
        equal += int(same.sum())
        if not same.all():
            largest = max(largest, float(np.abs(mine.astype(np.float64) - other.astype(np.float64)).max()))
    return equal, total, largest


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The same elements as unsigned integers: -0.0 differs from 0.0, and every NaN equals itself."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
