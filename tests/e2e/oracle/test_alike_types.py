"""Layers between signed and unsigned elements as layers of signed ones: the same numbers, in integer kernels."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from covenant.onnx_runtime.alike_types import with_alike_types
from covenant.onnx_runtime.sessions import Style, outputs_of, session

ELEMENTS = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}
ZERO_POINTS = {np.uint8: 131, np.int8: -7}
# Powers of two: real numbers are exact in f32, so every order of the computation gives the same element.
SCALES = {"x": 2.0**-5, "w": 2.0**-6, "y": 2.0**-3}
ROWS, INNER, COLUMNS = 5, 12, 7
MIXED = [kinds for kinds in itertools.product(ELEMENTS, repeat=3) if np.int8 in kinds]


def drawn(kind, shape):
    limits = np.iinfo(kind)
    return np.random.default_rng(3).integers(limits.min, limits.max + 1, shape).astype(kind)


def constants(kinds):
    """Scale and zero point of each tensor."""
    return [
        array
        for name, kind in zip("xwy", kinds, strict=True)
        for array in (
            numpy_helper.from_array(np.float32(SCALES[name]), f"{name}_scale"),
            numpy_helper.from_array(kind(ZERO_POINTS[kind]), f"{name}_zero"),
        )
    ]


def model_of(nodes, kinds, weights, *, constant):
    operands = [helper.make_tensor_value_info("x", ELEMENTS[kinds[0]], [ROWS, INNER])]
    if not constant:
        operands.append(helper.make_tensor_value_info("w", ELEMENTS[kinds[1]], [INNER, COLUMNS]))
    given = [*constants(kinds), *([numpy_helper.from_array(weights, "w")] if constant else [])]
    made = [helper.make_tensor_value_info("y", ELEMENTS[kinds[2]], [ROWS, COLUMNS])]
    graph = helper.make_graph(nodes, "product", operands, made, given)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def qdq(kinds, weights, *, constant):
    def dequantize(name):
        return helper.make_node("DequantizeLinear", [name, f"{name}_scale", f"{name}_zero"], [f"{name}_real"])

    nodes = [
        dequantize("x"), dequantize("w"), helper.make_node("MatMul", ["x_real", "w_real"], ["product"]),
        helper.make_node("QuantizeLinear", ["product", "y_scale", "y_zero"], ["y"]),
    ]  # fmt: skip
    return model_of(nodes, kinds, weights, constant=constant)


def stored(kinds, weights, *, constant):
    words = [word for name in "xw" for word in (name, f"{name}_scale", f"{name}_zero")]
    return model_of(
        [helper.make_node("QLinearMatMul", [*words, "y_scale", "y_zero"], ["y"])], kinds, weights, constant=constant
    )


def expected(kinds, x, w):
    """In integers, and one real factor that is exact."""
    first, second = (array.astype(np.int64) - ZERO_POINTS[kind] for array, kind in zip((x, w), kinds[:2], strict=True))
    real = first @ second * (SCALES["x"] * SCALES["w"] / SCALES["y"])
    limits = np.iinfo(kinds[2])
    return np.clip(np.rint(real) + ZERO_POINTS[kinds[2]], limits.min, limits.max).astype(kinds[2])


@pytest.mark.parametrize("constant", [True, False], ids=["constant", "activation"])
@pytest.mark.parametrize("kinds", MIXED, ids=lambda kinds: "-".join(kind.__name__ for kind in kinds))
@pytest.mark.parametrize("written", [qdq, stored], ids=["qdq", "stored"])
def test_the_same_numbers_in_integer_kernels(written, kinds, constant, tmp_path):
    x, w = drawn(kinds[0], (ROWS, INNER)), drawn(kinds[1], (INNER, COLUMNS))
    model = written(kinds, w, constant=constant)
    before = model.SerializeToString()
    made = with_alike_types(model)
    assert model.SerializeToString() == before, "the model that was given stays as it is"
    optimized = tmp_path / "optimized.onnx"
    style = Style.QDQ if written is qdq else Style.QOPERATOR
    runnable = session(made.SerializeToString(), style, optimized)
    np.testing.assert_array_equal(outputs_of(runnable, {"x": x, "w": w})["y"], expected(kinds, x, w))
    operators = [node.op_type for node in onnx.load(optimized).graph.node]
    assert "QLinearMatMul" in operators, "products in float"
    assert "MatMul" not in operators, "products in float"


@pytest.mark.parametrize("written", [qdq, stored], ids=["qdq", "stored"])
def test_a_layer_of_one_type_stays(written):
    kinds = (np.uint8, np.uint8, np.uint8)
    model = written(kinds, drawn(np.uint8, (INNER, COLUMNS)), constant=True)
    assert with_alike_types(model) is model
