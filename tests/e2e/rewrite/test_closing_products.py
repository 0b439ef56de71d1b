"""Products whose result stays in float: the machine computes the sums, and the host scales them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness
from covenant.verify.expected import Source, expected_outputs, source_here
from covenant.verify.verdict import verdict_of

RANDOM = np.random.default_rng(12)
STEP = np.float32(0.03)


class Chain:
    """Q, DQ of an input, and what is added."""

    def __init__(self, shape, dtype=np.int8):
        self.nodes, self.constants = [], []
        self.inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
        self.feed = {"x": np.random.default_rng(1).normal(size=shape).astype(np.float32)}
        said = [self.constant(STEP), self.constant(dtype(7))]
        self.stored = self.add("QuantizeLinear", ["x", *said])
        self.now = self.add("DequantizeLinear", [self.stored, *said])

    def constant(self, array):
        """Adds a constant; returns its name."""
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def add(self, operator, inputs, **attributes):
        """The name of what it makes."""
        place = len(self.nodes)
        self.nodes.append(helper.make_node(operator, inputs, [f"t{place}"], f"n{place}", **attributes))
        return f"t{place}"

    def weights(self, shape, axis=None, dtype=np.int8, zero=0):
        """Dequantised weights, with a scale for each index of an axis if one is given."""
        limits = np.iinfo(dtype)
        stored = RANDOM.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
        count = () if axis is None else (shape[axis],)
        said = [
            self.constant(RANDOM.uniform(0.005, 0.02, count).astype(np.float32)),
            self.constant(np.full(count, zero, dtype)),
        ]
        return self.add("DequantizeLinear", [self.constant(stored), *said], **({} if axis is None else {"axis": axis}))

    def save(self, folder, dtype=TensorProto.FLOAT):
        """The path of the model."""
        output = helper.make_tensor_value_info(self.now, dtype, None)
        graph = helper.make_graph(self.nodes, "closing", self.inputs, [output], self.constants)
        path = folder / "closing.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path


def is_right(path, feed, machine, layers=1):
    """The machine makes the sums; both witnesses agree, the fused one in every byte."""
    program = covenant.compile(path, machine)
    assert not {"Conv", "Gemm", "MatMul"}.intersection(program.end.operators)
    assert len(program.blocks) >= layers
    results = [covenant.run(program, feed)]
    assert results[0].cycles > 0
    found = verdict_of(program, path, [feed], results, source_here(path))
    assert found.comparison.identical
    assert found.testimony is None or found.testimony.agrees
    (whole,), (made,) = Witness(path).whole(feed).values(), results[0].outputs.values()
    np.testing.assert_allclose(made, whole, rtol=0, atol=1e-4 * np.abs(whole).max())
    (said,) = expected_outputs(path, [feed], Source.REFERENCE).outputs[0].values()
    np.testing.assert_array_equal(made, said)


MACHINES = ("genesys:8x8", "dnnweaver", "hvx")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("shape", "axis", "bias"),
    [((1, 20), None, False), ((3, 20), 1, True), ((2, 3, 20), 1, False), ((1, 2, 3, 20), None, True)],
)
def test_matmul(tmp_path, shape, axis, bias, machine):
    chain = Chain(shape)
    chain.now = chain.add("MatMul", [chain.now, chain.weights((20, 9), axis)])
    if bias:
        chain.now = chain.add("Add", [chain.now, chain.constant(RANDOM.normal(size=9).astype(np.float32))])
    is_right(chain.save(tmp_path), chain.feed, machine)


@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("bias", [None, "float", "stored"])
def test_gemm(tmp_path, turned, bias):
    chain = Chain((2, 20))
    inputs = [chain.now, chain.weights((9, 20) if turned else (20, 9), 1 - turned)]
    if bias == "float":
        inputs.append(chain.constant(RANDOM.normal(size=9).astype(np.float32)))
    elif bias == "stored":
        stored = chain.constant(RANDOM.integers(-900, 900, 9).astype(np.int32))
        inputs.append(chain.add("DequantizeLinear", [stored, chain.constant(np.float32(3e-4))]))
    chain.now = chain.add("Gemm", inputs, transB=turned, alpha=0.5, beta=2.0)
    chain.now = chain.add("Softmax", [chain.now], axis=1)
    is_right(chain.save(tmp_path), chain.feed, "genesys:8x8")


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("rank", [1, 2])
def test_conv(tmp_path, rank, group, machine):
    chain = Chain((1, 6, 7, 9)[: rank + 2])
    weights = chain.weights((8, 6 // group, 3, 3)[: rank + 2], 0)
    bias = chain.constant(RANDOM.normal(size=8).astype(np.float32))
    chain.now = chain.add("Conv", [chain.now, weights, bias], group=group, pads=[1] * 2 * rank, strides=[2] * rank)
    is_right(chain.save(tmp_path), chain.feed, machine)


@pytest.mark.parametrize(("dtype", "zero"), [(np.uint8, 128), (np.uint8, 3), (np.int8, -40)])
def test_weights_whose_meaning_leaves_a_byte_are_summed_in_parts(tmp_path, dtype, zero):
    chain = Chain((2, 20), np.uint8)
    chain.now = chain.add("MatMul", [chain.now, chain.weights((20, 9), None, dtype, zero)])
    is_right(chain.save(tmp_path), chain.feed, "genesys:8x8")


def test_an_index_of_the_largest(tmp_path):
    chain = Chain((2, 20))
    chain.now = chain.add("ArgMax", [chain.add("MatMul", [chain.now, chain.weights((20, 9))])], axis=1)
    path = chain.save(tmp_path, TensorProto.INT64)
    program = covenant.compile(path, "genesys:8x8")
    results = [covenant.run(program, chain.feed)]
    assert verdict_of(program, path, [chain.feed], results, source_here(path)).holds
    assert next(iter(results[0].outputs.values())).dtype == np.int64


def test_values_of_test_sets(tmp_path):
    chain = Chain((1, 20))
    chain.now = chain.add("MatMul", [chain.now, chain.weights((20, 9), 1)])
    path = chain.save(tmp_path)
    images = np.random.default_rng(4).normal(size=(5, 1, 20)).astype(np.float32)
    (made,) = covenant.Values(path).run({"x": images}).values()
    program = covenant.compile(path, "genesys:8x8")
    for image, array in zip(images, made, strict=True):
        (alone,) = covenant.run(program, image).outputs.values()
        np.testing.assert_array_equal(array, alone)


def computed(chain):
    return [chain.stored, chain.stored, chain.constant(np.int8(7))]


def another_zero_point(chain):
    return [chain.stored, chain.constant(np.ones((20, 9), np.int8)), chain.constant(np.int8(9))]


def more_dimensions(chain):
    return [chain.stored, chain.constant(np.ones((1, 20, 9), np.int8)), chain.constant(np.int8(7))]


@pytest.mark.parametrize(
    ("inputs", "code"), [(computed, "ONX0013"), (another_zero_point, "ONX0012"), (more_dimensions, "ONX0010")]
)
def test_sums_that_are_refused(tmp_path, inputs, code):
    chain = Chain((20, 20))
    chain.now = chain.add("MatMulInteger", inputs(chain))
    with pytest.raises(CovenantError) as error:
        covenant.compile(chain.save(tmp_path, TensorProto.INT32), "genesys:8x8")
    assert error.value.code == code
    assert error.value.diagnostic.subject.endswith("(MatMulInteger)")


def test_sums_are_an_output(tmp_path):
    """A model may say so itself."""
    chain = Chain((3, 20), np.uint8)
    weights = RANDOM.integers(0, 255, (20, 9)).astype(np.uint8)
    inputs = [chain.stored, chain.constant(weights // 2), chain.constant(np.uint8(7)), chain.constant(np.uint8(60))]
    chain.now = chain.add("MatMulInteger", inputs)
    path = chain.save(tmp_path, TensorProto.INT32)
    (made,) = covenant.run(covenant.compile(path, "genesys:8x8"), chain.feed).outputs.values()
    (whole,) = Witness(path).whole(chain.feed).values()
    np.testing.assert_array_equal(made, whole)
