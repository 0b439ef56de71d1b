"""ONNX Runtime does what docs/reference/numerics.md says, recomputed in NumPy, and `covenant.oracle` runs it so."""

from __future__ import annotations

import ctypes
import ctypes.util
import re

import numpy as np
import onnx
import pytest
from expectation import expected_here, is_exact, products_of
from oracle_models import ROOT, ModelBuilder

from covenant import oracle
from covenant.model.kernels import CHOICES, INEXACT, MOVEMENTS, Kernel
from covenant.onnx_runtime import sessions
from covenant.oracle import exact
from covenant.oracle.probe import _found, probe
from covenant.verify.expected import Source, describe, expected_outputs, source_here

DIGITS = ROOT / "examples" / "01_digits"
TYPES = (np.uint8, np.int8)
SEEDS = range(40)


def test_version_is_pinned():
    assert oracle.check_version() == oracle.PINNED_ONNXRUNTIME
    assert f"onnxruntime=={oracle.PINNED_ONNXRUNTIME}" in (ROOT / "requirements.txt").read_text()


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(sessions.metadata, "version", lambda _: "1.2.3")
    with pytest.raises(oracle.OracleError, match=r"1\.2\.3 is installed.*pip install onnxruntime=="):
        oracle.check_version()


def test_missing_is_refused(monkeypatch):
    def missing(name):
        raise sessions.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sessions.metadata, "version", missing)
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


def test_an_unfused_layer_is_within_a_step():
    # A Relu that quantisation has not absorbed: its layer stays float.
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.uint8)})
    weights = np.ones((2, 2, 1, 1), np.int8)
    real = build.add("DequantizeLinear", "x", np.float32(0.5), np.uint8(3))
    w = build.add("DequantizeLinear", weights, np.float32(0.5), np.int8(0))
    relu = build.add("Relu", build.add("Conv", real, w))
    y = build.add("QuantizeLinear", relu, np.float32(0.25), np.uint8(100))
    known = oracle.Oracle(build.model({y: np.uint8}))
    assert "FusedConv" in known.operators
    assert known.inexact == {y: "FusedConv"}


def test_unfused_model_is_refused():
    """A function of a layer's real result, which no machine has."""
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.uint8)})
    real = build.add("DequantizeLinear", "x", np.float32(0.5), np.uint8(3))
    w = build.add("DequantizeLinear", np.ones((2, 2, 1, 1), np.int8), np.float32(0.5), np.int8(0))
    sine = build.add("Sin", build.add("Conv", real, w))
    y = build.add("QuantizeLinear", sine, np.float32(0.25), np.uint8(100))
    with pytest.raises(oracle.OracleError, match="float operators in the middle of the model: Conv, Sin"):
        oracle.Oracle(build.model({y: np.uint8}))


def test_mixed_styles_are_refused():
    model = onnx.load(str(DIGITS / "digits_qoperator.onnx"))
    model.graph.node.add(op_type="Add", input=["logits", "logits"], output=["twice"])
    with pytest.raises(oracle.OracleError, match="mixes"):
        oracle.style_of(model)


def test_a_pool_of_dequantized_elements_picks_one():
    """The pool runs in float, as the scale changes after it; quantising is monotone, so no rounding differs."""
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.uint8)})
    real = build.add("DequantizeLinear", "x", np.float32(0.5), np.uint8(3))
    pool = build.add("MaxPool", real, kernel_shape=[2, 2])
    y = build.add("QuantizeLinear", pool, np.float32(0.25), np.uint8(100))
    known = oracle.Oracle(build.model({y: np.uint8}))
    assert "MaxPool" in known.operators
    assert not known.inexact


def test_a_float_operator_before_a_pool_is_refused():
    build = ModelBuilder({"x": np.zeros((1, 2, 4, 4), np.uint8)})
    real = build.add("DequantizeLinear", "x", np.float32(0.5), np.uint8(3))
    pool = build.add("MaxPool", build.add("LogSoftmax", real), kernel_shape=[2, 2])
    y = build.add("QuantizeLinear", pool, np.float32(0.25), np.uint8(100))
    with pytest.raises(oracle.OracleError, match="float operators in the middle of the model: LogSoftmax"):
        oracle.Oracle(build.model({y: np.uint8}))


PRODUCT_TYPES = (("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8"))
KERNELS = {
    *(str(kernel) for types in PRODUCT_TYPES for kernel in products_of(*types)),
    *(
        f"{operator} {dtype}"
        for operator in (
            "QLinearAdd", "QLinearAveragePool", "QLinearConcat", "QLinearMul", "QLinearGlobalAveragePool",
            "QLinearSoftmax", "QLinearWhere", "MaxPool", "Clip", "QuantizeLinear", "DequantizeLinear",
        )
        for dtype in ("int8", "uint8")
    ),
    "DequantizeLinear int32", "Relu int8", "Sub float32", "Div float32",
}  # fmt: skip


def test_probe_has_every_kernel_and_says_what_it_finds():
    found = probe()
    assert {str(case.kernel) for case in found.cases} == KERNELS
    assert {case.total > 0 for case in found.cases} == {True}
    # What does not multiply u8 by i8 is exact on every x86-64 processor.
    assert {kernel.types for kernel in found.wrong} <= {("uint8", "int8")}, found.text
    assert ("equal exact integers" in found.text) == found.exact


