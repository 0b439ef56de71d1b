"""Layers on which ONNX Runtime contradicts itself, fused and as written, have no right byte and are refused."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness


def saved(folder, shape, operator, scale, dtype=np.int8, **attributes):
    """Q, DQ, the operator, Q under `scale`, DQ; QLinearSoftmax has stored tensors on both sides."""
    arrays = {
        "s": np.float32(0.05), "z": dtype(0 if dtype is np.int8 else 128), "t": np.float32(scale),
        "y": dtype(np.iinfo(dtype).min),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node(operator, ["d"], ["o"], "node", **attributes),
        helper.make_node("QuantizeLinear", ["o", "t", "y"], ["p"]),
        helper.make_node("DequantizeLinear", ["p", "t", "y"], ["r"]),
    ]
    if operator.startswith("QLinear"):
        inputs = ["q", "s", "z", "t", "y"]
        nodes[1:4] = [helper.make_node(operator, inputs, ["p"], "node", domain="com.microsoft", **attributes)]
    graph = helper.make_graph(
        nodes, "disputed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("r", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()],
    )  # fmt: skip
    path = folder / "disputed.onnx"
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


POOL = {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (((1, 2, 5, 4), "AveragePool", 0.05, POOL | {"count_include_pad": 1}), "ONX0010"),
        (((1, 3, 2), "QLinearSoftmax", 0.002, {"axis": 2, "opset": 13}), "ONX0012"),
        (((1, 1, 3), "QLinearSoftmax", 1 / 256, {"axis": 1, "opset": 13, "dtype": np.uint8}), "ONX0012"),
    ],
)
def test_refused(tmp_path, said, code):
    shape, operator, scale, attributes = said
    with pytest.raises(CovenantError) as error:
        covenant.compile(saved(tmp_path, shape, operator, scale, **attributes), "genesys:8x8")
    assert error.value.code == code
    assert error.value.diagnostic.subject.replace("com.microsoft.", "") == f"node ({operator})"


@pytest.mark.parametrize(
    ("shape", "operator", "scale", "attributes"),
    [
        ((1, 2, 5, 4), "AveragePool", 0.05, POOL),
        ((1, 2, 4, 4), "AveragePool", 0.05, POOL | {"count_include_pad": 1}),
        ((1, 3, 2), "Softmax", 1 / 256, {"axis": 2}),
    ],
)
def test_taken_where_both_agree(tmp_path, shape, operator, scale, attributes):
    path = saved(tmp_path, shape, operator, scale, **attributes)
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    (made,), (whole,) = (
        covenant.run(covenant.compile(path, "genesys:8x8"), x).outputs.values(),
        Witness(path).whole({"x": x}).values(),
    )
    assert np.abs(made - whole).max() <= np.float32(scale) * 1.001


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("shape", "axis", "scale"),
    [((1, 3, 2), 2, 0.002), ((1, 4, 1, 3), 1, 1e-3), ((2, 1), 1, 1 / 256), ((1, 5), -1, 1e-6), ((7, 9), 0, 5e-4)],
)
def test_shares_of_tiny_scales_are_those_of_the_float_operator(tmp_path, shape, axis, scale, dtype):
    """Exponentials that ONNX Runtime's kernel lets leave single precision stay within it."""
    path = saved(tmp_path, shape, "Softmax", scale, dtype, axis=axis)
    x = np.random.default_rng(3).normal(size=shape).astype(np.float32)
    program = covenant.compile(path, "genesys:8x8")
    (whole,) = Witness(path).whole({"x": x}).values()
    for backend in ("interpret", "systemc"):
        (made,) = covenant.Session(program, backend).run({"x": x}).outputs.values()
        assert np.abs(made - whole).max() <= np.float32(scale) * 1.001
