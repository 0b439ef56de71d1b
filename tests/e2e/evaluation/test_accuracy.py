"""Accuracy over whole test sets, and each layer's effect on it, against scikit-learn's and NumPy's own figures."""

from __future__ import annotations

import json

import numpy as np
import onnx
import onnxruntime
import pytest
from digits import DIGITS, STYLES, model_of
from expectation import products_of, skip_unless_exact
from onnx import numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.evaluation import RANKS, FloatModel, scores_of, sensitivity_to_bits
from covenant.evaluation.float_model import without_rounding
from covenant.evaluation.on_machine import verified_places
from covenant.onnx_runtime import sessions

DATA = DIGITS / "digits_test.npz"
FLOAT = DIGITS / "digits_float.onnx"


def float_tensors(model, images, names):
    """Tensors of a float model in ONNX Runtime, without its optimisations."""
    proto = onnx.load(str(model))
    proto.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name != "logits")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return [dict(zip(names, session.run(names, {"image": image[None]}), strict=True)) for image in images]


@pytest.mark.parametrize("machine", ["genesys:8x8", "hvx"])
@pytest.mark.parametrize("style", STYLES)
def test_the_accuracy_is_that_of_the_simulated_machine(style, machine, images):
    result = covenant.accuracy(model_of(style), DATA, machine, compare=("float",), float_model=FLOAT, verify=9)
    labels = np.load(DATA)["labels"]
    session = covenant.Session(covenant.compile(model_of(style), machine))
    simulated = [session.run({"image": image[None]}) for image in images]
    logits = np.concatenate([one.outputs["logits"] for one in simulated])
    assert result.outputs["logits"].tobytes() == logits.tobytes()
    assert result.accuracy == np.mean(logits.argmax(axis=1) == labels)
    assert {one.cycles for one in simulated} == {result.cycles}
    assert result.verified.images == verified_places(360, 9)
    assert result.is_verified
    in_float = np.concatenate([one["logits"] for one in float_tensors(FLOAT, images, ["logits"])])
    assert result.float_accuracy == np.mean(in_float.argmax(axis=1) == labels)


def test_worst_examples_are_those_that_the_float_model_gets_right(images):
    result = covenant.accuracy(model_of("qdq"), DATA, "genesys:8x8", compare=("float",), float_model=FLOAT, worst=360)
    labels = np.load(DATA)["labels"]
    in_float = np.concatenate([one["logits"] for one in float_tensors(FLOAT, images, ["logits"])])
    right = np.flatnonzero(in_float.argmax(axis=1) == labels)
    assert sorted(one.image for one in result.worst) == list(right)
    margins = [one.margin for one in result.worst]
    assert margins == sorted(margins)
    for one in result.worst[:10]:
        row = np.delete(result.outputs["logits"][one.image, 0].astype(np.float64), one.label)
        assert one.margin == float(result.outputs["logits"][one.image, 0, one.label]) - row.max()
    alone = covenant.accuracy(model_of("qdq"), DATA, "genesys:8x8")
    assert alone.worst[0].margin <= result.worst[0].margin
    assert alone.worst[0].float_guess is None


def test_metrics():
    random = np.random.default_rng(3)
    rows = random.integers(-5, 5, (200, 9)).astype(np.float32)  # many are equal
    labels = random.integers(0, 9, 200)
    order = np.argsort(-rows, axis=1, kind="stable")
    for name, count in (("top1", 1), ("top5", 5)):
        expected = [label in order[row, :count] for row, label in enumerate(labels)]
        assert np.array_equal(RANKS[name](rows, labels), expected)
    scores = scores_of(rows[:, None], labels, "top1")
    softmax = np.exp(rows.astype(np.float64)) / np.exp(rows.astype(np.float64)).sum(axis=1, keepdims=True)
    assert np.allclose(scores.losses, -np.log(softmax[np.arange(200), labels]))


