"""Programs of several parts: the bytes of the whole, costs, files, state, the host's ends, lock step of each part."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from digits import DIGITS
from onnx import helper
from test_state import INPUTS, Cell

import covenant

MODEL = DIGITS / "digits_qdq.onnx"


def images(count: int) -> np.ndarray:
    with np.load(DIGITS / "digits_test.npz") as test:
        return test["images"][:count].astype(np.float32)


def whole(machine: str, image: np.ndarray) -> dict[str, np.ndarray]:
    return dict(covenant.run(covenant.compile(MODEL, machine), image).outputs)


@pytest.mark.parametrize("after", ["conv1", "add", "pool_out_QuantizeLinear_Output", "conv4"])
def test_two_machines_of_equal_numerics_give_the_bytes_of_one(after: str):
    image = images(1)
    parts = covenant.compile_parts(MODEL, "genesys", {after: "genesys:8x8"})
    expected = whole("genesys", image)
    for backend in ("systemc", "interpret"):
        result = covenant.PartsSession(parts, backend).run(image)
        assert result.outputs["logits"].tobytes() == expected["logits"].tobytes()


def test_parts_of_other_families_cost_what_their_machines_say():
    image = images(1)
    parts = covenant.compile_parts(MODEL, "genesys:8x8", {"pool": "hvx", "conv4": "genesys"})
    assert [part.program.machine.name for part in parts.parts] == ["genesys", "hvx", "genesys"]
    result = covenant.PartsSession(parts).run(image)
    seconds = 0.0
    for part, run in zip(parts.parts, result.parts, strict=True):
        again = covenant.run(part.program, run.inputs)
        assert again.cycles == run.result.cycles > 0
        for name, array in again.outputs.items():
            assert array.tobytes() == run.result.outputs[name].tobytes()
        interpreted = covenant.run(part.program, run.inputs, backend="interpret")
        assert all((array == interpreted.outputs[name]).all() for name, array in again.outputs.items())
        seconds += again.cycles / part.program.machine.to_dict()["clock_hertz"]
    assert result.cycles == sum(run.result.cycles for run in result.parts)
    assert result.machine_seconds == pytest.approx(seconds)


def test_a_file_holds_all_parts(tmp_path: Path):
    parts = covenant.compile_parts(MODEL, "genesys:8x8", {"pool": "hvx"})
    path = tmp_path / "digits.cprog"
    parts.save(path)
    assert covenant.ProgramParts.load(path) == parts
    assert parts.disassemble().startswith("# part 1, genesys\n")
    assert "# part 2, hvx\n" in parts.disassemble()
    with pytest.raises(covenant.CovenantError) as error:
        covenant.Program.load(path)
    assert error.value.code == "PRG0007"
    parts.parts[0].program.save(path)
    with pytest.raises(covenant.CovenantError) as error:
        covenant.ProgramParts.load(path)
    assert error.value.code == "PRG0007"


def test_each_session_names_the_other():
    parts = covenant.compile_parts(MODEL, "genesys:8x8", {"pool": "genesys:8x8"})
    with pytest.raises(TypeError, match=r"covenant\.PartsSession"):
        covenant.Session(parts)
    with pytest.raises(TypeError, match=r"covenant\.Session"):
        covenant.PartsSession(parts.parts[0].program)


@pytest.mark.parametrize(("after", "code"), [("conv9", "GEN0080"), ("classifier", "GEN0082")])
def test_cuts_that_are_not_there_are_refused(after: str, code: str):
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile_parts(MODEL, "genesys", {after: "hvx"})
    assert error.value.code == code


def test_the_host_computes_the_ends_of_the_whole(tmp_path: Path):
    model = onnx.load(MODEL)
    model.graph.node.append(helper.make_node("Softmax", ["logits"], ["probabilities"], axis=1))
    output = model.graph.output[0]
    output.name = "probabilities"
    path = tmp_path / "closed.onnx"
    onnx.save(model, path)
    image = images(1)
    parts = covenant.compile_parts(path, "genesys", {"pool": "genesys:8x8"})
    assert parts.end is not None
    assert [one.name for one in parts.outputs] == ["probabilities"]
    made = covenant.PartsSession(parts).run(image).outputs["probabilities"]
    expected = covenant.run(covenant.compile(path, "genesys"), image).outputs["probabilities"]
    assert made.tobytes() == expected.tobytes()
    parts.save(tmp_path / "closed.cprog")
    assert covenant.ProgramParts.load(tmp_path / "closed.cprog") == parts


@pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
def test_each_part_runs_in_lock_step_with_its_rtl():
    image = images(1)
    small = covenant.Machine("genesys", M=3, N=4)
    build = covenant.Build(quick=True)
    parts = covenant.compile_parts(MODEL, small, {"conv4": small})
    result = covenant.PartsSession(parts).run(image)
    for part, run in zip(parts.parts, result.parts, strict=True):
        found = covenant.cosim(part.program, run.inputs, build=build)
        assert found.identical
        assert found.cycles == run.result.cycles
    rtl = covenant.PartsSession(parts, "rtl", build=build).run(image)
    assert rtl.outputs["logits"].tobytes() == result.outputs["logits"].tobytes()
    assert rtl.cycles == result.cycles


def test_state_goes_round_through_all_parts(tmp_path: Path):
    model = Cell().save(tmp_path / "cell.onnx")
    parts = covenant.compile_parts(model, "genesys:8x8", {"Add_sum": "genesys"}, state={"h_next": "h"})
    assert parts.state == {"h_next": "h"}
    session = covenant.PartsSession(parts)
    whole = covenant.Session(covenant.compile(model, "genesys", state={"h_next": "h"}))
    for step in range(3):
        x = np.random.default_rng(step).normal(size=(1, INPUTS)).astype(np.float32)
        expected = whole.run({"x": x}).outputs
        made = session.run({"x": x}).outputs
        assert all(made[name].tobytes() == array.tobytes() for name, array in expected.items())
    assert session.state["h"].tobytes() == whole.state["h"].tobytes()
    session.reset_state()
    assert not session.state["h"].any()
