"""The float network of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from drawn_layers import LAYERS
from float_network import InapplicableError, Network
from plans import Plan
from rearranging import REARRANGING

MOST_ELEMENTS = 6000
"""Of a tensor."""
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
    return net.model(outputs)


def _start(net: Network, form: str) -> str:
    """What the host makes of the input first."""
    if form == "scaled":
        return net.node("Div", [net.node("Sub", ["x", net.constant(np.float32(0.1))]), net.constant(np.float32(0.8))])
    if form == "turned" and len(net.shape("x")) == 4:
        return net.node("Transpose", ["x"], perm=[0, 1, 3, 2])
    return "x"


def samples(plan: Plan) -> list[dict[str, np.ndarray]]:
    """Inputs that ranges are taken from."""
    random = np.random.default_rng([plan.form, 1])
    return [{"x": random.normal(0, 1, plan.shape).astype(np.float32)} for _ in range(SAMPLES)]


def feed(plan: Plan) -> dict[str, np.ndarray]:
    """The input of the run: other numbers than those of `samples`, some beyond their range."""
    return {"x": np.random.default_rng([plan.form, 2]).normal(0, 1.1, plan.shape).astype(np.float32)}
