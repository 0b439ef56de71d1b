"""Ranges that drown everything beside them: masks, paddings and samples that are not finite."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from oracle_models import ModelBuilder

import covenant
from covenant import oracle

SAMPLES = np.random.default_rng(3).normal(size=(4, 6, 16)).astype(np.float32)
LOWEST = float(np.finfo(np.float32).min)


def weights(*shape):
    """Small random numbers, the same for the same shape."""
    return np.random.default_rng(int(np.prod(shape))).normal(scale=0.3, size=shape).astype(np.float32)


def causal(value):
    """[1, rows, columns]: 0 on and below the diagonal, `value` above."""
    return np.where(np.tril(np.ones((1, 6, 6))) > 0, 0, value).astype(np.float32)


def none(_builder, scores):
    """All positions are looked at."""
    return scores


def added(value):
    """A constant mask beside the scores."""
    return lambda builder, scores: builder.add("Add", scores, causal(value))


def added_before_scaling(builder, scores):
    """Scores that are divided after the mask."""
    return builder.add("Div", builder.add("Add", causal(-1e9), scores), np.float32(4))


def chosen(value, operator="Where"):
    """A constant instead of scores, or a bound of them."""
    if operator == "Where":
        return lambda builder, scores: builder.add("Where", causal(1) == 0, scores, np.float32(value))
    return lambda builder, scores: builder.add("Max", builder.add("Add", scores, causal(value)), np.float32(LOWEST))


def twice(builder, scores):
    """A causal mask, then one of padding, through a movement."""
    scores = builder.add("Where", causal(1) == 0, scores, np.float32(-np.inf))
    scores = builder.add(
        "Add", builder.add("Unsqueeze", scores, np.array([1], np.int64)), np.float32([0, 0, -1e4, 0, 0, 0])
    )
    return builder.add("Squeeze", scores, np.array([1], np.int64))


def subtracted(builder, scores):
    """Subtracts a large number from the masked scores."""
    return builder.add("Sub", scores, -causal(-1e4))


MASKS = {
    "-inf": added(-np.inf), "lowest float": added(LOWEST), "lowest half": added(-65504.0), "-1e4": added(-1e4),
    "-100": added(-100.0), "scaled": added_before_scaling, "where -inf": chosen(-np.inf),
    "where lowest": chosen(LOWEST), "bounded": chosen(-np.inf, "Max"), "twice": twice, "subtracted": subtracted,
}  # fmt: skip


def attention(mask):
    """A float model with one head, its scores masked."""
    builder = ModelBuilder({"x": SAMPLES[:1]})
    query, key, value = (builder.add("MatMul", "x", weights(16, 16 + i)[:, :16]) for i in range(3))
    scores = builder.add("MatMul", query, builder.add("Transpose", key, perm=[0, 2, 1]))
    y = builder.add("MatMul", builder.add("Softmax", mask(builder, scores), axis=-1), value)
    return builder.model({builder.add("MatMul", y, weights(16, 4)): np.float32})


def quantized(model, samples, folder, **options):
    """The report, after the model has run with ONNX Runtime's bytes."""
    onnx.save(model, folder / "float.onnx")
    report = covenant.quantize(folder / "float.onnx", folder / "int8.onnx", samples, **options)
    assert report.refusal is None
    program, expected = covenant.compile(report.output, "genesys:07"), oracle.Oracle(report.output)
    for place in range(2):
        feed = {name: array[place : place + 1] for name, array in samples.items()}
        outputs = covenant.run(program, feed).outputs
        for name, array in expected.run(feed).items():
            np.testing.assert_array_equal(outputs[name], array)
    return report


def noise(report):
    """Signal to noise ratio of the only output."""
    (error,) = report.errors
    return error.noise_decibel


@pytest.mark.parametrize("mask", MASKS)
def test_masks_take_nothing_from_scores(mask, tmp_path):
    report = quantized(attention(MASKS[mask]), {"x": SAMPLES}, tmp_path)
    assert noise(report) > noise(quantized(attention(none), {"x": SAMPLES}, tmp_path)) - 4
    assert report.swallowed == ()
    model = onnx.load(report.output)
    scales = [numpy_helper.to_array(one) for one in model.graph.initializer if one.name.endswith("_scale")]
    assert max(float(np.max(one)) for one in scales) < 1


