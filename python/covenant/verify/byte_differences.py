"""Distance of a machine's outputs from those of ONNX Runtime on the same quantised model."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from covenant.program import Program
from covenant.program.inputs import Feed
from covenant.program.tensor import Tensor
from covenant.runtime.result import Result
from covenant.verify.expected import Source, expected_outputs

__all__ = ["ByteDifferences", "differences_to_onnxruntime"]


@dataclass(frozen=True)
class ByteDifferences:
    """The largest absolute differences of stored elements, of all images."""

    outputs: dict[str, int]
    """Largest difference by name of the output; 0: equal."""

    @property
    def largest(self) -> int:
        """Largest difference over all outputs."""
        return max(self.outputs.values(), default=0)


def differences_to_onnxruntime(
    program: Program, model: str | os.PathLike[str], feeds: Sequence[Feed], results: Sequence[Result]
) -> ByteDifferences | None:
    """Compares what was run with ONNX Runtime, element by element as the machine stores them.

    A machine that scales in fixed point is compared with reference operators that do so, too; this says what its
    numerics cost.

    Args:
        program: what ran.
        model: path of the .onnx model that it is made of.
        feeds: the inputs of each image, by name.
        results: one for each of them.

    Returns:
        None if the host goes on with what the machine has made: outputs are then no elements of the machine.

    Raises:
        OracleError: ONNX Runtime is missing, of another version, or cannot say what is exact.
    """
    if program.end is not None:
        return None
    theirs = expected_outputs(model, feeds, Source.ONNXRUNTIME).outputs
    pairs = [(result.outputs, other) for result, other in zip(results, theirs, strict=True)]
    return ByteDifferences({tensor.name: _largest(tensor, pairs) for tensor in program.outputs})


def _largest(tensor: Tensor, pairs: Sequence[tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]]) -> int:
    differences = (np.abs(_stored(tensor, ours) - _stored(tensor, theirs)) for ours, theirs in pairs)
    return max((int(difference.max()) for difference in differences if difference.size), default=0)


def _stored(tensor: Tensor, outputs: Mapping[str, np.ndarray]) -> np.ndarray:
    """Elements as the machine stores them, but for their zero point."""
    array = outputs[tensor.name]
    if array.dtype != np.float32:
        return array.astype(np.int64)
    return np.rint(array / np.float64(tensor.scale)).astype(np.int64)
