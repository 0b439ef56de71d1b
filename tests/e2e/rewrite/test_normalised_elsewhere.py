"""Normalisations of models quantised elsewhere, whole and in parts: at most a step from what ONNX Runtime makes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.oracle.witness import Witness


def normalised(seed, shape, dtype, *, in_float):
    """A quantised model with one, as ONNX Runtime's quantiser writes it; its step of the result."""
    draw = np.random.default_rng(seed)
    lowest = int(np.iinfo(dtype).min)
    zeros = [dtype(lowest + int(draw.integers(90, 160))) for _ in range(2)]
    step, made, gain_step = np.float32(0.04), np.float32(0.03), np.float32(0.01)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zeros[0]), step, zeros[0])
    gains, offsets = draw.integers(-100, 100, shape[1]), draw.integers(-2000, 2000, shape[1])
    if in_float:
        operands = [np.float32(gains * gain_step), np.float32(offsets * step * gain_step)]
    else:
        operands = [
            builder.add("DequantizeLinear", gains.astype(np.int8), gain_step, np.int8(0)),
            builder.add("DequantizeLinear", offsets.astype(np.int32), step * gain_step, np.int32(0)),
        ]
    y = builder.add("InstanceNormalization", x, *operands, epsilon=1e-3)
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, zeros[1]), made, zeros[1])
    return builder.model({y: np.float32}), float(made)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("in_float", [False, True])
@pytest.mark.parametrize("shape", [(1, 5, 6, 7), (2, 35, 4, 4), (1, 4, 19)])
def test_every_channel_is_rows(shape, in_float, dtype, tmp_path, capsys):
    """LayerNormalization, which the rows become, is an operator of opset 17: a machine has it for older models, too."""
    model, step = normalised(sum(shape), shape, dtype, in_float=in_float)
    model.opset_import[0].version = 13 if dtype is np.int8 else 17
    onnx.save(model, tmp_path / "x.onnx")
    feed = {"x": np.random.default_rng(4).normal(scale=1.5, size=shape).astype(np.float32)}
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), feed).outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (made == expected).mean() > 0.95
    assert oracle.Oracle(tmp_path / "x.onnx").inexact
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("shape", [(1, 300, 3, 4), (2, 7, 6, 5)])
def test_all_channels_are_rows_of_one(shape, tmp_path):
    """There may be any number of them; many are normalised side by side."""
    model, step = normalised(9, shape, np.int8, in_float=True)
    onnx.save(model, tmp_path / "x.onnx")
    feed = {"x": np.random.default_rng(5).normal(scale=1.5, size=shape).astype(np.float32)}
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    program = covenant.compile(tmp_path / "x.onnx", "genesys:07")
    (made,) = covenant.run(program, feed).outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (made == expected).mean() > 0.95
    scaled = "scale_channels" if shape[1] > 8 else "scale_rows"
    assert len([block for block in program.blocks if scaled in block.operation]) == 1


def squared(seed, kind, dtype):
    """A mean or sum of squares at random; its step."""
    draw = np.random.default_rng(seed)
    shape = [(1, 6, 16), (2, 5, 8), (1, 4, 5, 6)][seed % 3]
    axes, keeps = [[-1], [1], [1, 2]][draw.integers(3)], int(draw.integers(2))
    lowest, step = int(np.iinfo(dtype).min), np.float32(draw.uniform(0.01, 0.1))
    zero = dtype(lowest + int(draw.integers(0, 256)))
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zero), step, zero)
    if kind != "ReduceSumSquare":
        x = builder.add("Pow", x, np.float32(2)) if seed % 2 else builder.add("Mul", x, x)
    if kind == "ReduceSum":
        y = builder.add(kind, x, np.array(axes, np.int64), keepdims=keeps)
    else:
        y = builder.add(kind, x, axes=axes, keepdims=keeps)
    count = 1 if kind == "ReduceMean" else np.prod([shape[axis] for axis in axes])
    made, low = np.float32(step**2 * 40 * count), dtype(lowest)
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, low), made, low)
    return builder.model({y: np.float32}), draw.normal(scale=60 * step, size=shape).astype(np.float32), float(made)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("kind", ["ReduceMean", "ReduceSum", "ReduceSumSquare"])
@pytest.mark.parametrize("seed", range(4))
def test_squares_are_added_up(seed, kind, dtype, tmp_path, capsys):
    """A root mean square of rows, whose power and mean other quantisers leave in float."""
    model, array, step = squared(seed, kind, dtype)
    onnx.save(model, tmp_path / "x.onnx")
    (expected,) = Witness(tmp_path / "x.onnx").whole({"x": array}).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), array).outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (made == expected).mean() > 0.95
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("channels", [6, 36])
@pytest.mark.parametrize("form", [(18, 2), (21, 3), (21, 1), (21, 6)])
def test_every_group_is_a_row(form, channels, dtype, tmp_path, capsys):
    """Gains are one for each group before opset 21, then one for each channel."""
    opset, groups = form
    shape, draw = (2, channels, 5, 4), np.random.default_rng(groups)
    step, made, zero = np.float32(0.04), np.float32(0.03), dtype(np.iinfo(dtype).min + 120)
    gains = draw.normal(size=(2, channels if opset > 20 else groups)).astype(np.float32)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zero), step, zero)
    y = builder.add("GroupNormalization", x, *gains, num_groups=groups)
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, zero), made, zero)
    model = builder.model({y: np.float32})
    model.opset_import[0].version, model.ir_version = opset, 10
    onnx.save(model, tmp_path / "x.onnx")
    feed = {"x": draw.normal(scale=1.5, size=shape).astype(np.float32)}
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    (got,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), feed).outputs.values()
    assert np.abs(got - expected).max() <= made * 1.001
    assert (got == expected).mean() > 0.95
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    capsys.readouterr()
