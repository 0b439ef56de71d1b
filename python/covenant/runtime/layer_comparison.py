"""Compares the tensors that layers of a machine write with those of an oracle, and names the first that differs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from covenant.runtime.result import LayerTensor

NOT_THERE = "not there: fused into another operator, or only this machine makes it"
"""Why a tensor has no counterpart: none of that name."""
_MOST_BYTES = 2
"""Most bytes of an element of an activation or a weight."""
_RESHAPED = "/image"
"""Suffix of a tensor that the compiler has reshaped for its layer (compiler/frontends/onnx/fused.cpp)."""


@dataclass(frozen=True)
class LayerVerdict:
    """A tensor that a layer writes, compared with its counterpart of the same name; all images together."""

    layer: str
    tensor: str
    """Name of the tensor in the model."""
    bytes: int
    """Bytes of the tensor, for one image."""
    no_counterpart: str | None = None
    """Why it cannot be compared; None: it was, and the other fields say how."""
    differing: int = 0
    """Bytes that differ, of all images."""
    largest_difference: float = 0.0
    """Largest difference of any element; infinite where an infinity or NaN meets something else."""
    first_image: int | None = None
    """The first image that differs; None: none does."""
    first_index: tuple[int, ...] | None = None
    """The first element that differs there, in the model's shape and its row-major order."""
    tolerance: int = 0
    """How far an element may be from its counterpart, whose rounding is not exact."""

    @property
    def differs(self) -> bool:
        """Whether an element is further from its counterpart than it may be."""
        return self.differing > 0 and self.largest_difference > self.tolerance

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line, which has no infinity."""
        compared = self.no_counterpart is None
        finite = compared and math.isfinite(self.largest_difference)
        return {
            "layer": self.layer,
            "tensor": self.tensor,
            "bytes": self.bytes,
            "compared": compared,
            "no_counterpart": self.no_counterpart,
            "differing": self.differing if compared else None,
            "largest_difference": self.largest_difference if finite else None,
            "first_image": self.first_image,
            "tolerance": self.tolerance,
            "first_index": None if self.first_index is None else list(self.first_index),
        }


@dataclass(frozen=True)
class LayerComparison:
    """Every tensor that a layer writes, in order of execution."""

    tensors: tuple[LayerVerdict, ...]

    @property
    def first(self) -> LayerVerdict | None:
        """The first that differs by more than it may; None: none of those with a counterpart does."""
        return next((verdict for verdict in self.tensors if verdict.differs), None)

    def to_dict(self) -> dict[str, Any]:
        """The fields, as in the JSON of the command line."""
        first = self.first
        return {
            "first_different": first.layer if first else None,
            "compared": sum(verdict.no_counterpart is None for verdict in self.tensors),
            "tensors": [verdict.to_dict() for verdict in self.tensors],
        }


def compare_layers(
    ours: Iterable[Sequence[LayerTensor]],
    theirs: Iterable[Mapping[str, np.ndarray]],
    inexact: Collection[str] = (),
) -> LayerComparison:
    """Compares image by image; tensors go by their names, dimensions of one index do not count.

    Args:
        ours: what the layers have written (`Session.layer_tensors`).
        theirs: what should be there (`covenant.verify.expected.expected_tensors`).
        inexact: tensors that may be one step away (`covenant.verify.expected.inexact_tensors`).

    Example:
        >>> ours = LayerTensor("conv", 0, "y", np.array([1, 2], np.int8))
        >>> first = compare_layers([[ours]], [{"y": np.array([1, 4], np.int8)}]).first
        >>> first.layer, first.differing, first.largest_difference, first.first_index
        ('conv', 1, 2.0, (1,))
    """
    verdicts: list[LayerVerdict] = []
    for image, (layers, known) in enumerate(zip(ours, theirs, strict=True)):
        made = [
            replace(_verdict(tensor, known, image), tolerance=int(tensor.name.removesuffix(_RESHAPED) in inexact))
            for tensor in layers
        ]
        verdicts = [_both(*pair) for pair in zip(verdicts, made, strict=True)] if image else made
    return LayerComparison(tuple(verdicts))


def counterpart(
    known: Mapping[str, np.ndarray], name: str, dtype: np.dtype | str, shape: Sequence[int]
) -> np.ndarray | None:
    """Array of `known` for a tensor, contiguous and in its shape; None: it has none of that type and shape.

    Dimensions of one index do not count; of a tensor that the compiler has reshaped for its layer no dimension does,
    nor where `known` has but one. Elements of a narrow type are at home in a wider one of the same sign.

    Example:
        >>> counterpart({"y": np.zeros((2, 3, 1, 1), np.int8)}, "y", "int8", (2, 3)).shape
        (2, 3)
        >>> counterpart({"y": np.zeros(3, np.int8)}, "y", "int16", (3,)).dtype
        dtype('int16')
        >>> counterpart({"y": np.zeros((3, 2), np.int8)}, "y", "int8", (2, 3)) is None
        True
    """
    array, stem = known.get(name), name.removesuffix(_RESHAPED)
    is_alike = array is not None and (_real(array.shape) == _real(shape) or array.shape == (math.prod(shape),))
    if array is None and stem != name and stem in known:
        array = known[stem]
        is_alike = array.size == np.prod(shape)
    if not is_alike or not (array.dtype == dtype or _is_widened(array.dtype, np.dtype(dtype))):
        return None
    return np.ascontiguousarray(array, dtype).reshape(shape)


def _is_widened(narrow: np.dtype, wide: np.dtype) -> bool:
    """Whether a machine of wider elements stores those of a model so."""
    return narrow.kind == wide.kind and narrow.kind in "iu" and narrow.itemsize < wide.itemsize == _MOST_BYTES


def _real(shape: Sequence[int]) -> list[int]:
    return [size for size in shape if size != 1]


def _verdict(mine: LayerTensor, known: Mapping[str, np.ndarray], image: int) -> LayerVerdict:
    verdict = LayerVerdict(mine.layer, mine.name, mine.array.nbytes)
    theirs = counterpart(known, mine.name, mine.array.dtype, mine.array.shape)
    if theirs is None:
        other = known.get(mine.name)
        why = NOT_THERE if other is None else f"{other.dtype}{list(other.shape)} there"
        return replace(verdict, no_counterpart=why)
    same = _bytes_of(mine.array) == _bytes_of(theirs)
    if same.all():
        return verdict
    differences = np.abs(mine.array.astype(np.float64) - theirs.astype(np.float64))
    return replace(
        verdict,
        differing=int((~same).sum()),
        largest_difference=float(np.where(np.isnan(differences), np.inf, differences).max()),
        first_image=image,
        first_index=tuple(int(index[0]) for index in np.nonzero(~same.all(axis=-1))),
    )


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """One row of bytes for each element: -0.0 differs from 0.0, and every NaN equals itself."""
    return np.ascontiguousarray(array).reshape(*array.shape, 1).view(np.uint8)


def _both(before: LayerVerdict, now: LayerVerdict) -> LayerVerdict:
    """The same tensor of all images so far."""
    first = before if before.differing else now
    return replace(
        before,
        no_counterpart=before.no_counterpart or now.no_counterpart,
        differing=before.differing + now.differing,
        largest_difference=max(before.largest_difference, now.largest_difference),
        first_image=first.first_image,
        first_index=first.first_index,
    )