@pytest.mark.parametrize("method", ["minmax", "percentile", "entropy", "mse"])
def test_by_every_method(method, tmp_path):
    assert noise(quantized(attention(added(LOWEST)), {"x": SAMPLES}, tmp_path, method=method)) > 15


def far(builder, value=LOWEST):
    """0 where the input of integers is 1, `value` elsewhere."""
    real = builder.add("Cast", builder.add("Unsqueeze", "mask", np.array([1], np.int64)), to=TensorProto.FLOAT)
    return builder.add("Mul", builder.add("Sub", np.float32(1), real), np.float32(value))


def far_causal(builder):
    """Both at once, which leaves the floats."""
    return builder.add("Add", far(builder), causal(LOWEST))


def far_positions(builder):
    """Encoded positions, and the mask."""
    return builder.add("Add", weights(1, 6, 6), far(builder))


def far_by_choice(builder):
    """A Where of two constants."""
    wanted = builder.add("Cast", builder.add("Unsqueeze", "mask", np.array([1], np.int64)), to=TensorProto.BOOL)
    return builder.add("Where", wanted, np.float32(0), np.float32(-np.inf))


COMPUTED = {
    "lowest float": far, "-1e4": lambda builder: far(builder, -1e4), "with a causal one": far_causal,
    "with positions": far_positions, "chosen": far_by_choice,
}  # fmt: skip


@pytest.mark.parametrize("kind", COMPUTED)
def test_masks_that_are_computed(kind, tmp_path):
    """Masks computed from an input of integers, as of a batch of sentences; several layers share one mask."""

    def masked(builder, scores):
        mask = COMPUTED[kind](builder)
        doubled = builder.add("Softmax", builder.add("Add", builder.add("Mul", scores, np.float32(2)), mask), axis=-1)
        return builder.add("Add", builder.add("Add", scores, doubled), mask)

    model = attention(masked)
    model.graph.input.append(helper.make_tensor_value_info("mask", TensorProto.INT64, [1, 6]))
    mask = np.tile(np.array([1, 1, 1, 1, 0, 0], np.int64), (4, 1))
    report = quantized(model, {"x": SAMPLES, "mask": mask}, tmp_path)
    assert noise(report) > 20
    assert report.swallowed == () or kind == "with positions"  # which share their levels with a mask
    assert any(one.what.startswith("masks") for one in report.rewrites)


def pooled(around, value, **window):
    """A Conv, a Pad, a MaxPool, a Conv."""
    builder = ModelBuilder({"x": np.zeros((1, 3, 8, 8), np.float32)})
    y = builder.add("Conv", "x", weights(8, 3, 3, 3), pads=[1] * 4)
    y = builder.add("Pad", y, np.array(around, np.int64), np.float32(value))
    y = builder.add("MaxPool", y, **window)
    return builder.model({builder.add("Conv", y, weights(4, 8, 1, 1)): np.float32})


@pytest.mark.parametrize("value", [-np.inf, LOWEST, -65504.0])
@pytest.mark.parametrize(
    ("pads", "window", "is_own"),
    [
        ([0, 0, 1, 1, 0, 0, 1, 1], {"kernel_shape": [3, 3], "strides": [2, 2]}, True),
        ([0, 0, 0, 1, 0, 0, 1, 0], {"kernel_shape": [2, 3], "pads": [1, 0, 0, 0]}, True),
        ([0, 0, 1, 1, 0, 0, 1, 1], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}, False),
        ([0, 0, 2, 0, 0, 0, 2, 0], {"kernel_shape": [2, 2]}, False),
    ],
)
def test_pads_by_the_lowest_float(pads, window, is_own, value, tmp_path):
    samples = np.random.default_rng(4).normal(size=(4, 3, 8, 8)).astype(np.float32)
    model = pooled(pads, value, **window)
    if not is_own and window.get("kernel_shape") == [2, 2]:  # some windows hold nothing else
        onnx.save(model, tmp_path / "float.onnx")
        report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples})
        assert report.refusal is None
    else:
        report = quantized(model, {"x": samples}, tmp_path)
        assert noise(report) > 25
    assert [one.count for one in report.rewrites if one.what.startswith("Pad")] == ([1] if is_own else [])


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_samples_that_are_not_finite(wrong, tmp_path):
    onnx.save(attention(none), tmp_path / "float.onnx")
    samples = SAMPLES.copy()
    samples[2, 1, 3] = wrong
    for method in ("minmax", "mse"):
        with pytest.raises(covenant.CovenantError) as error:
            covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples}, method=method)
        assert error.value.code == "QNT0012"
        assert error.value.diagnostic.subject == "x, sample 2"
        assert not (tmp_path / "int8.onnx").exists()


