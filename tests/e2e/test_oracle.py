"""ONNX Runtime does what docs/reference/numerics.md says that it does, in NumPy, and `covenant.oracle` runs it so."""

from __future__ import annotations

import ctypes
import ctypes.util
from pathlib import Path

import numpy as np
import onnx
import pytest
from oracle_models import ROOT, ModelBuilder, exact_add, fma

from covenant import oracle
from covenant.expected import expected_outputs

DIGITS = ROOT / "examples" / "01_digits"
TYPES = (np.uint8, np.int8)
SEEDS = range(40)


def test_version_is_pinned():
    assert oracle.check_version() == oracle.PINNED_ONNXRUNTIME
    assert f"onnxruntime=={oracle.PINNED_ONNXRUNTIME}" in (ROOT / "requirements.txt").read_text()


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(oracle.metadata, "version", lambda _: "1.2.3")
    with pytest.raises(oracle.OracleError, match=r"1\.2\.3 is installed.*pip install onnxruntime=="):
        oracle.check_version()


def test_missing_is_refused(monkeypatch):
    def missing(name):
        raise oracle.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(oracle.metadata, "version", missing)
    with pytest.raises(oracle.OracleError, match="not installed"):
        oracle.check_version()


@pytest.mark.parametrize(("name", "style"), [("qoperator", oracle.Style.QOPERATOR), ("qdq", oracle.Style.QDQ)])
def test_digits_run_in_integers(name, style):
    found = oracle.Oracle(DIGITS / f"digits_{name}.onnx")
    assert found.style is style
    assert found.operators == (
        "QuantizeLinear", "QLinearConv", "QLinearConv", "QLinearAdd", "MaxPool", "QLinearConv", "QLinearConv",
        "QLinearGlobalAveragePool", "Flatten", "QGemm", "DequantizeLinear",
    )  # fmt: skip


def test_float_model_runs_with_defaults():
    assert oracle.Oracle(DIGITS / "digits_float.onnx").style is oracle.Style.FLOAT
    image = np.zeros((1, 1, 8, 8), np.float32)
    assert oracle.run(DIGITS / "digits_float.onnx", image)["logits"].shape == (1, 10)


def test_unfused_model_is_refused():
    # A Relu that quantisation has not absorbed: its layer stays float.
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.uint8)})
    weights = np.ones((2, 2, 1, 1), np.int8)
    real = build.add("DequantizeLinear", "x", np.float32(0.5), np.uint8(3))
    w = build.add("DequantizeLinear", weights, np.float32(0.5), np.int8(0))
    relu = build.add("Relu", build.add("Conv", real, w))
    y = build.add("QuantizeLinear", relu, np.float32(0.25), np.uint8(100))
    with pytest.raises(oracle.OracleError, match="float operators in the middle"):
        oracle.Oracle(build.model({y: np.uint8}))


def test_mixed_styles_are_refused():
    model = onnx.load(str(DIGITS / "digits_qoperator.onnx"))
    model.graph.node.add(op_type="Add", input=["logits", "logits"], output=["twice"])
    with pytest.raises(oracle.OracleError, match="mixes"):
        oracle.style_of(model)


def has_exact_products() -> bool:
    """True on processors with VNNI: nothing saturates at 16 bits there."""
    return "vnni" in Path("/proc/cpuinfo").read_text()


def test_probe_is_exact_where_it_should_be_and_says_so():
    found = oracle.probe()
    assert len(found.cases) == 36
    assert {case.total > 0 for case in found.cases} == {True}
    assert found.exact or not has_exact_products(), found.text
    assert ("equal exact integers" in found.text) == found.exact


def test_probe_reports_saturation(monkeypatch):
    """What a processor without VNNI does, pairs of products that saturate at 16 bits: on such a one, as it is."""

    def saturating(x, w, x_zero, w_zero):
        assert x_zero is not None
        pairs = x[:, 0::2, None].astype(np.int64) * w[None, 0::2] + x[:, 1::2, None].astype(np.int64) * w[None, 1::2]
        zeros = (x.astype(np.int64) @ w) - (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero)
        return np.clip(pairs, -32768, 32767).sum(axis=1) - zeros

    if has_exact_products():
        monkeypatch.setattr(oracle, "_exact_matmul", saturating)
    found = oracle.probe()
    assert not found.exact
    wrong = {case.name for case in found.cases if not case.identical}
    assert "matmul uint8 x int8, per tensor, 255 x 127" in wrong
    assert "saturates at 16 bits" in found.text


def test_describe():
    found = oracle.describe(DIGITS / "digits_qdq.onnx")
    assert found["style"] == "QDQ"
    assert "fused into integer kernels" in found["settings"]
    assert found["exact"] is oracle.probe().exact


