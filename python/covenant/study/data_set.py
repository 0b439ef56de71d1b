"""Models and data of a study by their content, and the images and labels on which accuracy is measured."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant.errors import CovenantError
from covenant.files import read_whole
from covenant.inputs import Feed, feeds_from, read_arrays
from covenant.study.description import StudyModel
from covenant.study.mistakes import mistake
from covenant.tensor import Tensor, real_tensor

__all__ = ["LABELS", "DataSet", "ModelContent", "accuracy", "content_of", "load_data"]

LABELS = "labels"
"""The array of a file of data that says what is right."""


@dataclass(frozen=True)
class ModelContent:
    """A model of a study and its data, as they were when the study was read."""

    title: str
    model: str
    """Path of the .onnx file."""
    data: str
    """Path of the .npz file; empty: there are none, and no accuracy."""
    metric: str
    output: str
    """Name of the output that the metric is about."""
    images: int
    """How many are taken."""
    model_digest: str
    """SHA-256 of the bytes of the model."""
    data_digest: str
    """SHA-256 of the inputs and labels that are taken."""


@dataclass(frozen=True)
class DataSet:
    """What a model runs on."""

    feeds: tuple[Feed, ...]
    labels: np.ndarray
    """int64[images x rows of an image]: the label of every row of every output."""


def content_of(model: StudyModel) -> ModelContent:
    """The model and its data, read and checked.

    Raises:
        CovenantError: STU0009, a file cannot be read; STU0010, the data do not suit the model; STU0014, the output that
            the metric is about is not known.
    """
    content = _read(model.model, "model")
    inputs, outputs = _ends_of(content, os.fspath(model.model))
    if not model.data:
        digest = hashlib.sha256(content).hexdigest()
        return ModelContent(model.title, os.fspath(model.model), "", "", "", 0, digest, "")
    found = _data_set(os.fspath(model.data), inputs, model.images)
    return ModelContent(
        title=model.title,
        model=os.fspath(model.model),
        data=os.fspath(model.data),
        metric=model.metric,
        output=_chosen_output(model.output, outputs),
        images=len(found.feeds),
        model_digest=hashlib.sha256(content).hexdigest(),
        data_digest=_digest(found),
    )


@lru_cache(maxsize=2)
def load_data(content: ModelContent) -> DataSet:
    """Images and labels of a model that was read before, as they were then.

    Raises:
        CovenantError: STU0013, the model or the data are other ones by now; and as `content_of`.
    """
    found = _read(content.model, "model")
    if not content.data:
        _check_digest(content.model, hashlib.sha256(found).hexdigest(), content.model_digest)
        return DataSet((), np.zeros(0, np.int64))
    data = _data_set(content.data, _ends_of(found, content.model)[0], content.images)
    for path, now, then in (
        (content.model, hashlib.sha256(found).hexdigest(), content.model_digest),
        (content.data, _digest(data), content.data_digest),
    ):
        _check_digest(path, now, then)
    return data


def _check_digest(path: str, now: str, then: str) -> None:
    if now != then:
        raise mistake("STU0013", "a file has changed while the study ran", offending=path,
                      fix="run the study again: its points are those of the new content")  # fmt: skip


def accuracy(content: ModelContent, outputs: Sequence[Mapping[str, np.ndarray]], labels: np.ndarray) -> float:
    """The metric top1: the share of rows of which the largest element is that of the label.

    Raises:
        CovenantError: STU0010, there are not as many labels as rows.
    """
    rows = [output[content.output].reshape(output[content.output].shape[0], -1) for output in outputs]
    guesses = np.concatenate([one.argmax(axis=1) for one in rows])
    if len(guesses) != len(labels):
        raise mistake("STU0010", "there is not one label for each row of the output", content.output,
                      offending=f"{len(labels)} labels", allowed=(f"{len(guesses)} labels",),
                      fix="save as many labels as the outputs of all images have rows")  # fmt: skip
    return float(np.mean(guesses == labels))


def _read(path: str | os.PathLike[str], subject: str) -> bytes:
    try:
        return read_whole(path)
    except CovenantError as error:
        raise mistake("STU0009", "cannot read a file that the study names", subject,
                      offending=f"{os.fspath(path)}: {error.diagnostic.offending}",
                      fix="paths are relative to the folder of the study") from error  # fmt: skip


def _ends_of(content: bytes, path: str) -> tuple[tuple[Tensor, ...], tuple[str, ...]]:
    """What a model takes, and the names of what it gives."""
    from onnx import helper, load_model_from_string  # noqa: PLC0415 (import costs; other commands do not pay)

    try:
        graph = load_model_from_string(content).graph
    except Exception as error:  # its parser raises what it likes
        raise mistake("STU0009", "a model of the study is no ONNX model", "model", offending=path,
                      fix="name a quantised .onnx file") from error  # fmt: skip
    constants = {tensor.name for tensor in graph.initializer}
    inputs = tuple(_tensor(entry, helper) for entry in graph.input if entry.name not in constants)
    return inputs, tuple(entry.name for entry in graph.output)


def _tensor(entry: Any, helper: Any) -> Tensor:
    declared = entry.type.tensor_type
    shape = tuple(one.dim_value for one in declared.shape.dim)
    if not shape or not all(shape):
        raise mistake("STU0010", "an input of the model has no fixed shape", f"model: {entry.name}",
                      offending=list(shape), fix="give a model of fixed shapes")  # fmt: skip
    return real_tensor(entry.name, shape, helper.tensor_dtype_to_np_dtype(declared.elem_type))


def _data_set(path: str, inputs: tuple[Tensor, ...], images: int | None) -> DataSet:
    if not Path(path).is_file():
        _read(path, "data")
    try:
        arrays = dict(read_arrays(path))
        labels = _labels(arrays, path)
        feeds = feeds_from(inputs, arrays, path, None)
    except CovenantError as error:
        if error.code.startswith("STU"):
            raise
        known = error.diagnostic
        raise mistake("STU0010", f"{known.message}: {path}", f"data{known.subject and f': {known.subject}'}",
                      offending=known.offending, allowed=known.allowed, fix=known.fix) from error  # fmt: skip
    if images is not None and images > len(feeds):
        raise mistake("STU0010", "the data have fewer images than asked for", "images", offending=images,
                      allowed=(f"1..{len(feeds)}",), fix="leave images out for all of them")  # fmt: skip
    if len(labels) % len(feeds):
        raise mistake("STU0010", "there are not as many labels for one image as for another", "data",
                      offending=f"{len(labels)} labels, {len(feeds)} images",
                      fix="save one label for each image")  # fmt: skip
    taken = len(feeds) if images is None else images
    return DataSet(tuple(feeds[:taken]), labels[: taken * (len(labels) // len(feeds))])


def _labels(arrays: dict[str, np.ndarray], path: str) -> np.ndarray:
    """Taken out of the arrays, which are inputs then."""
    labels = arrays.pop(LABELS, None)
    if labels is None or labels.ndim != 1 or labels.dtype.kind not in "iu":
        found = "none" if labels is None else f"{labels.dtype}{list(labels.shape)}"
        raise mistake("STU0010", f"{path} has no labels", f"data: {LABELS}", offending=found,
                      allowed=("integers, one for each image",),
                      fix="save the array labels beside the inputs")  # fmt: skip
    return labels.astype(np.int64)


def _chosen_output(wanted: str | None, outputs: tuple[str, ...]) -> str:
    if wanted is None and len(outputs) == 1:
        return outputs[0]
    if wanted in outputs:
        return wanted
    raise mistake("STU0014", "which output the metric is about is not known", "output", offending=wanted or "none",
                  allowed=outputs, fix="name one of the outputs of the model")  # fmt: skip


def _digest(data: DataSet) -> str:
    """Of the elements with their names, types and shapes."""
    found = hashlib.sha256()
    for name, array in [(LABELS, data.labels), *(item for feed in data.feeds for item in sorted(feed.items()))]:
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
