"""Measures points: cycles and where they go, accuracy, and bytes compared with those expected."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from covenant import oracle
from covenant.compiler import compile as compile_model
from covenant.energy import energy_of
from covenant.errors import CovenantError
from covenant.evaluation.hits import Hits
from covenant.files import of_the_system
from covenant.machine import WORD_BITS, Machine
from covenant.program.inputs import random_feeds
from covenant.runtime.result import Result
from covenant.runtime.session import Session
from covenant.study.data_set import DataSet, ModelContent, load_data
from covenant.study.errors import user_error
from covenant.study.names import without_paths
from covenant.study.points import Point
from covenant.study.quality import check_simulated, float_outputs, quality_in_order, quality_of, rating_of
from covenant.study.quantized import stored

__all__ = ["INTERNAL", "Outcome", "failure_of", "measure"]

INTERNAL = "INTERNAL"
"""Code of an internal error, instead of a diagnostic's."""
_OF_THE_PLACE = ("CLI0006", "CLI0009", "CLI0027", "ZOO0002")
"""Codes of what is wrong with the computer: no room, no permission, no network."""


@dataclass(frozen=True)
class Outcome:
    """The result of a point: values, or why there are none."""

    key: str
    values: dict[str, Any] | None
    """Values by name of a column (`covenant.study.row`), with hits as text; None for a point that failed."""
    code: str = ""
    """Code of the diagnostic, or INTERNAL."""
    text: str = ""
    """Text of the diagnostic, or of an internal error."""
    seconds: float = 0.0
    """Wall-clock time that it took; what points share counts for the first of them."""

    @property
    def is_of_the_point(self) -> bool:
        """False: it says nothing about the point, which may be computed another time."""
        return self.code not in _OF_THE_PLACE


def measure(points: Sequence[Point]) -> Iterator[Outcome]:
    """The outcomes of points of one group, one after the other.

    The program is compiled once and its outputs are computed once: only cycles depend on the memory. Whatever fails is
    an outcome, mistakes of ours too; nothing is raised.
    """
    start = time.perf_counter()
    try:
        shared = None if points[0].is_reference else _Shared(points[0])
    except Exception as error:  # noqa: BLE001 (a point that fails is a row, whatever is wrong)
        seconds = time.perf_counter() - start
        yield from (failure_of(point, error, seconds if point is points[0] else 0.0) for point in points)
        return
    for point in points:
        try:
            values = shared.on(point.memory) if shared else _reference(point.model)
            yield Outcome(point.key, values, seconds=time.perf_counter() - start)
        except Exception as error:  # noqa: BLE001 (as above)
            yield failure_of(point, error, time.perf_counter() - start)
        start = time.perf_counter()


def failure_of(point: Point, error: Exception, seconds: float) -> Outcome:
    """A diagnostic of the user's mistake, or one of ours with the place at which it was noticed."""
    code, text = INTERNAL, "".join(traceback.format_exception(error))
    if isinstance(error, OSError):
        error = CovenantError(of_the_system(error))
    if isinstance(error, CovenantError):
        code, text = error.code, str(error)
    return Outcome(point.key, None, code, without_paths(text, point), seconds)


