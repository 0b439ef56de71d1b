"""Quantising to few bits: what the models store, and machines that compute every byte as ONNX Runtime does."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from quantization_models import FloatModel, attention

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.quantization import Numerics

WAYS = {
    "weights of 4": {"weight_bits": 4},
    "4 and 4": {"weight_bits": 4, "activation_bits": 4},
    "3 and 5 in u8": {"weight_bits": 3, "activation_bits": 5, "activations": "u8"},
    "2 and 6, one scale": {"weight_bits": 2, "activation_bits": 6, "per_channel": False},
    "least error": {"weight_bits": 4, "activation_bits": 4, "method": "mse"},
    "percentile": {"activation_bits": 3, "method": "percentile"},
    "entropy": {"activation_bits": 4, "method": "entropy"},
    "equalised": {"weight_bits": 4, "per_channel": False, "equalize": True},
    "corrected": {"weight_bits": 3, "activation_bits": 7, "bias_correction": True},
    "all at once": {"weight_bits": "node0=8,*=4", "activation_bits": {"node0": 8, "*": 5}, "method": "mse",
                    "equalize": True, "bias_correction": True},
}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("way", WAYS)
def test_machines_make_the_bytes_of_onnx_runtime(way, seed, tmp_path):
    print("seed", seed)
    model = FloatModel(seed, tmp_path)
    report = covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, layers=True, **WAYS[way])
    assert report.float_operators == ()
    program = covenant.compile(report.output, "genesys:8x8")
    expected = oracle.Oracle(report.output) if WAYS[way].get("activations") != "u8" else None
    for image in np.split(model.data[:3] * 1.5, 3):  # beyond what calibration has seen
        outputs = covenant.run(program, image).outputs
        if expected is None:
            expected_outputs = covenant.run(program, image, backend="interpret").outputs
        else:
            expected_outputs = expected.run(image)
        for name, array in outputs.items():
            np.testing.assert_array_equal(array, expected_outputs[name])
    operations = [layer.operation for layer in covenant.run(program, image).layers]
    assert operations.count("clip") <= model.operators.count("Concat")  # limits of others are parts of their layers


@pytest.mark.parametrize("seed", range(100, 160 if os.environ.get("COVENANT_FULL") else 105))
def test_ways_at_random(seed, tmp_path):
    """Random machines; one in fixed point, and u8 on any processor, are compared with the interpreter."""
    print("seed", seed)
    draw, model = random.Random(seed), FloatModel(seed, tmp_path)  # noqa: S311
    options = {
        "weight_bits": draw.choice([2, 3, 4, 6, 8, "node0=8,*=3"]), "activation_bits": draw.choice([3, 4, 5, 7, 8]),
        "per_channel": draw.random() < 0.6, "method": draw.choice(["minmax", "percentile", "mse", "entropy"]),
        "bias_correction": draw.random() < 0.4, "equalize": draw.random() < 0.4,
        "activations": draw.choice(["i8", "i8", "u8"]),
    }  # fmt: skip
    machine = draw.choice(["genesys:8x8", "genesys:09", "dnnweaver", "hvx"])
    print(machine, options)
    report = covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, **options)
    program, image = covenant.compile(report.output, machine), model.data[:1] * 1.6
    is_theirs = options["activations"] == "i8" and machine != "hvx"
    interpreted = covenant.run(program, image, backend="interpret").outputs
    expected = oracle.Oracle(report.output).run(image) if is_theirs else interpreted
    for name, array in covenant.run(program, image).outputs.items():
        np.testing.assert_array_equal(array, expected[name])


@pytest.mark.parametrize("way", ["4 and 4", "2 and 6, one scale", "percentile", "all at once"])
def test_attention_of_few_bits(way, tmp_path):
    """A normalisation may be a step from ONNX Runtime's: here it is not."""
    model, data = attention()
    onnx.save(model, tmp_path / "x.onnx")
    report = covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, **WAYS[way])
    program, expected = covenant.compile(report.output, "genesys:8x8"), oracle.Oracle(report.output)
    for image in np.split(data[:3] * 1.4, 3):
        for name, array in covenant.run(program, image).outputs.items():
            np.testing.assert_array_equal(array, expected.run(image)[name])


