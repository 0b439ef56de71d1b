"""MeanVarianceNormalization quantised elsewhere, along any axes: at most a step from what ONNX Runtime makes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import as_written, random_feeds
from oracle_models import ModelBuilder

import covenant
from covenant import oracle
from covenant.cli import main
from covenant.model.function_bodies import with_bodies

WAYS = [
    ((1, 4, 6, 5), None), ((2, 3, 4, 4), None), ((1, 4, 6, 5), [2, 3]), ((2, 3, 5, 4), [1]), ((1, 6, 9), [-1]),
    ((3, 8), [0]), ((2, 3, 2, 4, 3), [1, 3]), ((1, 5, 6, 7), [1, 2, 3]),
]  # fmt: skip


def normalised(shape, axes, dtype, opset=17):
    """A quantised model with one, and its step."""
    step, made = np.float32(0.04), np.float32(0.03)
    zeros = [dtype(np.iinfo(dtype).min + offset) for offset in (110, 140)]
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zeros[0]), step, zeros[0])
    y = builder.add("MeanVarianceNormalization", x, **({} if axes is None else {"axes": axes}))
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, zeros[1]), made, zeros[1])
    model = builder.model({y: np.float32})
    model.opset_import[0].version = opset
    return model, float(made)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(("shape", "axes"), WAYS, ids=str)
def test_what_is_normalised_together_is_a_row(shape, axes, dtype, tmp_path, capsys):
    model, step = normalised(shape, axes, dtype, opset=13 if dtype is np.int8 else 18)
    onnx.save(model, tmp_path / "x.onnx")
    feeds = random_feeds(tmp_path / "x.onnx", scale=1.5)
    (expected,) = as_written(tmp_path / "x.onnx", feeds).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), feeds).outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (made == expected).mean() > 0.95
    assert oracle.Oracle(tmp_path / "x.onnx").inexact
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("axes", [None, [1]])
def test_the_body_of_the_operator_has_its_axes(axes, tmp_path):
    """An attribute that a node leaves out has the operator's default; the inliner of ONNX loses it."""
    model, _ = normalised((1, 3, 4, 4), axes, np.int8, opset=18)
    body = with_bodies(model)
    assert "MeanVarianceNormalization" not in {node.op_type for node in body.graph.node}
    for name, one in (("whole", model), ("body", body)):
        onnx.save(one, tmp_path / f"{name}.onnx")
    feeds = random_feeds(tmp_path / "whole.onnx")
    made, expected = (next(iter(as_written(tmp_path / f"{name}.onnx", feeds).values())) for name in ("body", "whole"))
    assert np.abs(made - expected).max() <= 0.031


@pytest.mark.parametrize("opset", [13, 18])
def test_covenant_quantize_takes_default_axes(opset, tmp_path):
    builder = ModelBuilder({"x": np.zeros((1, 4, 6, 6), np.float32)})
    weights = np.random.default_rng(2).normal(scale=0.2, size=(4, 4, 3, 3)).astype(np.float32)
    real = builder.add("MeanVarianceNormalization", builder.add("Conv", "x", weights))
    model = builder.model({builder.add("Conv", real, weights): np.float32})
    model.opset_import[0].version = opset
    onnx.save(model, tmp_path / "float.onnx")
    samples = np.random.default_rng(3).normal(size=(4, 4, 6, 6)).astype(np.float32)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples})
    assert report.refusal is None
    (made,) = covenant.run(covenant.compile(tmp_path / "int8.onnx", "genesys:8x8"), samples[:1]).outputs.values()
    (expected,) = as_written(tmp_path / "float.onnx", {"x": samples[:1]}).values()
    assert np.abs(made - expected).mean() < 0.1 * np.abs(expected).mean()
