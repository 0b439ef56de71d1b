"""Descriptions of studies as values: models with their data, machines with ranges, a search, objectives."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from covenant.evaluation.metrics import check_metric
from covenant.study.errors import as_of_study, unknown, user_error

__all__ = [
    "BATCH", "OBJECTIVES", "SENSES", "Objective", "Setting", "StudyMachine", "StudyModel", "StudySearch",
    "default_objectives",
]  # fmt: skip

Setting = int | str
"""Value of a machine's parameter: a number, or an expression over parameters that stand before it."""

METHODS = ("grid", "random", "optuna")
SAMPLERS = ("tpe", "nsga2")
"""Samplers of Optuna."""
BATCH = 8
"""Points that Optuna proposes at a time, unless a study says otherwise."""
OBJECTIVES = (
    "cycles", "seconds_of_machine", "accuracy", "utilisation", "stalls", "bytes_offchip", "energy_proxy", "area_proxy",
    "pe_count", "buffer_bits", "bus_bits",
)  # fmt: skip
"""Columns of the table that an objective may name."""
SENSES = ("min", "max")


@dataclass(frozen=True)
class StudyModel:
    """A model, and the data on which its accuracy is measured. With `calibrate` it is a float one.

    Raises:
        CovenantError: STU0006, there is no such metric; STU0003, `images` is not above 0.
    """

    model: str | os.PathLike[str]
    """Path of an .onnx file, or `zoo:NAME`."""
    data: str | os.PathLike[str] = ""
    """Path of an .npz file: inputs by name as `covenant run --input` takes them, and `labels`, one for each image.

    Empty: only cycles and energy, which do not depend on data, are wanted.
    """
    metric: str = "top1"
    """One of `covenant.choices.METRICS`, or FILE.py:FUNCTION."""
    output: str | None = None
    """The output that the metric is about; None: the only one."""
    images: int | None = None
    """Number of images to take, from the first on; None: all."""
    name: str = ""
    """Name in tables; empty: the name of the file without its ending."""
    calibrate: str | os.PathLike[str] | None = None
    """Path of an .npz file with samples, from which ranges of a float model come."""
    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Shapes of the inputs of a float model that leaves them open."""
    keep_float: Sequence[str] = ()
    """Nodes of a float model that stay in float, as `covenant.quantize` takes them."""

    def __post_init__(self) -> None:
        with as_of_study():
            check_metric(self.metric)
        if self.calibrate is None and (self.shapes or self.keep_float):
            raise user_error("STU0021", "a model that is quantised already has shapes and all of its layers",
                             "calibrate", offending="none",
                             fix="name samples in calibrate, or leave these out")  # fmt: skip
        if self.images is not None and self.images < 1:
            raise user_error("STU0003", "a count of images is above 0", "images", offending=self.images,
                             allowed=("1..",), fix="leave it out for all images")  # fmt: skip

    @property
    def title(self) -> str:
        """Name in tables."""
        return self.name or Path(os.fspath(self.model).rpartition(":")[2]).stem


@dataclass(frozen=True)
class StudyMachine:
    """A machine, and values of its parameters: every combination of them is a machine of the study.

    Raises:
        CovenantError: STU0005, a range is empty.
    """

    machine: str
    """Spec of the machine, as `Machine` takes it: a name, a name with a preset, or the path of an .acg file."""
    parameters: Mapping[str, Sequence[Setting]] = field(default_factory=dict)
    """Values to try of each parameter, by name, in their order; a single value is set and does not vary."""

    def __post_init__(self) -> None:
        for name, values in self.parameters.items():
            if not values:
                raise user_error("STU0005", "a range has no value", f"parameters.{name}", offending="[]",
                                 fix="give one value or more, as in [8, 16]")  # fmt: skip


@dataclass(frozen=True)
class StudySearch:
    """Choice of the points of the grid (every model on every machine with every memory) that are computed.

    Raises:
        CovenantError: STU0007, there is no such method; STU0011, it lacks what the method needs, or has what it does
            not take.
    """

    method: str = "grid"
    """grid: all of them. random: some, drawn without replacement. optuna: some, each batch proposed by Optuna after the
    results of those before it."""
    points: int | None = None
    """Number of points of a random or Optuna search. More of them, with the same seed, begin with the same ones."""
    seed: int = 0
    """Seed of a random or Optuna search; 0 or above."""
    sampler: str | None = None
    """Sampler of Optuna. tpe: the tree-structured Parzen estimator, default with one objective; nsga2: NSGA-II, default
    with several."""
    batch: int | None = None
    """Points that Optuna proposes at a time, the population of NSGA-II. None: BATCH. At most as many are computed at
    once, so that the number of processes does not change what is proposed."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("STU0007", "there is no such way to search", "method", self.method, METHODS)
        if self.sampler is not None and self.sampler not in SAMPLERS:
            raise unknown("STU0007", "there is no such sampler", "sampler", self.sampler, SAMPLERS)
        if self.method == "grid" and (self.points is not None or self.seed):
            raise user_error("STU0011", "the search of a grid takes all of its points",
                             fix='leave out points and seed, or write method = "random"')  # fmt: skip
        if self.method != "grid" and (self.points is None or self.points < 1):
            raise user_error("STU0011", f"a search by {self.method} says how many points it takes", "points",
                             offending="none" if self.points is None else self.points, allowed=("1..",),
                             fix="add for example points = 20")  # fmt: skip
        if self.method != "optuna" and (self.sampler is not None or self.batch is not None):
            raise user_error("STU0011", "sampler and batch belong to Optuna", "method", offending=self.method,
                             allowed=("optuna",), fix="leave them out")  # fmt: skip
        if self.batch is not None and self.batch < 1:
            raise user_error("STU0011", "a batch has a point or more", "batch", offending=self.batch, allowed=("1..",),
                             fix="leave it out, or write for example batch = 8")  # fmt: skip
        if not 0 <= self.seed < 2**32:
            raise user_error("STU0011", "a seed has 32 bits", "seed", offending=self.seed, allowed=("0..4294967295",),
                             fix="write for example seed = 1")  # fmt: skip


@dataclass(frozen=True)
class Objective:
    """A column to be as small or as large as can be.

    Raises:
        CovenantError: STU0008, there is no such column, or sense.
    """

    column: str
    """One of OBJECTIVES."""
    sense: str
    """One of SENSES."""

    def __post_init__(self) -> None:
        subject = f"objectives.{self.column}"
        if self.column not in OBJECTIVES:
            raise unknown("STU0008", "no objective has this name", subject, self.column, OBJECTIVES)
        if self.sense not in SENSES:
            raise unknown("STU0008", "an objective is to be least or most", subject, self.sense, SENSES)


def default_objectives() -> tuple[Objective, ...]:
    """Objectives of a study that names none: the fewest cycles, the highest accuracy."""
    return (Objective("cycles", "min"), Objective("accuracy", "max"))
