"""What became of a point, and running one."""

from __future__ import annotations

import json
import re
import traceback
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import drawn_networks
import numpy as np
import onnx
import styles
import witnesses
from float_network import InapplicableError
from plans import WIDTHS, MachinePlan, Plan

import covenant
from covenant import _core

VERDICTS = ("equal", "explained", "refused", "wrong", "crash", "timeout", "void")
"""void: the network, the quantiser or ONNX Runtime leaves nothing to compare; it is no point."""
FAILURES = ("wrong", "crash", "timeout")
QUANTISING, FRONT_END = "QNT", "ONX"
MOST_STEPS_FIXED_16 = 4
"""Of sums of 16 bits scaled in fixed point: their factors have 15."""
DRAWS_OF_A_MACHINE = 1000
"""Indices between those of two random machines."""


@dataclass(frozen=True)
class Outcome:
    """Of one point."""

    verdict: str
    code: str = ""
    """Of a refusal, or the exception of a crash."""
    operator: str = ""
    """That a refusal or a difference names."""
    text: str = ""
    compared: int = 0
    """Stored tensors that were held against the unfused model."""
    steps: int = 0
    """That the farthest of them is away."""
    equal_fused: bool = False
    """Whether outputs are those of the fused model."""

    @property
    def kind(self) -> str:
        """The same for points that fail alike, so far as can be told."""
        return " ".join(filter(None, (self.verdict, self.code, self.operator)))

    def to_json(self) -> str:
        """Text that `from_json` reads."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Outcome:
        """The outcome that `to_json` wrote."""
        return Outcome(**json.loads(text))


@dataclass(frozen=True)
class Made:
    """The model of a plan and what ONNX Runtime says of it."""

    model: Any
    inputs: dict[str, np.ndarray]
    fused: dict[str, np.ndarray] | None
    """None: ONNX Runtime does not take the model with its optimisations."""
    unfused: dict[str, np.ndarray]
    shapes: dict[str, tuple[int, ...]]
    """Of all that the model stores."""


def machine_of(plan: MachinePlan) -> covenant.Machine:
    """The machine; random ones sum in 32 bits, as ONNX Runtime does, and have the elements of the plan."""
    if plan.spec:
        return covenant.Machine(plan.spec, **dict(plan.settings))
    for apart in range(DRAWS_OF_A_MACHINE):
        machine = covenant.Machine._wrap(_core.random_machine(plan.seed, plan.index * DRAWS_OF_A_MACHINE + apart)[1])
        if machine.accumulator_bits == 32 and not machine.saturates and _bits_of(machine) == plan.bits:
            return machine
    raise AssertionError("no random machine has sums of 32 bits")


def _bits_of(machine: covenant.Machine) -> int:
    """Of the elements that its arrays multiply."""
    abilities = [one for node in machine.to_dict()["computes"] for one in node["capabilities"]]
    return min(int(one["inputs"][0]["dtype"][1:]) for one in abilities if one["name"] == "GEMM")


@lru_cache(maxsize=4)
def _made(key: str) -> Made | Outcome:
    plan = Plan.from_json(key)
    try:
        network = drawn_networks.float_network(plan)
        witnesses.outputs_of(network, drawn_networks.feed(plan), fused=False)
        model = styles.quantised(plan, network, drawn_networks.samples(plan))
        if not witnesses.is_quantised(model):
            raise styles.VoidError("the tool quantises nothing of it")
        inputs = styles.same_inputs(model, drawn_networks.feed(plan))
        unfused = witnesses.outputs_of(model, inputs, fused=False)
    except covenant.CovenantError as error:
        return _refusal(error)
    except (InapplicableError, styles.VoidError, witnesses.RefusedError) as error:
        return Outcome("void", type(error).__name__, text=str(error)[:300])
    try:
        fused = witnesses.outputs_of(model, inputs, fused=not witnesses.is_qoperator(model))
    except witnesses.RefusedError:
        fused = None
    return Made(model, inputs, fused, unfused, witnesses.stored_shapes(model, inputs))


def made_of(plan: Plan) -> Made | Outcome:
    """The model of a plan; or why there is none."""
    return _made(plan.model_key)


def run(plan: Plan, folder: str) -> Outcome:
    """Runs a point. `folder`: for the model's file, and the RTL's."""
    try:
        made = made_of(plan)
        return made if isinstance(made, Outcome) else _compared(plan, made, folder)
    except covenant.CovenantError as error:
        return _refusal(error)
    except Exception as error:  # noqa: BLE001  (whatever comes out is a mistake of ours)
        return Outcome("crash", type(error).__name__, _last_line(error), traceback.format_exc()[-1500:])


def _last_line(error: BaseException) -> str:
    """Where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].name}" if frames else ""


