"""The guide for float models is true: its commands run, and every machine's bytes equal ONNX Runtime's."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.onnx_runtime import sessions
from covenant.program import host

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/bring-your-model.md").read_text()
MAKE, QUANTIZE, FEWER_BITS, WIDTHS, RUN = (
    block.splitlines() for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
)
SCRIPT = re.search(r"```py\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The reader's folder after the first command."""
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", shlex.split(MAKE[0])[1:])
        runpy.run_path(str(ROOT / "examples/07_float_models/make_models.py"), run_name="__main__")
    return folder


@pytest.fixture(autouse=True)
def there(models, monkeypatch):
    monkeypatch.chdir(models)


def test_the_page_works_from_top_to_bottom(capsys):
    for command in [*QUANTIZE, *RUN]:
        assert main(shlex.split(command)[1:]) == 0, command
    said = capsys.readouterr().out
    assert "Rewritten in float" in said
    assert said.count("identical to what ONNX Runtime") == 3
    assert "on the host, in ONNX Runtime, after the machine: Softmax" in said
    exec(SCRIPT, {})  # noqa: S102  (the page's own lines)


def test_fewer_bits(capsys):
    for command in FEWER_BITS:
        assert main(shlex.split(command)[1:]) == 0, command
    said = capsys.readouterr().out
    assert "Each layer beside itself in float" in said
    assert "identical to what ONNX Runtime" in said


def test_other_widths(capsys):
    for command in WIDTHS:
        assert main(shlex.split(command)[1:]) == 0, command
    said = capsys.readouterr().out
    assert "int4 beside float" in said
    assert "int16 beside float" in said
    assert "of which no machine has a table at 16 bits: 2" in said
    assert "identical to what" in said


def quantized(name, **options):
    shapes = {"x": (1, 3, 12, 10)} if name == "gated" else None
    return covenant.quantize(
        f"models/{name}.onnx", f"models/{name}.again.onnx", f"models/{name}.npz", shapes=shapes, **options
    )


@pytest.mark.parametrize(
    ("name", "rewrites", "tables", "closing"),
    [
        ("gated", {"ReduceMean over pixels -> GlobalAveragePool"}, 5, 1),
        ("normalised", {"Sum -> Add", "Mul, Div, Add, Sub -> Conv"}, 2, 0),
        ("scores", {"Gemm bias [1,N] -> [N]"}, 1, 1),
    ],
)
def test_reports(name, rewrites, tables, closing):
    report = quantized(name)
    assert {one.what for one in report.rewrites} >= rewrites
    assert (report.tables, len(report.closing), report.float_operators) == (tables, closing, ())
    assert all(one.noise_decibel > 15 for one in report.errors), report.errors
    assert report.samples == 16 // (4 if name == "scores" else 1)


def test_equal_inputs_give_equal_bytes():
    first = quantized("gated").output.read_bytes()
    assert quantized("gated").output.read_bytes() == first


