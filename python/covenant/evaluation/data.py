"""Images and labels: an .npz file, or arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant.evaluation.errors import user_error
from covenant.evaluation.metrics import NEEDS_NO_LABELS
from covenant.evaluation.ranks import RANKS
from covenant.program.inputs import all_arrays, first_images, read_arrays
from covenant.program.tensor import Tensor

__all__ = ["LABELS", "Data", "chosen_output", "data_of"]

LABELS = "labels"
"""The array of labels in a file of data."""


@dataclass(frozen=True)
class Data:
    """Inputs and labels that a model runs on."""

    inputs: dict[str, np.ndarray]
    """Arrays of all images by name: [images, *shape]."""
    labels: np.ndarray
    """Labels of all images, as many for each, image by image. int64[images * rows of an image] for metrics of rows of
    scores, the label of every row of the output; as the data have them for a function in a file; empty where the metric
    needs none."""

    @property
    def images(self) -> int:
        """Number of images."""
        return len(next(iter(self.inputs.values())))


def data_of(
    inputs: Sequence[Tensor],
    given: str | os.PathLike[str] | Mapping[str, np.ndarray],
    images: int | None = None,
    metric: str = "top1",
) -> Data:
    """Data for a model that takes these inputs.

    Args:
        inputs: inputs of one image.
        given: path of an .npz file, or arrays by name: one for each input, images along its first axis, and `labels`,
            as many for each image: integers, one for each row of the output; for a function in a file, of any type and
            shape.
        images: how many to take from the start; None: all.
        metric: the metric to be computed (`covenant.evaluation.check_metric`).

    Raises:
        CovenantError: CLI0002, the file cannot be read; CLI0003, it lacks arrays that the model takes; ACC0001,
            it has no labels, or not as many for one image as for another.
    """
    path = "data" if isinstance(given, Mapping) else given
    arrays = dict(given if isinstance(given, Mapping) else read_arrays(given))
    labels = _labels(arrays.pop(LABELS, None), Path(path).name, metric)
    every = all_arrays(inputs, arrays, path)
    stacks = first_images(every, path, images)
    all_images = min(map(len, every.values()))
    if metric not in NEEDS_NO_LABELS and (len(labels) == 0 or len(labels) % all_images):
        raise user_error("ACC0001", "there are not as many labels for one image as for another", Path(path).name,
                         offending=f"{len(labels)} labels, {all_images} images",
                         fix="save one label for each image, or for each row of its output")  # fmt: skip
    count = len(next(iter(stacks.values())))
    return Data(stacks, labels[: count * (len(labels) // all_images)])


def _labels(labels: np.ndarray | None, name: str, metric: str) -> np.ndarray:
    """Checks the labels, and returns those that the metric takes."""
    if metric in NEEDS_NO_LABELS:
        return np.zeros(0, np.int64)
    is_rank = metric in RANKS
    if labels is None or labels.ndim == 0 or (is_rank and (labels.ndim != 1 or labels.dtype.kind not in "iu")):
        found = "none" if labels is None else f"{labels.dtype}{list(labels.shape)}"
        allowed = "labels: integers, one for each image" if is_rank else "labels: an array, its first axis the images"
        raise user_error("ACC0001", "the data have no labels", name, offending=found, allowed=(allowed,),
                         fix="save the array labels beside the inputs")  # fmt: skip
    return labels.astype(np.int64) if is_rank else labels


def chosen_output(wanted: str | None, outputs: Sequence[str]) -> str:
    """The output that the metric is about.

    Raises:
        CovenantError: ACC0003, it is not known.
    """
    if wanted is None and len(outputs) == 1:
        return outputs[0]
    if wanted not in outputs:
        raise user_error("ACC0003", "which output the metric is about is not known", "output", allowed=outputs,
                         offending=wanted or "none", fix="name one of the outputs of the model")  # fmt: skip
    return wanted
