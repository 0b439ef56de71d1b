"""Writes a failure as a folder with a model, its inputs, a machine and a test that fails."""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
from comparing import Made, Outcome
from drawn_networks import float_network, samples
from outcome import machine_of, made_of
from plans import Plan
from styles import stacked

TEST = '''"""{title}"""

from __future__ import annotations

from pathlib import Path

import witnesses
import numpy as np
import onnx

import covenant

HERE = Path(__file__).resolve().parent


def test_what_the_machine_makes_is_explained() -> None:
    """Run with tests/soak on PYTHONPATH."""
    model = onnx.load(HERE / "model.onnx")
    inputs = dict(np.load(HERE / "inputs.npz"))
    machine = covenant.Machine.from_json((HERE / "machine.json").read_text())
    program = covenant.compile(HERE / "model.onnx", machine)
    outputs = covenant.Session(program, "{backend}").run(inputs).outputs
    if witnesses.same(outputs, witnesses.outputs_of(model, inputs, fused=False)):
        return
    stops = not machine.issues_packets
    written = covenant.Session(program).layer_tensors(inputs) if stops else ()
    tensors = {{t.name: t.array for t in written if "/" not in t.name}}
    gaps, _, _ = witnesses.gaps(model, inputs, tensors, outputs)
    assert not gaps, "; ".join(map(str, gaps))
'''


def write_failure(folder: Path, plan: Plan, original: Plan, outcome: Outcome) -> Path:
    """Writes what was drawn and what came of it, and a test; the folder of its own."""
    place = folder / f"{outcome.verdict}_{original.number}"
    place.mkdir(parents=True, exist_ok=True)
    said = {"plan": asdict(plan), "drawn": asdict(original), "outcome": asdict(outcome)}
    (place / "plan.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    backend = "systemc" if plan.backend == "rtl" else plan.backend
    title = f"{outcome.kind}: {plan.style}, {' '.join(kind for kind, _ in plan.layers)}, on {plan.machine}."
    (place / f"test_{place.name}.py").write_text(TEST.format(title=title, backend=backend), encoding="utf-8")
    return place


def write_model(place: Path, plan: Plan) -> None:
    """Writes the model of a plan with its inputs and its machine, or the float network where it is not quantised."""
    with contextlib.suppress(Exception):  # what fails here has failed before, and is being written down
        network = float_network(plan)
        onnx.save(network, place / "float.onnx")
        np.savez(place / "samples.npz", **stacked(samples(plan, network)))
        (place / "machine.json").write_text(machine_of(plan.machine).to_json(), encoding="utf-8")
        made = made_of(plan)
        if isinstance(made, Made):
            onnx.save(made.model, place / "model.onnx")
            np.savez(place / "inputs.npz", **made.inputs)
