"""Each step of quantising by itself: ranges of least error, scales of weights, equalisation, bias correction."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from oracle_models import ModelBuilder
from quantization_models import FloatModel

import covenant
from covenant.choices import METHODS
from covenant.model.editable_model import EditableModel
from covenant.oracle import Style, session
from covenant.quantization.bias_correction import with_outputs
from covenant.quantization.calibration import calibrated, steps_of
from covenant.quantization.equalization import equalized
from covenant.quantization.static_quantizer import OPERATORS
from covenant.quantization.weight_scales import weight_scales


def squared_error(values, bounds, bits):
    """Squared error of quantising values within a range, from the definition."""
    scale, zero = steps_of(*bounds, bits)
    stored = np.clip(np.rint(values / np.float64(scale)) + zero, 0, 2**bits - 1)
    return np.square((stored - zero) * np.float64(scale) - values).sum()


@pytest.mark.parametrize("bits", [2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
def test_no_other_range_has_a_smaller_error(bits, seed):
    """Ranges of the other methods and 500 random ones have larger errors over what calibration has seen."""
    print("seed", seed)
    random = np.random.default_rng(seed)
    values = random.standard_t(3 + seed, size=(16, 500)).astype(np.float32) * np.float32(10.0 ** (seed - 2))
    values = np.maximum(values, 0) if seed == 1 else values
    builder = ModelBuilder({"x": values[:1]})
    model = builder.model({builder.add("Relu", "x"): np.float32}).SerializeToString()
    samples = [{"x": row[None]} for row in values]
    ranges = {
        method: calibrated(
            "x",
            model,
            samples,
            operators=OPERATORS,
            method=method,
            bits={"x": bits},
            told=lambda _done: None,
            check=lambda _ranges: None,
        )["x"]
        for method in METHODS
    }
    errors = {method: squared_error(np.float64(values), one, bits) for method, one in ranges.items()}
    low, high = values.min(), values.max()
    others = [
        squared_error(np.float64(values), (low * a, high * b), bits) for a, b in random.uniform(0.02, 1, size=(500, 2))
    ]
    # Ranges are chosen over histograms; here it is the values themselves.
    assert errors["mse"] <= 1.005 * min(*errors.values(), *others), errors


@pytest.mark.parametrize("bits", range(2, 9))
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_scales_of_weights(bits, axis):
    random = np.random.default_rng(bits)
    weights = random.normal(size=(6, 5, 4)).astype(np.float32)
    weights[2] = 0
    whole = weight_scales(weights, bits, axis, least_error=False)
    least = weight_scales(weights, bits, axis, least_error=True)
    assert whole.dtype == np.float32
    assert whole.shape == (() if axis is None else (weights.shape[axis],))
    most = 2 ** (bits - 1) - 1

    def error(scales):
        rows = np.moveaxis(weights, axis or 0, 0).reshape(-1, 1) if axis is None else np.moveaxis(weights, axis, 0)
        rows = np.float64(rows.reshape(scales.size, -1))
        steps = np.float64(scales.reshape(-1, 1))
        return np.square(np.clip(np.rint(rows / steps), -most, most) * steps - rows).sum(axis=1)

    assert np.all(error(least) <= error(whole) + 1e-12)
    for fraction in np.linspace(0.2, 1, 30):
        assert np.all(error(least) <= error(np.float32(whole * fraction)) * 1.05 + 1e-12)
    greatest = (
        np.abs(weights).max() if axis is None else np.abs(np.moveaxis(weights, axis, 0)).reshape(whole.size, -1).max(1)
    )
    np.testing.assert_allclose(np.where(greatest > 0, whole * most, 0), greatest, rtol=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_equalising_keeps_the_function(seed, tmp_path):
    print("seed", seed)
    model = FloatModel(seed, tmp_path)
    before = onnx.load(model.path)
    editable = EditableModel(onnx.load(model.path))
    equalized(editable)
    expected, got = (
        session(one.SerializeToString(), Style.QOPERATOR).run(None, {"x": model.data[:1]})[0]
        for one in (before, editable.model)
    )
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_equalised_channels_have_equal_ranges():
    """Conv, Relu, depthwise Conv, Relu, pool, Gemm: three layers, two pairs."""
    random = np.random.default_rng(0)
    builder = ModelBuilder({"x": np.zeros((1, 3, 6, 6), np.float32)})
    uneven = np.exp(random.normal(size=(8, 1, 1, 1)))
    y = builder.add("Conv", "x", (random.normal(size=(8, 3, 3, 3)) * uneven).astype(np.float32), np.ones(8, np.float32))
    y = builder.add("Conv", builder.add("Relu", y), random.normal(size=(8, 1, 3, 3)).astype(np.float32), group=8)
    y = builder.add("Flatten", builder.add("GlobalAveragePool", builder.add("Relu", y)), axis=1)
    y = builder.add("Gemm", y, random.normal(size=(8, 5)).astype(np.float32))
    editable = EditableModel(builder.model({y: np.float32}))
    assert equalized(editable) == 2
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in editable.model.graph.initializer}
    first, second, third = (constants[node.input[1]] for node in editable.nodes if node.op_type in ("Conv", "Gemm"))
    ranges = [np.abs(one).reshape(8, -1).max(axis=1) for one in (first, second, third)]
    np.testing.assert_allclose(ranges[0], ranges[1], rtol=5e-3)
    np.testing.assert_allclose(ranges[1], ranges[2], rtol=5e-3)


@pytest.mark.parametrize("between", ["Clip", "Sigmoid", "two readers", "reshaped rows"])
def test_what_is_no_pair(between):
    random = np.random.default_rng(0)
    builder = ModelBuilder({"x": np.zeros((1, 3, 4, 4), np.float32)})
    y = made = builder.add("Conv", "x", random.normal(size=(4, 3, 1, 1)).astype(np.float32))
    if between == "Clip":
        y = builder.add("Clip", y, np.float32(0), np.float32(6))
    elif between == "Sigmoid":
        y = builder.add("Sigmoid", y)
    elif between == "reshaped rows":  # rows of four pixels, not of channels
        y = builder.add("MatMul", y, random.normal(size=(4, 4)).astype(np.float32))
    outputs = {builder.add("Conv", y, random.normal(size=(2, 4, 1, 1)).astype(np.float32)): np.float32}
    if between == "two readers":
        outputs[builder.add("Relu", made)] = np.float32
    assert equalized(EditableModel(builder.model(outputs))) == 0


def shifts(in_float, path, samples):
    """Largest distance between an output channel's mean and its mean in float, for each layer."""
    quantized = onnx.load(path)
    names = {node.name: node.output[0] for node in in_float.graph.node if node.op_type in ("Conv", "Gemm")}
    found = {}
    for node in quantized.graph.node:
        if node.name not in names:
            continue
        means = []
        for model, value in ((in_float, names[node.name]), (quantized, node.output[0])):
            running = session(with_outputs(model, [value]).SerializeToString(), Style.QOPERATOR)
            made = np.concatenate([running.run(None, {"x": sample[None]})[0] for sample in samples])
            means.append(made.mean(axis=(0, *range(2, made.ndim))))
        found[node.name] = float(np.abs(means[1] - means[0]).max())
    return found


