"""`covenant run --compare`: a verdict says where the expected outputs come from, or why they cannot."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import STYLES, model_of
from expectation import is_exact, products_of, sentence
from oracle_models import ModelBuilder
from test_bad_input import refused

import covenant
from covenant.model.kernels import Kernel
from covenant.oracle.probe import ProbeCase, ProbeResult, probe
from covenant.verify import expected
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, source_here

SATURATES = ProbeResult("1.31.1", tuple(ProbeCase(kernel, "random", 1, 9) for kernel in products_of("uint8", "int8")))
MACHINE = ("-m", "genesys:8x8")


def compared(covenant_command, model, source: Source, *options: object):
    return covenant_command("run", model, *MACHINE, "--compare", source.value, *options)


@pytest.mark.parametrize("style", STYLES)
def test_the_reference_knows_every_model(style, covenant_command):
    done = compared(covenant_command, model_of(style), Source.REFERENCE, "--json")
    assert done.code == 0
    source = done.object["oracle"]
    assert source["source"] == "reference"
    assert (source["version"], source["style"], source["probe"], source["exact"]) == (None, None, None, True)
    text = compared(covenant_command, model_of(style), Source.REFERENCE).out
    assert "expected outputs: from the exact reference operators\n" in text
    assert "identical to what the reference says: 10 of 10 outputs equal, 1 of 1 images whole\n" in text


def test_onnx_runtime_is_named(covenant_command):
    done = compared(covenant_command, model_of("qdq"), Source.ONNXRUNTIME)
    assert done.code == 0
    assert "expected outputs: from ONNX Runtime 1.31.1, QDQ model, fused into integer kernels" in done.out
    assert "identical to what ONNX Runtime 1.31.1 says: 10 of 10 outputs equal" in done.out


def test_onnx_runtime_is_refused_where_its_kernels_are_inexact(covenant_command, monkeypatch):
    if is_exact(*SATURATES.wrong):
        monkeypatch.setattr(expected, "probe", lambda: SATURATES)
    error = refused(compared(covenant_command, model_of("qoperator"), Source.ONNXRUNTIME, "--json"), "CLI0004")
    assert "QLinearConv uint8 x int8; QGemm uint8 x int8" in str(error["message"])
    assert "--compare reference" in str(error["fix"])
    assert source_here(model_of("qoperator")) is Source.REFERENCE


def test_a_layer_that_onnx_runtime_runs_in_float_is_held_to_a_step(tmp_path, covenant_command):
    """A Relu whose zero point is not the lowest value: ONNX Runtime leaves its layer in float, here it is a clamp."""
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.float32)})
    stored = build.add("QuantizeLinear", "x", np.float32(0.5), np.int8(3))
    real = build.add("DequantizeLinear", stored, np.float32(0.5), np.int8(3))
    weights = build.add("DequantizeLinear", np.ones((2, 2, 1, 1), np.int8), np.float32(0.5), np.int8(0))
    relu = build.add("Relu", build.add("Conv", real, weights))
    stored = build.add("QuantizeLinear", relu, np.float32(0.25), np.int8(100))
    y = build.add("DequantizeLinear", stored, np.float32(0.25), np.int8(100))
    path = tmp_path / "relu.onnx"
    onnx.save(build.model({y: np.float32}), str(path))
    done = compared(covenant_command, path, Source.ONNXRUNTIME, "--json")
    assert done.code == 0
    assert done.object["oracle"]["inexact"] == ["FusedConv"]
    assert done.object["within_a_step"]
    assert compared(covenant_command, path, Source.REFERENCE).code == 0


def test_nodes_may_be_called_like_outputs(tmp_path, covenant_command):
    model = onnx.load(str(model_of("qdq")))
    for node in model.graph.node:
        node.name = {"conv1": "logits", "classifier": "image"}.get(node.name, node.name)
    path = tmp_path / "named.onnx"
    onnx.save(model, str(path))
    assert [tensor.name for tensor in covenant.compile(path, "genesys:8x8").outputs] == ["logits"]
    done = compared(covenant_command, path, Source.ONNXRUNTIME, "--json")
    assert done.code == 0
    assert done.object["largest_difference"] == 0.0
    for node in model.graph.node:
        node.name = "again"
    onnx.save(model, str(path))
    assert (
        "refuses the model"
        in refused(compared(covenant_command, path, Source.ONNXRUNTIME, "--json"), "CLI0004")["message"]
    )
    assert compared(covenant_command, path, Source.REFERENCE).code == 0


ONE = {"y": np.zeros((1, 3), np.int8)}


@pytest.mark.parametrize(
    ("theirs", "got", "allowed"),
    [
        ({"z": ONE["y"]}, "y int8[1, 3]", "z int8[1, 3]"),
        ({"y": np.zeros((3, 1), np.int8)}, "y int8[1, 3]", "y int8[3, 1]"),
        ({"y": np.zeros((1, 3), np.uint8)}, "y int8[1, 3]", "y uint8[1, 3]"),
        ({**ONE, "z": ONE["y"]}, "no such output", "z int8[1, 3]"),
    ],
)
def test_outputs_that_cannot_be_compared_are_named(theirs, got, allowed):
    with pytest.raises(covenant.CovenantError) as caught:
        compare([ONE], [theirs])
    assert caught.value.code == "CLI0015"
    assert caught.value.diagnostic.offending == got
    assert caught.value.diagnostic.allowed == (allowed,)


def test_a_difference_that_is_no_number_is_infinite():
    comparison = compare([{"y": np.array([1, np.nan], np.float32)}], [{"y": np.array([1, 2], np.float32)}])
    assert (comparison.equal_elements, comparison.largest_difference) == (1, float("inf"))


def test_the_summary_of_the_tests_names_the_source():
    assert "ONNX Runtime 1.31.1" in sentence()
    assert ("exact reference operators" in sentence()) != probe().exact


def test_a_kernel_that_nobody_probes_is_unknown():
    assert str(Kernel("QLinearConv", ("int8", "uint8"))) == "QLinearConv int8 x uint8"
    assert probe().of([Kernel("QLinearConv", ("int8", "uint8"))]).unknown