def stored(path):
    """Model at `path`, its nodes by their output, and its constants by name."""
    model = onnx.load(path)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return model, {node.output[0]: node for node in model.graph.node}, constants


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("options", [{}, {"per_channel": False}, {"method": "mse"}], ids=str)
def test_stored_values_have_their_bits(bits, options, tmp_path):
    model = FloatModel(7, tmp_path)
    report = covenant.quantize(
        model.path, tmp_path / "y.onnx", model.data_by_name, weight_bits=bits, activation_bits=bits, **options
    )
    quantized, makers, constants = stored(report.output)
    most = 2 ** (bits - 1) - 1
    layers = [node for node in quantized.graph.node if node.op_type in ("Conv", "Gemm")]
    assert set(report.weight_bits.values()) == {bits}
    assert set(report.weight_bits) == {node.name for node in layers}
    for node in layers:
        weights = constants[makers[node.input[1]].input[0]]
        assert np.abs(weights.astype(int)).max() == most, node.name
    everything = oracle.Oracle(report.output).tensors({"x": model.data[:1] * 3})
    taken = {makers[node.input[0]].input[0] for node in layers}
    for name in taken & everything.keys():
        assert everything[name].dtype == np.int8
        assert everything[name].max() <= -128 + 2**bits - 1, name


def test_equal_to_numpy(tmp_path):
    """A perceptron of two layers, its scales and stored values from their definitions, its sums from int64."""
    random = np.random.default_rng(11)
    first, second = random.normal(size=(9, 6)).astype(np.float32), random.normal(size=(4, 9)).astype(np.float32)
    bias, data = random.normal(size=9).astype(np.float32), random.normal(size=(40, 6)).astype(np.float32)
    from oracle_models import ModelBuilder

    builder = ModelBuilder({"x": data[:1]})
    hidden = builder.add("Relu", builder.add("Gemm", "x", first, bias, transB=1))
    onnx.save(builder.model({builder.add("Gemm", hidden, second, transB=1): np.float32}), tmp_path / "x.onnx")
    weight_bits, activation_bits = {"node0": 3, "*": 5}, {"node0": 4, "*": 6}
    report = covenant.quantize(
        tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, weight_bits=weight_bits, activation_bits=activation_bits
    )

    def steps(array, bits):
        low, high = min(0, float(array.min())), max(0, float(array.max()))
        scale = np.float32((high - low) / (2**bits - 1))
        return scale, int(np.rint(-low / scale))

    def weights_of(array, bits):
        scales = np.float32(np.abs(np.float64(array)).max(axis=1) / (2 ** (bits - 1) - 1))
        return np.rint(array / scales[:, None]).astype(int), scales

    in_float = np.maximum(data @ first.T + bias, 0)
    (sx, zx), (sh, zh), (sy, zy) = steps(data, 4), steps(in_float, 6), steps(in_float @ second.T, 8)
    (w1, s1), (w2, s2) = weights_of(first, 3), weights_of(second, 5)
    x = np.clip(np.rint(data / sx) + zx, 0, 15).astype(int)
    sums = (x - zx) @ w1.T + np.rint(bias / (sx * s1)).astype(int)
    h = np.clip(np.rint(np.float32(sums) * np.float32(np.float32(sx * s1) / sh)) + zh, 0, 63).astype(int)
    sums = (h - zh) @ w2.T
    y = np.clip(np.rint(np.float32(sums) * np.float32(np.float32(sh * s2) / sy)) + zy, 0, 255).astype(int)
    expected = np.float32(y - zy) * sy
    program = covenant.compile(report.output, "genesys:8x8")
    for row, wanted in zip(data, expected, strict=True):
        (got,) = covenant.run(program, row[None]).outputs.values()
        np.testing.assert_allclose(got[0], wanted, atol=1e-6)


