"""Models that cannot be quantised as they are get a diagnostic that names their kind; `quantize` checks its results."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization
from oracle_models import ModelBuilder

import covenant
from covenant import oracle

GENERATOR = np.random.default_rng(9)
SAMPLES = GENERATOR.normal(size=(4, 3, 8, 8)).astype(np.float32)


def weights(*shape):
    """Small random numbers."""
    return GENERATOR.normal(scale=0.3, size=shape).astype(np.float32)


def convolution(*after, dtype=np.float32):
    """A Conv, and what follows it: operators with one operand."""
    builder = ModelBuilder({"x": np.zeros((1, 3, 8, 8), dtype)})
    y = builder.add("Conv", "x", weights(4, 3, 3, 3).astype(dtype), weights(4).astype(dtype), pads=[1] * 4)
    for operator in after:
        y = builder.add(operator, y)
    return builder, y


def refused(model, folder, samples=SAMPLES, **options):
    """Diagnostic that `quantize` raises for a model."""
    onnx.save(model, folder / "model.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.quantize(folder / "model.onnx", folder / "int8.onnx", {"x": samples}, **options)
    return error.value


def refused_by_run(path):
    """Diagnostic that the compiler raises for a model."""
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(path, "genesys:07")
    return error.value


@pytest.mark.parametrize("kind", ["MatMulInteger", "ConvInteger", "MatMulNBits"])
def test_dynamically_quantized(kind, tmp_path):
    """Both commands say what it is, and the way that leads on: no circle between them."""
    path = tmp_path / "dynamic.onnx"
    if kind == "MatMulNBits":
        builder = ModelBuilder({"x": np.zeros((2, 32), np.float32)})
        packed, scales = np.zeros((8, 1, 16), np.uint8), np.ones((8, 1), np.float32)
        y = builder.add("MatMulNBits", "x", packed, scales, K=32, N=8, bits=4, block_size=32)
        builder.nodes[-1].domain = "com.microsoft"
        onnx.save(builder.model({y: np.float32}), path)
    else:
        builder, y = convolution()
        if kind == "MatMulInteger":
            y = builder.add("MatMul", builder.add("Flatten", y), weights(256, 8))
        onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
        operators = {"MatMulInteger": ["MatMul"], "ConvInteger": ["Conv"]}[kind]
        quantization.quantize_dynamic(
            tmp_path / "float.onnx", path, op_types_to_quantize=operators, weight_type=quantization.QuantType.QUInt8
        )
    words = "weights of the model alone" if kind == "MatMulNBits" else "quantised dynamically"
    by_quantize, by_run = refused(onnx.load(path), tmp_path), refused_by_run(path)
    assert by_quantize.code == "QNT0001"
    assert by_run.code == "ONX0025"
    for error in (by_quantize, by_run):
        assert words in error.message
        assert kind in error.diagnostic.offending
        assert "float model" in error.diagnostic.fix


def branching():
    """A model with an If, whose branches are other operators."""
    builder, y = convolution()
    condition = builder.add("Greater", builder.add("ReduceSum", y, keepdims=0), np.float32(0))
    branches = {
        name: helper.make_graph(
            [helper.make_node(operator, [y], [name])], name, [],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, 8, 8])],
        )
        for name, operator in (("then_branch", "Relu"), ("else_branch", "Neg"))
    }  # fmt: skip
    y = builder.add("If", condition, **branches)
    return builder, y, condition


def test_a_branch_on_values_is_named(tmp_path):
    builder, y, _ = branching()
    error = refused(builder.model({y: np.float32}), tmp_path)
    assert error.code == "QNT0013"
    assert error.diagnostic.subject == f"{builder.nodes[-1].name} (If)"


def test_a_branch_on_a_constant_is_folded(tmp_path):
    builder, y, condition = branching()
    y = builder.add("Conv", y, weights(2, 4, 1, 1))
    builder.nodes = [node for node in builder.nodes if condition not in node.output and node.op_type != "ReduceSum"]
    builder.constants.append(numpy_helper.from_array(np.array(True), condition))
    onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": SAMPLES})
    assert report.refusal is None


def test_a_branch_in_a_quantized_model_is_named(tmp_path):
    builder, y, _ = branching()
    onnx.save(builder.model({builder.add("Conv", y, weights(2, 4, 1, 1)): np.float32}), tmp_path / "float.onnx")

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            self.samples = iter([{"x": SAMPLES[:1]}])

        def get_next(self):
            return next(self.samples, None)

    quantization.quantize_static(tmp_path / "float.onnx", tmp_path / "int8.onnx", Reader())
    error = refused_by_run(tmp_path / "int8.onnx")
    assert error.code == "ONX0026"
    assert "(If)" in error.diagnostic.subject


def test_operators_newer_than_known(tmp_path):
    builder, y = convolution()
    model = builder.model({y: np.float32})
    model.opset_import[0].version = 26
    error = refused(model, tmp_path)
    assert error.code == "QNT0014"
    assert error.diagnostic.offending == "opset 26"


@pytest.mark.parametrize("precision", [np.float16, np.float64])
def test_other_precisions_become_single(precision, tmp_path):
    builder, y = convolution("Relu", dtype=precision)
    y = builder.add("Mul", y, np.array(0.5, precision))
    y = builder.add("Conv", y, weights(2, 4, 1, 1).astype(precision))
    onnx.save(builder.model({y: precision}), tmp_path / "float.onnx")
    samples = SAMPLES.astype(precision)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples})
    assert report.refusal is None
    (error,) = report.errors
    assert error.noise_decibel > 25
    feed = samples[:1]
    (got,) = covenant.run(covenant.compile(report.output, "genesys:8x8"), feed).outputs.values()
    (expected,) = oracle.run(report.output, feed).values()
    np.testing.assert_array_equal(got, expected)
    if precision == np.float16:  # ONNX Runtime has no Conv of double precision
        (theirs,) = oracle.session((tmp_path / "float.onnx").read_bytes(), oracle.Style.FLOAT).run(
            None, {"x": samples[:1]}
        )
        assert np.abs(got - theirs.astype(np.float32)).max() < 0.1 * np.abs(theirs).max()


def test_outputs_whose_number_varies(tmp_path):
    """Left out of the comparison, and said so; what has one shape is compared."""
    builder, y = convolution()
    found = builder.add("NonZero", builder.add("Greater", y, np.float32(0.5)))
    onnx.save(builder.model({y: np.float32, found: np.int64}), tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": SAMPLES})
    assert report.varying == (found,)
    assert [error.name for error in report.errors] == [y]
    assert report.refusal is None
    result = covenant.run(covenant.compile(report.output, "genesys:8x8"), SAMPLES[:1])
    np.testing.assert_array_equal(result.outputs[found], oracle.run(report.output, SAMPLES[:1])[found])


def test_what_run_will_refuse_is_said_at_once(tmp_path, covenant_command):
    """An operator that no machine word does, in the middle: named with its layer, in words and in --json."""
    builder, y = convolution()
    y = builder.add("Conv", builder.add("LogSoftmax", y), weights(2, 4, 1, 1))
    onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
    np.savez(tmp_path / "x.npz", x=SAMPLES)
    done = covenant_command(
        "quantize", tmp_path / "float.onnx", "-o", tmp_path / "int8.onnx", "--calibrate", tmp_path / "x.npz", "--json"
    )
    assert done.code == 0
    refusal = done.object["refusal"]
    by_run = refused_by_run(tmp_path / "int8.onnx")
    assert (refusal["code"], refusal["subject"]) == (by_run.code, by_run.diagnostic.subject)
    assert "(LogSoftmax)" in refusal["subject"]
    assert f"[{by_run.code}]" in done.error


def test_what_one_machine_refuses(tmp_path):
    """A Softmax is nothing that every machine asks about; this one lacks what it needs."""
    builder = ModelBuilder({"x": np.zeros((1, 6, 16), np.float32)})
    y = builder.add("MatMul", builder.add("Softmax", builder.add("MatMul", "x", weights(16, 8))), weights(8, 4))
    onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
    samples = {"x": GENERATOR.normal(size=(4, 6, 16)).astype(np.float32)}
    whole = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", samples)
    assert whole.refusal is None
    one = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", samples, machine="genesys:01")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "int8.onnx", "genesys:01")
    assert one.refusal is not None
    assert one.refusal.code == error.value.code
