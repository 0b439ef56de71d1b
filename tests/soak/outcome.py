"""Runs one point of a soak and decides its outcome."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import drawn_networks
import onnx
import styles
import witnesses
from comparing import Made, Outcome, compared, guarded, made_of_model
from float_network import InapplicableError
from plans import WIDTHS, MachinePlan, Plan

import covenant
from covenant import _core

MOST_STEPS_FIXED_16 = 4
"""Largest distance, in steps, for sums of 16 bits that are scaled in fixed point: their factors have 15 bits."""
APART_EVERY = 16
"""One of so many models has its constants in a file beside it."""
DRAWS_OF_A_MACHINE = 1000
"""Indices that lie between those of two random machines."""


@lru_cache(maxsize=64)
def machine_of(plan: MachinePlan) -> covenant.Machine:
    """The machine; random ones sum in 32 bits, as ONNX Runtime does, and have the elements of the plan."""
    if plan.spec:
        return covenant.Machine(plan.spec, **dict(plan.settings))
    for apart in range(DRAWS_OF_A_MACHINE):
        machine = covenant.Machine._wrap(_core.random_machine(plan.seed, plan.index * DRAWS_OF_A_MACHINE + apart)[1])
        if machine.accumulator_bits == 32 and not machine.saturates and _bits_of(machine) == plan.bits:
            return machine
    raise AssertionError("no random machine has sums of 32 bits")


def _most_steps(plan: Plan, model: Any) -> int:
    """Largest distance of a layer that is scaled in fixed point (docs/reference/numerics.md)."""
    if WIDTHS.get(plan.style) == 16:
        return MOST_STEPS_FIXED_16
    ratio = max((_ratio_of_steps(model, node) for node in model.graph.node if node.op_type == "Add"), default=1.0)
    shift = max((one for one in range(16) if round(ratio * 2**one) < 2**15), default=0)
    return max(1, math.ceil(255 * 2.0**-shift))


def _ratio_of_steps(model: Any, add: Any) -> float:
    """Steps of a sum's coarser operand over those of the sum, of a model in QDQ style; 1 of others."""
    nodes, makers = model.graph.node, {name: node for node in model.graph.node for name in node.output}
    scales = {
        one.name: float(onnx.numpy_helper.to_array(one).max())
        for one in model.graph.initializer
        if one.dims in ([], [1])
    }
    operands = [makers.get(name) for name in add.input]
    steps = [scales.get(one.input[1], 0.0) for one in operands if one is not None and one.op_type == "DequantizeLinear"]
    made = add.output[0]
    while reader := next((node for node in nodes if made in node.input), None):
        if reader.op_type == "QuantizeLinear":
            return max(steps, default=0.0) / scales.get(reader.input[1], math.inf) or 1.0
        made = reader.output[0]
    return 1.0


def _bits_of(machine: covenant.Machine) -> int:
    """Width of the elements that the machine's arrays multiply."""
    abilities = [one for node in machine.to_dict()["computes"] for one in node["capabilities"]]
    return min(int(one["inputs"][0]["dtype"][1:]) for one in abilities if one["name"] == "GEMM")


@lru_cache(maxsize=4)
def _made(key: str) -> Made | Outcome:
    plan = Plan.from_json(key)
    try:
        network = drawn_networks.float_network(plan)
        feed = drawn_networks.feed(plan, network)
        witnesses.outputs_of(network, feed, fused=False)
        model = styles.quantized(plan, network, drawn_networks.samples(plan, network))
        if not witnesses.is_quantized(model):
            raise styles.VoidError("the tool quantises nothing of it")
        return made_of_model(model, styles.same_inputs(model, feed))
    except (InapplicableError, styles.VoidError, witnesses.RefusedError) as error:
        return Outcome("void", type(error).__name__, text=str(error)[:300])


def made_of(plan: Plan) -> Made | Outcome:
    """The model of a plan; or why there is none."""
    return _made(plan.model_key)


def run(plan: Plan, folder: str) -> Outcome:
    """Runs a point. `folder`: for files."""

    def point() -> Outcome:
        made = made_of(plan)
        if isinstance(made, Outcome):
            return made
        machine = machine_of(plan.machine)
        most = _most_steps(plan, made.model) if machine.fixed_point else 1
        return compared(made, machine, plan.backend, folder, most_steps=most, apart=plan.form % APART_EVERY == 0)

    return guarded(point)
