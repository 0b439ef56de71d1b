"""Measures rounding in each layer of a model: errors against the float model's tensors, and saturated elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covenant.evaluation.data import Data
from covenant.evaluation.float_model import FloatModel
from covenant.progress import Progress
from covenant.runtime.values import MadeValue, Values, stacked

__all__ = ["ErrorOf", "LayerStatistics", "layer_statistics"]

_IMAGES = 8
"""At a time: all tensors of so many are held."""
_BINS = 256
_MOVEMENTS = ("reshape", "transpose", "slice", "repeat", "pad", "concat", "dequantize")
"""Operations that round nothing: their tensors are those of other layers."""


@dataclass(frozen=True)
class ErrorOf:
    """Error of a quantised tensor against the float model's, over all images."""

    relative: float
    """||quantised - float|| / ||float||, Frobenius norms."""
    decibel: float
    """Signal to quantisation noise ratio, 20 log10 of 1 / relative; infinite if nothing differs."""


@dataclass(frozen=True)
class LayerStatistics:
    """One tensor that a layer makes."""

    name: str
    node: str
    operation: str
    elements: int
    """Elements of one image."""
    counterpart: str | None
    """The corresponding tensor of the float model; None: errors are unknown."""
    chain: ErrorOf | None
    """Errors in the quantised model, those of the layers before it included."""
    alone: ErrorOf | None
    """Errors of the layer itself, given the float model's tensors, each rounded once."""
    lowest: float
    """The least real number that it holds in any image."""
    highest: float
    float_lowest: float | None
    float_highest: float | None
    range_lowest: float
    """The least real number that its stored type can represent."""
    range_highest: float
    below: int
    """Elements of the float model's tensor, of all images, that are less than that by more than half a step."""
    above: int
    at_lowest: int
    """Elements, of all images, that are the least that the stored type has."""
    at_highest: int
    histogram: tuple[int, ...] = field(repr=False)
    """Histogram of stored values, from the least on; those of 16 bits in 256 equal bins."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: an infinite ratio is null."""
        errors = {"chain": _plain(self.chain), "alone": _plain(self.alone)}
        return {**self.__dict__, **errors, "histogram": list(self.histogram)}


def layer_statistics(
    values: Values, in_float: FloatModel, data: Data, progress: Progress | None = None
) -> tuple[LayerStatistics, ...]:
    """Statistics of every tensor that a layer rounds, in order.

    Args:
        values: the quantised model.
        in_float: the float model with which it is compared.
        data: images; labels do not count.
        progress: called with the number of images that are done.
    """
    layers = [one for one in values.made if one.scale is not None and one.operation not in _MOVEMENTS]
    every = [one for one in values.made if one.scale is not None]
    counterparts = in_float.counterparts([one.name for one in every])
    sums = {one.name: _Sums(one, counterparts.get(one.name)) for one in layers}
    real = in_float.tensors(data.inputs, list(dict.fromkeys(counterparts.values())))
    for first in range(0, data.images, _IMAGES):
        if progress:
            progress("layers", first, data.images)
        inputs = {name: array[first : first + _IMAGES] for name, array in data.inputs.items()}
        count = len(next(iter(inputs.values())))
        floats = _next(real, count) if counterparts else {}
        fitting = [one for one in every if _fits(one, floats.get(counterparts.get(one.name, "")))]
        given = {one.name: _rounded(one, floats[counterparts[one.name]]) for one in fitting}
        names = [one.name for one in layers]
        chain = values.tensors(inputs, names)
        alone = values.tensors(inputs, names, given=given)
        for one in layers:
            own = floats[counterparts[one.name]] if one.name in given else None
            sums[one.name].add(chain[one.name], alone[one.name], own)
    if progress:
        progress("layers", data.images, data.images)
    return tuple(sums[one.name].statistics() for one in layers)