def _refusal(error: covenant.CovenantError) -> Outcome:
    if isinstance(error, covenant.InternalError) or error.code == "INTERNAL":
        return Outcome("crash", "INTERNAL", re.sub(r"\W.*", "", str(error)[:60]), str(error)[:1500])
    words = str(error)
    found = re.search(r"\((\w[\w.]*)\):", words)
    return Outcome("refused", error.code, found[1] if found else "", words[:700])


def _compared(plan: Plan, made: Made, folder: str) -> Outcome:
    path = f"{folder}/model.onnx"
    onnx.save(made.model, path)
    program = covenant.compile(path, machine_of(plan.machine))
    if plan.backend == "rtl":
        difference = covenant.cosim(program, made.inputs).first
        if difference is not None:
            return Outcome("wrong", "RTL", text=difference.text)
    session = covenant.Session(program, "systemc" if plan.backend == "rtl" else plan.backend)
    outputs = session.run(made.inputs).outputs
    is_fused = made.fused is not None and witnesses.same(outputs, made.fused)
    if witnesses.same(outputs, made.unfused):
        return Outcome("equal", equal_fused=is_fused)
    most = MOST_STEPS_FIXED_16 if program.machine.fixed_point and WIDTHS.get(plan.style) == 16 else 1
    found = [witnesses.Gap("", "no tensor", np.inf)]
    for tensors_of in (_of_layers, _as_outputs):
        tensors = tensors_of(program, made, outputs, folder)
        if tensors is None:
            continue
        found, compared, steps = witnesses.gaps(made.model, made.inputs, tensors, outputs, most_steps=most)
        if not found:
            return Outcome("explained", compared=compared, steps=steps, equal_fused=is_fused)
    return Outcome("wrong", "", found[0].operator, "; ".join(map(str, found[:4])), equal_fused=is_fused)


Tensors = dict[str, np.ndarray]


def _of_layers(program: covenant.Program, made: Made, outputs: Tensors, folder: str) -> Tensors | None:
    """What layers have written, by the model's names; None: the machine does not stop between layers."""
    del outputs, folder
    if program.machine.issues_packets:
        return None
    layers = covenant.Session(program).layer_tensors(made.inputs)
    return {tensor.name: tensor.array for tensor in layers if not tensor.name.endswith("/image")}


def _as_outputs(program: covenant.Program, made: Made, outputs: Tensors, folder: str) -> Tensors | None:
    """All that the model stores, also what its layers keep in another form: each as an output of the model.

    None: the compiler does not take such a model, or it has other outputs.
    """
    model = onnx.ModelProto()
    model.CopyFrom(made.model)
    kinds = witnesses.stored_types(model)
    known = {entry.name for entry in model.graph.output}
    model.graph.output.extend(
        onnx.helper.make_tensor_value_info(name, kind, made.shapes[name])
        for name, kind in kinds.items()
        if name not in known
    )
    path = f"{folder}/stored.onnx"
    onnx.save(model, path)
    try:
        got = covenant.run(covenant.compile(path, program.machine), made.inputs).outputs
    except covenant.CovenantError:
        return None
    if any(got[name].tobytes() != array.tobytes() for name, array in outputs.items()):
        return None
    return {name: array for name, array in got.items() if name in kinds}