@pytest.mark.parametrize("style", STYLES)
def test_errors_of_layers_are_those_of_numpy(style, images):
    """Errors in the chain equal those computed from ONNX Runtime's tensors, dequantised here."""
    if style == "qoperator":
        skip_unless_exact(*products_of("uint8", "int8"))
    result = covenant.sensitivity(model_of(style), DATA, float_model=FLOAT, images=30, one_in_float=False)
    proto = onnx.load(str(model_of(style)))
    known = [one.statistics for one in result.layers]
    names = [one.counterpart for one in known]
    assert all(names)
    floats = float_tensors(FLOAT, images[:30], [name for name in names if name != "image"])
    for image, one in zip(images, floats, strict=False):
        one["image"] = image[None]
    for name in (one.name for one in known):
        proto.graph.output.append(onnx.ValueInfoProto(name=name))
    theirs = covenant.oracle.Oracle(proto)
    quantized = [theirs.run(image[None]) for image in images[:30]]
    for layer in known:
        stored = np.stack([one[layer.name] for one in quantized]).astype(np.int64)
        real = np.stack([one[layer.counterpart] for one in floats]).astype(np.float64)
        scale, zero = quantization_of(proto, layer.name)
        relative = np.linalg.norm((stored - zero) * scale - real) / np.linalg.norm(real)
        assert layer.chain.relative == pytest.approx(relative, rel=1e-5)
        assert layer.chain.decibel == pytest.approx(-20 * np.log10(relative), abs=1e-3)
        assert (layer.lowest, layer.highest) == pytest.approx(
            ((stored.min() - zero) * scale, (stored.max() - zero) * scale)
        )
        assert sum(layer.histogram) == stored.size == layer.elements * 30
        least = stored.min() - (-128 if style == "qdq" else 0)
        assert np.flatnonzero(layer.histogram)[0] == least
        assert layer.at_lowest == layer.histogram[0]


def quantization_of(proto, name):
    """Scale and zero point of a stored tensor, taken from the node that reads it or makes it."""
    constants = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}
    for node in proto.graph.node:
        if name in node.input[:1] and node.op_type != "QuantizeLinear" and len(node.input) > 2:
            return float(constants[node.input[1]]), int(constants[node.input[2]])
    reader = next(node for node in proto.graph.node if name in node.input)
    place = list(reader.input).index(name)
    if len(reader.input) > place + 2:
        return float(constants[reader.input[place + 1]]), int(constants[reader.input[place + 2]])
    return quantization_of(proto, reader.output[0])


def test_a_layer_alone_has_no_error_but_its_own():
    """The first layer has none before it; a layer that loses nothing, none of its own but of rounding."""
    result = covenant.sensitivity(model_of("qdq"), DATA, float_model=FLOAT, images=30, one_in_float=False)
    first, *rest = [one.statistics for one in result.layers]
    assert first.chain == first.alone
    pool = next(one for one in rest if one.operation == "max_pool")
    before = rest[rest.index(pool) - 1]
    assert pool.alone.relative < before.chain.relative
    assert all(one.alone.relative <= one.chain.relative for one in rest)


def test_one_layer_in_float(images):
    """A layer in float gives what ONNX Runtime gives for the same weights in a model that never quantised the layer."""
    result = covenant.sensitivity(model_of("qdq"), DATA, float_model=FLOAT)
    labels = np.load(DATA)["labels"]
    by_node = {one.statistics.node: one for one in result.layers}
    assert set(by_node) >= {"conv1", "conv2", "add", "pool", "conv3", "conv4", "average", "classifier"}
    assert all(one.accuracy_in_float is not None for one in result.layers)
    # The last layer: its scores are real, made of the int8 model's last tensor and of real weights.
    values = covenant.Values(model_of("qdq"))
    flat = next(one for one in values.made if one.node == "flatten")
    stored = values.tensors({"image": images[:, None]}, [flat.name])[flat.name]
    real = (stored[:, 0].astype(np.float64) - flat.zero_point) * flat.scale
    weights = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(FLOAT)).graph.initializer}
    logits = real @ weights["classifier.weight"].astype(np.float64).reshape(10, -1).T + weights["classifier.bias"]
    accuracy = np.mean(logits.argmax(axis=1) == labels)
    assert by_node["classifier"].accuracy_in_float == pytest.approx(accuracy, abs=1e-9)
    assert result.gain(by_node["classifier"]) == pytest.approx(accuracy - result.accuracy)


def test_one_layer_with_more_bits(images, tmp_path):
    """A layer with more bits gives what ONNX Runtime gives for a model that is quantised so by itself."""
    samples, labels = {"image": images[:60]}, np.load(DATA)["labels"]
    result = sensitivity_to_bits(FLOAT, DATA, samples, weight_bits=2, more_bits=7, one_in_float=False)

    def accuracy(bits) -> float:
        covenant.quantize(FLOAT, tmp_path / "bits.onnx", samples, weight_bits=bits)
        oracle = covenant.oracle.Oracle(tmp_path / "bits.onnx")
        return np.mean([oracle.run(image[None])["logits"].argmax() for image in images] == labels)

    assert result.accuracy == accuracy(2)
    assert result.accuracy_at_more_bits == accuracy(7)
    by_node = {one.statistics.node: one for one in result.layers}
    assert by_node["conv3"].accuracy_at_more_bits == accuracy({"conv3": 7, "*": 2})
    assert result.gain_of_bits(by_node["conv3"]) == by_node["conv3"].accuracy_at_more_bits - result.accuracy
    assert by_node["pool"].accuracy_at_more_bits is None


