"""`covenant explain`: what it says of each layer agrees with the layer's own sizes, and it hides nothing."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import model_of
from onnx import TensorProto, helper, numpy_helper

from covenant.compiler.embeddings import RELAXATIONS

MODEL = model_of("qdq")
ARRAY = "genesys:03"
"""An array of 16 x 16."""
PLACES = 16 * 16
CHANNELS, SIDE = 48, 14


@pytest.fixture
def depthwise(tmp_path):
    """A convolution of 3 x 3 whose outputs see a channel each."""
    drawn = np.random.default_rng(5)
    values = {
        "scale": np.array(0.05, np.float32), "zero": np.array(0, np.int8), "weight_zero": np.array(0, np.int8),
        "w": drawn.integers(-128, 128, (CHANNELS, 1, 3, 3), dtype=np.int8),
        "b": drawn.integers(-1000, 1000, CHANNELS, dtype=np.int32),
    }  # fmt: skip
    shape = [1, CHANNELS, SIDE, SIDE]
    node = helper.make_node(
        "QLinearConv", ["x", "scale", "zero", "w", "scale", "weight_zero", "scale", "zero", "b"], ["y"],
        name="depthwise", group=CHANNELS, kernel_shape=[3, 3], pads=[1, 1, 1, 1],
    )  # fmt: skip
    ends = [helper.make_tensor_value_info(name, TensorProto.INT8, shape) for name in ("x", "y")]
    graph = helper.make_graph(
        [node], "one", ends[:1], ends[1:], [numpy_helper.from_array(value, name) for name, value in values.items()]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, tmp_path / "depthwise.onnx")
    return tmp_path / "depthwise.onnx"


def explained(command, model, *arguments, machine=ARRAY):
    done = command("explain", model, "-m", machine, *arguments, "--json")
    assert done.code == 0, done.error
    return done.object


def refused(done, code, *words):
    assert done.code == 2, done.out
    assert done.object["error"]["code"] == code
    assert done.object["error"]["fix"]
    for word in words:
        assert word in done.error


def test_every_layer_has_a_row(covenant_command):
    found = explained(covenant_command, MODEL)
    assert (found["machine"], found["preset"]) == ("genesys", "03")
    assert found["relaxations"] == list(RELAXATIONS)
    names = [layer["layer"] for layer in found["layers"]]
    whole = covenant_command("explain", MODEL, "-m", ARRAY).out
    for layer in found["layers"]:
        assert layer["layer"] in whole
        assert layer["complete"]
        assert layer["cycles"] > layer["taken"]["steps"] or layer["compute"] == "SIMD"
        if layer["fewest"]:
            assert layer["fewest"]["steps"] < layer["taken"]["steps"]
    assert "conv1" in names


def test_utilisation_is_that_of_the_models_own_products(covenant_command, depthwise):
    (layer,) = explained(covenant_command, depthwise)["layers"]
    products = CHANNELS * SIDE * SIDE * 9
    taken, fewest = layer["taken"], layer["fewest"]
    assert taken["steps"] == products // 16
    assert taken["utilisation"] == pytest.approx(products / PLACES / taken["steps"])
    assert fewest["steps"] < taken["steps"] // 4
    assert fewest["utilisation"] == pytest.approx(products / PLACES / fewest["steps"])


def test_what_stands_in_the_way_is_said(covenant_command, depthwise):
    (layer,) = explained(covenant_command, depthwise)["layers"]
    assert "exchange" in layer["fewest"]["relaxations"]
    assert len(layer["obstacles"]) == 1
    assert "WBUF" in layer["obstacles"][0]
    assert "256 bytes" in layer["obstacles"][0]
    told = covenant_command("explain", depthwise, "-m", ARRAY, "--layer", "depthwise").out
    for word in ("taken: columns: oc*16 | inner: ic*16", "fewest steps:", "exchanged", "WBUF", "x: blocks of"):
        assert word in told
    (without,) = explained(covenant_command, depthwise, "--relaxations", "pad,fuse,unroll,band")["layers"]
    assert without["obstacles"] == []


def test_a_lowering_that_was_left_is_the_next_best(covenant_command):
    (layer,) = explained(covenant_command, MODEL, "--layer", "conv1")["layers"]
    assert layer["next"]["lowering"] != layer["lowering"]
    assert layer["next"]["cycles"] > 0
    assert "columns" in layer["next"]["embedding"]


def test_a_search_that_is_given_up_is_no_answer(covenant_command, depthwise):
    done = covenant_command("explain", depthwise, "-m", ARRAY, "--most-nodes", "1")
    assert done.code == 0
    assert "given up" in done.out
    (layer,) = explained(covenant_command, depthwise, "--most-nodes", "1")["layers"]
    assert not layer["complete"]


@pytest.mark.parametrize("machine", ["hvx", "dnnweaver", "genesys:8x24"])
def test_all_machines_with_layers_are_explained(covenant_command, depthwise, machine):
    (layer,) = explained(covenant_command, depthwise, machine=machine)["layers"][-1:]
    assert layer["taken"]["steps"] > 0


def test_mistakes_are_refused(covenant_command, tmp_path):
    refused(covenant_command("explain", MODEL, "-m", ARRAY, "--layer", "no", "--json"), "GEN0041", "conv1")
    refused(covenant_command("explain", MODEL, "-m", ARRAY, "--relaxations", "no", "--json"), "EMB0013", "band")
    refused(covenant_command("explain", tmp_path / "no.onnx", "-m", ARRAY, "--json"), "ONX0001", "no.onnx")
