"""Models and data of a study by their content, and the images and labels on which accuracy is measured."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covenant import zoo
from covenant._core import version
from covenant.errors import CovenantError
from covenant.evaluation.data import LABELS, chosen_output, data_of
from covenant.evaluation.metrics import NEEDS_FLOAT, digest_of, parts_of
from covenant.files import read_whole
from covenant.onnx_runtime.sessions import PINNED_ONNXRUNTIME
from covenant.program.inputs import Feed
from covenant.program.tensor import Tensor, real_tensor
from covenant.quantization import Numerics
from covenant.quantization.rules import digest_of_rules
from covenant.runtime.values import images_of
from covenant.study.description import StudyModel
from covenant.study.errors import as_of_study, user_error
from covenant.study.numerics import StudyNumerics, label_of, table_of

__all__ = ["LABELS", "DataSet", "ModelContent", "contents_of", "load_data"]


@dataclass(frozen=True)
class ModelContent:
    """A model of a study and its data, as they were when the study was read."""

    title: str
    model: str
    """Path of the .onnx file."""
    data: str
    """Path of the .npz file; empty: there are none, and no accuracy."""
    metric: str
    """Metric, in a form that `covenant.evaluation.check_metric` takes."""
    output: str
    """Name of the output that the metric is about."""
    images: int
    """Number of images that are taken."""
    model_digest: str
    """SHA-256 of the bytes of the model."""
    data_digest: str
    """SHA-256 of the inputs and labels that are taken."""
    metric_digest: str = ""
    """SHA-256 of the file of a metric in one."""
    calibrate: str = ""
    """Path of the .npz file from which ranges of a float model come."""
    calibrate_digest: str = ""
    """SHA-256 of its bytes."""
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Shapes of the inputs of a float model that leaves them open."""
    keep_float: tuple[str, ...] = ()
    """Nodes of a float model that stay in float."""
    numerics: Numerics | None = None
    """How a float model is quantised; None: it is quantised already."""

    @property
    def name(self) -> str:
        """Description for people: its title, and how it is quantised."""
        return ": ".join(filter(None, (self.title, label_of(table_of(self.numerics)))))

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of all that it is computed from."""
        return tuple(filter(None, (self.model, self.data, self.calibrate, parts_of(self.metric)[0])))

    def moved(self, places: Mapping[str, str]) -> ModelContent:
        """The same with its files at other places, by their paths here."""
        path, function = parts_of(self.metric)
        return replace(
            self, model=places[self.model], data=places.get(self.data, ""), calibrate=places.get(self.calibrate, ""),
            metric=f"{places[path]}:{function}" if path else self.metric,
        )  # fmt: skip

    @property
    def identity(self) -> dict[str, Any]:
        """Contents on which results depend; names and places do not count."""
        names = ("output", "images", "model_digest", "data_digest", "metric_digest")
        return {name: getattr(self, name) for name in names} | {"metric": parts_of(self.metric)[1]} | self.origin

    @property
    def origin(self) -> dict[str, Any]:
        """Float model and choices from which a model is quantised; empty for one that was quantised already."""
        if self.numerics is None:
            return {}
        names = ("model_digest", "calibrate_digest", "shapes", "keep_float")
        known = {name: getattr(self, name) for name in names} | {"numerics": table_of(self.numerics)}
        return known | {"rules": [digest_of_rules(), PINNED_ONNXRUNTIME, version]}


@dataclass(frozen=True)
class DataSet:
    """Inputs and labels on which a model runs."""

    feeds: tuple[Feed, ...]
    labels: np.ndarray
    """Labels of every row of every output, image by image: int64 for metrics of the SDK, which may have none."""


def contents_of(model: StudyModel, numerics: Sequence[StudyNumerics] = ()) -> tuple[ModelContent, ...]:
    """The model and its data, read and checked; of a float model one for each way to quantise it.

    Args:
        model: of the study.
        numerics: of the study; none: float models have 8 bits, and all else as `covenant.quantize` has it.

    Raises:
        CovenantError: STU0009, a file cannot be read; STU0010, the data do not suit the model; STU0014, the output that
            the metric is about is not known; STU0020, a metric in a file is none; STU0021, a metric needs a float
            model; and for models of the zoo as `covenant.zoo.get` does.
    """
    path, shapes, keep_float = _source(model)
    content = _read(path, "model")
    inputs, outputs = _ends_of(content, path, dict(shapes))
    found = _data_set(os.fspath(model.data), inputs, model.images, model.metric)
    is_float = model.calibrate is not None
    if model.data and model.metric in NEEDS_FLOAT and not is_float:
        raise user_error("STU0021", "the metric compares with the float model", "metric", offending=model.metric,
                         fix="name a float model, and calibrate, from which it is quantised")  # fmt: skip
    output = metric_digest = ""
    if model.data:
        with as_of_study():
            output, metric_digest = chosen_output(model.output, outputs), digest_of(model.metric)
    calibrate = os.fspath(model.calibrate or "")
    whole = ModelContent(
        title=model.title,
        model=path,
        data=os.fspath(model.data),
        metric=model.metric if model.data else "",
        output=output,
        images=len(found.feeds),
        model_digest=hashlib.sha256(content).hexdigest(),
        data_digest=_digest(found),
        metric_digest=metric_digest,
        calibrate=calibrate,
        calibrate_digest=hashlib.sha256(_read(calibrate, "calibrate")).hexdigest() if is_float else "",
        shapes=shapes if is_float else (),
        keep_float=keep_float if is_float else (),
    )
    if not is_float:
        return (whole,)
    choices = [one for table in numerics or (StudyNumerics(),) for one in table.choices()]
    return tuple(replace(whole, numerics=one) for one in dict.fromkeys(choices))


def _source(model: StudyModel) -> tuple[str, tuple[tuple[str, tuple[int, ...]], ...], tuple[str, ...]]:
    """The file of a model, and what the study or the zoo says of its shapes and of nodes that stay in float."""
    shapes = tuple((name, tuple(shape)) for name, shape in model.shapes.items())
    path = os.fspath(model.model)
    if not path.startswith(zoo.PREFIX):
        return path, shapes, tuple(model.keep_float)
    name = path.removeprefix(zoo.PREFIX)
    if model.calibrate is None:
        return str(zoo.get(name)), shapes, tuple(model.keep_float)
    found = str(zoo.get_float(name))
    entry = zoo.ENTRIES[name]
    return found, shapes or tuple(entry.shapes.items()), tuple(model.keep_float) or tuple(entry.keep_float)


def load_data(content: ModelContent) -> DataSet:
    """Images and labels of a model that was read before, as they were then, however it is quantised.

    Raises:
        CovenantError: STU0013, the model or the data are other ones by now; and as `contents_of`.
    """
    return _load_data(replace(content, numerics=None))


@lru_cache(maxsize=2)
def _load_data(content: ModelContent) -> DataSet:
    found = _read(content.model, "model")
    inputs = _ends_of(found, content.model, dict(content.shapes))[0]
    data = _data_set(content.data, inputs, content.images, content.metric)
    with as_of_study():
        metric_digest = digest_of(content.metric)
    known = [
        (content.model, hashlib.sha256(found).hexdigest(), content.model_digest),
        (content.data, _digest(data), content.data_digest),
        (parts_of(content.metric)[0], metric_digest, content.metric_digest),
    ]
    if content.calibrate:
        now = hashlib.sha256(_read(content.calibrate, "calibrate")).hexdigest()
        known.append((content.calibrate, now, content.calibrate_digest))
    for path, now, then in known:
        if now != then:
            raise user_error("STU0013", "a file has changed while the study ran", offending=path,
                             fix="run the study again: its points are those of the new content")  # fmt: skip
    return data


def _read(path: str | os.PathLike[str], subject: str) -> bytes:
    try:
        return read_whole(path)
    except CovenantError as error:
        raise user_error("STU0009", "cannot read a file that the study names", subject,
                         offending=f"{os.fspath(path)}: {error.diagnostic.offending}",
                         fix="paths are relative to the folder of the study") from error  # fmt: skip


def _ends_of(
    content: bytes, path: str, shapes: Mapping[str, tuple[int, ...]]
) -> tuple[tuple[Tensor, ...], tuple[str, ...]]:
    """Inputs of a model, and the names of its outputs."""
    from onnx import helper, load_model_from_string  # noqa: PLC0415 (import costs; other commands do not pay)

    try:
        graph = load_model_from_string(content).graph
    except Exception as error:  # its parser raises what it likes
        raise user_error("STU0009", "a model of the study is no ONNX model", "model", offending=path,
                         fix="name a quantised .onnx file") from error  # fmt: skip
    constants = {tensor.name for tensor in graph.initializer}
    inputs = tuple(_tensor(entry, helper, shapes) for entry in graph.input if entry.name not in constants)
    return inputs, tuple(entry.name for entry in graph.output)


def _tensor(entry: Any, helper: Any, shapes: Mapping[str, tuple[int, ...]]) -> Tensor:
    declared = entry.type.tensor_type
    shape = shapes.get(entry.name) or tuple(one.dim_value for one in declared.shape.dim)
    if not shape or min(shape) < 1:
        raise user_error("STU0010", "an input of the model has no fixed shape", f"model: {entry.name}",
                         offending=list(shape),
                         fix="give a model of fixed shapes, or shapes of a float one")  # fmt: skip
    return real_tensor(entry.name, shape, helper.tensor_dtype_to_np_dtype(declared.elem_type))


def _data_set(path: str, inputs: tuple[Tensor, ...], images: int | None, metric: str) -> DataSet:
    if not path:
        return DataSet((), np.zeros(0, np.int64))
    if not Path(path).is_file():
        _read(path, "data")
    with as_of_study("data"):
        found = data_of(inputs, path, None, metric)
    if images is not None and images > found.images:
        raise user_error("STU0010", "the data have fewer images than asked for", "images", offending=images,
                         allowed=(f"1..{found.images}",), fix="leave images out for all of them")  # fmt: skip
    taken = found.images if images is None else images
    feeds = tuple(images_of(found.inputs))[:taken]
    return DataSet(feeds, found.labels[: taken * (len(found.labels) // found.images)])


def _digest(data: DataSet) -> str:
    """Digest of the elements with their names, types and shapes."""
    found = hashlib.sha256()
    for name, array in [(LABELS, data.labels), *(item for feed in data.feeds for item in sorted(feed.items()))]:
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()
