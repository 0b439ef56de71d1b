"""Operators on stored tensors written out as float operators between DequantizeLinear and QuantizeLinear.

ONNX Runtime's integer kernels are not exact on every processor: pairs of u8 and i8 products saturate where there is no
instruction for them. Written out, a model says the same and is computed in float.
"""

from __future__ import annotations

from typing import Any

import onnx
from onnx import helper

SIMPLE = {
    "QLinearGlobalAveragePool": "GlobalAveragePool", "QLinearAveragePool": "AveragePool", "QLinearSigmoid": "Sigmoid",
    "QLinearLeakyRelu": "LeakyRelu", "QLinearSoftmax": "Softmax",
}  # fmt: skip
PAIRS = {"QLinearMatMul": "MatMul", "QLinearAdd": "Add", "QLinearMul": "Mul"}
OWN_ATTRIBUTES = ("channels_last", "opset")


class _Speller:
    def __init__(self, model: Any) -> None:
        self.nodes: list[Any] = []
        self.ranks = {entry.name: len(entry.dims) for entry in model.graph.initializer}

    def real(self, stored: str, scale: str, zero: str, axis: int | None = None) -> str:
        """A DequantizeLinear."""
        name = f"soak real {len(self.nodes)}"
        keep = {} if axis is None or not self.ranks.get(scale) else {"axis": axis}
        self.nodes.append(helper.make_node("DequantizeLinear", [stored, scale, zero], [name], **keep))
        return name

    def float_node(self, node: Any, operation: str, inputs: list[str], scale: str, zero: str, **more: Any) -> None:
        """The operator in float, and the QuantizeLinear behind it."""
        name = f"soak made {len(self.nodes)}"
        attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        kept = {key: value for key, value in attributes.items() if key not in OWN_ATTRIBUTES} | more
        self.nodes.append(helper.make_node(operation, inputs, [name], name=node.name, **kept))
        self.nodes.append(helper.make_node("QuantizeLinear", [name, scale, zero], list(node.output)))

    def bias(self, name: str, scales: tuple[str, str]) -> str:
        """An i32 bias at the scale of the products."""
        real, by, made = (f"soak {word} {len(self.nodes)}" for word in ("bias", "bias scale", "bias made"))
        self.nodes.append(helper.make_node("Cast", [name], [real], to=onnx.TensorProto.FLOAT))
        self.nodes.append(helper.make_node("Mul", list(scales), [by]))
        self.nodes.append(helper.make_node("Mul", [real, by], [made]))
        return made

    def write(self, node: Any) -> None:
        """A node, written out if it works on stored tensors."""
        operation, inputs = node.op_type, list(node.input)
        if operation == "QLinearConv":
            operands = [self.real(*inputs[:3]), self.real(*inputs[3:6], axis=0)]
            operands += [self.bias(inputs[8], (inputs[1], inputs[4]))] if len(inputs) > 8 and inputs[8] else []
            self.float_node(node, "Conv", operands, inputs[6], inputs[7])
        elif operation == "QGemm":
            turned = any(one.name == "transB" and one.i for one in node.attribute)
            operands = [self.real(*inputs[:3]), self.real(*inputs[3:6], axis=0 if turned else 1)]
            operands += [self.bias(inputs[6], (inputs[1], inputs[4]))] if inputs[6] else []
            self.float_node(node, "Gemm", operands, inputs[7], inputs[8])
        elif operation in PAIRS:
            operands = [self.real(*inputs[:3]), self.real(*inputs[3:6], axis=1)]
            self.float_node(node, PAIRS[operation], operands, inputs[6], inputs[7])
        elif operation in SIMPLE:
            self.float_node(node, SIMPLE[operation], [self.real(*inputs[:3])], inputs[3], inputs[4])
        elif operation == "QLinearConcat":
            parts = [self.real(*inputs[at : at + 3]) for at in range(2, len(inputs), 3)]
            self.float_node(node, "Concat", parts, inputs[0], inputs[1])
        elif operation == "QLinearWhere":
            operands = [inputs[0], self.real(*inputs[1:4]), self.real(*inputs[4:7])]
            self.float_node(node, "Where", operands, inputs[7], inputs[8])
        else:
            self.nodes.append(node)


def spelled_out(model: Any) -> Any:
    """The model with a float operator between DequantizeLinear and QuantizeLinear for each on stored tensors."""
    if not any(node.op_type.startswith(("QLinear", "QGemm")) for node in model.graph.node):
        return model
    made = onnx.ModelProto()
    made.CopyFrom(model)
    speller = _Speller(model)
    for node in model.graph.node:
        speller.write(node)
    del made.graph.node[:]
    made.graph.node.extend(speller.nodes)
    return made
