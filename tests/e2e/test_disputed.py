"""Layers on which ONNX Runtime contradicts itself, fused and as written, have no right byte and are refused."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.witness import Witness


def saved(folder, shape, operator, scale, **attributes):
    """Q, DQ, the operator, Q under `scale`, DQ."""
    arrays = {"s": np.float32(0.05), "z": np.int8(0), "t": np.float32(scale), "y": np.int8(-128)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node(operator, ["d"], ["o"], "node", **attributes),
        helper.make_node("QuantizeLinear", ["o", "t", "y"], ["p"]),
        helper.make_node("DequantizeLinear", ["p", "t", "y"], ["r"]),
    ]
    graph = helper.make_graph(
        nodes, "disputed", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("r", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()],
    )  # fmt: skip
    path = folder / "disputed.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


POOL = {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (((1, 2, 5, 4), "AveragePool", 0.05, POOL | {"count_include_pad": 1}), "ONX0010"),
    ],
)
def test_refused(tmp_path, said, code):
    shape, operator, scale, attributes = said
    with pytest.raises(CovenantError) as error:
        covenant.compile(saved(tmp_path, shape, operator, scale, **attributes), "genesys:8x8")
    assert error.value.code == code
    assert error.value.diagnostic.subject == f"node ({operator})"


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