def test_weights_that_were_scaled_first_do_not_become_real(images, tmp_path):
    """A layer in float has the float model's weights in a plain model, but not in an equalised one."""
    samples = {"image": images[:60]}
    gains = {}
    for equalize in (False, True):
        path = tmp_path / "few.onnx"
        covenant.quantize(FLOAT, path, samples, weight_bits=2, equalize=equalize)
        result = covenant.sensitivity(path, DATA, float_model=FLOAT)
        gains[equalize] = {one.statistics.node: result.gain(one) for one in result.layers}
        assert all(one.accuracy_in_float > 0.05 for one in result.layers)
    assert gains[False]["conv3"] > 0.1
    assert abs(gains[True]["conv3"]) < gains[False]["conv3"]


def test_a_float_model_is_made_of_an_int8_one(images):
    """The model without rounding between its layers is nearer to the float model than the int8 model is."""
    made = FloatModel(model_of("qdq")).run({"image": images[:50, None]}, "logits")
    real = np.stack([one["logits"] for one in float_tensors(FLOAT, images[:50], ["logits"])])
    int8 = covenant.Values(model_of("qdq")).run({"image": images[:50, None]})["logits"]
    assert np.abs(made - real).mean() < np.abs(int8 - real).mean()
    proto = onnx.load(str(model_of("qdq")))
    before = proto.SerializeToString()
    assert "QuantizeLinear" not in {node.op_type for node in without_rounding(proto).graph.node}
    assert proto.SerializeToString() == before


def test_commands(tmp_path, covenant_command):
    options = ("--data", DATA, "--float", FLOAT, "--images", 50)
    done = covenant_command("accuracy", model_of("qdq"), "-m", "genesys:8x8", *options, "--compare",
                            "float,onnxruntime", "--picture", tmp_path / "worst.svg", "--json")  # fmt: skip
    report = json.loads(done.out)
    assert done.code == 0
    assert report["images"] == report["onnxruntime_equal"] == 50
    assert report["verified"]["images"] == [0, 16, 33, 49]
    assert report["verified"]["different"] == []
    assert (tmp_path / "worst.svg").read_text().count("<image") >= 5
    done = covenant_command("sensitivity", model_of("qdq"), *options, "--picture", tmp_path / "layers.png", "--json")
    report = json.loads(done.out)
    assert done.code == 0
    assert [one["node"] for one in report["layers"]][:3] == ["image_QuantizeLinear", "conv1", "conv2"]
    assert (tmp_path / "layers.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"labels": None}, "ACC0001"),
        ({"labels": np.zeros(7, np.int64)}, "ACC0001"),
        ({"metric": "top3"}, "ACC0002"),
        ({"output": "scores"}, "ACC0003"),
        ({"labels": np.zeros(20, np.int64)}, "ACC0004"),
        ({"labels": np.full(10, 10)}, "ACC0004"),
        ({"model": model_of("qoperator"), "compare": ("float",)}, "ACC0005"),
        ({"float_model": DATA}, "ACC0005"),
        ({"float_model": "other"}, "ACC0006"),
        ({"compare": ("tvm",)}, "ACC0007"),
        ({"images": 11}, "CLI0003"),
    ],
)
def test_mistakes(change, code, images, tmp_path):
    data = {"image": images[:10], "labels": np.zeros(10, np.int64)}
    if "labels" in change:
        data["labels"] = change.pop("labels")
        data = {name: array for name, array in data.items() if array is not None}
    if change.get("float_model") == "other":
        proto = onnx.load(str(FLOAT))
        proto.graph.input[0].name = proto.graph.node[0].input[0] = "picture"
        onnx.save(proto, str(tmp_path / "other.onnx"))
        change["float_model"] = tmp_path / "other.onnx"
    model = change.pop("model", model_of("qdq"))
    with pytest.raises(CovenantError) as caught:
        covenant.accuracy(model, data, "genesys:8x8", **change)
    assert caught.value.code == code, caught.value


def test_onnx_runtime_of_another_version(monkeypatch, images):
    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "1.0.0")
    covenant.oracle.oracle._oracle_of.cache_clear()
    data = {"image": images[:4], "labels": np.zeros(4, np.int64)}
    with pytest.raises(CovenantError) as caught:
        covenant.accuracy(model_of("qdq"), data, "genesys:8x8", compare=("onnxruntime",))
    assert caught.value.code == "ACC0008"
