"""Compares a compiled model with ONNX Runtime: equal, explained by rounding, or wrong."""

from __future__ import annotations

import contextlib
import json
import re
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import witnesses

import covenant

VERDICTS = ("equal", "explained", "refused", "wrong", "crash", "timeout", "void")
"""void: the network, the quantiser or ONNX Runtime leaves nothing to compare; it is no point."""
FAILURES = ("wrong", "crash", "timeout")


@dataclass(frozen=True)
class Outcome:
    """Outcome of one point."""

    verdict: str
    code: str = ""
    """Code of a refusal, or the exception of a crash."""
    operator: str = ""
    """Operator that a refusal or a difference names."""
    text: str = ""
    compared: int = 0
    """Stored tensors that were compared with those of the unfused model."""
    steps: int = 0
    """Distance of the farthest of them, in quantisation steps."""
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


def made_of_model(model: Any, inputs: dict[str, np.ndarray]) -> Made:
    """A quantised model with what ONNX Runtime says of it.

    Raises:
        RefusedError: ONNX Runtime does not take it.
    """
    unfused = witnesses.outputs_of(model, inputs, fused=False)
    try:
        fused = witnesses.outputs_of(model, inputs, fused=not witnesses.is_qoperator(model))
    except witnesses.RefusedError:
        fused = None
    return Made(model, inputs, fused, unfused)


def guarded(run: Callable[[], Outcome]) -> Outcome:
    """Outcome of `run`; a refusal where it is refused, a crash where anything else is raised."""
    try:
        return run()
    except covenant.CovenantError as error:
        return _refusal(error)
    except Exception as error:  # noqa: BLE001  (whatever comes out is a mistake of ours)
        return Outcome("crash", type(error).__name__, _last_line(error), traceback.format_exc()[-1500:])


def _last_line(error: BaseException) -> str:
    """Place where the error was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].name}" if frames else ""


def _refusal(error: covenant.CovenantError) -> Outcome:
    if isinstance(error, covenant.InternalError) or error.code == "INTERNAL":
        return Outcome("crash", "INTERNAL", re.sub(r"\W.*", "", str(error)[:60]), str(error)[:1500])
    words = str(error)
    found = re.search(r"\((\w[\w.]*)\):", words)
    return Outcome("refused", error.code, found[1] if found else "", words[:700])


def save(model: Any, path: str, *, apart: bool) -> None:
    """Writes a model, its constants in the same file or in one beside it."""
    if not apart:
        onnx.save(model, path)
        return
    copied = onnx.ModelProto()
    copied.CopyFrom(model)  # saving so changes the model
    beside = Path(f"{path}.data")
    beside.unlink(missing_ok=True)
    onnx.save(copied, path, save_as_external_data=True, location=beside.name, size_threshold=0)


def compared(
    made: Made, machine: covenant.Machine, backend: str, folder: str, *, most_steps: int = 1, apart: bool = False
) -> Outcome:
    """Compiles and runs a model, and holds it against what ONNX Runtime says of it unfused.

    Args:
        made: the model.
        machine: to run on.
        backend: of `covenant.BACKENDS`; rtl: in lock step with the SystemC model.
        folder: for files.
        most_steps: that a layer may be away from what ONNX Runtime makes of the machine's own tensors.
        apart: the model's constants lie in a file beside it.

    Raises:
        CovenantError: the model is refused.
    """
    path = f"{folder}/model.onnx"
    save(made.model, path, apart=apart)
    program = covenant.compile(path, machine)
    if backend == "rtl":
        difference = covenant.cosim(program, made.inputs).first
        if difference is not None:
            return Outcome("wrong", "RTL", text=difference.text)
    outputs = covenant.Session(program, "systemc" if backend == "rtl" else backend).run(made.inputs).outputs
    is_fused = made.fused is not None and witnesses.same(outputs, made.fused)
    if witnesses.same(outputs, made.unfused):
        return Outcome("equal", equal_fused=is_fused)
    found = [witnesses.Gap("", "no tensor", np.inf)]
    for tensors_of in (_of_layers, _as_outputs):
        tensors = tensors_of(program, made, outputs, partial(_put, folder, apart=apart))
        if tensors is None:
            continue
        found, tensor_count, steps = witnesses.gaps(made.model, made.inputs, tensors, outputs, most_steps=most_steps)
        if not found:
            return Outcome("explained", compared=tensor_count, steps=steps, equal_fused=is_fused)
    return Outcome("wrong", "", found[0].operator, "; ".join(map(str, found[:4])), equal_fused=is_fused)


Tensors = dict[str, np.ndarray]
Put = Callable[[Any], str]
"""Writes a model as that of the point is written; its path."""


def _put(folder: str, model: Any, *, apart: bool) -> str:
    path = f"{folder}/stored.onnx"
    save(model, path, apart=apart)
    return path


def _of_layers(program: covenant.Program, made: Made, outputs: Tensors, put: Put) -> Tensors | None:
    """Tensors that layers have written, by the model's names; None: the machine does not stop between layers."""
    del outputs, put
    if program.machine.issues_packets:
        return None
    layers = covenant.Session(program).layer_tensors(made.inputs)
    return {tensor.name: tensor.array for tensor in layers if not tensor.name.endswith("/image")}


def _as_outputs(program: covenant.Program, made: Made, outputs: Tensors, put: Put) -> Tensors | None:
    """All that the model stores, also what its layers keep in another form: each as an output of the model.

    Where the compiler does not take them all, those that it takes one by one. None: the model has other outputs then.
    """
    read = {entry.name for entry in made.model.graph.input}
    given = {name for node in made.model.graph.node if read.intersection(node.input) for name in node.output}
    names = [name for name in witnesses.stored_types(made.model) if name not in given]  # the host stores inputs
    try:
        return _with_outputs(program, made, outputs, put, names)
    except covenant.CovenantError:
        tensors: Tensors = {}
        for name in names:
            with contextlib.suppress(covenant.CovenantError):
                tensors |= _with_outputs(program, made, outputs, put, [name]) or {}
        return tensors


def _with_outputs(
    program: covenant.Program, made: Made, outputs: Tensors, put: Put, names: list[str]
) -> Tensors | None:
    """Stored tensors as the machine computes them; None: asking for them changes the model's outputs."""
    model = onnx.ModelProto()
    model.CopyFrom(made.model)
    kinds, shapes = witnesses.stored_types(model), witnesses.stored_shapes(model, made.inputs)
    known = {entry.name for entry in model.graph.output}
    model.graph.output.extend(
        onnx.helper.make_tensor_value_info(name, kinds[name], shapes[name]) for name in names if name not in known
    )
    got = covenant.run(covenant.compile(put(model), program.machine), made.inputs).outputs
    if any(got[name].tobytes() != array.tobytes() for name, array in outputs.items()):
        return None
    return {name: array for name, array in got.items() if name in kinds}
