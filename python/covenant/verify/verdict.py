"""Decides whether the outputs of a run are those expected, and names the source of the expectation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.onnx_runtime.sessions import NotExactError
from covenant.oracle.witness import Testimony, witness_of
from covenant.program import Program
from covenant.program.inputs import Feed
from covenant.runtime.layer_comparison import LayerComparison, compare_layers
from covenant.runtime.result import Result
from covenant.runtime.session import Session
from covenant.verify.comparison import Comparison, compare
from covenant.verify.expected import (
    ExpectedOutputs,
    Source,
    describe_unfused,
    expected_outputs,
    expected_tensors,
    fixed_point_steps,
    inexact_tensors,
)

__all__ = ["Verdict", "verdict_of"]


@dataclass(frozen=True)
class Verdict:
    """A comparison of outputs; of layers too, where that was asked for or where outputs alone cannot tell."""

    comparison: Comparison
    steps: Comparison | None
    """The same in steps of each output's own scale; None: the host continues with the machine's outputs."""
    oracle: dict[str, Any]
    """`covenant.verify.expected.describe` of the source."""
    layers: LayerComparison | None
    is_reference: bool | None
    """Whether every output byte is that of the reference operators, where ONNX Runtime's rounding is its own."""
    testimony: Testimony | None = None
    """Result of the witness (`covenant.oracle.witness`); None: another source than ONNX Runtime was asked."""
    steps_to_onnxruntime: int | None = None
    """Steps between a machine in fixed point and single precision: `covenant.verify.expected.fixed_point_steps`."""

    @property
    def within_a_step(self) -> bool | None:
        """None if ONNX Runtime's word is exact.

        Else: outputs are those of the reference operators, and every layer that is given ONNX Runtime's tensors makes
        its bytes, those that round in an order of their own at most one step from them. Where ONNX Runtime has no exact
        kernels for the model, the witness says so of every layer.
        """
        if self.is_reference is not None and self.layers is None and self.testimony is not None:
            return self.is_reference and self.testimony.agrees
        if self.is_reference is None or self.layers is None:
            return None
        return self.is_reference and self.layers.first is None

    @property
    def holds(self) -> bool:
        """Whether the run agrees with the source, and the witness with both."""
        agrees = self.testimony is None or self.testimony.agrees
        return agrees and (self.comparison.identical or bool(self.within_a_step))


def verdict_of(
    program: Program,
    model: str | os.PathLike[str],
    feeds: Sequence[Feed],
    results: Sequence[Result],
    source: Source,
    *,
    by_layer: Callable[[], Session] | None = None,
    progress: Callable[[Sequence[Feed]], Iterable[Feed]] = lambda feeds: feeds,
) -> Verdict:
    """Compares the outputs of a run with the expected ones.

    Args:
        program: what ran.
        model: path of the .onnx model that it is made of.
        feeds: the inputs of each image, by name.
        results: one for each of them.
        source: source of the expected outputs.
        by_layer: opens a session for comparing layer by layer, too. Without it that is done only for a model with
            operators whose rounding is ONNX Runtime's own, on the SystemC model.
        progress: told of the images that are compared layer by layer.

    Raises:
        OracleError, CovenantError: as `covenant.verify.expected.expected_outputs`.
    """
    ours = [result.outputs for result in results]
    requant = program.machine.requant
    numerics: dict[str, Any] = {"requant": requant, "accumulators": program}
    unfused = False
    try:
        theirs = expected_outputs(model, feeds, source, **numerics)
    except NotExactError as why:
        witness, unfused = witness_of(os.fspath(model)), True
        theirs = ExpectedOutputs(tuple(witness.whole(feed) for feed in feeds), describe_unfused(why))
    inexact = source is Source.ONNXRUNTIME and not theirs.description["exact"]
    comparison = compare(ours, theirs.outputs)
    steps = None
    if program.end is None:
        steps = compare(_in_steps(program, ours), _in_steps(program, theirs.outputs))
    layers = None
    if (by_layer or inexact) and not unfused:
        layers = _layers(by_layer() if by_layer else Session(program), model, progress(feeds), source)
    is_reference = None
    if inexact:
        is_reference = compare(ours, expected_outputs(model, feeds, Source.REFERENCE, **numerics).outputs).identical
    is_fixed = program.machine.fixed_point and source is Source.REFERENCE
    apart = fixed_point_steps(model, feeds, requant) if is_fixed else None
    testimony = None
    if source is Source.ONNXRUNTIME:
        testimony = _testimony(program, model, feeds, ours, by_layer() if by_layer else None)
    return Verdict(comparison, steps, theirs.description, layers, is_reference, testimony, apart)


def _testimony(
    program: Program, model: str | os.PathLike[str], feeds: Sequence[Feed], ours: Sequence[Mapping[str, np.ndarray]],
    session: Session | None,
) -> Testimony:  # fmt: skip
    """Compares outputs and the tensors on the way with the model as it is written.

    The tensors are those of the reference operators; with a session those that the layers have written.
    """
    numerics: dict[str, Any] = {"requant": program.machine.requant, "accumulators": program}

    def known() -> Iterator[dict[str, np.ndarray]]:
        for feed, tensors in zip(feeds, expected_tensors(model, feeds, Source.REFERENCE, **numerics), strict=True):
            written = session.layer_tensors(feed) if session else ()
            yield tensors | {one.name: one.array for one in written}

    return witness_of(os.fspath(model)).testify(feeds, ours, known())


def _layers(session: Session, model: str | os.PathLike[str], feeds: Iterable[Feed], source: Source) -> LayerComparison:
    """Compares each layer with its expected result on its expected inputs."""
    made, known = [], []
    program = session.program
    requant = program.machine.requant
    for feed in feeds:
        (expected,) = expected_tensors(model, [feed], source, requant=requant, accumulators=program)
        made.append(session.layer_tensors(feed, expected))
        known.append(expected)
    return compare_layers(made, known, inexact_tensors(model, source))


def _in_steps(program: Program, outputs: Sequence[Mapping[str, np.ndarray]]) -> list[dict[str, np.ndarray]]:
    """Outputs that the host has dequantised, in multiples of their scale."""
    scales = {one["name"]: np.float64(one["scale"]) for one in program._core.outputs if one["host_quantizes"]}
    return [{name: array / scales[name] if name in scales else array for name, array in one.items()} for one in outputs]
