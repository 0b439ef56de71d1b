"""Zero points that a model leaves out are 0 of the stored type, whatever operator reads them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.oracle.witness import Witness

SHAPE = (1, 3, 4, 5)
X = np.linspace(-3, 3, int(np.prod(SHAPE)), dtype=np.float32).reshape(SHAPE)
SCALE = np.float32(0.02)


def saved(folder, quantize, dequantize, *, operators, by_node, opset=21):
    """Q, DQ, a chain of operators, Q, DQ.

    Args:
        folder: of the model.
        quantize: attributes and the zero point of each QuantizeLinear, or None.
        dequantize: whether DequantizeLinear name that zero point.
        operators: of the chain.
        by_node: constants are made by nodes.
        opset: of the model.
    """
    attributes, zero = quantize
    arrays = {"scale": SCALE, "half": np.float32(0.5)} | ({} if zero is None else {"zero": zero})
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]
    said = ["scale"] + ([] if zero is None else ["zero"])
    again = said if dequantize else ["scale"]
    nodes = [helper.make_node("Constant", [], [one.name], value=one) for one in tensors] if by_node else []
    now = "x"
    for place, operator in enumerate([*operators, None]):
        nodes.append(helper.make_node("QuantizeLinear", [now, *said], [f"q{place}"], **attributes))
        nodes.append(helper.make_node("DequantizeLinear", [f"q{place}", *again], [f"d{place}"]))
        now = f"d{place}"
        if operator:
            inputs = [now, "half"] if operator in ("Mul", "Div") else [now]
            nodes.append(helper.make_node(operator, inputs, [f"y{place}"], f"{operator}{place}"))
            now = f"y{place}"
    graph = helper.make_graph(
        nodes, "zeros", [helper.make_tensor_value_info("x", TensorProto.FLOAT, SHAPE)],
        [helper.make_tensor_value_info(now, TensorProto.FLOAT, None)], [] if by_node else tensors,
    )  # fmt: skip
    path = folder / "zeros.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), path)
    return path


WAYS = {
    "none": (({}, None), False),
    "by the attribute": (({"output_dtype": TensorProto.INT8}, None), False),
    "at QuantizeLinear alone": (({}, np.int8(0)), False),
    "at both": (({}, np.int8(0)), True),
}


@pytest.mark.parametrize("by_node", [False, True], ids=["initialisers", "nodes"])
@pytest.mark.parametrize("operators", [["Sigmoid"], ["Div", "Tanh"], ["Relu"]], ids="-".join)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_reader_takes_the_same(tmp_path, way, operators, by_node):
    path = saved(tmp_path, *way, operators=operators, by_node=by_node)
    (whole,) = Witness(path).whole({"x": X}).values()
    (made,) = covenant.run(covenant.compile(path, "genesys:8x8"), X).outputs.values()
    np.testing.assert_array_equal(made, whole)