class _Shared:
    """Program that the points of a group share, and the quality of its outputs."""

    def __init__(self, point: Point) -> None:
        if point.refusal:
            raise CovenantError(point.refusal)
        machine = Machine.from_json(point.machine_json)
        data = load_data(point.model)
        self._machine = machine
        # One thread: all cores are busy with points.
        program = compile_model(stored(point.model).path, machine, threads=1)
        self._session = Session(program)
        self._feeds = data.feeds or tuple(random_feeds(program, 1, 0))
        self._values = self._accuracy(point, data) if data.feeds else {}

    def _accuracy(self, point: Point, data: DataSet) -> dict[str, Any]:
        """Values depend on nothing of a machine but its numerics: some images are simulated to show that.

        Where sums saturate they depend on the program: all images are simulated.
        """
        machine = self._machine
        if machine.saturates:
            quality, simulated = quality_in_order(self._session, point.model), len(data.feeds)
        else:
            is_narrow = machine.accumulator_bits < WORD_BITS  # others have the same values, whatever their size
            accumulators = machine if is_narrow else None
            quality = quality_of(point.model, requant=machine.requant, accumulators=accumulators)
            simulated = check_simulated(self._session, data.feeds, quality)
        return {
            "accuracy": quality.accuracy,
            **_kept("hits", quality.hits),
            "images": len(data.feeds),
            "compared_images": quality.compared,
            "equal_images": quality.equal,
            "expected_from": quality.source,
            "simulated_images": simulated,
        }

    def on(self, memory: str) -> dict[str, Any]:
        """Values with this memory; no cycle depends on a value, so that one image tells."""
        result = self._session.run(self._feeds[0], values=False, memory=memory)
        return self._values | _cycles(result, self._machine)


def _cycles(result: Result, machine: Machine) -> dict[str, Any]:
    """How long a run took, where its cycles went, and the energy of what it counted."""
    layers, memory = result.layers, result.memory
    causes: dict[str, int] = {}
    for layer in layers:
        for cause, cycles in layer.causes.items():
            causes[cause] = causes.get(cause, 0) + cycles
    total = sum(layer.cycles for layer in layers)
    energy = energy_of(result)
    return {
        "cycles": result.cycles,
        "seconds_of_machine": result.cycles / machine.clock_hertz,
        "utilisation": sum(layer.utilisation * layer.cycles for layer in layers) / total if total else 0.0,
        "utilisation_of": _utilisation_of(result),
        "stalls": sum(causes.values()),
        "stalls_by_cause": dict(sorted(causes.items())),
        "bytes_offchip": sum(one["bytes_read"] + one["bytes_written"] for one in result.stats["offchip"]),
        "energy_proxy": energy.picojoules,
        "energy_by_component": energy.by_component,
        "row_hits": memory.row_hits if memory else None,
        "row_misses": memory.row_misses if memory else None,
        "row_conflicts": memory.row_conflicts if memory else None,
    }


def _utilisation_of(result: Result) -> dict[str, float]:
    """Utilisation of each array that is the main engine of a layer: its work over what it could do in all cycles."""
    found: dict[str, float] = {}
    for layer in result.layers:
        found[layer.engine] = found.get(layer.engine, 0.0) + layer.utilisation * layer.cycles / result.cycles
    return dict(sorted(found.items()))


def _kept(name: str, hits: Hits | None) -> dict[str, Any]:
    """Hits as they are kept: text, because JSON knows no numbers of so many digits."""
    return {} if hits is None else {name: hits.text}


def _reference(content: ModelContent) -> dict[str, Any]:
    """The accuracy of ONNX Runtime on the same images; of a float model that too, and how far layers are from it.

    Elements of 4 and 16 bits ONNX Runtime computes in float: its accuracy may be that of other roundings there.

    Raises:
        CovenantError: STU0016, ONNX Runtime is missing, of another version, or would not run the model in integers.
    """
    data = load_data(content)
    try:
        theirs = [oracle.run(stored(content).path, one, any_width=True) for one in data.feeds]
        rated = rating_of(content, theirs)
        values = {"onnxruntime_accuracy": rated.figure, **_kept("onnxruntime_hits", rated.hits)}
        if content.numerics is not None:
            in_float = rating_of(content, float_outputs(content))
            values |= {"float_accuracy": in_float.figure, **_kept("float_hits", in_float.hits)}
    except oracle.OracleError as error:
        raise user_error("STU0016", f"ONNX Runtime cannot run the model: {error}", content.title,
                         fix="see what it says; the rows of machines do not need it") from error  # fmt: skip
    errors = {layer.name: layer.relative_error for layer in stored(content).layers}
    if errors:
        values |= {
            "layer_errors": errors,
            "mean_layer_error": fmean(errors.values()),
            "largest_layer_error": max(errors.values()),
        }
    return values
