"""Movements by constant indices, least elements and running sums: said by operators that machines have."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder
from test_equivalents import CHANNELS, MACHINES, TOKENS, add, both, grown, refused

import covenant
from covenant.cli import main

RANDOM = np.random.default_rng(73)


def whole(*numbers):
    return np.array(numbers, np.int64)


EXACT = {
    "elements of rows": (TOKENS, add("GatherElements", RANDOM.integers(-24, 24, (2, 9, 5)), axis=2)),
    "elements of some rows": (TOKENS, add("GatherElements", RANDOM.integers(-9, 9, (2, 4, 24)), axis=-2)),
    "elements of a corner": (CHANNELS, add("GatherElements", RANDOM.integers(0, 6, (1, 3, 2, 7)), axis=1)),
    "tokens turned": (
        TOKENS,
        add("ReverseSequence", whole(1, 2, 2, 1, 2, 1, 1, 2, 2), batch_axis=1, time_axis=0),
    ),
    "least pixel": (CHANNELS, add("ReduceMin", axes=[2, 3], keepdims=0)),
    "least channel": (CHANNELS, add("ReduceMin", axes=[1])),
    "least token": (TOKENS, add("ReduceMin", axes=[-2], keepdims=0)),
    "least of all": (TOKENS, add("ReduceMin", keepdims=1)),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", EXACT)
def test_every_byte_is_equal(name, dtype, machine, tmp_path):
    shape, grow = EXACT[name]
    ours, theirs = both(grown(shape, dtype, grow), tmp_path, machine)
    for output, array in theirs.items():
        np.testing.assert_array_equal(ours[output], array)


SUMS = {
    "along rows": (TOKENS, whole(-1), {}),
    "along tokens, from the end": (TOKENS, np.array(1), {"reverse": 1}),
    "of the channels before": (CHANNELS, whole(1), {"exclusive": 1}),
    "of a vector, of those behind": ((7,), np.array(0), {"exclusive": 1, "reverse": 1}),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", SUMS)
def test_running_sums_are_within_a_step(name, dtype, tmp_path):
    shape, axis, attributes = SUMS[name]
    step = np.float32(0.2)

    def grow(network):
        y = network.builder.add("CumSum", network.real(), axis, **attributes)
        network.now = network.stored(y, (step, network.dtype(9)))

    ours, theirs = both(grown(shape, dtype, grow), tmp_path, "genesys:8x8")
    for output, array in theirs.items():
        assert np.abs(ours[output] - array).max() <= 1.001 * step
        assert np.unique(array).size > 3


@pytest.mark.parametrize("operator", ["ReduceMin", "GatherElements", "ReverseSequence", "CumSum"])
def test_the_quantizer_writes_what_machines_take(operator, tmp_path, capsys):
    """`covenant quantize`, then a run beside ONNX Runtime and its witness."""
    by, attributes = {
        "ReduceMin": ([], {"axes": [1]}),
        "GatherElements": ([RANDOM.integers(0, 9, (9, 3, 8))], {"axis": 1}),
        "ReverseSequence": ([whole(*[4] * 9)], {"time_axis": 1, "batch_axis": 0}),
        "CumSum": ([np.array(1)], {}),
    }[operator]
    builder = ModelBuilder({"x": np.zeros((9, 9, 8), np.float32)})
    weights = [RANDOM.normal(size=(8, 8)).astype(np.float32) for _ in range(2)]
    y = builder.add(operator, builder.add("MatMul", "x", weights[0]), *by, **attributes)
    y = builder.add("MatMul", y, weights[1])
    onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
    covenant.quantize(
        tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": RANDOM.normal(size=(45, 9, 8)).astype(np.float32)}
    )
    assert main(["run", str(tmp_path / "int8.onnx"), "-m", "genesys:8x8", "--compare", "onnxruntime"]) == 0
    assert "after the machine" not in capsys.readouterr().out  # no layer is left to the host


def test_indices_outside_of_the_tensor_are_refused(tmp_path):
    network = grown(TOKENS, np.int8, add("GatherElements", np.full((2, 9, 3), 24), axis=2))
    assert refused(network, tmp_path).startswith("ONX")