@pytest.mark.parametrize("seed", range(3))
def test_correcting_biases_moves_means_back(seed, tmp_path):
    print("seed", seed)
    model = FloatModel(seed, tmp_path)
    options = {"weight_bits": 3, "per_channel": False}
    covenant.quantize(model.path, tmp_path / "as_it_is.onnx", model.data_by_name, **options)
    report = covenant.quantize(
        model.path, tmp_path / "corrected.onnx", model.data_by_name, bias_correction=True, **options
    )
    in_float = onnx.load(model.path)
    before, after = (shifts(in_float, tmp_path / name, model.data) for name in ("as_it_is.onnx", "corrected.onnx"))
    assert after.keys() == before.keys() == report.bias_corrections.keys()
    assert sum(after.values()) < 0.2 * sum(before.values())
    quantized = onnx.load(tmp_path / "corrected.onnx")
    makers = {node.output[0]: node for node in quantized.graph.node}
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in quantized.graph.initializer}
    for node in quantized.graph.node:
        if node.name in after:  # a bias is stored in whole steps
            step = float(constants[makers[node.input[2]].input[1]].max())
            assert after[node.name] <= 0.5 * step + 1e-4 * (1 + before[node.name]), node.name


def test_a_model_that_onnx_runtime_refuses_is_refused(tmp_path):
    """Its own tool for preparing models only logs that."""
    weights = numpy_helper.from_array(np.ones((3, 4), np.float32), "w")
    weights.dims[:] = [3, 4, 2]
    node = onnx.helper.make_node("Gemm", ["x", "w"], ["y"], "layer")
    x, y = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, n]) for name, n in (("x", 3), ("y", 4))
    )
    graph = onnx.helper.make_graph([node], "wrong", [x], [y], [weights])
    path = tmp_path / "wrong.onnx"
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    with pytest.raises(covenant.CovenantError) as error:
        covenant.quantize(path, tmp_path / "q.onnx", calibrate={"x": np.ones((2, 3), np.float32)})
    assert error.value.code == "QNT0004"


def test_names_that_are_no_text_are_refused(tmp_path):
    """Protobuf gives bytes in the place of such strings."""
    path = tmp_path / "names.onnx"
    node = onnx.helper.make_node("Relu", ["x"], ["y"], "layer")
    x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 3]) for name in "xy")
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "names", [x], [y]), ir_version=8)
    path.write_bytes(model.SerializeToString().replace(b"Relu", b"R\xfflu"))
    with pytest.raises(covenant.CovenantError, match="not text in UTF-8") as error:
        covenant.quantize(path, tmp_path / "q.onnx", calibrate={"x": np.ones((2, 3), np.float32)})
    assert error.value.code == "QNT0001"