def test_layers_alone(tmp_path):
    """Errors fall with bits; those of the layers are small where the model's own is not."""
    model = FloatModel(3, tmp_path)
    errors = []
    for bits in (3, 5, 8):
        report = covenant.quantize(
            model.path, tmp_path / "y.onnx", model.data_by_name, weight_bits=bits, activation_bits=bits, layers=True
        )
        assert {one.weight_bits for one in report.layers if one.operator == "Conv"} == {bits}
        assert {one.activation_bits for one in report.layers if one.operator in ("Conv", "Gemm")} == {bits}
        errors.append([one.relative_error for one in report.layers if one.weight_bits])
    assert np.all(np.array(errors[0]) > errors[1])
    assert np.all(np.array(errors[1]) > errors[2])
    ratio = [-20 * np.log10(one.relative_error) for one in report.layers]
    np.testing.assert_allclose(ratio, [one.sqnr_decibel for one in report.layers], rtol=1e-6)


def test_command_and_equal_bytes(tmp_path, capsys):
    model = FloatModel(5, tmp_path)
    np.savez(tmp_path / "data.npz", x=model.data)
    command = ["quantize", str(model.path), "--calibrate", str(tmp_path / "data.npz"), "--bits", "node0=8,*=4"]
    assert main([*command, "-o", str(tmp_path / "a.onnx"), "--activation-bits", "6", "--layers", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["weight_bits"]["node0"] == 8
    assert sorted(set(report["weight_bits"].values())) == [4, 8]
    assert {one["activation_bits"] for one in report["layers"] if one["weight_bits"]} == {6}
    covenant.quantize(
        model.path, tmp_path / "b.onnx", model.data_by_name, weight_bits={"node0": 8, "*": 4}, activation_bits=6
    )
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    assert main([*command, "-o", str(tmp_path / "a.onnx"), "--equalize", "--bias-correction", "--layers"]) == 0
    said = capsys.readouterr().out
    assert "Each layer beside itself in float" in said
    assert "bits: weights" in said
    assert "layers whose biases were corrected" in said


MISTAKES = [
    ({"weight_bits": 17}, "QNT0008"), ({"weight_bits": 1}, "QNT0008"), ({"activation_bits": True}, "QNT0008"),
    ({"weight_bits": {"*": 4.5}}, "QNT0008"), ({"activation_bits": "four"}, "QNT0008"),
    ({"weight_bits": "=4"}, "QNT0008"), ({"weight_bits": "lion=4"}, "QNT0009"),
    ({"activation_bits": {"lion*": 4, "*": 8}}, "QNT0009"), ({"weight_bits": "*=4,node0=8"}, "QNT0009"),
    ({"method": "best"}, "QNT0005"), ({"activations": "i4"}, "QNT0005"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "code"), MISTAKES, ids=str)
def test_mistakes(options, code, tmp_path):
    model = FloatModel(1, tmp_path)
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, **options)
    assert refused.value.code == code
    assert refused.value.diagnostic.allowed
    assert not (tmp_path / "y.onnx").exists()
    if code != "QNT0009":  # which needs the model
        with pytest.raises(covenant.CovenantError):
            Numerics(**options)


def test_mistakes_say_what_to_do(tmp_path):
    model = FloatModel(1, tmp_path)

    def refused(bits):
        with pytest.raises(covenant.CovenantError) as error:
            covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, weight_bits=bits)
        return error.value

    assert refused("node0=17").code == "QNT0008"
    late = refused("*=4,node0=8")
    assert late.code == "QNT0009"
    assert late.diagnostic.offending == "node0"
    assert "before" in late.diagnostic.fix
    assert "node0" in refused("lion=4").diagnostic.allowed
