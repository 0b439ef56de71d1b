"""RotaryEmbedding between quantised tensors: a depthwise convolution, at most a step from what ONNX Runtime makes."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder

import covenant
from covenant.cli import main
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness


def embedded(seed, *, rank, dtype, goal=0.03, computed=False, radius=1, **attributes):
    """A model with one; a feed; the step of its result."""
    draw = np.random.default_rng(seed)
    batch, heads, positions, size = 2, 3, 5, 8
    shape = (batch, heads, positions, size) if rank == 4 else (batch, positions, heads * size)
    turning = attributes.get("rotary_embedding_dim", size)
    angles = draw.uniform(0, 6, size=(batch, positions, turning // 2))
    if seed % 2:
        angles[:] = angles[0]
    lowest = int(np.iinfo(dtype).min)
    step, zero, made = np.float32(0.03), dtype(lowest + int(draw.integers(60, 190))), np.float32(goal)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    tables = [np.float32(radius * np.cos(angles)), np.float32(radius * np.sin(angles))]
    if computed:
        builder.inputs["cosines"] = tables[0]
        tables[0] = "cosines"
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", step, zero), step, zero)
    y = builder.add("RotaryEmbedding", x, *tables, **attributes, **({"num_heads": heads} if rank == 3 else {}))
    if rank == 4:
        y = builder.add("Transpose", y, perm=[0, 2, 1, 3])
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, made, zero), made, zero)
    model = builder.model({y: np.float32})
    model.opset_import[0].version, model.ir_version = 23, 10
    return model, {"x": draw.normal(size=shape).astype(np.float32)}, float(made)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("attributes", [{}, {"interleaved": 1}, {"rotary_embedding_dim": 4}], ids=str)
@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("seed", [0, 1])
def test_elements_turn_with_their_partners(seed, rank, attributes, dtype, tmp_path):
    if rank == 3 and "rotary_embedding_dim" in attributes:
        attributes = {**attributes, "interleaved": 0}
    model, feed, step = embedded(seed, rank=rank, dtype=dtype, **attributes)
    onnx.save(model, tmp_path / "x.onnx")
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    program = covenant.compile(tmp_path / "x.onnx", "genesys:03")
    (made,) = covenant.run(program, feed, backend="interpret").outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (np.abs(made - expected) < step / 2).mean() > 0.9


def test_onnx_runtime_agrees_layer_by_layer(tmp_path, capsys):
    model, _, _ = embedded(3, rank=4, dtype=np.int8)
    onnx.save(model, tmp_path / "x.onnx")
    assert main(["run", str(tmp_path / "x.onnx"), "-m", "genesys:07", "--compare", "onnxruntime"]) == 0
    assert "none further" in capsys.readouterr().out


def test_tables_of_zeros(tmp_path):
    model, feed, _ = embedded(2, rank=4, dtype=np.uint8, radius=0)
    onnx.save(model, tmp_path / "x.onnx")
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:03"), feed).outputs.values()
    assert not made.any()


@pytest.mark.parametrize("case", [{"goal": 0.0005}, {"computed": True}], ids=str)
def test_factors_that_cannot_be_said_are_refused(case, tmp_path):
    """Steps of the result so fine that a window would hold each element too often; tables that are computed."""
    model, _, _ = embedded(1, rank=4, dtype=np.int8, **case)
    onnx.save(model, tmp_path / "x.onnx")
    with pytest.raises(CovenantError) as raised:
        covenant.compile(tmp_path / "x.onnx", "genesys:07")
    assert raised.value.code.startswith("ONX")
