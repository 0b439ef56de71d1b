"""Measures the accuracy of a model on a machine, and of the float model and ONNX Runtime on the same images."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from covenant import oracle
from covenant.choices import COMPARED
from covenant.compiler import compile as compile_model
from covenant.evaluation.data import Data, chosen_output, data_of
from covenant.evaluation.errors import user_error
from covenant.evaluation.float_model import FloatModel
from covenant.evaluation.hits import AccuracyIntervals, Hits, Interval, interval_of, p_value_of
from covenant.evaluation.metrics import NEEDS_FLOAT, Rating, check_metric, digest_of, rating
from covenant.evaluation.ranks import RANKS, check_labels, scores_of
from covenant.machine import Machine, as_machine
from covenant.machine.memory_models import FIXED_MEMORY
from covenant.program import Program
from covenant.program.inputs import Feed
from covenant.progress import Progress, told
from covenant.runtime.session import Session
from covenant.runtime.values import Values, images_of

__all__ = ["AccuracyResult", "Verified", "WorstExample", "accuracy", "simulated_outputs", "verified_places"]

VERIFIED = 4
"""Images that are simulated unless another number is asked for."""
WORST = 5
_CERTAINTY = (
    "accuracy_interval", "float_accuracy_interval", "onnxruntime_accuracy_interval", "float_p_value",
    "onnxruntime_p_value",
)  # fmt: skip
"""Properties of `AccuracyResult` that are in its JSON."""


@dataclass(frozen=True)
class Verified:
    """Images of which every byte was computed a second time, by the SystemC model.

    Where sums saturate the values are the model's own, and the second time are the codelets of the program.
    """

    images: tuple[int, ...]
    """Places of the images, from 0: always the first and the last."""
    different: tuple[int, ...]
    """Places of images of which a byte differs: an internal error."""
    seconds: float


@dataclass(frozen=True)
class WorstExample:
    """An image, or a row of its output, that the machine gets wrong, or nearly."""

    image: int
    row: int
    """Row of the image's output."""
    label: int
    guess: int
    margin: float
    """The score of the label less the largest other one."""
    loss: float
    """Cross entropy, in nats."""
    float_guess: int | None
    """Guess of the float model, if it was asked."""


@dataclass(frozen=True)
class AccuracyResult(AccuracyIntervals):
    """Accuracy of a model on a machine."""

    model: str
    machine: str
    metric: str
    output: str
    """Name of the output that the metric is about."""
    images: int
    accuracy: float
    """Accuracy on the machine."""
    float_accuracy: float | None
    float_source: str | None
    """Description of the float model."""
    onnxruntime_accuracy: float | None
    onnxruntime_equal: int | None
    """Images of which ONNX Runtime makes the same bytes; None: not compared, or elements of 4 or 16 bits, which it
    computes in float."""
    cycles: int
    """Cycles of one image."""
    seconds_of_machine: float
    """Time of one image, at the machine's clock."""
    values_seconds: float
    """Wall-clock time in which the values of all images were computed."""
    exact_nodes: tuple[str, ...]
    """Nodes that only the reference operators know: these are slow."""
    verified: Verified
    worst: tuple[WorstExample, ...]
    """The rows of least margin, the wrong ones first; with a float model, of those that it gets right."""
    outputs: Mapping[str, np.ndarray] = field(repr=False, compare=False, default_factory=dict)
    """Outputs of all images: [images, *shape]."""
    data: Data | None = field(repr=False, compare=False, default=None)
    hits: Hits | None = field(repr=False, default=None)
    """Rows that are right on the machine; None of metrics without rows of scores, as are the next two."""
    float_hits: Hits | None = field(repr=False, default=None)
    """Rows that the float model has right, if it was asked."""
    onnxruntime_hits: Hits | None = field(repr=False, default=None)
    """Rows that ONNX Runtime has right, if it was asked."""

    @property
    def onnxruntime_accuracy_interval(self) -> Interval | None:
        """The same of `onnxruntime_accuracy`."""
        return interval_of(self.onnxruntime_hits)

    @property
    def float_p_value(self) -> float | None:
        """The p-value by which machine and float model differ on these images (exact McNemar test)."""
        return p_value_of(self.hits, self.float_hits)

    @property
    def onnxruntime_p_value(self) -> float | None:
        """The same beside ONNX Runtime."""
        return p_value_of(self.hits, self.onnxruntime_hits)

    @property
    def images_per_second(self) -> float:
        """At which values were computed."""
        return self.images / max(1e-9, self.values_seconds)

    @property
    def is_verified(self) -> bool:
        """Whether every byte that was simulated is that of the values."""
        return not self.verified.different

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        left_out = ("outputs", "data", "verified", "worst", "hits", "float_hits", "onnxruntime_hits")
        plain = {key: value for key, value in self.__dict__.items() if key not in left_out}
        return plain | {
            **{name: getattr(self, name) for name in _CERTAINTY},
            "exact_nodes": list(self.exact_nodes),
            "images_per_second": self.images_per_second,
            "verified": asdict(self.verified),
            "worst": [asdict(one) for one in self.worst],
        }


