"""Whether a run did what it should have done, and whose word that is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant.comparison import Comparison, compare
from covenant.expected import Source, expected_outputs, expected_tensors, fixed_point_steps, inexact_tensors
from covenant.inputs import Feed
from covenant.layer_comparison import LayerComparison, compare_layers
from covenant.program import Program
from covenant.result import Result
from covenant.session import Session

__all__ = ["Verdict", "verdict_of"]


@dataclass(frozen=True)
class Verdict:
    """A comparison of outputs; of layers too, where that was asked for or where outputs alone cannot tell."""

    comparison: Comparison
    steps: Comparison | None
    """The same in steps of each output's own scale; None: the host goes on with what the machine has made."""
    oracle: dict[str, Any]
    """`covenant.expected.describe` of the source."""
    layers: LayerComparison | None
    is_reference: bool | None
    """Where ONNX Runtime's rounding is its own: whether outputs are those of the reference operators, every byte."""
    steps_to_onnxruntime: int | None = None
    """Of a machine in fixed point, beside its reference: `covenant.expected.fixed_point_steps`."""

    @property
    def within_a_step(self) -> bool | None:
        """None if ONNX Runtime's word is exact.

        Else: outputs are those of the reference operators, and every layer that is given ONNX Runtime's tensors makes
        its bytes, those that round in an order of their own at most one step from them.
        """
        if self.is_reference is None or self.layers is None:
            return None
        return self.is_reference and self.layers.first is None

    @property
    def holds(self) -> bool:
        """Whether the run is what the source lets it be."""
        return self.comparison.identical or bool(self.within_a_step)


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
    """Compares what was run with what should have come out.

    Args:
        program: what ran.
        model: path of the .onnx model that it is made of.
        feeds: the inputs of each image, by name.
        results: one for each of them.
        source: whose word counts.
        by_layer: opens a session for comparing layer by layer, too. Without it that is done only for a model with
            operators whose rounding is ONNX Runtime's own, on the SystemC model.
        progress: told of the images that are compared layer by layer.

    Raises:
        OracleError, CovenantError: as `covenant.expected.expected_outputs`.
    """
    ours = [result.outputs for result in results]
    requant = program.machine.requant
    numerics: dict[str, Any] = {"requant": requant, "accumulators": program}
    theirs = expected_outputs(model, feeds, source, **numerics)
    inexact = source is Source.ONNXRUNTIME and not theirs.description["exact"]
    comparison = compare(ours, theirs.outputs)
    steps = None
    if program.end is None:
        steps = compare(_in_steps(program, ours), _in_steps(program, theirs.outputs))
    layers = None
    if by_layer or inexact:
        layers = _layers(by_layer() if by_layer else Session(program), model, progress(feeds), source)
    is_reference = None
    if inexact:
        is_reference = compare(ours, expected_outputs(model, feeds, Source.REFERENCE, **numerics).outputs).identical
    is_fixed = program.machine.fixed_point and source is Source.REFERENCE
    apart = fixed_point_steps(model, feeds, requant) if is_fixed else None
    return Verdict(comparison, steps, theirs.description, layers, is_reference, apart)


def _layers(session: Session, model: str | os.PathLike[str], feeds: Iterable[Feed], source: Source) -> LayerComparison:
    """Each layer beside what it should have made of what it should have been given."""
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
    scales = {tensor.name: np.float64(tensor.scale) for tensor in program.outputs if tensor.dtype == np.float32}
    return [{name: array / scales[name] if name in scales else array for name, array in one.items()} for one in outputs]
