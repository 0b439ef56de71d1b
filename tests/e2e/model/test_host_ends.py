"""Models with float operators at both ends: the host computes the ends, the machine the quantised part between them."""

from __future__ import annotations

import json

import numpy as np
import onnx
import pytest
from both_ways import as_written
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.verify.expected import Source, expected_outputs, expected_tensors

SIDE = 12


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def between(random, value, result):
    """A quantised convolution from f32 to f32."""
    weights = random.integers(-90, 90, (8, 4, 3, 3)).astype(np.int8)
    arrays = {
        "w": weights, "ws": np.full(8, 0.01, np.float32), "wz": np.zeros(8, np.int8),
        "s": np.float32(0.05), "z": np.int8(3), "ys": np.float32(0.2),
    }  # fmt: skip
    constants = [constant(name, array) for name, array in arrays.items()]
    nodes = [
        helper.make_node("QuantizeLinear", [value, "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], axis=0),
        helper.make_node("Conv", ["d", "wd"], ["c"], "middle", pads=[1, 1, 1, 1]),
        helper.make_node("QuantizeLinear", ["c", "ys", "z"], ["yq"]),
        helper.make_node("DequantizeLinear", ["yq", "ys", "z"], [result]),
    ]
    return nodes, constants


def model(path, inputs, outputs, nodes, constants):
    graph = helper.make_graph(nodes, "ends", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(made.SerializeToString())
    return path


def info(name, shape=None, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


@pytest.fixture
def looked_up(tmp_path):
    """Rows of a quantised table by index, beside what the end reads of two inputs and of what the start has made."""
    random = np.random.default_rng(4)
    nodes, constants = between(random, "image", "y")
    constants += [
        constant("table", random.integers(-128, 128, (30, SIDE)).astype(np.int8)), constant("ts", np.float32(0.04)),
        constant("tz", np.int8(0)), constant("axes", np.array([0], np.int64)), constant("half", np.float32(0.5)),
    ]  # fmt: skip
    before = [
        helper.make_node("DequantizeLinear", ["table", "ts", "tz"], ["rows"]),
        helper.make_node("Gather", ["rows", "index"], ["found"]),
        helper.make_node("Unsqueeze", ["found", "axes"], ["stacked"]),
        helper.make_node("Sin", ["stacked"], ["image"]),
    ]
    after = [
        helper.make_node("ReduceMean", ["image"], ["level"], axes=[1], keepdims=1),
        helper.make_node("Mul", ["state", "half"], ["faded"]),
        helper.make_node("Sum", ["y", "faded", "level"], ["total"]),
        helper.make_node("Softmax", ["total"], ["shares"], axis=1),
    ]
    inputs = [info("state", [1, 8, SIDE, SIDE]), info("index", [4, SIDE], TensorProto.INT64)]
    outputs = [info("shares"), info("faded")]
    path = model(tmp_path / "ends.onnx", inputs, outputs, [*before, *nodes, *after], constants)
    feed = {
        "state": random.normal(size=(1, 8, SIDE, SIDE)).astype(np.float32), "index": random.integers(0, 30, (4, SIDE)),
    }  # fmt: skip
    return path, feed


def test_both_ends_are_the_hosts(looked_up):
    path, feed = looked_up
    program = covenant.compile(path, "genesys:8x8")
    assert program.start.operators == ("DequantizeLinear", "Gather", "Unsqueeze", "Sin")
    assert program.end.operators == ("ReduceMean", "Mul", "Sum", "Softmax")
    assert [tensor.name for tensor in program.inputs] == ["state", "index"]
    assert [str(tensor.dtype) for tensor in program.inputs] == ["float32", "int64"]
    assert [block.layer for block in program.blocks] == ["middle"]
    expected = oracle.run(path, feed)
    for backend in ("systemc", "interpret"):
        result = covenant.run(program, feed, backend=backend)
        assert list(result.outputs) == ["shares", "faded"]
        assert result.host_seconds > 0
        for name, array in expected.items():
            np.testing.assert_array_equal(result.outputs[name], array)


def test_reference_operators_have_the_same_ends(looked_up):
    path, feed = looked_up
    expected = oracle.run(path, feed)
    for name, array in expected_outputs(path, [feed], Source.REFERENCE).outputs[0].items():
        np.testing.assert_array_equal(array, expected[name])
    (tensors,) = expected_tensors(path, [feed], Source.REFERENCE)
    assert "yq" in tensors
    session = covenant.Session(covenant.compile(path, "genesys:8x8"))
    (layer,) = session.layer_tensors(feed)
    np.testing.assert_array_equal(layer.array, tensors[layer.name])


def test_programs_carry_their_ends(looked_up, tmp_path, capsys):
    path, feed = looked_up
    program = covenant.compile(path, "genesys:8x8")
    program.save(tmp_path / "a.cprog")
    loaded = covenant.Program.load(tmp_path / "a.cprog")
    assert loaded == program
    np.testing.assert_array_equal(
        covenant.run(loaded, feed).outputs["shares"], covenant.run(program, feed).outputs["shares"]
    )
    np.savez(tmp_path / "feed.npz", **feed)
    command = ["run", str(path), "-m", "genesys:8x8", "--input", str(tmp_path / "feed.npz"), "--json"]
    assert main([*command, "--compare", "onnxruntime"]) == 0
    host = json.loads(capsys.readouterr().out)["host"]
    assert (host["before"][-1], host["after"][-1]) == ("Sin", "Softmax")
    assert host["operators"] == host["before"] + host["after"]
    assert main(["run", str(path), "-m", "genesys:8x8", "--seed", "3"]) == 0
    said = capsys.readouterr().out
    assert "before the machine: DequantizeLinear, Gather" in said


@pytest.mark.parametrize(
    "change",
    [
        lambda start, end: (b"\xff" + start, end),
        lambda start, end: (start, end[: len(end) // 2]),
        lambda start, end: (end, start),
        lambda start, end: (b"", end),
        lambda start, end: (start, end.replace(b'"shares"', b'"scares"')),
        lambda start, end: (start, onnx.ModelProto().SerializeToString() or b"\x08\x08"),
    ],
)
def test_damaged_ends_are_refused(looked_up, change, tmp_path):
    core = covenant.compile(looked_up[0], "genesys:8x8")._core
    path = tmp_path / "a.cprog"
    path.write_bytes(core.with_host(*change(core.host_start, core.host_end)).to_bytes())
    with pytest.raises(covenant.CovenantError) as error:
        covenant.Program.load(path)
    assert (error.value.code, error.value.where) == ("PRG0009", str(path))
    assert error.value.diagnostic.offending


@pytest.mark.parametrize(
    ("change", "code"),
    [(lambda feed: feed.pop("index"), "RUN0001"), (lambda feed: feed.update(more=feed["index"]), "RUN0002"),
     (lambda feed: feed.update(index=feed["index"][:2]), "RUN0003"),
     (lambda feed: feed.update(index=feed["index"].astype(np.int32)), "RUN0004")],
)  # fmt: skip
def test_inputs_of_the_host_are_checked(looked_up, change, code):
    path, feed = looked_up
    program = covenant.compile(path, "genesys:8x8")
    change(feed)
    with pytest.raises(covenant.CovenantError) as error:
        covenant.run(program, feed)
    assert error.value.code == code


def test_float_operators_in_the_middle_are_refused(tmp_path):
    random = np.random.default_rng(5)
    nodes, constants = between(random, "x", "y")
    again, _ = between(random, "sums", "last")
    middle = helper.make_node("LogSoftmax", ["y"], ["sums"], "middle")
    for node in again:
        for field in (node.input, node.output):
            names = [name if name in {c.name for c in constants} | {"sums", "last"} else f"{name}2" for name in field]
            del field[:]
            field.extend(names)
    constants.append(constant("w2", random.integers(-9, 9, (8, 8, 3, 3)).astype(np.int8)))
    again[2].input[0] = "w2"
    path = model(
        tmp_path / "middle.onnx", [info("x", [1, 4, SIDE, SIDE])], [info("last")], [*nodes, middle, *again], constants
    )
    with pytest.raises(covenant.CovenantError, match="LogSoftmax") as error:
        covenant.compile(path, "genesys:8x8")
    assert error.value.code.startswith("ONX")


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_inputs_of_other_precisions(dtype, tmp_path, capsys):
    """The host casts them: they are taken from files, given as arrays, and made at random."""
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    step, zero = constant("step", np.float32(0.05)), constant("zero", np.int8(0))
    nodes = [
        helper.make_node("Cast", ["x"], ["real"], "cast", to=TensorProto.FLOAT),
        helper.make_node("QuantizeLinear", ["real", "step", "zero"], ["q"], "quantize"),
        helper.make_node("DequantizeLinear", ["q", "step", "zero"], ["d"], "dequantize"),
        helper.make_node("Add", ["d", "d"], ["t"], "twice"),
        helper.make_node("QuantizeLinear", ["t", "step", "zero"], ["tq"], "again"),
        helper.make_node("DequantizeLinear", ["tq", "step", "zero"], ["y"], "back"),
    ]
    path = tmp_path / "x.onnx"
    model(path, [info("x", [1, 4, 6], kind)], [info("y")], nodes, [step, zero])
    array = np.random.default_rng(1).normal(size=(2, 4, 6)).astype(dtype)
    np.savez(tmp_path / "x.npz", x=array)
    result = covenant.run(covenant.compile(path, "genesys:8x8"), array[:1])
    np.testing.assert_array_equal(result.outputs["y"], oracle.run(path, array[:1])["y"])
    for given in ([], ["--input", str(tmp_path / "x.npz")]):
        assert main(["run", str(path), "-m", "genesys:8x8", *given, "--compare", "onnxruntime"]) == 0
    capsys.readouterr()
    with pytest.raises(covenant.CovenantError) as error:
        covenant.run(covenant.compile(path, "genesys:8x8"), array[:1].astype(np.float32))
    assert error.value.code == "RUN0004"


@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("order", [["real", "y"], ["y", "real"]])
def test_what_the_host_makes_first_may_be_an_output(order, closes, tmp_path):
    """The machine stores another one of it; what is given is what was there before."""
    random = np.random.default_rng(9)
    nodes, constants = between(random, "real", "made" if closes else "y")
    before = [helper.make_node("Sin", ["x"], ["real"])]
    after = [helper.make_node("Softmax", ["made"], ["y"], axis=1)] if closes else []
    inputs, outputs = [info("x", [1, 4, SIDE, SIDE])], [info(name) for name in order]
    path = model(tmp_path / "ends.onnx", inputs, outputs, [*before, *nodes, *after], constants)
    feed = {"x": random.normal(size=(1, 4, SIDE, SIDE)).astype(np.float32)}
    program = covenant.compile(path, "genesys:8x8")
    assert [tensor.name for tensor in program.outputs] == order
    made, expected = covenant.run(program, feed).outputs, as_written(path, feed)
    assert list(made) == order
    np.testing.assert_array_equal(made["real"], expected["real"])
    np.testing.assert_allclose(made["y"], expected["y"], atol=0.21)  # a step of sums in float
    reference = expected_outputs(path, [feed], Source.REFERENCE).outputs[0]
    assert {name: array.tobytes() for name, array in reference.items()} == {
        name: array.tobytes() for name, array in made.items()
    }
    assert main(["run", str(path), "-m", "genesys:8x8", "--compare", "onnxruntime"]) == 0


@pytest.mark.parametrize("operator", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_picks_of_stored_elements(dtype, last, operator, tmp_path):
    """The quantiser of ONNX Runtime has operators of indices read stored elements; movements may come between."""
    random, zero = np.random.default_rng(11), dtype(100)
    scale, step = np.float32(0.04), np.float32(0.3)
    arrays = {
        "s": scale, "z": zero, "w": random.integers(-90, 90, (8, 6)).astype(np.int8), "ws": np.float32(0.01),
        "wz": np.int8(0), "ys": step,
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "ys", "z"], ["p"], "product"),
        helper.make_node("Transpose", ["p"], ["turned"], perm=[1, 0]),
        helper.make_node(operator, ["turned"], ["y"], axis=1, keepdims=0, select_last_index=last),
        helper.make_node(operator, ["p"], ["rows"], axis=-1, select_last_index=last),
    ]
    constants = [constant(name, array) for name, array in arrays.items()]
    inputs, outputs = [info("x", [9, 8])], [info(name, None, TensorProto.INT64) for name in ("y", "rows")]
    path = model(tmp_path / "picks.onnx", inputs, outputs, nodes, constants)
    feed = {"x": random.normal(size=(9, 8)).astype(np.float32)}
    program = covenant.compile(path, "genesys:8x8")
    assert program.end.operators == (operator, operator)
    made, expected = covenant.run(program, feed).outputs, as_written(path, feed)
    for name, array in expected.items():
        np.testing.assert_array_equal(made[name], array)
    assert len(np.unique(expected["rows"])) > 1