@pytest.mark.parametrize("options", [{"activations": "u8"}, {"per_channel": False}, {"method": "entropy"}])
def test_other_ways_compile_too(options):
    report = quantized("normalised", **options)
    program = covenant.compile(report.output, "genesys:8x8")
    image = np.load("models/normalised.npz")["x"][:1]
    expected = covenant.run(program, image, backend="interpret").outputs
    outputs = covenant.run(program, image).outputs
    assert {name: array.tobytes() for name, array in outputs.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


def test_a_program_carries_its_end(tmp_path):
    program = covenant.compile(quantized("gated").output, "genesys")
    program.save(tmp_path / "a.cprog")
    loaded = covenant.Program.load(tmp_path / "a.cprog")
    assert loaded == program
    assert loaded.end.operators == ("Softmax",)
    assert [(tensor.name, tensor.shape, tensor.dtype) for tensor in loaded.outputs] == [
        (tensor.name, tensor.shape, tensor.dtype) for tensor in program.outputs
    ]
    result = covenant.run(loaded, np.load("models/gated.npz")["x"][:1])
    (scores,) = result.outputs.values()
    assert scores.shape == loaded.outputs[0].shape == (1, 5)
    assert abs(scores.sum() - 1) < 1e-6
    assert result.host_seconds > 0


def test_json_of_both_commands(capsys):
    command = [*shlex.split(QUANTIZE[0])[1:], "--json"]
    assert main(command) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["tables"] == 5
    assert report["errors"][0]["same_largest"] >= 0.9
    assert main(["run", "models/gated_int8.onnx", "-m", "genesys", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["host"]["operators"] == ["Softmax"]


def test_mistakes(tmp_path):
    def refused(*arguments, **options):
        with pytest.raises(covenant.CovenantError) as error:
            covenant.quantize(*arguments, **options)
        return error.value

    data = "models/gated.npz"
    assert refused("models/gated.npz", tmp_path / "y.onnx", data).code == "QNT0001"
    assert refused("models/gated_int8.onnx", tmp_path / "y.onnx", data).code == "QNT0001"
    assert refused("models/gated.onnx", tmp_path / "y.onnx", data).code == "QNT0002"
    assert refused("models/gated.onnx", tmp_path / "y.onnx", data, shapes={"y": (1, 3, 12, 10)}).code == "QNT0002"
    shapes = {"x": (1, 3, 12, 10)}
    assert refused("models/gated.onnx", tmp_path / "y.onnx", "models/scores.npz", shapes=shapes).code == "QNT0003"
    empty = {"x": np.zeros((0, 3, 12, 10))}
    assert refused("models/gated.onnx", tmp_path / "y.onnx", empty, shapes=shapes).code == "QNT0003"
    assert refused("models/gated.onnx", tmp_path / "y.onnx", data, shapes=shapes, activations="i4").code == "QNT0005"
    assert refused("models/gated.onnx", tmp_path / "y.onnx", "models/none.npz", shapes=shapes).code == "CLI0002"
    assert (
        main(["quantize", "models/gated.onnx", "-o", str(tmp_path / "y.onnx"), "--calibrate", data, "--shape", "x"])
        == 2
    )
    assert not (tmp_path / "y.onnx").exists()


def test_nodes_that_stay_in_float(tmp_path):
    """The first layer is then the host's."""
    nodes = [node.name for node in onnx.load("models/normalised.onnx").graph.node]
    command = [
        "quantize",
        "models/normalised.onnx",
        "--calibrate",
        "models/normalised.npz",
        "-o",
        str(tmp_path / "y.onnx"),
    ]
    assert main([*command, "--keep-float", nodes[0]]) == 0
    program = covenant.compile(tmp_path / "y.onnx", "genesys")
    assert program.start.operators == (onnx.load("models/normalised.onnx").graph.node[0].op_type,)
    image = np.load("models/normalised.npz")["x"][:1]
    expected = oracle.run(tmp_path / "y.onnx", image)
    for name, array in covenant.run(program, image).outputs.items():
        np.testing.assert_array_equal(array, expected[name])
    with pytest.raises(covenant.CovenantError) as error:
        covenant.quantize("models/scores.onnx", tmp_path / "y.onnx", "models/scores.npz", keep_float=["lion*"])
    assert error.value.code == "QNT0007"


def test_without_onnx_runtime(tmp_path, monkeypatch):
    program = covenant.compile(quantized("gated").output, "genesys")
    image = np.load("models/gated.npz")["x"][:1]
    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.0.1")
    host.host_part.cache_clear()
    with pytest.raises(covenant.CovenantError) as error:
        covenant.run(program, image)
    assert error.value.code == "RUN0014"
    with pytest.raises(covenant.CovenantError) as error:
        covenant.quantize("models/scores.onnx", tmp_path / "y.onnx", "models/scores.npz")
    assert error.value.code == "QNT0006"


def test_a_model_that_onnx_runtime_refuses(tmp_path):
    node = helper.make_node("Conv", ["x", "w"], ["y"], "wrong")
    weights = numpy_helper.from_array(np.zeros((4, 5, 1, 1), np.float32), "w")
    graph = helper.make_graph(
        [node], "wrong", [helper.make_tensor_value_info("x", 1, [1, 3, 4, 4])],
        [helper.make_tensor_value_info("y", 1, None)], [weights],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": np.zeros((1, 3, 4, 4), np.float32)})
    assert refused.value.code == "QNT0004"
