"""Tensors that a program hands from run to run: a recurrent cell, stepped by ONNX Runtime and by sessions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from test_bad_input import refused

import covenant
from covenant import oracle

INPUTS, HIDDEN, OUTPUTS, STEPS = 12, 20, 6, 7
H_SCALE, H_ZERO = 1 / 128, 128


class Cell:
    """h_next = Tanh(x W + h U), y = h_next V, each tensor quantised; x, h, h_next and y are float at the boundary."""

    def __init__(self, read_zero: int = H_ZERO, state_size: int = HIDDEN) -> None:
        self._random = np.random.default_rng(5)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        x = self._quantized("x", 0.05, 120)
        h = self._quantized("h", H_SCALE, read_zero)
        parts = [
            self._product("xw", x, (INPUTS, HIDDEN), 0.08, 131),
            self._product("hu", h, (state_size, HIDDEN), 0.06, 127),
        ]
        self._node("Add", parts, "sum")
        self._node("Tanh", [self._quantized("sum", 0.03, 129)], "h_real")
        made = self._quantized("h_real", H_SCALE, H_ZERO, "h_next")
        self._node("Identity", [self._product("y_real", made, (HIDDEN, OUTPUTS), 0.07, 125)], "y")
        shapes = {"x": INPUTS, "h": state_size, "h_next": HIDDEN, "y": OUTPUTS}
        info = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, n]) for name, n in shapes.items()}
        graph = helper.make_graph(
            self._nodes, "cell", [info["x"], info["h"]], [info["y"], info["h_next"]], self._constants
        )
        self.model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def save(self, path: Path) -> Path:
        """Writes the model."""
        onnx.save(self.model, str(path))
        return path

    def _node(self, operator: str, inputs: list[str], output: str) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], f"{operator}_{output}"))
        return output

    def _constant(self, name: str, array: np.ndarray) -> str:
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def _quantized(self, name: str, scale: float, zero: int, real: str | None = None) -> str:
        parts = [
            self._constant(f"{name}_scale", np.float32(scale)),
            self._constant(f"{name}_zero", np.uint8(zero)),
        ]
        stored = self._node("QuantizeLinear", [name, *parts], f"{name}_stored")
        return self._node("DequantizeLinear", [stored, *parts], real or f"{name}_read")

    def _product(self, name: str, read: str, shape: tuple[int, int], scale: float, zero: int) -> str:
        weights = self._random.integers(-127, 128, shape).astype(np.int8)
        parts = [
            self._constant(f"{name}_weights", weights),
            self._constant(f"{name}_weight_scale", np.float32(0.01)),
            self._constant(f"{name}_weight_zero", np.int8(0)),
        ]
        real = self._node("DequantizeLinear", parts, f"{name}_weights_read")
        self._node("MatMul", [read, real], name)
        return self._quantized(name, scale, zero)


def inputs() -> list[np.ndarray]:
    random = np.random.default_rng(6)
    return [random.normal(0, 2, (1, INPUTS)).astype(np.float32) for _ in range(STEPS)]


def stepped(model: Path, h: np.ndarray) -> list[dict[str, np.ndarray]]:
    """Outputs of ONNX Runtime for the steps, each given by hand the state that the one before has made."""
    made = []
    for x in inputs():
        made.append(oracle.run(model, {"x": x, "h": h}))
        h = made[-1]["h_next"]
    return made


def stepped_without_state(model: Path, machine: str, backend: str, h: np.ndarray) -> list[dict[str, np.ndarray]]:
    """The same of a program without state."""
    session = covenant.Session(covenant.compile(model, machine), backend)
    made = []
    for x in inputs():
        made.append(session.run({"x": x, "h": h}).outputs)
        h = made[-1]["h_next"]
    return made


def expect_the_same(found: list[covenant.Result], expected: list[dict[str, np.ndarray]]) -> None:
    for step, (one, other) in enumerate(zip(found, expected, strict=True)):
        for name, array in other.items():
            np.testing.assert_array_equal(one.outputs[name], array, err_msg=f"step {step}, {name}")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return Cell().save(tmp_path_factory.mktemp("cell") / "cell.onnx")


ZEROS = np.zeros((1, HIDDEN), np.float32)
MACHINES = ("genesys:8x8", "hvx")


@pytest.mark.parametrize("backend", ["interpret", "systemc"])
@pytest.mark.parametrize("machine", MACHINES)
def test_a_recurrent_cell_is_stepped_as_by_hand(model, machine, backend):
    program = covenant.compile(model, machine, state={"h_next": "h"})
    session = covenant.Session(program, backend)
    expected = stepped(model, ZEROS)
    assert len({one["y"].tobytes() for one in expected}) == STEPS  # the steps differ
    expect_the_same([session.run({"x": x}) for x in inputs()], expected)
    # Anew, then from a state of the user's; one array is the only input that has to be given.
    session.reset_state()
    expect_the_same([session.run(x) for x in inputs()], expected)
    h = np.linspace(-0.9, 0.9, HIDDEN, dtype=np.float32).reshape(1, HIDDEN)
    session.reset_state({"h": h})
    made = [session.run(x) for x in inputs()]
    expect_the_same(made, stepped_without_state(model, machine, backend, h))
    if machine != "hvx":  # which scales in fixed point, and is a step from ONNX Runtime here
        expect_the_same(made, stepped(model, h))


def test_on_the_rtl_too(model):
    program = covenant.compile(model, covenant.Machine("genesys", M=4, N=4), state={"h_next": "h"})
    session = covenant.Session(program, "rtl", build=covenant.Build(quick=True))
    expect_the_same([session.run(x) for x in inputs()], stepped(model, ZEROS))


def test_what_a_run_is_given_replaces_the_state(model):
    program = covenant.compile(model, "genesys:8x8", state={"h_next": "h"})
    session = covenant.Session(program, "interpret")
    x = inputs()[0]
    h = np.full((1, HIDDEN), 0.5, np.float32)
    made = session.run({"x": x, "h": h})
    np.testing.assert_array_equal(made.outputs["h_next"], oracle.run(model, {"x": x, "h": h})["h_next"])
    np.testing.assert_array_equal(session.state["h"], made.outputs["h_next"])
    # A look at layers, and a run without values, leave it as it is.
    session.layer_tensors({"x": x})
    np.testing.assert_array_equal(session.state["h"], made.outputs["h_next"])
    timed = covenant.Session(program)
    timed.run({"x": x}, values=False)
    np.testing.assert_array_equal(timed.state["h"], ZEROS)


def test_a_program_file_keeps_its_state_and_others_have_none(model, tmp_path):
    program = covenant.compile(model, "genesys:8x8", state={"h_next": "h"})
    program.save(tmp_path / "cell.cprog")
    read = covenant.Program.load(tmp_path / "cell.cprog")
    assert read.state == {"h_next": "h"}
    assert read == program
    plain = covenant.compile(model, "genesys:8x8")
    assert plain.state == {}
    assert b'"state"' not in plain.to_bytes()
    session = covenant.Session(plain, "interpret")
    assert session.state == {}
    with pytest.raises(covenant.CovenantError, match="RUN0001"):
        session.run({"x": inputs()[0]})


def test_the_command_line_marks_and_shows_it(covenant_command, model, tmp_path):
    file = tmp_path / "cell.cprog"
    done = covenant_command("compile", model, "-m", "genesys:8x8", "--state", "h_next:h", "-o", file, "--json")
    assert done.object["state"] == {"h_next": "h"}
    assert covenant_command("disasm", file).out.startswith("# state: h_next -> h\n")
    # Images are steps; the cell is given x alone.
    np.savez(tmp_path / "x.npz", x=np.concatenate(inputs()))
    files = ["--input", tmp_path / "x.npz", "--output", tmp_path / "y.npz"]
    covenant_command("run", file, *files, "--backend", "interpret")
    made = np.load(tmp_path / "y.npz")
    np.testing.assert_array_equal(made["y"].reshape(STEPS, OUTPUTS), [one["y"][0] for one in stepped(model, ZEROS)])


@pytest.mark.parametrize("pair", ["h_next", "h_next:", "a:b:c"])
def test_the_command_line_refuses_what_is_no_pair(covenant_command, model, tmp_path, pair):
    done = covenant_command("compile", model, "-m", "genesys", "--state", pair, "-o", tmp_path / "x.cprog", "--json")
    refused(done, "CLI0008")


def test_what_cannot_be_state_is_refused(model):
    for state in ({"h_now": "h"}, {"h_next": "g"}):
        with pytest.raises(covenant.CovenantError, match="GEN0070"):
            covenant.compile(model, "genesys:8x8", state=state)
    with pytest.raises(covenant.CovenantError, match="GEN0071"):
        covenant.compile(model, "genesys:8x8", state={"h_next": "x"})
    with pytest.raises(covenant.CovenantError, match="GEN0072"):
        covenant.compile(model, "genesys:8x8", state={"h_next": "h", "y": "h"})


def test_state_of_another_scale_or_size_is_refused(tmp_path):
    for cell in (Cell(read_zero=127), Cell(state_size=HIDDEN - 4)):
        path = cell.save(tmp_path / "other.onnx")
        with pytest.raises(covenant.CovenantError, match="GEN0071"):
            covenant.compile(path, "genesys:8x8", state={"h_next": "h"})


def test_a_network_has_no_state(model, tmp_path):
    (tmp_path / "cell.network").write_text(covenant.emit(model, "genesys:8x8", "network"))
    with pytest.raises(covenant.CovenantError, match="GEN0073"):
        covenant.compile(tmp_path / "cell.network", "genesys:8x8", state={"h_next": "h"})


def test_states_that_do_not_fit_are_refused(model):
    session = covenant.Session(covenant.compile(model, "genesys:8x8", state={"h_next": "h"}), "interpret")
    for values, code in (
        ({"x": ZEROS}, "RUN0002"),
        ({"h": ZEROS[:, :3]}, "RUN0003"),
        ({"h": ZEROS.astype(np.float64)}, "RUN0004"),
    ):
        with pytest.raises(covenant.CovenantError, match=code):
            session.reset_state(values)
