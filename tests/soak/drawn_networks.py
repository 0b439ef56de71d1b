"""Builds the float network of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from drawn_layers import LAYERS
from float_network import InapplicableError, Network
from plans import Plan
from rearranging import REARRANGING

MOST_ELEMENTS = 6000
"""Most elements of a tensor."""
SAMPLES = 3
ALL = LAYERS | REARRANGING


def float_network(plan: Plan) -> Any:
    """Its `onnx.ModelProto`; layers that cannot follow what is before them are left out.

    Raises:
        InapplicableError: no layer is left.
    """
    net = Network(plan.opset, plan.shape)
    x = _start(net, plan.start)
    for kind, seed in plan.layers:
        before = net.state()
        try:
            y = ALL[kind](net, x, np.random.default_rng(seed))
            if int(np.prod(net.shape(y))) > MOST_ELEMENTS:
                raise InapplicableError("too large")
        except InapplicableError:
            net.back_to(before)
            continue
        x = y
        net.history.append(x)
    made = net.history[1:]
    if not made:
        raise InapplicableError("no layer is left")
    outputs = [x]
    if plan.end == "softmax":
        outputs = [net.node("Softmax", [x], axis=len(net.shape(x)) - 1)]
    elif plan.end == "argmax":
        outputs = [net.node("ArgMax", [x], axis=len(net.shape(x)) - 1, keepdims=0)]
    elif plan.end == "two" and len(made) > 1:
        outputs.append(made[len(made) // 2 - 1])
    model = net.model(outputs)
    if plan.start == "half":
        _halve_input(model)
    return model


def _halve_input(model: Any) -> None:
    """The first input in f16; a Cast makes it f32."""
    model.graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = "x wide" if name == "x" else name
    model.graph.node.insert(0, onnx.helper.make_node("Cast", ["x"], ["x wide"], "widen", to=onnx.TensorProto.FLOAT))


def _start(net: Network, form: str) -> str:
    """Appends what the host computes of the input first."""
    if form == "scaled":
        return net.node("Div", [net.node("Sub", ["x", net.constant(np.float32(0.1))]), net.constant(np.float32(0.8))])
    if form == "turned" and len(net.shape("x")) == 4:
        return net.node("Transpose", ["x"], perm=[0, 1, 3, 2])
    return "x"


def samples(plan: Plan, network: Any) -> list[dict[str, np.ndarray]]:
    """Inputs of a plan's network that ranges are taken from."""
    random = np.random.default_rng([plan.form, 1])
    return [_inputs(network, random, 1.0) for _ in range(SAMPLES)]


def feed(plan: Plan, network: Any) -> dict[str, np.ndarray]:
    """The inputs of the run: other numbers than those of `samples`, some beyond their range."""
    return _inputs(network, np.random.default_rng([plan.form, 2]), 1.1)


def _inputs(network: Any, random: np.random.Generator, spread: float) -> dict[str, np.ndarray]:
    made = {}
    for entry in network.graph.input:
        kind = entry.type.tensor_type
        array = random.normal(0, spread, [size.dim_value for size in kind.shape.dim])
        made[entry.name] = array.astype(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return made
