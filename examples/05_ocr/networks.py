"""Runs the four networks of the demo: in float, quantised by ONNX Runtime, and on a simulated machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pages
import reading

import covenant
from covenant import oracle, zoo
from covenant.progress import Progress

__all__ = ["NAMES", "WAYS", "WIDTH_TO_JUDGE", "WIDTH_TO_READ", "Network", "characters", "model_of"]

WAYS = ("float", "onnxruntime int8", "machine")
"""How a network is run."""
WIDTH_TO_READ, WIDTH_TO_JUDGE = 320, 192
"""Widths of the lines that two of the networks take, in pixels."""
_CALIBRATION_SEED = 100
_KNOWN = 6904  # characters; what follows in the list is none


@dataclass(frozen=True)
class Step:
    """Role of a network of the zoo in this demo."""

    model: str
    samples: int
    """Number of calibration samples."""


_STEPS = {
    "turn": Step("pplcnet_orientation", 32),
    "find": Step("ppocrv6_tiny_detector", 12),
    "judge": Step("ppocr_angle", 48),
    "read": Step("ppocrv6_tiny_recogniser", 48),
}
NAMES = tuple(_STEPS)
"""turn: which way up is this page? find: where is text? judge: is this line upside down? read: what does it say?"""


@dataclass
class Network:
    """One network, run in each of the `WAYS`.

    The machine's outputs are compared with those of ONNX Runtime's int8 on the same input, every byte.
    """

    name: str
    in_float: oracle.Oracle
    in_int8: oracle.Oracle
    session: covenant.Session
    runs: int = field(default=0, init=False)
    """Runs on the machine."""
    equal: int = field(default=0, init=False)
    """Runs in which every byte equals ONNX Runtime's."""
    cycles: int = field(default=0, init=False)
    """Cycles of one run; they do not depend on values."""
    seconds: float = field(default=0.0, init=False)
    """Wall-clock time of simulation, all runs together."""

    @classmethod
    def build(cls, name: str, machine: covenant.Machine, folder: Path, progress: Progress) -> Network:
        """Fetched, quantised on samples like those that it will see, compiled."""
        step = _STEPS[name]
        given, path = zoo.get_float(step.model), folder / f"{step.model}.onnx"
        some = np.concatenate(list(islice(_samples(name), step.samples)))
        shapes = zoo.ENTRIES[step.model].shapes
        covenant.quantize(given, path, dict.fromkeys(shapes, some), shapes=shapes, progress=progress)
        program = covenant.compile(path, machine)
        return cls(name, oracle.oracle_of(given), oracle.oracle_of(path), covenant.Session(program))

    def __call__(self, way: str, array: np.ndarray) -> np.ndarray:
        """Runs the network in one of the `WAYS`; returns its only output."""
        if way == WAYS[0]:
            return _only(self.in_float.run(array))
        expected = _only(self.in_int8.run(array))
        if way == WAYS[1]:
            return expected
        result = self.session.run(array)
        made = _only(result.outputs)
        self.runs += 1
        self.equal += made.tobytes() == expected.tobytes()
        self.cycles = result.cycles
        self.seconds += result.seconds
        return made


def _samples(name: str) -> Iterator[np.ndarray]:
    """Calibration inputs of a network, made from pictures that no test shows."""
    if name in ("turn", "find"):
        for page in pages.pages(_CALIBRATION_SEED):
            turned = page.image.rotate(90 * page.quarter_turns, expand=True)
            yield reading.page_to_turn(page.image) if name == "turn" else reading.page_to_find(turned)
    for line in pages.lines(_CALIBRATION_SEED):
        if name == "judge":
            yield reading.to_read(line.image, WIDTH_TO_JUDGE)
        elif not line.is_upside_down:
            yield reading.to_read(line.image, WIDTH_TO_READ)


def model_of(name: str) -> str:
    """The name in the zoo."""
    return _STEPS[name].model


def characters() -> list[str]:
    """Characters that the reader knows, in the order of its scores; the last is a space."""
    lines = zoo.get_file(_STEPS["read"].model, "characters").read_text(encoding="utf-8").split("\n")
    return [*lines[:_KNOWN], " "]


def _only(outputs: dict[str, np.ndarray]) -> np.ndarray:
    (array,) = outputs.values()
    return array