def accuracy(
    model: str | os.PathLike[str],
    data: str | os.PathLike[str] | Mapping[str, np.ndarray],
    machine: Machine | str | Program,
    *,
    metric: str = "top1",
    output: str | None = None,
    images: int | None = None,
    compare: Sequence[str] = (),
    float_model: str | os.PathLike[str] | None = None,
    verify: int = VERIFIED,
    worst: int = WORST,
    threads: int | None = None,
    memory: str | os.PathLike[str] = FIXED_MEMORY,
    progress: Progress | None = None,
) -> AccuracyResult:
    """Runs a whole test set: cycles once, values of every image, some of them on the SystemC model, too.

    On a machine whose sums saturate the SystemC model computes all values, and codelets some of them again.

    Args:
        model: path of an .onnx file, int8.
        data: an .npz file, or arrays by name (`covenant.evaluation.data_of`).
        machine: the machine for which the model is compiled, or the compiled program.
        metric: one of `covenant.choices.METRICS`, or FILE.py:FUNCTION.
        output: name of the output that the metric is about; None: the only one.
        images: how many to take from the start; None: all.
        compare: those of COMPARED that run on the same images, too.
        float_model: path of the float model; None: derived from the model by `FloatModel`. `sqnr` always has one.
        verify: images that are simulated with values and compared byte by byte; at least the first and the last.
        worst: how many of the worst examples to list; of metrics without rows of scores there are none.
        threads: for values and for ONNX Runtime; None: one for each core.
        memory: model of off-chip memory, for the cycles.
        progress: called with the progress.

    Raises:
        CovenantError: as `covenant.compile`; data or options do not suit (CLI0002, CLI0003, codes ACCnnnn).
    """
    check_metric(metric)
    digest_of(metric)  # mistakes in files are reported before the long computation
    for one in compare:
        if one not in COMPARED:
            raise user_error("ACC0007", "nothing of this name can be compared with", "compare", offending=one,
                             allowed=COMPARED, fix="choose some of these")  # fmt: skip
    threads = threads or os.cpu_count() or 1
    program = machine if isinstance(machine, Program) else compile_model(model, as_machine(machine), threads=threads)
    in_order = program.machine.saturates  # such sums depend on the order of the program
    values = Values(
        model,
        requant=program.machine.requant,
        accumulators=None if in_order else program.machine,
        threads=threads,
    )
    found = data_of(values.inputs, data, images, metric)
    name = chosen_output(output, values.outputs)
    if metric in RANKS:
        shapes = {tensor.name: tensor.shape for tensor in program.outputs}
        check_labels(found.labels, found.images, shapes[name], name)
    needs_float = "float" in compare or float_model is not None or metric in NEEDS_FLOAT
    in_float = FloatModel(model, float_model, threads) if needs_float else None
    start = time.perf_counter()
    outputs = (
        simulated_outputs(Session(program), list(images_of(found.inputs)), progress)
        if in_order
        else values.run(found.inputs, progress=progress)
    )
    seconds = time.perf_counter() - start
    real = None if in_float is None else in_float.run(found.inputs, name, progress)

    def metric_of(made: np.ndarray) -> Rating:
        return rating(metric, made, found.labels, real)

    here = metric_of(outputs[name])
    places = verified_places(found.images, verify)
    cycles, verified = _simulated(
        Session(program), found, outputs, places[:1] if in_order else places, memory=memory, progress=progress
    )
    if in_order:
        codelets = Session(program, "interpret")
        _, verified = _simulated(codelets, found, outputs, places, memory=FIXED_MEMORY, progress=progress)
    theirs = _onnxruntime(model, found, progress) if "onnxruntime" in compare else None
    in_float_rated = None if real is None else metric_of(real)
    theirs_rated = None if theirs is None else metric_of(theirs[name])
    return AccuracyResult(
        model=Path(model).name,
        machine=program.machine.name,
        metric=metric,
        output=name,
        images=found.images,
        accuracy=here.figure,
        float_accuracy=in_float_rated and in_float_rated.figure,
        float_source=None if in_float is None else in_float.source,
        onnxruntime_accuracy=theirs_rated and theirs_rated.figure,
        onnxruntime_equal=_equal_count(model, outputs, theirs),
        cycles=cycles,
        seconds_of_machine=cycles / program.machine.clock_hertz,
        values_seconds=seconds,
        exact_nodes=() if in_order else values.exact_nodes,
        verified=verified,
        worst=_worst(metric, outputs[name], real, found, worst),
        outputs=outputs,
        data=found,
        hits=here.hits,
        float_hits=in_float_rated and in_float_rated.hits,
        onnxruntime_hits=theirs_rated and theirs_rated.hits,
    )


