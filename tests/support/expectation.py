"""Chooses the source of the outputs that a model should have; the probe decides for all tests on this processor.

Where a kernel of ONNX Runtime is exact on this processor, it is believed in what runs on it. Where it is not (without
VNNI it saturates products of u8 and i8), the exact reference operators are; tests of ONNX Runtime itself are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from covenant.model.kernels import PRODUCTS, Kernel
from covenant.oracle import Style, oracle_of
from covenant.oracle.probe import probe
from covenant.oracle.witness import Witness
from covenant.verify.expected import ExpectedOutputs, Source, expected_outputs, expected_tensors, source_here


def expected_here(model: str | os.PathLike[str], feeds: Sequence[Mapping[str, np.ndarray]]) -> ExpectedOutputs:
    """The outputs that a model should have, from what is exact on this processor; `description` names it.

    The witness holds those of the first image, and the tensors on the way, to the model as it is written: not where it
    would run kernels that are inexact here.
    """
    source = source_here(model)
    expected = expected_outputs(model, feeds, source)
    if source is Source.REFERENCE and oracle_of(model).style is Style.QOPERATOR:
        return expected
    tensors = expected_tensors(model, feeds[:1], Source.REFERENCE)
    testimony = Witness(model).testify(feeds[:1], expected.outputs[:1], tensors)
    assert testimony.agrees, testimony.first
    return expected


def is_exact(*kernels: Kernel) -> bool:
    """Whether ONNX Runtime's kernels are, on this processor."""
    return probe().of(kernels).exact


def skip_unless_exact(*kernels: Kernel) -> None:
    """Skips the test where one of these kernels of ONNX Runtime is not exact."""
    found = probe().of(kernels)
    if not found.exact:
        pytest.skip(found.text)


def products_of(x_type: str, w_type: str) -> tuple[Kernel, ...]:
    """The kernels that multiply these element types."""
    return tuple(Kernel(operator, (x_type, w_type)) for operator in PRODUCTS)


def sentence() -> str:
    """Source of the expected outputs of a test run, for its summary."""
    found = probe()
    if found.exact:
        return f"expected outputs: from ONNX Runtime {found.version}, every probed kernel exact on this processor"
    names = ", ".join(map(str, found.wrong))
    return (
        f"expected outputs: from the exact reference operators for models with {names}, where ONNX Runtime "
        f"{found.version} is not exact on this processor; from ONNX Runtime for all others"
    )