def test_fma_is_that_of_the_c_library():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fmaf.restype = ctypes.c_float
    library.fmaf.argtypes = [ctypes.c_float] * 3
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(2, 4000)).astype(np.float32)
    c = (-(a * b) * (1 + generator.integers(-2, 3, 4000) * 2.0**-24)).astype(np.float32)
    expected = [library.fmaf(float(x), float(y), float(z)) for x, y, z in zip(a, b, c, strict=True)]
    assert (fma(a, b, c) == np.array(expected, np.float32)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_add_over_all_operands(dtype, seed):
    """QLinearAdd over all 256 x 256 operands."""
    generator = np.random.default_rng(seed)
    limits = np.iinfo(dtype)
    scales = [np.float32(np.exp(value)) for value in generator.uniform(-6, 0, 3)]
    zeros = [int(value) for value in generator.integers(limits.min, limits.max + 1, 3)]
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    a, b = (np.ascontiguousarray(array) for array in np.meshgrid(every, every, indexing="ij"))
    build = ModelBuilder({"a": a, "b": b})
    quantized = [entry for pair in zip(scales, zeros, strict=True) for entry in (pair[0], dtype(pair[1]))]
    y = build.add("QLinearAdd", "a", *quantized[:2], "b", *quantized[2:])
    result = oracle.Oracle(build.model({y: dtype})).run({"a": a, "b": b})[y]
    assert (result == exact_add(a, b, scales, zeros, limits)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_global_average_pool(dtype, seed):
    generator = np.random.default_rng(seed)
    limits = np.iinfo(dtype)
    shape = (1, *generator.integers(1, 20, 3))
    x = generator.integers(limits.min, limits.max + 1, shape).astype(dtype)
    x_zero, y_zero = (int(value) for value in generator.integers(limits.min, limits.max + 1, 2))
    x_scale, y_scale = np.exp(generator.uniform(-4, -3, 2)).astype(np.float32)
    build = ModelBuilder({"x": x})
    operands = ["x", x_scale, dtype(x_zero), y_scale, dtype(y_zero)]
    y = build.add("QLinearGlobalAveragePool", *operands, channels_last=0)
    result = oracle.Oracle(build.model({y: dtype})).run(x)[y]
    plane = shape[2] * shape[3]
    sums = x.astype(np.int64).sum(axis=(2, 3), keepdims=True) - plane * x_zero
    scale = np.float32(x_scale / np.float32(y_scale * np.float32(plane)))
    expected = np.rint(sums.astype(np.float32) * scale) + y_zero
    assert (result == np.clip(expected, limits.min, limits.max).astype(dtype)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operator", ["QGemm", "QLinearMatMul"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_products(dtype, operator, per_channel):
    for seed in range(10):
        generator = np.random.default_rng(seed)
        limits = np.iinfo(dtype)
        rows, inner, outputs = (int(value) for value in generator.integers(1, 70, 3))
        x = generator.integers(limits.min, limits.max + 1, (rows, inner)).astype(dtype)
        # 255 * 64 + 255 * 64 fits 16 bits: such weights are exact on every processor.
        most = 128 if dtype is np.int8 or has_exact_products() else 64
        w = generator.integers(-most, most, (inner, outputs)).astype(np.int8)
        bias = generator.integers(-9999, 9999, outputs).astype(np.int32)
        x_zero, y_zero = (int(value) for value in generator.integers(limits.min, limits.max + 1, 2))
        x_scale = np.float32(np.exp(generator.uniform(-6, 0)))
        w_scale = np.exp(generator.uniform(-6, 0, outputs if per_channel else 1)).astype(np.float32)
        sums = (x.astype(np.int64) - x_zero) @ w.astype(np.int64)
        if operator == "QGemm":
            sums += bias
        y_scale = np.float32(np.abs(sums).max() * x_scale * w_scale.mean() / 100 + 1e-6)
        weights = [w, w_scale, np.zeros(outputs, np.int8)] if per_channel else [w, w_scale[0], np.int8(0)]
        build = ModelBuilder({"x": x})
        middle = [bias] if operator == "QGemm" else []
        y = build.add(operator, "x", x_scale, dtype(x_zero), *weights, *middle, y_scale, dtype(y_zero))
        result = oracle.Oracle(build.model({y: dtype})).run(x)[y]
        scale = (x_scale * w_scale / y_scale).astype(np.float32)
        expected = np.clip(np.rint(sums.astype(np.float32) * scale) + y_zero, limits.min, limits.max)
        assert (result == expected.astype(dtype)).all(), f"seed {seed}"


def test_where_the_kernels_are_inexact_the_reference_is_what_counts(images, monkeypatch):
    feeds = [{"image": image[None]} for image in images[:3]]
    by_oracle = expected_outputs(DIGITS / "digits_qdq.onnx", feeds)
    monkeypatch.setattr(oracle, "describe", lambda _: {"exact": False})
    by_reference = expected_outputs(DIGITS / "digits_qdq.onnx", feeds)
    assert by_reference.description["source"] == "reference"
    for ours, theirs in zip(by_reference.outputs, by_oracle.outputs, strict=True):
        assert ours.keys() == theirs.keys()
        assert all((ours[name] == theirs[name]).all() for name in ours)
