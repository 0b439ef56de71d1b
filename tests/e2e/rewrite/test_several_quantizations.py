"""An input that several QuantizeLinear read: the machine has one tensor for each way of storing it."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.oracle.witness import Witness
from covenant.verify.expected import Source, expected_outputs, source_here

SHAPE = (1, 4, 3, 5)
X = np.linspace(-2, 2, int(np.prod(SHAPE)), dtype=np.float32).reshape(SHAPE)


def model(path, ways, *, before=None):
    """One chain for each way: Q, DQ, Relu, Q, DQ; `before`: an operator that the host computes."""
    constants, nodes, outputs = [], [], []
    source = "x"
    if before:
        nodes.append(helper.make_node(before, ["x"], ["made"]))
        source = "made"
    for i, (scale, zero) in enumerate(ways):
        constants += [numpy_helper.from_array(np.float32(scale), f"s{i}"), numpy_helper.from_array(zero, f"z{i}")]
        said = [f"s{i}", f"z{i}"]
        nodes += [
            helper.make_node("QuantizeLinear", [source, *said], [f"q{i}"], f"quantize{i}"),
            helper.make_node("DequantizeLinear", [f"q{i}", *said], [f"d{i}"]),
            helper.make_node("MaxPool", [f"d{i}"], [f"r{i}"], f"pool{i}", kernel_shape=[2, 2]),
            helper.make_node("QuantizeLinear", [f"r{i}", *said], [f"e{i}"]),
            helper.make_node("DequantizeLinear", [f"e{i}", *said], [f"y{i}"]),
        ]
        outputs.append(helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, None))
    graph = helper.make_graph(
        nodes, "ways", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)], outputs, constants
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(made, path)
    return path


WAYS = {
    "the same twice": [(0.0157, np.int8(3)), (0.0157, np.int8(3))],
    "two scales": [(0.0157, np.int8(0)), (0.05, np.int8(0))],
    "two zero points": [(0.0157, np.int8(0)), (0.0157, np.int8(-9))],
    "three": [(0.0157, np.int8(0)), (0.03, np.int8(20)), (0.0157, np.int8(0))],
    "without a sign": [(0.0157, np.uint8(128)), (0.02, np.uint8(100))],
}


@pytest.mark.parametrize("machine", ["genesys:8x8", "dnnweaver", "hvx"])
@pytest.mark.parametrize("before", [None, "Sin"], ids=["input", "made by the host"])
@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
def test_each_is_fed(tmp_path, ways, before, machine):
    path = model(tmp_path / "ways.onnx", ways, before=before)
    program = covenant.compile(path, machine)
    assert [tensor.name for tensor in program.inputs] == ["x"]
    whole = Witness(path).whole({"x": X})
    expected = expected_outputs(path, [{"x": X}], source_here(path)).outputs[0]
    reference = expected_outputs(path, [{"x": X}], Source.REFERENCE).outputs[0]
    for backend in ("systemc", "interpret"):
        made = covenant.run(program, X, backend=backend).outputs
        for name, array in whole.items():
            np.testing.assert_array_equal(made[name], array)
            np.testing.assert_array_equal(expected[name], array)
            np.testing.assert_array_equal(reference[name], array)


def test_equal_ways_share_a_tensor(tmp_path):
    program = covenant.compile(model(tmp_path / "ways.onnx", WAYS["three"]), "genesys:8x8")
    assert len(program._core.inputs) == 2


def test_values_of_test_sets_feed_each(tmp_path):
    path = model(tmp_path / "ways.onnx", WAYS["three"])
    made = covenant.Values(path).run({"x": X[None]})
    for name, array in Witness(path).whole({"x": X}).items():
        np.testing.assert_array_equal(made[name].reshape(array.shape), array)
