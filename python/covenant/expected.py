"""Outputs that a model should have: by ONNX Runtime where its kernels are exact, else by the reference operators."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from covenant import _core, oracle

Tensors = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class ExpectedOutputs:
    """The outputs that a model should have, and what they come from."""

    outputs: tuple[dict[str, np.ndarray], ...]
    """One dictionary per image."""
    description: dict[str, Any]
    """`oracle.describe`, and `source`: "onnxruntime" or "reference"."""


def expected_outputs(model: str | os.PathLike[str], feeds: Sequence[Tensors]) -> ExpectedOutputs:
    """Runs a model on the oracle; where the probe finds this processor's kernels inexact, on the reference operators.

    Args:
        model: path of an .onnx model.
        feeds: the inputs of each image, by name.

    Raises:
        OracleError: ONNX Runtime is missing, of another version, or would not run the model in integers.
        CovenantError: the reference operators do not know the model (codes ONXnnnn).
    """
    description = oracle.describe(model)
    run = oracle.run if description["exact"] else reference
    return ExpectedOutputs(
        tuple(dict(run(model, feed)) for feed in feeds),
        description | {"source": "onnxruntime" if description["exact"] else "reference"},
    )


def reference(model: str | os.PathLike[str], inputs: Tensors) -> dict[str, np.ndarray]:
    """The model's outputs by the SDK's exact reference operators (`compiler/reference`).

    Raises:
        CovenantError: the model or an input is not one that they know (codes ONXnnnn).
    """
    return _core.evaluate_reference(os.fspath(model), {name: np.ascontiguousarray(inputs[name]) for name in inputs})
