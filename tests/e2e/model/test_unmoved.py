"""Tensors traced back through movements: `covenant.verify.unmoved` finds them as they were before they were moved."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from covenant.verify.unmoved import Unmoved


def moved():
    """A Reshape, a Transpose and a Reshape of `x`; a Slice of their result, and that turned."""
    constants = {"apart": [1, 4, 2, 3, 5], "together": [1, 8, 15], "start": [1], "end": [5]}
    nodes = [
        helper.make_node("Reshape", ["x", "apart"], ["a"]),
        helper.make_node("Transpose", ["a"], ["b"], perm=[0, 2, 1, 4, 3]),
        helper.make_node("Reshape", ["b", "together"], ["y"]),
        helper.make_node("Slice", ["y", "start", "end"], ["z"]),
        helper.make_node("Transpose", ["y"], ["turned"]),
    ]
    initializers = [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in constants.items()]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 120])
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("z", "turned")]
    return helper.make_model(helper.make_graph(nodes, "moved", [x], outputs, initializers)).SerializeToString()


def test_movements_that_lose_nothing_lead_back():
    x = np.random.default_rng(3).normal(size=(1, 120)).astype(np.float32)
    b = x.reshape(1, 4, 2, 3, 5).transpose(0, 2, 1, 4, 3)
    known = Unmoved(moved()).with_sources({"y": b.reshape(1, 8, 15)})
    assert sorted(known) == ["a", "b", "x", "y"]
    np.testing.assert_array_equal(known["b"], b)
    np.testing.assert_array_equal(known["x"], x)
    assert sorted(Unmoved(moved()).with_sources({"z": b[:, :1]})) == ["z"]
    turned = Unmoved(moved()).with_sources({"turned": b.reshape(1, 8, 15).T})
    np.testing.assert_array_equal(turned["x"], x)


def test_what_is_known_stays():
    known = {"y": np.zeros((1, 8, 15), np.float32), "x": np.ones((1, 120), np.float32)}
    assert Unmoved(moved()).with_sources(known)["x"].all()
    assert Unmoved(moved()).with_names({"y": "Resize"}) == dict.fromkeys(["a", "b", "x", "y"], "Resize")
    assert Unmoved(b"").with_sources(known).keys() == known.keys()
