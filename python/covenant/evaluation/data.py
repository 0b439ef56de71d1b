"""Images and labels: an .npz file, or arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from covenant.evaluation.metrics import METRICS
from covenant.evaluation.mistakes import mistake
from covenant.inputs import all_arrays, first_images, read_arrays
from covenant.tensor import Tensor

__all__ = ["LABELS", "Data", "check_metric", "chosen_output", "data_of"]

LABELS = "labels"
"""The array of a file of data that says what is right."""


@dataclass(frozen=True)
class Data:
    """What a model runs on."""

    inputs: dict[str, np.ndarray]
    """By name, of all images: [images, *shape]."""
    labels: np.ndarray
    """int64[images * rows of an image]: the label of every row of the output, image by image."""

    @property
    def images(self) -> int:
        """How many there are."""
        return len(next(iter(self.inputs.values())))


def data_of(
    inputs: Sequence[Tensor], given: str | os.PathLike[str] | Mapping[str, np.ndarray], images: int | None = None
) -> Data:
    """Data for a model that takes these inputs.

    Args:
        inputs: what an image is.
        given: path of an .npz file, or arrays by name: one for each input, images along its first axis, and `labels`,
            integers, as many for each image as its output has rows.
        images: how many to take from the start; None: all.

    Raises:
        CovenantError: CLI0002, the file cannot be read; CLI0003, it has not the arrays that the model takes; ACC0001,
            it has no labels, or not as many for one image as for another.
    """
    path = "data" if isinstance(given, Mapping) else given
    arrays = dict(given if isinstance(given, Mapping) else read_arrays(given))
    labels = arrays.pop(LABELS, None)
    if labels is None or np.ndim(labels) != 1 or labels.dtype.kind not in "iu":
        found = "none" if labels is None else f"{labels.dtype}{list(labels.shape)}"
        raise mistake("ACC0001", "the data have no labels", Path(path).name, offending=found,
                      allowed=("labels: integers, one for each image",),
                      fix="save the array labels beside the inputs")  # fmt: skip
    every = all_arrays(inputs, arrays, path)
    stacks = first_images(every, path, images)
    count = len(next(iter(stacks.values())))
    all_images = min(map(len, every.values()))
    if len(labels) == 0 or len(labels) % all_images:
        raise mistake("ACC0001", "there are not as many labels for one image as for another", Path(path).name,
                      offending=f"{len(labels)} labels, {all_images} images",
                      fix="save one label for each image, or for each row of its output")  # fmt: skip
    return Data(stacks, labels[: count * (len(labels) // all_images)].astype(np.int64))


def check_metric(metric: str) -> None:
    """Raises ACC0002 unless there is such a metric."""
    if metric not in METRICS:
        raise mistake("ACC0002", "there is no such metric", "metric", offending=metric, allowed=METRICS,
                      fix="choose one of these")  # fmt: skip


def chosen_output(wanted: str | None, outputs: Sequence[str], shapes: Mapping[str, tuple[int, ...]], data: Data) -> str:
    """The output that the metric is about.

    Raises:
        CovenantError: ACC0003, it is not known; ACC0004, the labels do not fit it.
    """
    if wanted is None and len(outputs) == 1:
        wanted = outputs[0]
    if wanted not in outputs:
        raise mistake("ACC0003", "which output the metric is about is not known", "output", allowed=outputs,
                      offending=wanted or "none", fix="name one of the outputs of the model")  # fmt: skip
    rows, *rest = shapes[wanted]
    classes = int(np.prod(rest, dtype=np.int64))
    if len(data.labels) != data.images * rows:
        raise mistake("ACC0004", "there is not one label for each row of the output", wanted,
                      offending=f"{len(data.labels)} labels", allowed=(f"{data.images * rows} labels",),
                      fix="save as many labels as the outputs of all images have rows")  # fmt: skip
    if data.labels.min() < 0 or data.labels.max() >= classes:
        raise mistake("ACC0004", "a label is no place of a score", wanted,
                      offending=f"{data.labels.min()}..{data.labels.max()}", allowed=(f"0..{classes - 1}",),
                      fix="count classes from 0, in the order of the output")  # fmt: skip
    return wanted