def verified_places(images: int, count: int) -> tuple[int, ...]:
    """Places of images that are simulated: the first, the last, and others evenly between them.

    Example:
        >>> verified_places(100, 4), verified_places(3, 9), verified_places(1, 0)
        ((0, 33, 66, 99), (0, 1, 2), (0,))
    """
    count = min(images, max(2, count))
    return tuple(sorted({round(place * (images - 1) / max(1, count - 1)) for place in range(count)}))


def simulated_outputs(
    session: Session, feeds: Sequence[Feed], progress: Progress | None = None
) -> dict[str, np.ndarray]:
    """Outputs of all images by a session, one after the other: [images, *shape] of each."""
    made = [session.run(feed).outputs for feed in told(feeds, "simulating values", progress)]
    return {name: np.stack([one[name] for one in made]) for name in made[0]}


def _simulated(
    session: Session, data: Data, outputs: Mapping[str, np.ndarray], places: tuple[int, ...], *,
    memory: str | os.PathLike[str], progress: Progress | None,
) -> tuple[int, Verified]:  # fmt: skip
    """Cycles of an image, and the images among `places` whose simulated bytes differ."""
    start = time.perf_counter()
    different = []
    cycles = 0
    for place in told(places, "simulating", progress):
        result = session.run({name: array[place] for name, array in data.inputs.items()}, memory=memory)
        cycles = cycles or result.cycles
        if not all(array.tobytes() == outputs[name][place].tobytes() for name, array in result.outputs.items()):
            different.append(place)
    return cycles, Verified(places, tuple(different), time.perf_counter() - start)


def _onnxruntime(model: str | os.PathLike[str], data: Data, progress: Progress | None) -> dict[str, np.ndarray]:
    """Outputs of ONNX Runtime for all images.

    Raises:
        CovenantError: ACC0008, it is missing, of another version, or would not run the model in integers.
    """
    made = []
    try:
        for index, feed in enumerate(images_of(data.inputs)):
            if progress:
                progress("ONNX Runtime", index, data.images)
            made.append(oracle.run(Path(model), feed, any_width=True))
    except oracle.OracleError as error:
        raise user_error("ACC0008", f"ONNX Runtime cannot run the model: {error}", Path(model).name,
                         fix="see what it says; leave onnxruntime out of what is compared") from error  # fmt: skip
    return {name: np.stack([one[name] for one in made]) for name in made[0]}


def _equal_count(
    model: str | os.PathLike[str], ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray] | None
) -> int | None:
    """How many images have the same bytes, where ONNX Runtime's are those of integers."""
    is_oracle = theirs is not None and oracle.oracle_of(Path(model), any_width=True).style is not oracle.Style.IN_FLOAT
    return int(np.sum(_equal_images(ours, theirs))) if is_oracle and theirs is not None else None


def _equal_images(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether every byte of every output of an image is the same, for each image."""
    parts = [
        (ours[name].view(np.uint8).reshape(len(ours[name]), -1) == theirs[name].view(np.uint8).reshape(
            len(theirs[name]), -1)).all(axis=1)
        for name in ours
    ]  # fmt: skip
    return np.logical_and.reduce(parts)


def _worst(
    metric: str, output: np.ndarray, real: np.ndarray | None, data: Data, count: int
) -> tuple[WorstExample, ...]:
    """None of a metric that has no rows of scores."""
    if metric not in RANKS or not count:
        return ()
    scores = scores_of(output, data.labels, metric)
    float_scores = None if real is None else scores_of(real, data.labels, metric)
    rows = np.arange(len(data.labels))
    if float_scores is not None:
        rows = rows[float_scores.right]
    worst = rows[np.argsort(scores.margins[rows], kind="stable")][:count]
    each = len(data.labels) // data.images
    return tuple(
        WorstExample(
            image=int(row // each),
            row=int(row % each),
            label=int(data.labels[row]),
            guess=int(scores.guesses[row]),
            margin=float(scores.margins[row]),
            loss=float(scores.losses[row]),
            float_guess=None if float_scores is None else int(float_scores.guesses[row]),
        )
        for row in worst
    )