def test_a_scale_that_is_not_finite_is_refused(tmp_path):
    builder = ModelBuilder({"x": SAMPLES[:1]})
    y = builder.add("Add", builder.add("MatMul", "x", weights(16, 6)), causal(-np.inf))
    onnx.save(builder.model({builder.add("MatMul", y, weights(6, 4)): np.float32}), tmp_path / "float.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": SAMPLES})
    assert error.value.code == "QNT0015"


def test_what_a_scale_swallows_is_named(tmp_path, covenant_command):
    builder = ModelBuilder({"x": SAMPLES[:1]})
    far = np.zeros((1, 6, 6), np.float32)
    far[0, 0, 5] = 1e5
    y = builder.add("Add", builder.add("MatMul", "x", weights(16, 6)), far)
    onnx.save(builder.model({builder.add("MatMul", y, weights(6, 4)): np.float32}), tmp_path / "float.onnx")
    np.savez(tmp_path / "x.npz", x=SAMPLES)
    done = covenant_command(
        "quantize", tmp_path / "float.onnx", "-o", tmp_path / "int8.onnx", "--calibrate", tmp_path / "x.npz", "--json"
    )
    assert done.code == 0
    assert f"warning: {y}" in done.error
    one = {entry["name"]: entry for entry in done.object["swallowed"]}[y]
    assert one["share"] > 0.9
    assert one["greatest"] > 1e4


@pytest.mark.parametrize("factor", [0, 1e-44, 1e-40, 1e-38, 1e-30])
@pytest.mark.parametrize("method", ["minmax", "entropy", "percentile", "mse"])
def test_tensors_of_next_to_nothing(method, factor, tmp_path):
    """Numbers too small for bins of a histogram are 0 to every method: no scale is as small."""
    builder = ModelBuilder({"x": np.zeros((1, 6, 16), np.float32)})
    small = builder.add("Mul", builder.add("MatMul", "x", weights(16, 8)), np.float32(factor))
    y = builder.add("Add", builder.add("MatMul", small, weights(8, 5)), builder.add("MatMul", "x", weights(16, 5)))
    path, made = tmp_path / "float.onnx", tmp_path / "int8.onnx"
    onnx.save(builder.model({y: np.float32}), path)
    report = covenant.quantize(path, made, {"x": SAMPLES}, method=method)
    assert report.refusal is None
    (output,) = covenant.run(covenant.compile(made, "genesys:8x8"), SAMPLES[:1]).outputs.values()
    expected = SAMPLES[:1] @ weights(16, 5)
    assert np.abs(output - expected).mean() < 0.1 * np.abs(expected).mean()


def test_tensors_of_zeros_have_the_scale_of_what_they_are_added_to(tmp_path):
    """A slope of numbers that are never below 0, on a machine that adds in fixed point."""
    samples = np.abs(SAMPLES) / 1000
    builder = ModelBuilder({"x": samples[:1]})
    y = builder.add("PRelu", "x", np.full((16,), 0.1, np.float32))
    onnx.save(builder.model({builder.add("Add", y, "x"): np.float32}), tmp_path / "float.onnx")
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "made.onnx", {"x": samples})
    model = onnx.load(report.output)
    scales = [numpy_helper.to_array(one) for one in model.graph.initializer if one.name.endswith("_scale")]
    assert max(scale.max() for scale in scales) < 1e-3
    machine = covenant.Machine("genesys", requant="fixed_tflite")
    (made,) = covenant.run(covenant.compile(report.output, machine), samples[:1]).outputs.values()
    (wanted,) = oracle.run(report.output, samples[:1]).values()
    assert np.abs(made - wanted).max() <= 3 * np.abs(wanted).max() / 2**7
