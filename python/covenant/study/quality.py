"""Computes a model's outputs on its images, and their accuracy.

They are computed once for all machines of the same numerics, for values depend on no other part of a machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from covenant import oracle
from covenant.errors import InternalError
from covenant.evaluation.hits import Hits
from covenant.evaluation.metrics import NEEDS_FLOAT, Rating, rating
from covenant.evaluation.on_machine import VERIFIED, simulated_outputs, verified_places
from covenant.machine import Machine, Requant
from covenant.program.inputs import Feed
from covenant.runtime.session import Session
from covenant.runtime.values import Values, images_of, stacked
from covenant.study.data_set import ModelContent, load_data
from covenant.study.errors import as_of_study
from covenant.study.quantized import stored
from covenant.verify.expected import Source, expected_outputs, source_here

__all__ = ["BY_REFERENCE", "Quality", "check_simulated", "float_outputs", "quality_in_order", "quality_of", "rating_of"]

BY_REFERENCE = 32
"""Images that are compared with the reference operators, where their word counts: they are slow."""
Outputs = Mapping[str, np.ndarray]
"""Outputs of one image, by name."""


@dataclass(frozen=True)
class Quality:
    """Outputs of all images, and how good they are."""

    outputs: dict[str, np.ndarray]
    """Arrays by name: [images, *shape]."""
    accuracy: float
    hits: Hits | None
    """Rows that are right; None of a metric that is no share of rows."""
    compared: int
    """Images that were compared with the outputs expected."""
    equal: int
    """Images of which every byte of every output is the one expected."""
    source: str
    """Source of the expected outputs."""


@lru_cache(maxsize=4)
def quality_of(content: ModelContent, *, requant: Requant, accumulators: Machine | None = None) -> Quality:
    """Quality of a model on its images, with these numerics.

    Args:
        content: the model and its images.
        requant: how sums are scaled, as `Machine.requant` says.
        accumulators: the machine whose systolic arrays make sums of fewer than 32 bits; None: they have 32.
    """
    data = load_data(content)
    path = stored(content).path
    # One thread: all cores are busy with points.
    numerics: dict[str, Any] = {"requant": requant, "accumulators": accumulators}
    outputs = Values(path, threads=1, **numerics).run(stacked(data.feeds))
    by_image = list(images_of(outputs))
    try:
        source = Source.REFERENCE if requant != "fp32" or accumulators else source_here(path)
    except oracle.OracleError:
        source = Source.REFERENCE
    count = len(by_image)
    places = range(count) if source is Source.ONNXRUNTIME else verified_places(count, BY_REFERENCE)
    feeds = [data.feeds[place] for place in places]
    expected = expected_outputs(path, feeds, source, **numerics).outputs
    equal = sum(_is_equal(by_image[place], one) for place, one in zip(places, expected, strict=True))
    rated = rating_of(content, by_image)
    return Quality(outputs, rated.figure, rated.hits, len(places), equal, source.value)


def quality_in_order(session: Session, content: ModelContent) -> Quality:
    """Quality of a model on its images, on a machine whose sums saturate: values come from simulating the program."""
    feeds = load_data(content).feeds
    outputs = simulated_outputs(session, feeds)
    by_image = list(images_of(outputs))
    places = verified_places(len(feeds), BY_REFERENCE)
    program = session.program
    wanted = [feeds[place] for place in places]
    expected = expected_outputs(stored(content).path, wanted, Source.REFERENCE, accumulators=program).outputs
    equal = sum(_is_equal(by_image[place], one) for place, one in zip(places, expected, strict=True))
    rated = rating_of(content, by_image)
    return Quality(outputs, rated.figure, rated.hits, len(places), equal, Source.REFERENCE.value)


def rating_of(content: ModelContent, outputs: Sequence[Outputs]) -> Rating:
    """Rates the outputs of all images of a model by its metric.

    Raises:
        CovenantError: STU0010, the labels do not fit the output; STU0020, a function of the user's fails; STU0021, the
            metric does not suit the output.
        OracleError: the metric needs the float model, and ONNX Runtime does not run it.
    """
    in_float = [one[content.output] for one in float_outputs(content)] if content.metric in NEEDS_FLOAT else None
    with as_of_study():
        return rating(content.metric, [one[content.output] for one in outputs], load_data(content).labels, in_float)


def float_outputs(content: ModelContent) -> tuple[dict[str, np.ndarray], ...]:
    """Outputs of the float model in ONNX Runtime, image by image: the same, however it is quantised.

    Raises:
        OracleError: ONNX Runtime is missing, or does not run it.
    """
    return _float_outputs(replace(content, numerics=None))


@lru_cache(maxsize=2)
def _float_outputs(content: ModelContent) -> tuple[dict[str, np.ndarray], ...]:
    return tuple(oracle.run(content.model, feed) for feed in load_data(content).feeds)


def check_simulated(session: Session, feeds: tuple[Feed, ...], quality: Quality) -> int:
    """Simulates some images with their values: the first, the last, and others between them. Returns how many.

    Raises:
        InternalError: the machine makes another byte of one of them.
    """
    places = verified_places(len(feeds), VERIFIED)
    for place in places:
        made = session.run(feeds[place]).outputs
        if not _is_equal(made, {name: array[place] for name, array in quality.outputs.items()}):
            message = f"image {place} of {session.program.model} has other bytes on {session.program.machine.name}"
            raise InternalError(message)
    return len(places)


def _is_equal(ours: Outputs, theirs: Outputs) -> bool:
    """Every byte of every output."""
    return ours.keys() == theirs.keys() and all(
        (ours[name].dtype, ours[name].shape, ours[name].tobytes())
        == (theirs[name].dtype, theirs[name].shape, theirs[name].tobytes())
        for name in ours
    )
