"""Rewrites of operators that ONNX defines by others, of functions of the model, and of factors of products."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnxruntime import quantization
from oracle_models import ModelBuilder

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.model.editable_model import EditableModel
from covenant.quantization.einsums import einsums_into_products

GENERATOR = np.random.default_rng(11)


def weights(*shape):
    """Small random numbers."""
    return GENERATOR.normal(scale=0.3, size=shape).astype(np.float32)


def samples(*shape):
    """Four runs of a batch of one."""
    return GENERATOR.normal(size=(4, *shape)).astype(np.float32)


def grown(shape, grow, opset):
    """A float model of rows: MatMul, what `grow` makes of it, MatMul."""
    builder = ModelBuilder({"x": np.zeros((1, *shape), np.float32)})
    y = grow(builder, builder.add("MatMul", "x", weights(shape[-1], 48)))
    model = builder.model({builder.add("MatMul", y, weights(16, 4)): np.float32})
    model.opset_import[0].version, model.ir_version = opset, 10
    return model


def split(builder, y):
    """Queries, keys, values of 16 channels each."""
    names = [f"{y}/{part}" for part in "qkv"]
    builder.nodes.append(helper.make_node("Split", [y], names, f"{y}/split", axis=-1, num_outputs=3))
    return names


def root_mean_square(builder, y):
    return builder.add("RMSNormalization", split(builder, y)[0], weights(16) + 1, axis=-1, epsilon=1e-6)


def attention(builder, y):
    return builder.add("Attention", *split(builder, y), q_num_heads=2, kv_num_heads=2, is_causal=1)


def rotary(builder, y):
    query = builder.add("Reshape", split(builder, y)[0], np.array([1, 6, 2, 8], np.int64))
    query = builder.add("Transpose", query, perm=[0, 2, 1, 3])
    angles = np.float32(np.arange(6)[:, None] / 10 ** np.arange(4)[None] * 3)
    y = builder.add("RotaryEmbedding", query, np.cos(angles)[None], np.sin(angles)[None])
    return builder.add("Reshape", builder.add("Transpose", y, perm=[0, 2, 1, 3]), np.array([1, 6, 16], np.int64))


def groups(builder, y):
    y = builder.add("Transpose", split(builder, y)[0], perm=[0, 2, 1])
    y = builder.add("GroupNormalization", y, weights(16) + 1, weights(16), num_groups=4)
    return builder.add("Transpose", y, perm=[0, 2, 1])


def swished(builder, y):
    return builder.add("Swish", split(builder, y)[0])


def squares(builder, y):
    part = split(builder, y)[0]
    total = builder.add("ReduceSumSquare", part, np.array([-1], np.int64))
    return builder.add("Mul", part, builder.add("Sqrt", total))


def heads(builder, y):
    """Scores and sums of an attention, as Einsum."""
    query, key, value = (builder.add("Reshape", part, np.array([1, 6, 2, 8], np.int64)) for part in split(builder, y))
    scores = builder.add("Einsum", query, key, equation="bihd,bjhd->bhij")
    y = builder.add("Einsum", builder.add("Softmax", scores, axis=-1), value, equation="bhij,bjhd->bihd")
    return builder.add("Reshape", y, np.array([1, 6, 16], np.int64))


def unit_length(builder, y):
    return builder.add("Shrink", builder.add("LpNormalization", split(builder, y)[0], axis=-1, p=2), lambd=0.1)


CASES = {
    heads: 18, unit_length: 18, root_mean_square: 23, attention: 23, rotary: 23, groups: 21, swished: 24, squares: 18,
}  # fmt: skip


@pytest.mark.parametrize("grow", CASES, ids=lambda grow: grow.__name__)
def test_operators_that_others_define(grow, tmp_path):
    """Quantised in their parts, they are near float, and machines make ONNX Runtime's bytes."""
    data = samples(6, 16)
    onnx.save(grown((6, 16), grow, CASES[grow]), tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": data})
    assert report.refusal is None
    (error,) = report.errors
    assert error.noise_decibel > 20
    program = covenant.compile(report.output, "genesys:07")
    expected = oracle.Oracle(report.output)
    for image in np.split(data[:2], 2):
        for name, array in covenant.run(program, image).outputs.items():
            np.testing.assert_array_equal(array, expected.run(image)[name])


class _Reader(quantization.CalibrationDataReader):
    """Samples for ONNX Runtime's own quantiser."""

    def __init__(self, data):
        self._left = [{"x": one} for one in np.split(data, len(data))]

    def get_next(self):
        return self._left.pop() if self._left else None


def quantized_by_onnx_runtime(folder, data):
    """`float.onnx` of a folder, quantised by ONNX Runtime's own quantiser."""
    quantization.quantize_static(folder / "float.onnx", folder / "theirs.onnx", _Reader(data),
                                 activation_type=quantization.QuantType.QInt8)  # fmt: skip
    return folder / "theirs.onnx"


def test_such_operators_between_quantized_tensors_are_named(tmp_path):
    """An Attention has no scale for its scores, so no machine can compute it in bytes."""
    onnx.save(grown((6, 16), attention, CASES[attention]), tmp_path / "float.onnx")
    model = quantized_by_onnx_runtime(tmp_path, samples(6, 16))
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(model, "genesys:07")
    assert error.value.code == "ONX0028"
    assert "Attention" in error.value.diagnostic.offending
    assert "covenant quantize" in error.value.diagnostic.fix


def test_a_normalisation_quantized_by_onnx_runtime_runs(tmp_path, capsys):
    """It leaves one number per row in float; each layer is within a step of ONNX Runtime's."""
    onnx.save(grown((6, 16), root_mean_square, CASES[root_mean_square]), tmp_path / "float.onnx")
    model = quantized_by_onnx_runtime(tmp_path, samples(6, 16))
    assert main(["run", str(model), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    assert "none further" in capsys.readouterr().out


@pytest.mark.parametrize("operator", ["RMSNormalization", "GroupNormalization"])
def test_the_host_knows_them_whole(operator, tmp_path, capsys):
    """At the end of a model they are computed as ONNX Runtime does, not in parts."""
    data = samples(6, 16)
    step, zero = np.float32(0.05), np.int8(0)
    builder = ModelBuilder({"x": data[:1]})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zero), step, zero)
    w = builder.add("DequantizeLinear", np.int8(GENERATOR.integers(-99, 99, (16, 16))), np.float32(0.01), zero)
    y = builder.add("QuantizeLinear", builder.add("MatMul", x, w), step, zero)
    operands = [weights(16)] if operator == "RMSNormalization" else [weights(6), weights(6)]
    attributes = {"epsilon": 1e-3} if operator == "RMSNormalization" else {"epsilon": 1e-3, "num_groups": 3}
    y = builder.add(operator, builder.add("DequantizeLinear", y, step, zero), *operands, **attributes)
    model = builder.model({y: np.float32})
    model.opset_import[0].version, model.ir_version = 23, 10
    onnx.save(model, tmp_path / "x.onnx")
    program = covenant.compile(tmp_path / "x.onnx", "genesys:8x8")
    assert operator in program.end.operators
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:8x8", "--compare", "onnxruntime"]) == 0
    capsys.readouterr()


def mean_of_squares(builder, y):
    """The root mean square normalisation as exporters write it: a power, a mean, a root, a quotient."""
    y = split(builder, y)[0]
    mean = builder.add("ReduceMean", builder.add("Pow", y, np.float32(2)), axes=[-1])
    return builder.add("Mul", builder.add("Div", y, builder.add("Sqrt", mean)), weights(16) + 1)


def deviation(builder, y):
    """A normalisation of rows, written out."""
    y = split(builder, y)[0]
    apart = builder.add("Sub", y, builder.add("ReduceMean", y, axes=[-1]))
    mean = builder.add("ReduceMean", builder.add("Pow", apart, np.float32(2)), axes=[-1])
    return builder.add("Div", apart, builder.add("Sqrt", builder.add("Add", mean, np.float32(1e-5))))


@pytest.mark.parametrize("grow", [mean_of_squares, deviation], ids=lambda grow: grow.__name__)
def test_operators_in_float_one_after_the_other(grow, tmp_path, capsys):
    """Quantised here they have ONNX Runtime's bytes; quantised around by itself they are at most a step away."""
    data = samples(6, 16)
    model = grown((6, 16), grow, 17)
    for node in model.graph.node:
        if node.op_type == "Split":
            node.attribute.remove(next(one for one in node.attribute if one.name == "num_outputs"))
    onnx.save(model, tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": data})
    assert report.refusal is None
    (got,) = covenant.run(covenant.compile(report.output, "genesys:07"), data[:1]).outputs.values()
    (expected,) = oracle.run(report.output, data[:1]).values()
    np.testing.assert_array_equal(got, expected)
    theirs = quantized_by_onnx_runtime(tmp_path, data)
    assert main(["run", str(theirs), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    assert "none further" in capsys.readouterr().out


def local_function(model):
    """The model's second MatMul in a function of its own, as exporters leave them."""
    last = model.graph.node[-1]
    body = [helper.make_node("Abs", ["a"], ["b"]), helper.make_node("MatMul", ["b", "w"], ["y"])]
    opsets = [helper.make_opsetid("", 18)]
    model.functions.append(helper.make_function("mine", "Layer", ["a", "w"], ["y"], body, opsets))
    call = helper.make_node("Layer", list(last.input), list(last.output), last.name, domain="mine")
    last.CopyFrom(call)
    model.opset_import.append(helper.make_opsetid("mine", 1))
    return model


def test_functions_of_the_model(tmp_path):
    """Calls are replaced by the function's nodes, in a float model and in a quantised one."""
    data = samples(6, 16)
    model = grown((6, 16), lambda builder, y: split(builder, y)[1], 18)
    onnx.save(local_function(model), tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": data})
    assert report.refusal is None
    image = data[:1]
    (got,) = covenant.run(covenant.compile(report.output, "genesys:8x8"), image).outputs.values()
    (expected,) = oracle.run(report.output, image).values()
    np.testing.assert_array_equal(got, expected)
    stored = onnx.load(report.output)
    body = [helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"])]
    stored.functions.append(
        helper.make_function("mine", "Real", ["q", "s", "z"], ["y"], body, [helper.make_opsetid("", 18)])
    )
    stored.opset_import.append(helper.make_opsetid("mine", 1))
    for node in stored.graph.node:
        if node.op_type == "DequantizeLinear" and not node.attribute:
            node.op_type, node.domain = "Real", "mine"
    onnx.save(stored, tmp_path / "called.onnx")
    (same,) = covenant.run(covenant.compile(tmp_path / "called.onnx", "genesys:8x8"), image).outputs.values()
    np.testing.assert_array_equal(same, expected)


def letters(random):
    """An equation of two operands at random, with the sizes of its letters."""
    names = list("abcdefg")
    random.shuffle(names)
    batch, summed = names[: random.integers(0, 3)], names[2 : 2 + random.integers(1, 3)]
    rows, columns = names[4 : 4 + random.integers(0, 2)], names[5 : 5 + random.integers(0, 3)]
    first, second, result = [*batch, *rows, *summed], [*batch, *summed, *columns], [*batch, *rows, *columns]
    for one in (first, second, result):
        random.shuffle(one)
    sizes = {one: int(random.integers(1, 4)) for one in names}
    return "".join(first), "".join(second), "".join(result), sizes


@pytest.mark.parametrize("seed", range(40))
def test_einsum_is_a_product(seed):
    """Einsum becomes a product for any dimensions in any order, by a varying operand or by a constant."""
    random = np.random.default_rng(seed)
    first, second, result, sizes = letters(random)
    arrays = [random.normal(size=[sizes[one] for one in term]).astype(np.float32) for term in (first, second)]
    is_constant = bool(seed % 2)
    feed = {"x": arrays[0]} if is_constant else {"x": arrays[0], "w": arrays[1]}
    builder = ModelBuilder(feed)
    operand = arrays[1] if is_constant else "w"
    model = builder.model({builder.add("Einsum", "x", operand, equation=f"{first},{second}->{result}"): np.float32})
    expected = oracle.session(model.SerializeToString(), oracle.Style.QOPERATOR).run(None, feed)[0]
    rewritten = EditableModel(model)
    assert einsums_into_products(rewritten) == 1
    assert "Einsum" not in {node.op_type for node in rewritten.nodes}
    got = oracle.session(rewritten.model.SerializeToString(), oracle.Style.QOPERATOR).run(None, feed)[0]
    np.testing.assert_allclose(got, expected, atol=1e-5)


PRODUCTS = {
    "factors": ({"alpha": 0.5, "beta": 2.0}, (8,), True),
    "turned": ({"transA": 1, "alpha": 0.5, "beta": 2.0}, (8,), True),
    "one element": ({}, (), True),
    "one in a row": ({}, (1,), True),
    "a column": ({"beta": -1.5}, (4, 1), True),
    "a matrix": ({"transB": 1}, (4, 8), True),
    "no bias": ({"alpha": 3.0, "transB": 1}, None, True),
    "computed": ({"alpha": 0.25, "transB": 1}, (8,), False),
    "computed, no bias": ({"alpha": 1.0}, None, False),
}


@pytest.mark.parametrize("kind", PRODUCTS)
def test_products_with_factors(kind, tmp_path):
    attributes, bias, is_constant = PRODUCTS[kind]
    builder = ModelBuilder({"x": np.zeros((16, 4) if attributes.get("transA") else (4, 16), np.float32)})
    shape = (8, 16) if attributes.get("transB") else (16, 8)
    second = weights(*shape)
    if not is_constant:
        second = builder.add("Reshape", builder.add("Gemm", "x", weights(16, 32)), np.array(shape, np.int64))
    operands = [] if bias is None else [weights(*bias)]
    y = builder.add("Relu", builder.add("Gemm", "x", second, *operands, **attributes))
    onnx.save(builder.model({builder.add("Gemm", y, weights(8, 3)): np.float32}), tmp_path / "float.onnx")
    shape = (64, 4) if attributes.get("transA") else (16, 16)
    data = GENERATOR.normal(size=shape).astype(np.float32)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": data})
    assert report.refusal is None
    (error,) = report.errors
    assert error.noise_decibel > 25
    image = data[: len(data) // 4]
    (got,) = covenant.run(covenant.compile(report.output, "genesys:07"), image).outputs.values()
    (expected,) = oracle.run(report.output, image).values()
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("shape", [(5, 6), (1, 5, 6)])
def test_a_constant_on_the_left(shape, tmp_path):
    """Learned queries: the product is that of the turned operands, turned."""
    builder = ModelBuilder({"x": np.zeros((1, 6, 16), np.float32)})
    y = builder.add("MatMul", weights(*shape), builder.add("MatMul", "x", weights(16, 8)))
    onnx.save(builder.model({builder.add("MatMul", y, weights(8, 3)): np.float32}), tmp_path / "float.onnx")
    data = samples(6, 16)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": data})
    assert report.refusal is None
    (got,) = covenant.run(covenant.compile(report.output, "genesys:8x8"), data[:1]).outputs.values()
    (expected,) = oracle.run(report.output, data[:1]).values()
    np.testing.assert_array_equal(got, expected)
