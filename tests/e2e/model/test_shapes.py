"""Rewrites that need shapes work after operators whose shapes ONNX does not infer."""

from __future__ import annotations

import numpy as np
import pytest
from test_equivalents import CHANNELS, both, by_channel
from test_tables import Network

AFTER = {
    "QLinearAdd": lambda x, y: [*x, *x, *y],
    "QLinearSigmoid": lambda x, y: [*x, *y],
    "QLinearMul": lambda x, y: [*x, *x, *y],
    "QLinearConcat": lambda x, y: [*y, *x, *x],
}
"""Operators of ONNX Runtime's own, whose shapes ONNX does not know: what they read of a tensor."""


@pytest.mark.parametrize("operator", AFTER)
def test_what_comes_after_operators_that_onnx_does_not_know(operator, tmp_path):
    """One of ONNX Runtime's, one of ours, then a mean whose reshaped result is quantised, as a head has it."""
    network = Network(56, CHANNELS, np.int8)
    attributes = {"axis": 1} if operator == "QLinearConcat" else {}
    target = network.quantization()
    network.now = (network.builder.add(operator, *AFTER[operator](network.now, target), **attributes), *target)
    channels = 12 if operator == "QLinearConcat" else 6
    by_channel(channels)(network)
    mean = network.builder.add("ReduceMean", network.real(), axes=[2, 3])
    step = np.float32(0.02)
    network.now = network.stored(network.builder.add("Reshape", mean, np.array([1, channels])), (step, np.int8(3)))
    ours, theirs = both(network, tmp_path, "genesys:8x8")
    for name, array in theirs.items():
        assert np.abs(ours[name] - array).max() <= 1.001 * step
        assert np.unique(array).size > 1