class _Sums:
    """Sums over one tensor, image by image."""

    def __init__(self, value: MadeValue, counterpart: str | None) -> None:
        self.value, self.counterpart = value, counterpart
        limits = np.iinfo(value.dtype)
        self.ends = (int(limits.min), int(limits.max))
        self.histogram = np.zeros(_BINS, np.int64)
        self.seen = [self.ends[1], self.ends[0]]
        self.at_ends = [0, 0]
        self.beyond = [0, 0]
        self.float_seen: list[float] = []
        self.squares = {"float": 0.0, "chain": 0.0, "alone": 0.0}

    def real(self, stored: float) -> float:
        return (stored - self.value.zero_point) * float(self.value.scale or 0.0)

    def add(self, chain: np.ndarray, alone: np.ndarray, own: np.ndarray | None) -> None:
        wide = chain.astype(np.int64)
        self.seen = [min(self.seen[0], int(wide.min())), max(self.seen[1], int(wide.max()))]
        self.at_ends = [count + int(np.sum(wide == end)) for count, end in zip(self.at_ends, self.ends, strict=True)]
        per_bin = (self.ends[1] - self.ends[0] + 1) // _BINS
        self.histogram += np.bincount(((wide - self.ends[0]) // per_bin).ravel(), minlength=_BINS)
        if own is None:
            self.counterpart = None
            return
        own = own.astype(np.float64)
        half = float(self.value.scale or 0.0) / 2
        self.beyond[0] += int(np.sum(own < self.real(self.ends[0]) - half))
        self.beyond[1] += int(np.sum(own > self.real(self.ends[1]) + half))
        self.float_seen = [min([*self.float_seen[:1], own.min()]), max([*self.float_seen[1:], own.max()])]
        self.squares["float"] += float(np.sum(own**2))
        for name, stored in (("chain", wide), ("alone", alone.astype(np.int64))):
            self.squares[name] += float(np.sum((self.real(stored) - own) ** 2))

    def statistics(self) -> LayerStatistics:
        known = self.counterpart is not None
        return LayerStatistics(
            name=self.value.name,
            node=self.value.node,
            operation=self.value.operation,
            elements=math.prod(self.value.shape),
            counterpart=self.counterpart,
            chain=self._error("chain") if known else None,
            alone=self._error("alone") if known else None,
            lowest=self.real(self.seen[0]),
            highest=self.real(self.seen[1]),
            float_lowest=float(self.float_seen[0]) if known else None,
            float_highest=float(self.float_seen[1]) if known else None,
            range_lowest=self.real(self.ends[0]),
            range_highest=self.real(self.ends[1]),
            below=self.beyond[0],
            above=self.beyond[1],
            at_lowest=self.at_ends[0],
            at_highest=self.at_ends[1],
            histogram=tuple(int(count) for count in self.histogram),
        )

    def _error(self, name: str) -> ErrorOf:
        noise, signal = self.squares[name], self.squares["float"]
        if not noise:
            return ErrorOf(0.0, math.inf)
        relative = math.sqrt(noise / signal) if signal else math.inf
        return ErrorOf(relative, -20 * math.log10(relative) if math.isfinite(relative) else -math.inf)


def _next(images: Iterator[dict[str, np.ndarray]], count: int) -> dict[str, np.ndarray]:
    """Tensors of the next images, stacked."""
    return stacked([next(images) for _ in range(count)])


def _fits(value: MadeValue, real: np.ndarray | None) -> bool:
    """Whether a float tensor of all images is one of this shape."""
    return real is not None and real.shape[1:] == value.shape and real.dtype.kind == "f"


def _rounded(value: MadeValue, real: np.ndarray) -> np.ndarray:
    """Stored elements, rounded as QuantizeLinear does: half to even, saturated."""
    limits = np.iinfo(value.dtype)
    stored = np.rint(real / np.float32(value.scale or 1.0)) + value.zero_point
    return np.clip(stored, limits.min, limits.max).astype(value.dtype)


def _plain(error: ErrorOf | None) -> Mapping[str, float | None] | None:
    if error is None:
        return None
    return {key: value if math.isfinite(value) else None for key, value in error.__dict__.items()}
