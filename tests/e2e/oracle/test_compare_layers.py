"""`covenant run --compare SOURCE --layers` compares all that layers write, and names the first difference."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import STYLES, model_of
from expectation import products_of, skip_unless_exact
from onnx import numpy_helper
from test_bad_input import refused

import covenant
from covenant.program.inputs import random_feeds
from covenant.runtime.layer_comparison import compare_layers
from covenant.runtime.result import LayerTensor
from covenant.verify import verdict
from covenant.verify.expected import Source, expected_tensors

MACHINES = ("genesys:8x8", "dnnweaver")
LAYERS = ["conv1", "conv2+add", "pool", "conv3", "conv4", "average", "classifier"]


def with_another_weight(node_name: str, path, channel: int = 0) -> None:
    """The digits model with one weight of this node negated: the heaviest of an output channel."""
    model = onnx.load(str(model_of("qdq")))
    node = next(node for node in model.graph.node if node.name == node_name)
    stored = next(one.input[0] for one in model.graph.node if node.input[1] in one.output)
    weights = next(constant for constant in model.graph.initializer if constant.name == stored)
    values = numpy_helper.to_array(weights).copy()
    of_channel = values[channel]
    heaviest = np.abs(of_channel.astype(int)).argmax()
    of_channel.flat[heaviest] = -of_channel.flat[heaviest]
    weights.CopyFrom(numpy_helper.from_array(values, weights.name))
    onnx.save(model, str(path))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("style", STYLES)
def test_every_layer_is_equal(style, machine, covenant_command):
    if style == "qoperator":
        skip_unless_exact(*products_of("uint8", "int8"))
    for source in Source:
        done = covenant_command(
            "run", model_of(style), "-m", machine, "--compare", source.value, "--layers", "--images", 2, "--json"
        )
        assert done.code == 0
        compared = done.object["compared_layers"]
        assert compared["first_different"] is None
        assert compared["compared"] == len(compared["tensors"]) == len(done.object["layers"])
        assert [tensor["layer"] for tensor in compared["tensors"]] == [row["name"] for row in done.object["layers"]]
        assert all(tensor["differing"] == 0 and tensor["first_index"] is None for tensor in compared["tensors"])


@pytest.mark.parametrize("source", Source)
@pytest.mark.parametrize("changed", ["conv1", "conv2", "conv3", "conv4", "classifier"])
def test_the_layer_with_another_weight_is_named(changed, source, tmp_path):
    session = covenant.Session(covenant.compile(model_of("qdq"), "genesys:8x8"))
    feeds = random_feeds(session.program, 4, 0)
    made = [session.layer_tensors(feed) for feed in feeds]
    assert [tensor.layer for tensor in made[0]] == LAYERS
    for channel in range(10):  # of some all outputs are clamped, whatever the weight
        other = tmp_path / f"channel{channel}.onnx"
        with_another_weight(changed, other, channel)
        theirs = list(expected_tensors(other, feeds, source))
        compared = compare_layers(made, theirs)
        if compared.first is not None:
            break
    assert compared.first is not None
    assert changed in compared.first.layer.split("+")
    before = LAYERS.index(compared.first.layer)
    assert all(verdict.differing == 0 for verdict in compared.tensors[:before])
    first = compared.first
    mine = np.stack([tensors[before].array for tensors in made])
    other_arrays = np.stack([known[first.tensor] for known in theirs])
    differs = mine != other_arrays
    assert first.differing == differs.sum()
    assert first.largest_difference == np.abs(mine.astype(int) - other_arrays).max()
    assert (first.first_image, *first.first_index) == tuple(int(axis[0]) for axis in np.nonzero(differs))


def test_the_command_names_the_layer_and_fails(tmp_path, covenant_command, monkeypatch):
    other = tmp_path / "other.onnx"
    with_another_weight("conv3", other)
    for name in ("expected_tensors", "expected_outputs"):
        true = getattr(verdict, name)
        monkeypatch.setattr(verdict, name, lambda _, *rest, true=true, **how: true(other, *rest, **how))
    options = ("run", model_of("qdq"), "-m", "genesys:8x8", "--compare", "onnxruntime", "--layers")
    done = covenant_command(*options, "--json")
    assert done.code == 1
    assert done.object["compared_layers"]["first_different"] == "conv3"
    assert "7 of 7 tensors have a counterpart; the first layer that differs: conv3, " in covenant_command(*options).out


@pytest.mark.parametrize("backend", ["systemc", "interpret"])
def test_a_layer_that_is_given_what_is_expected_answers_for_itself_alone(backend, tmp_path):
    """All that differs from the model with another weight is the layer that has it."""
    session = covenant.Session(covenant.compile(model_of("qdq"), "genesys:8x8"), backend)
    feeds = random_feeds(session.program, 4, 0)
    for changed in ("conv1", "conv2", "conv4"):  # one reads an image, one is fused, one is read by an average
        other = tmp_path / f"{changed}.onnx"
        for channel in range(10):
            with_another_weight(changed, other, channel)
            theirs = list(expected_tensors(other, feeds, Source.ONNXRUNTIME))
            made = [session.layer_tensors(feed, known) for feed, known in zip(feeds, theirs, strict=True)]
            differing = [tensor.layer for tensor in compare_layers(made, theirs).tensors if tensor.differing]
            if differing:
                break
        assert [layer.split("+")[0] for layer in differing] == [changed]


def test_the_backends_write_the_same_tensors(images):
    program = covenant.compile(model_of("qdq"), "genesys:8x8")
    made = [covenant.Session(program, backend).layer_tensors(images[:1]) for backend in ("systemc", "interpret")]
    for one, other in zip(*made, strict=True):
        assert (one.layer, one.block, one.name) == (other.layer, other.block, other.name)
        assert one.array.tobytes() == other.array.tobytes()
    last = program.outputs[0]
    stored = made[0][-1].array.astype(np.float32)
    real = (stored - np.float32(last.zero_point)) * np.float32(last.scale)
    assert real.tobytes() == covenant.run(program, images[:1]).outputs["logits"].tobytes()


def test_without_counterpart_is_said():
    ours = [LayerTensor("a", 0, "x", np.zeros((1, 2), np.int8)), LayerTensor("b", 1, "y", np.zeros((1, 2), np.int8))]
    compared = compare_layers([ours], [{"y": np.zeros((1, 3), np.int8)}])
    assert compared.first is None
    assert [bool(tensor["compared"]) for tensor in compared.to_dict()["tensors"]] == [False, False]
    assert "not there" in (compared.tensors[0].no_counterpart or "")
    assert compared.tensors[1].no_counterpart == "int8[1, 3] there"
    assert compared.to_dict()["tensors"][0]["differing"] is None


def test_dimensions_of_one_index_make_no_difference_and_nan_is_infinite():
    ours = [LayerTensor("a", 0, "x", np.array([[1, np.nan]], np.float32))]
    compared = compare_layers([ours], [{"x": np.array([[[1], [2]]], np.float32).reshape(1, 2, 1, 1)}])
    assert compared.first is not None
    assert (compared.first.differing, compared.first.first_index) == (2, (0, 1))
    assert compared.to_dict()["tensors"][0]["largest_difference"] is None


def test_mistakes(tmp_path, covenant_command):
    options = ("run", model_of("qdq"), "-m", "genesys:8x8", "--layers", "--json")
    assert "--compare onnxruntime --layers" in refused(covenant_command(*options), "CLI0008")["fix"]
    assert (
        "seams" in refused(covenant_command(*options, "--compare", "reference", "--rtl", "conv3"), "CLI0008")["message"]
    )
    program = covenant.compile(model_of("qdq"), "genesys:8x8")
    program.save(tmp_path / "digits.cprog")
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.Session(covenant.Program.load(tmp_path / "digits.cprog")).layer_tensors(np.zeros((1, 1, 8, 8), "f4"))
    assert caught.value.code == "CLI0016"


def test_a_core_does_not_stop_between_layers(covenant_command):
    options = ("run", model_of("qdq"), "-m", "hvx", "--compare", "onnxruntime", "--layers", "--json")
    assert "does not stop between layers" in refused(covenant_command(*options), "CLI0008")["message"]
    program = covenant.compile(model_of("qdq"), "hvx")
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.Session(program).layer_tensors(np.zeros((1, 1, 8, 8), "f4"))
    assert caught.value.code == "CLI0028"
