"""A user's mistake gets a coded diagnostic and exit code 2, and leaves nothing half-written behind."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import onnx
import pytest
from digits import DIGITS, model_of
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.cli import main
from covenant.onnx_runtime import sessions

QDQ = model_of("qdq")


def refused(done, prefix: str) -> dict[str, object]:
    """Checks what every refusal has in common; returns the error object (commands are run with --json)."""
    assert done.code == 2, done.error
    error = done.object["error"]
    assert list(done.object) == ["error"]
    assert error["code"].startswith(prefix), error
    assert f"error[{error['code']}]" in done.error
    assert error["message"]
    assert error["fix"], "a diagnostic names one way to fix it"
    return error


def float_model(operation: str, path, *, name: str = "the_layer") -> None:
    """A model of one float operator."""
    graph = helper.make_graph(
        [helper.make_node(operation, ["x"], ["y"], name=name)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def with_unsupported_operator(path) -> None:
    """Quantise, an operator that no machine here has, dequantise."""
    scale = numpy_helper.from_array(np.array(0.1, np.float32), "s")
    zero = numpy_helper.from_array(np.array(0, np.int8), "z")
    graph = helper.make_graph(
        [
            helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="quantise"),
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], name="dequantise"),
            helper.make_node("Einsum", ["d"], ["e"], name="odd_layer", equation="ij->ji"),
            helper.make_node("QuantizeLinear", ["e", "s", "z"], ["r"], name="quantise_again"),
            helper.make_node("DequantizeLinear", ["r", "s", "z"], ["y"], name="dequantise_again"),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4, 4])],
        [scale, zero],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def test_missing_model(tmp_path, covenant_command):
    error = refused(covenant_command("run", tmp_path / "no.onnx", "-m", "genesys", "--json"), "ONX")
    assert "no.onnx" in error["where"] + error["offending"] + error["message"]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_truncated_model(share, tmp_path, covenant_command):
    data = QDQ.read_bytes()
    (tmp_path / "cut.onnx").write_bytes(data[: int(len(data) * share)])
    target = tmp_path / "out.cprog"
    refused(covenant_command("compile", tmp_path / "cut.onnx", "-m", "genesys", "-o", target, "--json"), "ONX")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.onnx"]


def test_unsupported_operator(tmp_path, covenant_command):
    with_unsupported_operator(tmp_path / "odd.onnx")
    done = covenant_command("run", tmp_path / "odd.onnx", "-m", "genesys", "--json")
    refused(done, "ONX")
    assert "Einsum" in done.error
    assert "odd_layer" in done.error


def test_float_model(covenant_command):
    error = refused(covenant_command("run", DIGITS / "digits_float.onnx", "-m", "genesys", "--json"), "ONX")
    assert "quanti" in error["fix"].lower()


def test_single_float_operator(tmp_path, covenant_command):
    float_model("Relu", tmp_path / "float.onnx")
    refused(covenant_command("run", tmp_path / "float.onnx", "-m", "genesys", "--json"), "ONX")


@pytest.mark.parametrize(
    ("array", "named"),
    [
        (np.zeros((1, 1, 8, 9), np.float32), "9"),
        (np.zeros((1, 8, 8), np.float32), "8"),
        (np.zeros((1, 1, 8, 8), np.float64), "float64"),
        (np.zeros((1, 1, 8, 8), np.uint8), "uint8"),
        (np.zeros((0, 1, 8, 8), np.float32), "0"),
    ],
)
def test_wrong_input(array, named, tmp_path, covenant_command):
    np.save(tmp_path / "x.npy", array)
    arguments = ["run", QDQ, "-m", "genesys", "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npz", "--json"]
    done = covenant_command(*arguments)
    assert refused(done, "CLI0003")["subject"] == "image"
    assert named in done.error
    assert not (tmp_path / "y.npz").exists()


@pytest.mark.parametrize(
    ("inputs", "code", "named"),
    [
        ({"image": np.zeros((1, 1, 8, 9), np.float32)}, "RUN0003", "image"),
        ({"image": np.zeros((1, 1, 8, 8), np.float64)}, "CLI0010", "float64"),
        ({"image": np.zeros((1, 1, 8, 8), np.int32)}, "RUN0004", "i32"),
        ({"image": np.zeros((1, 1, 8, 8), ">f4")}, "CLI0010", ">f4"),
        ({"picture": np.zeros((1, 1, 8, 8), np.float32)}, "RUN0002", "picture"),
        ({}, "RUN0001", "image"),
    ],
)
def test_wrong_input_of_run(inputs, code, named):
    program = covenant.compile(QDQ, "genesys")
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.run(program, inputs)
    assert caught.value.code == code
    assert named in str(caught.value)


def test_no_image_is_lost(tmp_path, covenant_command):
    np.save(tmp_path / "x.npy", np.zeros((3, 1, 8, 8), np.float32))
    arguments = ["run", QDQ, "-m", "genesys", "--input", tmp_path / "x.npy", "--json", "--images"]
    assert covenant_command(*arguments, 2).object["images"] == 2
    assert "1..3" in refused(covenant_command(*arguments, 4), "CLI0003")["allowed"]


@pytest.mark.parametrize("content", [b"", b"not an array", b"PK\x03\x04 cut"])
def test_unreadable_input(content, tmp_path, covenant_command):
    (tmp_path / "x.npz").write_bytes(content)
    refused(covenant_command("run", QDQ, "-m", "genesys", "--input", tmp_path / "x.npz", "--json"), "CLI0002")


def test_unknown_machine(covenant_command):
    error = refused(covenant_command("show", "no_such_machine", "--json"), "ACG")
    assert any("genesys" in name for name in error["allowed"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--preset", "7x7"],
        ["--set", "rows=3"],
        ["--set", "M=many"],
        ["--set", "M=0"],
        ["--set", "M=-4"],
        ["--set", "axi=7"],
    ],
    ids=" ".join,
)
def test_wrong_settings(arguments, covenant_command):
    refused(covenant_command("show", "genesys", *arguments, "--json"), "ACG")


@pytest.mark.parametrize("text", ["M", "=3", "M=", ""])
def test_malformed_setting(text, covenant_command):
    refused(covenant_command("show", "genesys", "--set", text, "--json"), "CLI0007")


def test_unknown_word_in_a_machine(tmp_path, covenant_command):
    machine = tmp_path / "odd.acg"
    text = covenant_command("show", "genesys", "--acg").out
    machine.write_text(text.replace("memory IBUF", "momery IBUF", 1))
    done = covenant_command("show", machine, "--json")
    error = refused(done, "ACG")
    assert "momery" in done.error
    line = text[: text.index("memory IBUF")].count("\n") + 1
    assert f"odd.acg:{line}:" in error["where"]


def test_the_shown_machine_is_the_machine(tmp_path, covenant_command):
    machine = tmp_path / "same.acg"
    machine.write_text(covenant_command("show", "genesys", "--set", "M=20", "--acg").out)
    done = covenant_command("show", machine, "--json")
    assert done.code == 0
    assert covenant.Machine(str(machine)).engines == covenant.Machine("genesys").engines


@pytest.mark.parametrize("setting", ["weight_depth=1", "input_depth=1", "output_depth=1", "vector_depth=1"])
def test_buffer_too_small_for_the_smallest_tile(setting, tmp_path, covenant_command):
    """Either the smallest tile still fits (and the bytes are right), or it is refused by name; never anything else."""
    target = tmp_path / "small.cprog"
    done = covenant_command("compile", QDQ, "-m", "genesys", "--set", setting, "-o", target, "--json")
    if done.code == 0:
        assert covenant_command("run", QDQ, "-m", "genesys", "--set", setting, "--compare", "onnxruntime").code == 0
        return
    error = refused(done, "CDL")
    assert error["subject"], "names the layer"
    assert list(tmp_path.iterdir()) == []


def test_at_least_one_buffer_is_too_small(tmp_path, covenant_command):
    arguments = [
        "--set",
        "weight_depth=1",
        "--set",
        "input_depth=1",
        "--set",
        "output_depth=1",
        "--set",
        "vector_depth=1",
    ]
    done = covenant_command("compile", QDQ, "-m", "genesys", *arguments, "-o", tmp_path / "x.cprog", "--json")
    refused(done, "CDL")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def program_file(tmp_path, covenant_command):
    path = tmp_path / "digits.cprog"
    assert covenant_command("compile", QDQ, "-m", "genesys", "-o", path).code == 0
    return path


@pytest.mark.parametrize("place", [0, 5, 20, 200, 2000, -5, -1])
def test_corrupted_program(place, program_file, covenant_command):
    data = bytearray(program_file.read_bytes())
    data[place] ^= 0x10
    program_file.write_bytes(data)
    refused(covenant_command("run", program_file, "--json"), "PRG")
    refused(covenant_command("disasm", program_file, "--json"), "PRG")


@pytest.mark.parametrize("length", [0, 3, 100, -1])
def test_truncated_program(length, program_file, covenant_command):
    program_file.write_bytes(program_file.read_bytes()[:length])
    refused(covenant_command("run", program_file, "--json"), "PRG")


def test_missing_program(tmp_path, covenant_command):
    refused(covenant_command("disasm", tmp_path / "no.cprog", "--json"), "CLI0009")


def test_a_model_is_not_a_program(covenant_command):
    refused(covenant_command("disasm", QDQ, "--json"), "PRG")


def test_nowhere_to_write(tmp_path, covenant_command):
    target = tmp_path / "no_folder" / "x.cprog"
    refused(covenant_command("compile", QDQ, "-m", "genesys", "-o", target, "--json"), "CLI0006")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["compile", QDQ, "-m", "genesys"],
        ["run", QDQ],
        ["run", "x.cprog", "-m", "genesys"],
        ["run", "x.cprog", "--compare", "onnxruntime"],
    ],
    ids=lambda arguments: " ".join(str(part) for part in arguments[::2]),
)
def test_arguments_that_contradict(arguments, covenant_command):
    refused(covenant_command(*arguments, "--json"), "CLI0008")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["run"],
        ["run", QDQ, "-m", "genesys", "--images", "0"],
        ["run", QDQ, "-m", "genesys", "--backend", "abacus"],
    ],
    ids=lambda arguments: " ".join(str(part) for part in arguments[::4]) or "none",
)
def test_wrong_arguments(arguments, covenant_command):
    refused(covenant_command(*arguments, "--json"), "CLI0001")


def test_unknown_pass_lists_those_known(covenant_command):
    done = covenant_command("compile", QDQ, "-m", "genesys", "--emit", "no_such_pass", "--json")
    assert done.code == 2
    assert set(covenant.passes()) <= set(done.object["error"]["allowed"])


def test_unknown_backend():
    program = covenant.compile(QDQ, "genesys")
    with pytest.raises(covenant.CovenantError, match="RUN0005"):
        covenant.run(program, np.zeros((1, 1, 8, 8), np.float32), backend="abacus")


def test_one_array_for_many_inputs(two_inputs):
    program = covenant.compile(two_inputs, "genesys")
    with pytest.raises(covenant.CovenantError, match="CLI0005"):
        covenant.run(program, np.zeros((1, 4, 2, 2), np.float32))


@pytest.fixture
def two_inputs(tmp_path):
    """A quantised sum of two inputs."""
    constants = [
        numpy_helper.from_array(np.array(0.1, np.float32), "s"),
        numpy_helper.from_array(np.array(3, np.uint8), "z"),
    ]
    shape = [1, 4, 2, 2]
    summands = ["qa", "s", "z", "qb", "s", "z", "s", "z"]
    graph = helper.make_graph(
        [
            helper.make_node("QuantizeLinear", ["a", "s", "z"], ["qa"], name="quantise_a"),
            helper.make_node("QuantizeLinear", ["b", "s", "z"], ["qb"], name="quantise_b"),
            helper.make_node("QLinearAdd", summands, ["qy"], name="sum", domain="com.microsoft"),
            helper.make_node("DequantizeLinear", ["qy", "s", "z"], ["y"], name="dequantise"),
        ],
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "ab"],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        constants,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    path = tmp_path / "two.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


def test_through_the_real_command(tmp_path):
    """A user's view: a process, its exit code, its two streams."""
    done = subprocess.run(
        [sys.executable, "-m", "covenant", "run", tmp_path / "no.onnx", "-m", "genesys"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert "error[ONX" in done.stderr
    assert "Traceback" not in done.stderr


def test_internal_errors_are_ours(covenant_command, monkeypatch):
    """A bug is not blamed on the user."""
    from covenant.cli import machines

    monkeypatch.setattr(machines, "machines", lambda: 1 // 0)
    done = covenant_command("machines", "--json")
    assert done.code == 3
    assert done.object["error"]["code"] == "INTERNAL"
    assert "ZeroDivisionError" in done.error


def test_an_oracle_that_cannot_run_says_so(covenant_command, monkeypatch):
    from covenant.oracle import oracle

    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.0.1")
    oracle._oracle_of.cache_clear()
    done = covenant_command("run", QDQ, "-m", "genesys", "--compare", "onnxruntime", "--json")
    assert "0.0.1" in refused(done, "CLI0004")["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", str(QDQ), "-m", "genesys", "--seed", "-1"),
        ("run", str(QDQ), "-m", "genesys", "--js"),
        ("run", "\udcff.onnx", "-m", "genesys"),
    ],
)
def test_arguments_that_mean_nothing(covenant_command, arguments):
    refused(covenant_command(*arguments, "--json"), "CLI0001")


def test_a_preset_given_twice(covenant_command):
    refused(covenant_command("show", "genesys:8x8", "--preset", "16x16", "--json"), "CLI0008")


def test_nothing_is_written_if_one_place_cannot_be(covenant_command, tmp_path):
    trace, nowhere = tmp_path / "trace.json", tmp_path / "nowhere" / "out.npz"
    refused(
        covenant_command("run", str(QDQ), "-m", "genesys", "--trace", str(trace), "--output", str(nowhere), "--json"),
        "CLI0006",
    )
    assert not trace.exists()


def test_a_value_as_long_as_a_file_is_cut():
    """Text for people; programs have all of it."""
    diagnostic = covenant.Diagnostic("CLI0001", "no such thing", offending="x" * 100_000, fix="write less")
    assert str(diagnostic).splitlines()[1:] == [f"  got: {'x' * 1000}... (100,000 characters)", "  fix: write less"]
    assert len(diagnostic.offending) == 100_000
    first = str(covenant.Diagnostic("CLI0001", "m" * 5000, "p" * 5000, subject="s" * 5000)).splitlines()[0]
    assert "error[CLI0001]" in first
    assert len(first) < 3200


def test_a_machine_on_standard_input_that_is_no_text(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{\xff"), encoding="utf-8"))
    assert main(["show", "-"]) == 2
    assert "error[CLI0009]" in capsys.readouterr().err


@pytest.mark.parametrize("threads", ["0", "18446744073709551616"])
def test_counts_that_nothing_holds(threads, capsys):
    assert main(["compile", str(model_of("qdq")), "-m", "genesys:8x8", "--threads", threads]) == 2
    assert "error[CLI0001]" in capsys.readouterr().err
