"""The page for new operators is true: one codelet in a folder suffices, and the model's bytes equal ONNX Runtime's."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import covenant
from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/add-an-operator.md").read_text()
CODELET = re.search(r"```cdlt\n(.*?)```", PAGE, re.DOTALL).group(1)
COMMANDS = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).splitlines()
SHAPE = [1, 11, 5, 3]


def model_of(path: Path, stored: type, scales: tuple[float, float] = (0.05, 0.05)) -> str:
    """Two quantised inputs, Sum, a quantised output."""
    zero = np.array(3, dtype=stored)
    constants = [onnx.numpy_helper.from_array(zero, "zero")]
    nodes = []
    for name, scale in (("a", scales[0]), ("b", scales[1]), ("y", scales[0])):
        constants.append(onnx.numpy_helper.from_array(np.array(scale, dtype=np.float32), f"{name}_scale"))
    for name in ("a", "b"):
        nodes.append(helper.make_node("QuantizeLinear", [name, f"{name}_scale", "zero"], [f"{name}_stored"]))
        dequantized = [f"{name}_stored", f"{name}_scale", "zero"]
        nodes.append(helper.make_node("DequantizeLinear", dequantized, [f"{name}_real"]))
    nodes.append(helper.make_node("Sum", ["a_real", "b_real"], ["y_real"]))
    nodes.append(helper.make_node("QuantizeLinear", ["y_real", "y_scale", "zero"], ["y_stored"]))
    nodes.append(helper.make_node("DequantizeLinear", ["y_stored", "y_scale", "zero"], ["y"]))
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, SHAPE) for name in ("a", "b", "y")}
    graph = helper.make_graph(nodes, "total", [values["a"], values["b"]], [values["y"]], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
    return str(path)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """The reader's folder: the codelet as the page has it, and a model with the operator."""
    (tmp_path / "my_codelets").mkdir()
    (tmp_path / "my_codelets/total.cdlt").write_text(CODELET)
    model_of(tmp_path / "model.onnx", np.uint8)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_the_codelet_the_operator_is_refused(written):
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile("model.onnx", "genesys")
    assert refused.value.code == re.search(r"error\[(\w+)\]", PAGE).group(1)
    assert "Sum" in str(refused.value)


def test_the_commands_run(written, capsys):
    assert [line.split()[0] for line in COMMANDS] == ["covenant"] * len(COMMANDS)
    for line in COMMANDS:
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert 'compute("SIMD","ADD"' in capsys.readouterr().out


def test_its_schedule_is_explained(written, capsys):
    command = ["compile", "model.onnx", "-m", "genesys", "--library", "my_codelets"]
    assert main([*command, "--save-schedule", "saved.schedule"]) == 0
    (layer,) = re.findall(r'^layer "(.*?)"', (written / "saved.schedule").read_text(), re.MULTILINE)
    capsys.readouterr()
    assert main([*command, "--explain-schedule", layer, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schedule"] in (written / "saved.schedule").read_text()
    assert content["alternatives"][0]["codelet"] == "total"
    assert main([*command[:4], "--explain-schedule", layer, "--json"]) == 2  # without the library
    assert json.loads(capsys.readouterr().out)["error"]["code"] == re.search(r"error\[(\w+)\]", PAGE).group(1)


@pytest.mark.parametrize("stored", [np.int8, np.uint8])
@pytest.mark.parametrize("machine", ["genesys", "genesys:8x24", "dnnweaver"])
def test_the_bytes_are_those_of_onnx_runtime(written, machine, stored):
    model = model_of(written / "model.onnx", stored)
    program = covenant.compile(model, machine, library="my_codelets")
    random = np.random.default_rng(7)
    inputs = {name: random.uniform(-4, 7, SHAPE).astype(np.float32) for name in ("a", "b")}
    expected = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, inputs)[0]
    for backend in ("systemc", "interpret"):
        got = covenant.run(program, inputs, backend=backend).outputs["y"]
        np.testing.assert_array_equal(got, expected)
    assert len(np.unique(expected)) > 20


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("both[p,c]=compute", "both[p,c]=computes"), "CDL0001"),
        (("first[p,c],second[p,c]", "first[p,c],third[p,c]"), "CDL0010"),
        (('DEQUANTIZE",b[p,c]', 'DEQUANTIZE",b[p,c+1]'), "CDL0024"),
        (("loop p(P)", "loop p(1)"), "CDL0026"),
        (('"QUANTIZE",both[p,c]', '"QUANTIZE",first[p,c]'), "CDL0026"),
        (('"DEQUANTIZE",a[p,c],f32(1.0),ZERO', '"SQRT",a[p,c]'), "CDL0040"),
        ((' implements "Sum"', ""), "CDL0072"),
        (('"Sum"', '"Add"'), "CDL0072"),
        (("cdlt total", "cdlt conv"), "CDL0072"),
        (("y=out([P,C],null,null)", "y=local([P,C],null,null)"), "CDL0073"),
        (("y=out([P,C],null,null)", 'y=out([P,C],null,"DRAM")'), "CDL0073"),
        (("loop c(C)", "loop c(C, stride=C-11)"), "CDL0017"),
        (("LOWEST=param();", "LOWEST=param(); OTHER=param();"), "CDL0030"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_mistakes_are_told(written, change, code):
    assert change[0] in CODELET
    path = written / "my_codelets/total.cdlt"
    path.write_text(CODELET.replace(*change))
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile("model.onnx", "genesys", library="my_codelets")
    assert refused.value.code == code
    assert refused.value.diagnostic.fix
    if code in PAGE and code != "CDL0030":
        assert f"| {code}" in PAGE or f"{code} |" in PAGE


def test_tiles_that_cannot_fit_are_told(written):
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile("model.onnx", covenant.Machine("genesys", vector_depth=1), library="my_codelets")
    assert refused.value.code == "CDL0051"
    assert "VMEM" in str(refused.value)
    line = next(i for i, text in enumerate(CODELET.splitlines(), 1) if text.startswith("cdlt"))
    assert str(refused.value.where) == f"my_codelets/total.cdlt:{line}:1"


def test_a_folder_without_codelets_is_told(written):
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile("model.onnx", "genesys", library="nowhere")
    assert refused.value.code == "CDL0071"


def test_operands_of_several_scales_are_refused(written):
    model = model_of(written / "model.onnx", np.uint8, scales=(0.05, 0.1))
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile(model, "genesys", library="my_codelets")
    assert refused.value.code == "ONX0016"