def test_the_front_end_takes_no_other_kernels():
    """Operators on stored values that the C++ front end knows: those without arithmetic, or in the probe."""
    table = (ROOT / "compiler/frontends/onnx/operators.cpp").read_text().split("kRules{{")[1].split("};")[0]
    known = set(re.findall(r'^ *\{"(?:com\.microsoft\.)?([A-Z]\w+)"', table, re.MULTILINE))
    assert "QLinearConv" in known
    probed = {case.kernel.operator for case in probe().cases}
    # Fused into kernels that are probed, or refused.
    floats = {"AveragePool", "Conv", "Gemm", "MatMul", "Add", "Mul", "GlobalAveragePool", "Softmax"}
    # Compared with kernels of operands without a sign, by tests of their own (`test_closing_products`).
    sums = {"ConvInteger", "MatMulInteger"}
    assert known - probed - floats - sums <= {*MOVEMENTS, *CHOICES, *INEXACT, "Constant"}


def saturating(x, w, x_zero, w_zero):
    """Sums that a processor without VNNI computes: pairs of products, saturated at 16 bits."""
    pairs = x[:, 0::2, None].astype(np.int64) * w[None, 0::2] + x[:, 1::2, None].astype(np.int64) * w[None, 1::2]
    zeros = (x.astype(np.int64) @ w) - (x.astype(np.int64) - x_zero) @ (w.astype(np.int64) - w_zero)
    return np.clip(pairs, -32768, 32767).sum(axis=1) - zeros


@pytest.fixture
def inexact(monkeypatch):
    """A processor on which products of u8 and i8 saturate: this one, or this one as if it were."""
    product = products_of("uint8", "int8")[1]
    if is_exact(product):
        monkeypatch.setattr(exact, "product_sums", saturating)
    _found.cache_clear()
    yield product
    monkeypatch.undo()
    _found.cache_clear()


def test_probe_reports_saturation(inexact):
    found = probe()
    assert not found.exact
    assert inexact in found.wrong
    wrong = {case.name for case in found.cases if case.kernel == inexact and not case.identical}
    assert "two rows, per tensor, 255 x 127" in wrong
    assert "saturates pairs of u8 x i8 products at 16 bits" in found.text
    assert str(inexact) in found.text


def test_a_model_counts_by_its_own_kernels(inexact):
    """Digits in QDQ style is i8 throughout: that u8 x i8 products saturate is nothing to it."""
    assert source_here(DIGITS / "digits_qdq.onnx") is Source.ONNXRUNTIME
    assert source_here(DIGITS / "digits_qoperator.onnx") is Source.REFERENCE
    with pytest.raises(oracle.OracleError, match=r"QGemm uint8 x int8"):
        describe(DIGITS / "digits_qoperator.onnx", Source.ONNXRUNTIME)


def test_a_kernel_that_is_not_probed_is_not_believed():
    found = probe().of([Kernel("QLinearConv", ("int8", "uint8"))])
    assert not found.exact
    assert found.text.endswith("kernels that are not probed (QLinearConv int8 x uint8)")


def test_describe():
    found = describe(DIGITS / "digits_qdq.onnx", Source.ONNXRUNTIME)
    assert found["style"] == "QDQ"
    assert "fused into integer kernels" in found["settings"]
    assert found["exact"] is True
    assert found["source"] == "onnxruntime"
    assert describe(DIGITS / "digits_qdq.onnx", Source.REFERENCE)["settings"] == "the exact reference operators"


@pytest.mark.parametrize("style", ["qdq", "qoperator"])
def test_the_reference_needs_no_onnx_runtime(style, images, monkeypatch):
    feeds = [{"image": image[None]} for image in images[:3]]
    expected = expected_here(DIGITS / f"digits_{style}.onnx", feeds).outputs
    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.0.1")
    by_reference = expected_outputs(DIGITS / f"digits_{style}.onnx", feeds, Source.REFERENCE)
    assert by_reference.description["source"] == "reference"
    for ours, theirs in zip(by_reference.outputs, expected, strict=True):
        assert ours.keys() == theirs.keys()
        assert all((ours[name] == theirs[name]).all() for name in ours)


def test_fma_is_that_of_the_c_library():
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    library.fmaf.restype = ctypes.c_float
    library.fmaf.argtypes = [ctypes.c_float] * 3
    generator = np.random.default_rng(3)
    a, b = generator.normal(size=(2, 4000)).astype(np.float32)
    c = (-(a * b) * (1 + generator.integers(-2, 3, 4000) * 2.0**-24)).astype(np.float32)
    expected = [library.fmaf(float(x), float(y), float(z)) for x, y, z in zip(a, b, c, strict=True)]
    assert (exact.fma(a, b, c) == np.array(expected, np.float32)).all()


@pytest.mark.parametrize(
    ("operator", "formula"), [("QLinearAdd", exact.sum_of_two), ("QLinearMul", exact.product_of_two)]
)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_over_all_operands(operator, formula, dtype, seed):
    """All 256 x 256 operands."""
    generator = np.random.default_rng(seed)
    limits = np.iinfo(dtype)
    scales = [np.float32(np.exp(value)) for value in generator.uniform(-6, 0, 3)]
    zeros = [int(value) for value in generator.integers(limits.min, limits.max + 1, 3)]
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    a, b = (np.ascontiguousarray(array) for array in np.meshgrid(every, every, indexing="ij"))
    build = ModelBuilder({"a": a, "b": b})
    quantized = [entry for pair in zip(scales, zeros, strict=True) for entry in (pair[0], dtype(pair[1]))]
    y = build.add(operator, "a", *quantized[:2], "b", *quantized[2:])
    result = oracle.Oracle(build.model({y: dtype})).run({"a": a, "b": b})[y]
    assert (result == formula(a, b, scales, zeros)).all()


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
    assert (result == exact.average(x, (x_scale, y_scale), (x_zero, y_zero))).all()


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
        most = 128 if is_exact(Kernel(operator, (np.dtype(dtype).name, "int8"))) else 64
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
