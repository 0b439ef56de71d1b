"""Compares a run with an oracle, byte by byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from covenant.errors import CovenantError, Diagnostic


@dataclass(frozen=True)
class Comparison:
    """Counts of the outputs and images that are equal, bit for bit."""

    images: int
    equal_images: int
    """Images of which every output byte is equal."""
    elements: int
    equal_elements: int
    largest_difference: float
    """Largest difference of any element; infinite where an infinity or NaN meets something else."""
    mean_difference: float
    """Mean difference over all elements; infinite likewise."""

    @property
    def identical(self) -> bool:
        """True if every byte of every image is equal, and there was at least one."""
        return self.images > 0 and self.equal_images == self.images


def compare(ours: Sequence[Mapping[str, np.ndarray]], theirs: Sequence[Mapping[str, np.ndarray]]) -> Comparison:
    """Compares outputs image by image: ours with those that should be.

    Raises:
        CovenantError: CLI0015, outputs differ in name, shape or type: there is nothing to count then.

    Example:
        >>> one, two = {"y": np.array([1, 2], np.int8)}, {"y": np.array([1, 4], np.int8)}
        >>> compare([one, one], [one, two])
        Comparison(images=2, equal_images=1, elements=4, equal_elements=3, largest_difference=2.0, mean_difference=0.5)
    """
    equal_images = elements = equal_elements = 0
    largest = differences = 0.0
    for mine, other in zip(ours, theirs, strict=True):
        _check_alike(mine, other)
        equal, total, most, difference = _compare_image(mine, other)
        elements += total
        equal_elements += equal
        equal_images += equal == total
        largest = max(largest, most)
        differences += difference
    mean = differences / elements if elements else 0.0
    return Comparison(len(ours), equal_images, elements, equal_elements, largest, mean)


def _check_alike(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]) -> None:
    """Raises CLI0015 unless names, shapes and types are the same; the order does not count."""
    mine, other = ({name: (array.shape, array.dtype) for name, array in side.items()} for side in (ours, theirs))
    if mine == other:
        return
    odd = sorted(name for name in mine.keys() | other.keys() if mine.get(name) != other.get(name))
    raise CovenantError(
        Diagnostic(
            "CLI0015", "the outputs that are compared differ in name, shape or type", subject=odd[0],
            offending=_spelt(ours, odd), allowed=(_spelt(theirs, odd),),
            fix="compare the outputs of the same model: names, shapes and types are those that it declares",
        )
    )  # fmt: skip


def _spelt(side: Mapping[str, np.ndarray], names: Sequence[str]) -> str:
    there = [f"{name} {side[name].dtype}{list(side[name].shape)}" for name in names if name in side]
    return ", ".join(there) or "no such output"


def _compare_image(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]) -> tuple[int, int, float, float]:
    """Equal elements, all elements, the largest difference and the sum of all."""
    equal = total = 0
    largest = whole = 0.0
    for name in sorted(ours):
        mine, other = ours[name], theirs[name]
        total += mine.size
        same = _bytes_of(mine) == _bytes_of(other)
        equal += int(same.sum())
        if not same.all():
            differences = np.abs(mine.astype(np.float64) - other.astype(np.float64))[~same]
            differences[np.isnan(differences)] = np.inf
            largest = max(largest, float(differences.max()))
            whole += float(differences.sum())
    return equal, total, largest, whole


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The same elements as unsigned integers: -0.0 differs from 0.0, and every NaN equals itself."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
