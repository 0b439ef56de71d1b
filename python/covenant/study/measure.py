"""What is computed of points: cycles and where they go, accuracy, bytes beside those expected."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from covenant import oracle
from covenant.compiler import compile as compile_model
from covenant.errors import CovenantError
from covenant.expected import Source, expected_outputs, source_here
from covenant.machine import Machine
from covenant.result import Result
from covenant.session import Session
from covenant.study.data_set import ModelContent, load_data
from covenant.study.metrics import NEEDS_FLOAT, figure
from covenant.study.mistakes import mistake
from covenant.study.points import Point
from covenant.study.quantised import stored

__all__ = ["INTERNAL", "Outcome", "failure_of", "measure"]

INTERNAL = "INTERNAL"
"""In the place of a diagnostic's code: a mistake of ours."""

Outputs = tuple[dict[str, np.ndarray], ...]


@dataclass(frozen=True)
class Outcome:
    """The result of a point: values, or why there are none."""

    key: str
    values: dict[str, Any] | None
    """By name of a column (`covenant.study.table`); None of a point that failed."""
    code: str = ""
    """Of the diagnostic, or INTERNAL."""
    text: str = ""
    """Of the diagnostic, or of the mistake of ours."""
    seconds: float = 0.0
    """Wall-clock time that it took; what points share counts for the first of them."""


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
        yield from (failure_of(point.key, error, seconds if point is points[0] else 0.0) for point in points)
        return
    for point in points:
        try:
            values = shared.on(point.memory) if shared else _reference(point.model)
            yield Outcome(point.key, values, seconds=time.perf_counter() - start)
        except Exception as error:  # noqa: BLE001 (as above)
            yield failure_of(point.key, error, time.perf_counter() - start)
        start = time.perf_counter()


def failure_of(key: str, error: Exception, seconds: float) -> Outcome:
    """A diagnostic of the user's mistake, or a mistake of ours with the place at which it was noticed."""
    if isinstance(error, CovenantError):
        return Outcome(key, None, error.code, str(error), seconds)
    return Outcome(key, None, INTERNAL, "".join(traceback.format_exception(error)), seconds)


class _Shared:
    """What points of a group share: a program, and what its outputs are worth."""

    def __init__(self, point: Point) -> None:
        if point.refusal:
            raise CovenantError(point.refusal)
        machine = Machine.from_json(point.machine_json)
        data = load_data(point.model)
        self._feeds = data.feeds
        # One thread: all cores are busy with points.
        program = compile_model(stored(point.model).path, machine, threads=1)
        self._session = Session(program)
        outputs = [self._session.run(feed).outputs for feed in self._feeds]
        expected, source = _expected(point.model, fixed_point=machine.fixed_point)
        self._clock_hertz = machine.clock_hertz
        self._values = {
            "accuracy": _accuracy(point.model, outputs),
            "images": len(outputs),
            "equal_images": sum(map(_is_equal, outputs, expected)),
            "expected_from": source,
        }

    def on(self, memory: str) -> dict[str, Any]:
        """With this memory; no cycle depends on a value, so that one image tells."""
        result = self._session.run(self._feeds[0], values=False, memory=memory)
        return self._values | _cycles(result, self._clock_hertz)


def _cycles(result: Result, clock_hertz: float) -> dict[str, Any]:
    """How long a run took, and where its cycles went."""
    layers, memory = result.layers, result.memory
    causes: dict[str, int] = {}
    for layer in layers:
        for cause, cycles in layer.causes.items():
            causes[cause] = causes.get(cause, 0) + cycles
    total = sum(layer.cycles for layer in layers)
    moved = result.stats.get("offchip")  # of a machine that issues packets: nothing
    return {
        "cycles": result.cycles,
        "seconds_of_machine": result.cycles / clock_hertz,
        "utilisation": sum(layer.utilisation * layer.cycles for layer in layers) / total if total else 0.0,
        "utilisation_of": _utilisation_of(result),
        "stalls": sum(causes.values()),
        "stalls_by_cause": dict(sorted(causes.items())),
        "bytes_offchip": sum(one["bytes_read"] + one["bytes_written"] for one in moved) if moved else None,
        "row_hits": memory.row_hits if memory else None,
        "row_misses": memory.row_misses if memory else None,
        "row_conflicts": memory.row_conflicts if memory else None,
    }


def _utilisation_of(result: Result) -> dict[str, float]:
    """Of each array that is the main engine of a layer: its real work over what it could do in all cycles."""
    found: dict[str, float] = {}
    for layer in result.layers:
        found[layer.engine] = found.get(layer.engine, 0.0) + layer.utilisation * layer.cycles / result.cycles
    return dict(sorted(found.items()))


@lru_cache(maxsize=4)
def _expected(content: ModelContent, *, fixed_point: bool) -> tuple[Outputs, str]:
    """Outputs that should come out, and whose word they are: where ONNX Runtime cannot be it, the exact operators'."""
    try:
        source = Source.REFERENCE if fixed_point else source_here(stored(content).path)
    except oracle.OracleError:
        source = Source.REFERENCE
    found = expected_outputs(stored(content).path, load_data(content).feeds, source, fixed_point=fixed_point)
    return found.outputs, source.value


def _is_equal(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> bool:
    """Every byte of every output."""
    return ours.keys() == theirs.keys() and all(
        (ours[name].dtype, ours[name].shape, ours[name].tobytes())
        == (theirs[name].dtype, theirs[name].shape, theirs[name].tobytes())
        for name in ours
    )


def _accuracy(content: ModelContent, outputs: Sequence[dict[str, np.ndarray]]) -> float:
    """What the metric makes of outputs, one dictionary for each image."""
    in_float = _in_float(content) if content.metric in NEEDS_FLOAT else None
    return figure(content.metric, [one[content.output] for one in outputs], load_data(content).labels, in_float)


@lru_cache(maxsize=2)
def _in_float(content: ModelContent) -> tuple[np.ndarray, ...]:
    """The output of each image that the metric is about, of the float model in ONNX Runtime."""
    return tuple(oracle.run(content.model, feed)[content.output] for feed in load_data(content).feeds)


def _reference(content: ModelContent) -> dict[str, Any]:
    """The accuracy of ONNX Runtime on the same images; of a float model that too, and how far layers are from it.

    Raises:
        CovenantError: STU0016, ONNX Runtime is missing, of another version, or would not run the model in integers.
    """
    data = load_data(content)
    try:
        values: dict[str, Any] = {
            "onnxruntime_accuracy": _accuracy(content, [oracle.run(stored(content).path, one) for one in data.feeds])
        }
        if content.numerics is not None:
            values["float_accuracy"] = figure(content.metric, _in_float(content), data.labels, _in_float(content))
    except oracle.OracleError as error:
        raise mistake("STU0016", f"ONNX Runtime cannot run the model: {error}", content.title,
                      fix="see what it says; the rows of machines do not need it") from error  # fmt: skip
    errors = {layer.name: layer.relative_error for layer in stored(content).layers}
    if errors:
        values |= {
            "layer_errors": errors,
            "mean_layer_error": float(np.mean(list(errors.values()))),
            "largest_layer_error": max(errors.values()),
        }
    return values
