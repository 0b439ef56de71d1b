"""Models quantised with elements of 4, 8 and 16 bits: machines of that width make every byte as the reference does."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import onnx
import pytest
from digits import DIGITS
from onnx import numpy_helper
from oracle_models import ModelBuilder
from quantization_models import FloatModel
from width_networks import onnxruntime_on

import covenant
from covenant.cli import main
from covenant.quantization import Numerics
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, expected_outputs

FLOAT = DIGITS / "digits_float.onnx"
WAYS = {
    "4": {"elements": 4},
    "4, least error": {"elements": 4, "method": "mse", "bias_correction": True, "equalize": True},
    "4, one scale, unsigned": {"elements": 4, "per_channel": False, "activations": "u8", "method": "entropy"},
    "3 in 4": {"elements": 4, "weight_bits": 3, "activation_bits": 3},
    "16": {"weight_bits": 16, "activation_bits": 16},
    "16, one scale, corrected": {"elements": 16, "per_channel": False, "bias_correction": True, "method": "percentile"},
    "weights of 6, unsigned": {"elements": 16, "weight_bits": 6, "activations": "u8", "equalize": True},
    "12 in 16": {"weight_bits": 12, "activation_bits": 11, "method": "mse"},
    "mixed": {"weight_bits": "node0=16,*=8", "activation_bits": {"node0": 16, "*": 9}, "method": "entropy"},
}


def machine(bits):
    return covenant.Machine("genesys", preset="8x8", bits=bits)


def check(path, bits, feeds):
    """Every byte on a machine of this width as the reference operators have it; the outputs."""
    program = covenant.compile(path, machine(bits))
    expected = expected_outputs(path, feeds, Source.REFERENCE).outputs
    for backend in ("interpret", "systemc"):
        session = covenant.Session(program, backend)
        assert compare([session.run(feed).outputs for feed in feeds], expected).identical, backend
    return [next(iter(one.values())) for one in expected]


def dtypes_of(path):
    """Types of the zero points that a quantised model stores."""
    graph = onnx.load(path).graph
    zeros = {node.input[2] for node in graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear")}
    return {str(numpy_helper.to_array(tensor).dtype) for tensor in graph.initializer if tensor.name in zeros}


@pytest.mark.parametrize("seed", [6, 8, 19])  # without a chain that becomes a table: of 16 bits there is none
@pytest.mark.parametrize("way", WAYS)
def test_machines_make_the_bytes_of_the_reference(way, seed, tmp_path):
    print("seed", seed)
    model = FloatModel(seed, tmp_path)
    report = covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, layers=True, **WAYS[way])
    onnx.checker.check_model(report.output, full_check=True)
    width = report.elements
    names = {4: {"int4", "uint4"}, 16: {"int16", "uint16", "int8"}}[width]
    assert dtypes_of(report.output) <= names | {"int32"}
    assert report.float_operators == ()
    assert max(report.activation_bits.values()) <= width
    feeds = [{"x": image} for image in np.split(model.data[:2] * 1.5, 2)]
    outputs = check(report.output, width, feeds)
    if width == 16:  # nothing wraps; a tie may fall the other way in float
        theirs = np.array([onnxruntime_on(onnx.load(report.output), feed) for feed in feeds])
        assert np.abs(np.array(outputs) - theirs).max() < 5e-3 * np.abs(theirs).max()


@pytest.mark.parametrize("seed", [1, 3])
def test_tables_of_four_bits(seed, tmp_path):
    model = FloatModel(seed, tmp_path)
    report = covenant.quantize(model.path, tmp_path / "y.onnx", model.data_by_name, elements=4)
    assert report.tables > 0
    outputs = check(report.output, 4, [{"x": image} for image in np.split(model.data[:2], 2)])
    theirs = [onnxruntime_on(onnx.load(report.output), {"x": image}) for image in np.split(model.data[:2], 2)]
    np.testing.assert_allclose(outputs, theirs, atol=1e-5)
    wide = covenant.quantize(model.path, tmp_path / "z.onnx", model.data_by_name, elements=16)
    assert wide.tables > 0
    check(wide.output, 16, [{"x": image} for image in np.split(model.data[:2], 2)])  # no table has 2^16 entries


@pytest.mark.parametrize("seed", [6, 8])
@pytest.mark.parametrize("bits", [5, 8])
def test_few_bits_mean_the_same_in_any_element(bits, seed, tmp_path):
    """Scales and stored weights do not depend on the width of what levels lie in."""
    model = FloatModel(seed, tmp_path)
    made = {}
    for width in (8, 16):
        report = covenant.quantize(
            model.path, tmp_path / f"{width}.onnx", model.data_by_name, elements=width, weight_bits=bits,
            activation_bits=f"*={bits}",
        )  # fmt: skip
        graph = onnx.load(report.output).graph
        made[width] = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    scales = [name for name in made[8] if name.endswith("_scale") and name in made[16]]
    assert len(scales) > 5
    own = report.activation_bits
    for name in scales:
        if own.get(name.removesuffix("_scale"), bits) == bits:
            np.testing.assert_array_equal(made[8][name], made[16][name], name)
    for name in made[8]:
        if name.endswith("_quantized"):
            assert made[16][name].dtype == made[8][name].dtype
            np.testing.assert_array_equal(made[8][name], made[16][name], name)


@pytest.mark.parametrize("width", [4, 16])
def test_equal_to_numpy(width, tmp_path):
    """A perceptron of two layers: scales and stored values from their definitions, sums of 64 bits."""
    random = np.random.default_rng(11)
    first, second = random.normal(size=(9, 6)).astype(np.float32), random.normal(size=(4, 9)).astype(np.float32)
    bias, data = random.normal(size=9).astype(np.float32), random.normal(size=(40, 6)).astype(np.float32)
    builder = ModelBuilder({"x": data[:1]})
    hidden = builder.add("Relu", builder.add("Gemm", "x", first, bias, transB=1))
    onnx.save(builder.model({builder.add("Gemm", hidden, second, transB=1): np.float32}), tmp_path / "x.onnx")
    bits = 4 if width == 4 else 10  # sums of which have room
    report = covenant.quantize(
        tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, elements=width, weight_bits=bits, activation_bits=bits
    )

    def steps(array, bits):
        low, high = min(0, float(array.min())), max(0, float(array.max()))
        scale = np.float32((high - low) / (2**bits - 1))
        return scale, int(np.rint(-low / float(scale)))

    def weights_of(array):
        scales = np.float32(np.abs(np.float64(array)).max(axis=1) / (2 ** (bits - 1) - 1))
        return np.rint(array / scales[:, None]).astype(int), scales

    in_float = np.maximum(data @ first.T + bias, 0)
    (sx, zx), (sh, zh), (sy, zy) = steps(data, bits), steps(in_float, bits), steps(in_float @ second.T, width)
    (w1, s1), (w2, s2) = weights_of(first), weights_of(second)
    x = np.clip(np.rint(data / sx) + zx, 0, 2**bits - 1).astype(int)
    sums = (x - zx) @ w1.T + np.rint(bias / np.float64(sx * s1)).astype(int)
    h = np.clip(np.rint(np.float32(sums) * np.float32(np.float32(sx * s1) / sh)) + zh, 0, 2**bits - 1).astype(int)
    sums = (h - zh) @ w2.T
    y = np.clip(np.rint(np.float32(sums) * np.float32(np.float32(sh * s2) / sy)) + zy, 0, 2**width - 1).astype(int)
    got = np.concatenate(check(report.output, width, [{"x": row[None]} for row in data]))
    steps_apart = np.abs(got - np.float32(y - zy) * sy) / sy
    assert steps_apart.max() < (0.01 if width == 4 else 1.01)
    assert np.mean(steps_apart > 0.5) < 0.05


@pytest.mark.parametrize("count", [64, 1024])
@pytest.mark.parametrize("kind", ["constant", "varying"])
def test_sums_do_not_leave_32_bits(count, kind, tmp_path):
    """Sums would leave 32 bits with all 16 bits in use: inputs and weights lie at the ends of ranges of one sign."""
    random = np.random.default_rng(count)
    data = np.abs(random.normal(size=(6, 8, count))).astype(np.float32)
    builder = ModelBuilder({"x": data[:1]})
    weights = np.abs(random.normal(size=(count, 5))).astype(np.float32)
    if kind == "constant":
        y = builder.add("MatMul", "x", weights)
    else:
        y = builder.add("MatMul", "x", builder.add("Transpose", "x", perm=[0, 2, 1]))
    onnx.save(builder.model({y: np.float32}), tmp_path / "x.onnx")
    report = covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, elements=16)
    for factor in (1, 3):
        (got,) = check(report.output, 16, [{"x": data[:1] * np.float32(factor)}])
        bounded = np.minimum(data[:1] * factor, data.max())
        exact = bounded @ (weights if kind == "constant" else bounded.transpose(0, 2, 1))
        reach = max(float((one[None] @ (weights if kind == "constant" else one.T[None])).max()) for one in data)
        np.testing.assert_allclose(got, np.minimum(exact, reach), rtol=2e-2)


def test_products_have_room(tmp_path):
    random = np.random.default_rng(1)
    data = np.abs(random.normal(size=(12, 3, 6, 6))).astype(np.float32)
    builder = ModelBuilder({"x": data[:1]})
    y = builder.add("Relu", builder.add("Conv", "x", random.normal(size=(3, 3, 1, 1)).astype(np.float32)))
    onnx.save(builder.model({builder.add("Mul", y, "x"): np.float32}), tmp_path / "x.onnx")
    report = covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, elements=16)
    assert sorted(report.activation_bits.values()) == [15, 15, 16]
    (got,) = check(report.output, 16, [{"x": data[:1]}])
    theirs = onnxruntime_on(onnx.load(report.output), {"x": data[:1]})
    np.testing.assert_allclose(got, theirs, atol=1e-3 * np.abs(theirs).max())


@pytest.mark.parametrize(("width", "least"), [(4, 0.93), (8, 0.98), (16, 0.98)])
def test_digits(width, least, images, tmp_path):
    with np.load(DIGITS / "digits_test.npz") as split:
        labels = split["labels"]
    report = covenant.quantize(
        FLOAT, tmp_path / "y.onnx", {"image": images[:200]}, elements=width, method="mse", bias_correction=width == 4
    )
    check(report.output, width, [{"image": image[None]} for image in images[:3]])
    result = covenant.accuracy(
        report.output, {"image": images, "labels": labels}, machine(width), compare=("onnxruntime",)
    )
    print(f"{width} bits: {result.accuracy:.4f}, ONNX Runtime {result.onnxruntime_accuracy:.4f}")
    assert result.is_verified
    assert result.accuracy >= least
    assert abs(result.accuracy - result.onnxruntime_accuracy) <= 0.01
    assert result.onnxruntime_equal == (len(images) if width == 8 else None)


def test_widths_follow_bits():
    assert Numerics() == Numerics(8, 8, elements=8)
    assert Numerics(weight_bits=4).elements == Numerics(weight_bits=4).activation_bits == 8
    assert Numerics(elements=4) == Numerics(weight_bits=4, activation_bits=4, elements=4)
    assert Numerics(weight_bits=9, activation_bits=8).elements == 16
    assert Numerics(activation_bits="conv1=16,*=8").elements == 16
    assert Numerics(elements=16).weight_bits == 16


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"weight_bits": 17}, "QNT0008"), ({"elements": 5}, "QNT0005"), ({"elements": True}, "QNT0005"),
        ({"elements": 4, "weight_bits": 8}, "QNT0010"), ({"elements": 8, "activation_bits": "a=9,*=4"}, "QNT0010"),
    ],
)  # fmt: skip
def test_mistakes(options, code):
    with pytest.raises(covenant.CovenantError) as refused:
        Numerics(**options)
    assert refused.value.code == code
    assert refused.value.diagnostic.allowed


def test_a_bias_that_does_not_fit(tmp_path):
    """A bias of a convolution by a tensor, whose step follows from the ranges of image and kernel."""
    random = np.random.default_rng(2)
    images, kernels = random.normal(size=(6, 3, 4, 4)), random.normal(size=(24, 3, 1, 1))
    data = {"x": images.astype(np.float32), "w": kernels.astype(np.float32)}
    builder = ModelBuilder({"x": data["x"][:1], "w": data["w"][:4]})
    y = builder.add("Conv", "x", builder.add("Relu", "w"), np.full(4, 1e8, np.float32))
    onnx.save(builder.model({y: np.float32}), tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError, match="QNT0011"):
        covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", data, elements=16)


def test_command(tmp_path, capsys, images):
    np.savez(tmp_path / "data.npz", image=images[:20])
    command = ["quantize", str(FLOAT), "-o", str(tmp_path / "y.onnx"), "--calibrate", str(tmp_path / "data.npz")]
    found = {}
    for options in (["--elements", "4"], [], ["--bits", "16"], ["--bits", "conv1=16,*=8"]):
        assert main([*command, *options, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        found[" ".join(options)] = report["elements"], sorted(set(report["weight_bits"].values()))
    assert found == {
        "--elements 4": (4, [4]), "": (8, [8]), "--bits 16": (16, [16]), "--bits conv1=16,*=8": (16, [8, 16]),
    }  # fmt: skip
    assert main([*command, "--elements", "4", "--bits", "8"]) == 2
    assert "QNT0010" in capsys.readouterr().err
    noise = []
    for width in ("4", "8", "16"):
        assert main([*command, "--elements", width, "--json"]) == 0
        noise.append(json.loads(capsys.readouterr().out)["errors"][0]["noise_decibel"])
    assert all(after > before + 15 for before, after in pairwise(noise)), noise


@pytest.mark.parametrize("kind", ["LeakyRelu", "one slope", "a slope for each"])
def test_slopes_of_sixteen_bits_need_no_table(kind, tmp_path):
    """A slope is the positive part plus the rest times a factor: limits of stored elements, a product and a sum."""
    generator = np.random.default_rng(6)

    def some(*shape):
        return generator.normal(scale=0.3, size=shape).astype(np.float32)

    builder = ModelBuilder({"x": np.zeros((1, 3, 8, 8), np.float32)})
    y = builder.add("Conv", "x", some(6, 3, 3, 3), some(6))
    if kind == "LeakyRelu":
        y = builder.add("LeakyRelu", y, alpha=0.2)
    else:
        y = builder.add("PRelu", y, np.abs(some(1) if kind == "one slope" else some(6, 1, 1)))
    onnx.save(builder.model({builder.add("Conv", y, some(4, 6, 1, 1)): np.float32}), tmp_path / "x.onnx")
    data = generator.normal(size=(4, 3, 8, 8)).astype(np.float32)
    report = covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, elements=16, weight_bits=8)
    assert report.refusal is None
    assert report.tables == 0
    assert report.errors[0].noise_decibel > 35
    outputs = check(report.output, 16, [{"x": data[:1]}])
    theirs = onnxruntime_on(onnx.load(report.output), {"x": data[:1]})
    np.testing.assert_allclose(outputs[0], theirs, atol=1e-3)


@pytest.mark.parametrize("operator", ["Sin", "Softmax"])
def test_what_has_no_table_is_said_when_quantizing(operator, tmp_path):
    """The diagnostic names the element's width, before any machine is named."""
    builder = ModelBuilder({"x": np.zeros((1, 4, 16), np.float32)})
    y = builder.add(operator, builder.add("MatMul", "x", np.eye(16, 8, dtype=np.float32)))
    onnx.save(
        builder.model({builder.add("MatMul", y, np.eye(8, 4, dtype=np.float32)): np.float32}), tmp_path / "x.onnx"
    )
    data = np.random.default_rng(7).normal(size=(4, 4, 16)).astype(np.float32)
    report = covenant.quantize(tmp_path / "x.onnx", tmp_path / "y.onnx", {"x": data}, elements=16)
    assert report.refusal is not None
    assert report.refusal.code in ("NET0031", "ONX0027")
    assert report.refusal.offending == "elements of 16 bits"
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(report.output, machine(16))
    assert error.value.code == report.refusal.code


@pytest.mark.parametrize("operator", ["Mul", "MatMul"])
@pytest.mark.parametrize("activations", ["i8", "u8"])
def test_two_inputs_of_16_bits_are_multiplied(activations, operator, tmp_path):
    """Both have as many levels as their products have room for, and the compiler sees that."""
    random = np.random.default_rng(31)
    samples = {name: random.normal(loc=at, size=(4, 6, 6)).astype(np.float32) for name, at in (("x", 0.5), ("y", -0.4))}
    builder = ModelBuilder({name: np.zeros((1, 6, 6), np.float32) for name in samples})
    onnx.save(builder.model({builder.add(operator, "x", "y"): np.float32}), tmp_path / "float.onnx")
    made = tmp_path / "int16.onnx"
    report = covenant.quantize(tmp_path / "float.onnx", made, samples, elements=16, activations=activations)
    assert report.refusal is None
    feed = {name: array[:1] for name, array in samples.items()}
    (output,) = check(made, 16, [feed])
    expected = (np.matmul if operator == "MatMul" else np.multiply)(feed["x"], feed["y"])
    assert np.abs(output - expected).max() < 1e-3 * np.abs(expected).max()
