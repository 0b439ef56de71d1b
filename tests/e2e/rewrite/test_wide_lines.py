"""Affine functions of elements of 16 bits, of which there is no table: at most a step from ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import as_written
from oracle_models import ModelBuilder

import covenant

STEPS = np.float32(2e-4), np.float32(3e-4)


def normalised(seed, shape, dtype, *, gains="float", factor=1.0):
    """A quantised model with one: its gains in float, or stored with one scale or one for each."""
    random, channels = np.random.default_rng(seed), shape[1]
    zeros = [dtype(np.iinfo(dtype).min + int(random.integers(20000, 45000))) for _ in range(2)]
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", STEPS[0], zeros[0]), STEPS[0], zeros[0])
    gain = (random.uniform(0.3, 1.5, channels) * random.choice([-1, 1], channels) * factor).astype(np.float32)
    if gains != "float":
        scale = np.full(channels, 0.012, np.float32) if gains == "each" else np.float32(0.012)
        stored = np.clip(np.rint(gain / 0.012), -127, 127).astype(np.int8)
        gain = builder.add("DequantizeLinear", stored, scale, np.zeros(scale.shape, np.int8), axis=0)
    offset, mean = (random.normal(size=channels).astype(np.float32) for _ in range(2))
    y = builder.add("BatchNormalization", x, gain, offset, mean, random.uniform(0.4, 2, channels).astype(np.float32))
    y = builder.add("DequantizeLinear", builder.add("QuantizeLinear", y, STEPS[1], zeros[1]), STEPS[1], zeros[1])
    model = builder.model({y: np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    return model


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
@pytest.mark.parametrize("gains", ["float", "one", "each"])
@pytest.mark.parametrize("shape", [(1, 5, 6, 7), (2, 3, 9), (1, 1, 4, 4), (4, 5), (1, 3, 2, 4, 2)])
def test_every_channel_is_a_line(shape, gains, dtype, tmp_path):
    onnx.save(normalised(sum(shape), shape, dtype, gains=gains), tmp_path / "x.onnx")
    feed = {"x": np.random.default_rng(4).normal(scale=2.5, size=shape).astype(np.float32)}
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    machine = covenant.Machine("genesys:8x8", bits=16)
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", machine), feed).outputs.values()
    assert np.abs(made - expected).max() <= STEPS[1] * 1.001
    assert (made == expected).mean() > 0.95
    assert np.unique(expected).size > 10


def less(builder, x):
    """A number less it, times a number."""
    return builder.add("Mul", builder.add("Sub", np.float32(0.75), x), np.float32([-1.7]))


CHAINS = {
    "HardSigmoid": lambda b, x: b.add("HardSigmoid", x),
    "HardSigmoid of three nodes": lambda b, x: b.add(
        "Div", b.add("Clip", b.add("Add", x, np.float32(3)), np.float32(0), np.float32(6)), np.float32(6)
    ),
    "Div": lambda b, x: b.add("Div", x, np.float32(1.3)),
    "less": less,
    "bounded": lambda b, x: b.add("Relu", less(b, x)),
    "bounded twice": lambda b, x: b.add("Relu", b.add("Neg", b.add("Clip", x, np.float32(-1.5), np.float32(1)))),
    "opposite": lambda b, x: b.add("Clip", b.add("Neg", x), np.float32(-1.5), np.float32(1)),
}


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("shape", [(1, 5, 6, 7), (3, 8), (11,)])
def test_sums_and_products_with_numbers(shape, chain, dtype, tmp_path):
    zero = dtype(np.iinfo(dtype).min + 30000)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", STEPS[0], zero), STEPS[0], zero)
    y = builder.add("QuantizeLinear", CHAINS[chain](builder, x), STEPS[1], zero)
    model = builder.model({builder.add("DequantizeLinear", y, STEPS[1], zero): np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    onnx.save(model, tmp_path / "x.onnx")
    machine = covenant.Machine("genesys:8x8", bits=16)
    feed = {"x": np.random.default_rng(6).normal(scale=2, size=shape).astype(np.float32)}
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", machine), feed).outputs.values()
    assert np.abs(made - expected).max() <= STEPS[1] * 1.001
    assert np.unique(expected).size > 2


@pytest.mark.parametrize("factor", [0, 1e-7])
def test_what_no_bias_says_is_refused(factor, tmp_path):
    """Offsets are whole units of what a weight makes: of a channel without a factor there is none."""
    onnx.save(normalised(3, (1, 4, 5, 5), np.int16, factor=factor), tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:8x8", bits=16))
    assert error.value.code == "ONX0028"
    assert "(BatchNormalization)" in error.value.diagnostic.subject


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
@pytest.mark.parametrize(("shape", "axes"), [((1, 5, 4, 4), [2, 3]), ((2, 6, 7), [1])], ids=str)
def test_sums_over_axes(shape, axes, dtype, tmp_path):
    """The mean in other steps: a factor takes the place of the table."""
    zero, step = dtype(np.iinfo(dtype).min + 30000), np.float32(1e-3)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", STEPS[0], zero), STEPS[0], zero)
    y = builder.add("QuantizeLinear", builder.add("ReduceSum", x, np.array(axes)), step, zero)
    model = builder.model({builder.add("DequantizeLinear", y, step, zero): np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    onnx.save(model, tmp_path / "x.onnx")
    feed = {"x": np.random.default_rng(7).normal(size=shape).astype(np.float32)}
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    machine = covenant.Machine("genesys:8x8", bits=16)
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", machine), feed).outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert np.unique(expected).size > 3
