"""Pads by a value that is stored as QuantizeLinear stores it; ONNX Runtime on the model as written is the witness."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.cli import main
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness
from covenant.verify.expected import Source, expected_outputs, source_here

SHAPE = (1, 2, 3, 4)
PADS = [0, 1, 2, 0, 0, 0, 1, 3]
STEP, ZERO = np.float32(0.03), np.int8(5)
X = np.random.default_rng(2).normal(size=SHAPE).astype(np.float32)


class Chain:
    """Q, DQ, and what is added; ends in Q, DQ."""

    def __init__(self, step=STEP, zero=ZERO):
        self.nodes, self.constants, self.count = [], [], 0
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)]
        self.said = [self.constant(step), self.constant(zero)]
        self.now = self.requantized("x")

    def constant(self, array):
        """Adds a constant; returns its name."""
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{self.count}"))
        return f"c{self.count}"

    def add(self, operator, inputs, **attributes):
        """The name of what it makes."""
        self.count += 1
        self.nodes.append(helper.make_node(operator, inputs, [f"t{self.count}"], f"n{self.count}", **attributes))
        return f"t{self.count}"

    def requantized(self, value, said=None):
        """Stored under a scale and zero point, and back."""
        said = said or self.said
        return self.add("DequantizeLinear", [self.add("QuantizeLinear", [value, *said]), *said])

    def save(self, folder):
        """The path of the model."""
        output = helper.make_tensor_value_info(self.now, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "pads", self.inputs, [output], self.constants)
        path = folder / "pads.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), path)
        return path


def is_right(path, machine, feed=None, *, fuses=True):
    feed = feed or {"x": X}
    (whole,) = Witness(path).whole(feed).values()
    (made,) = covenant.run(covenant.compile(path, machine), feed).outputs.values()
    np.testing.assert_array_equal(made, whole)
    for source in (Source.REFERENCE, source_here(path)) if fuses else (Source.REFERENCE,):
        (expected,) = expected_outputs(path, [feed], source).outputs[0].values()
        np.testing.assert_array_equal(expected, whole)


VALUES = [-1.5, 0.31, 100.0, np.inf, -np.inf, 0.0]


@pytest.mark.parametrize("machine", ["genesys:8x8", "hvx"])
@pytest.mark.parametrize("value", VALUES)
def test_constants(tmp_path, value, machine):
    chain = Chain()
    chain.now = chain.requantized(
        chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), chain.constant(np.float32(value))])
    )
    is_right(chain.save(tmp_path), machine)


def by_node(chain):
    return chain.add("Constant", [], value_float=-0.7)


def by_dequantizing(chain):
    return chain.add("DequantizeLinear", [chain.constant(np.int8(-40)), *chain.said])


def by_dequantizing_zero(chain):
    return chain.add("DequantizeLinear", [chain.constant(np.int8(0)), chain.said[0], chain.constant(np.int8(0))])


@pytest.mark.parametrize("said", [by_node, by_dequantizing, by_dequantizing_zero])
def test_values_that_nodes_make(tmp_path, said):
    chain = Chain()
    chain.now = chain.requantized(chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), said(chain)]))
    is_right(chain.save(tmp_path), "genesys:8x8")


def test_another_scale_behind_movements(tmp_path):
    """The value is rounded once, under the scale of the result."""
    chain = Chain()
    padded = chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), chain.constant(np.float32(0.4249))])
    turned = chain.add("Transpose", [padded], perm=[0, 2, 3, 1])
    said = [chain.constant(np.float32(0.05)), chain.constant(np.int8(-3))]
    chain.now = chain.requantized(turned, said)
    is_right(chain.save(tmp_path), "genesys:8x8")


@pytest.mark.parametrize("value", [0.9, -77.0])
def test_an_input_says_the_value(tmp_path, value):
    chain = Chain()
    chain.inputs.append(helper.make_tensor_value_info("v", TensorProto.FLOAT, []))
    chain.now = chain.requantized(chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), "v"]))
    is_right(chain.save(tmp_path), "genesys:8x8", {"x": X, "v": np.array(value, np.float32)})


def test_pads_that_cut_and_pads_in_a_row(tmp_path):
    chain = Chain()
    value, axes = chain.constant(np.float32(1.2)), chain.constant(np.array([-1, 2]))
    first = chain.add("Pad", [chain.now, chain.constant(np.array([-1, 2, 3, -1])), value, axes])
    second = chain.add("Pad", [first, chain.constant(np.array(PADS)), chain.constant(np.float32(-2))])
    chain.now = chain.requantized(second)
    is_right(chain.save(tmp_path), "genesys:8x8")


def test_a_value_of_the_tensors_own_scale_needs_no_quantizelinear(tmp_path, capsys):
    """A convolution reads the padded tensor as it is, which ONNX Runtime leaves in float."""
    chain = Chain()
    value = np.float32(np.float32(11 - int(ZERO)) * STEP)
    padded = chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), chain.constant(value)])
    weights = np.random.default_rng(3).integers(-90, 90, (5, 3, 2, 2)).astype(np.int8)
    said = [chain.constant(np.float32(0.01)), chain.constant(np.int8(0))]
    real = chain.add("DequantizeLinear", [chain.constant(weights), *said])
    chain.now = chain.requantized(chain.add("Conv", [padded, real]), [chain.constant(np.float32(0.1)), chain.said[1]])
    path = chain.save(tmp_path)
    is_right(path, "genesys:8x8", fuses=False)
    np.savez(tmp_path / "x.npz", x=X)
    command = ["run", str(path), "-m", "genesys:8x8", "--input", str(tmp_path / "x.npz"), "--compare", "onnxruntime"]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["witness"]["agrees"] is True


@pytest.mark.parametrize("value", [None, -90, 5])
def test_stored_elements(tmp_path, value):
    """A Pad without a value stores 0, whatever the zero point."""
    chain = Chain()
    stored = chain.add("QuantizeLinear", ["x", *chain.said])
    inputs = [stored, chain.constant(np.array(PADS))] + ([] if value is None else [chain.constant(np.int8(value))])
    chain.now = chain.add("DequantizeLinear", [chain.add("Pad", inputs), *chain.said])
    is_right(chain.save(tmp_path), "genesys:8x8")


@pytest.mark.parametrize("value", [np.nan, 0.31])
def test_what_cannot_be_said_is_refused(tmp_path, value):
    """No number; a value between two of the tensor's own, which a convolution reads as it is."""
    chain = Chain()
    padded = chain.add("Pad", [chain.now, chain.constant(np.array(PADS)), chain.constant(np.float32(value))])
    weights = chain.add("DequantizeLinear", [chain.constant(np.ones((5, 3, 1, 1), np.int8)), chain.said[0]])
    chain.now = chain.requantized(chain.add("Conv", [padded, weights]))
    with pytest.raises(CovenantError) as error:
        covenant.compile(chain.save(tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0010"
    assert error.value.diagnostic.subject.endswith("(Pad)")
