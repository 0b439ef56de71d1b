"""Products by stacks of stored matrices, on either side: the bytes of ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import as_written
from oracle_models import ModelBuilder

import covenant

STEPS = np.float32(0.04), np.float32(0.3)
STACKS = {
    "right of one": ((1, 4, 5, 6), (1, 6, 3), 1), "right of one, of rank 4": ((2, 5, 6), (1, 6, 3), 1),
    "right": ((2, 4, 5, 6), (4, 6, 3), 1), "right of each": ((2, 3, 5, 6), (2, 3, 6, 4), 1),
    "left of one": ((1, 4, 5, 6), (1, 1, 3, 5), 0), "left": ((3, 5, 6), (3, 4, 5), 0),
    "right beside many": ((2, 3, 5, 6), (2, 1, 6, 4), 1),
}  # fmt: skip


def builder_of(shape, dtype):
    """A model's stored input, its scale and zero point."""
    builder, zero = ModelBuilder({"x": np.zeros(shape, np.float32)}), dtype(np.iinfo(dtype).min + 120)
    return builder, [builder.add("QuantizeLinear", "x", STEPS[0], zero), STEPS[0], zero]


def compared(builder, result, shape, folder):
    """The outputs of a machine, and of ONNX Runtime on the model as it is written."""
    onnx.save(builder.model({result: np.float32}), folder / "x.onnx")
    feed = {"x": np.random.default_rng(5).normal(scale=1.5, size=shape).astype(np.float32)}
    (expected,) = as_written(folder / "x.onnx", feed).values()
    (made,) = covenant.run(covenant.compile(folder / "x.onnx", "genesys:8x8"), feed).outputs.values()
    assert made.shape == expected.shape
    assert np.unique(expected).size > 20
    return made, expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("scales", ["one", "columns", "matrices"])
@pytest.mark.parametrize("stack", STACKS)
def test_each_matrix_multiplies_its_part(stack, scales, dtype, tmp_path):
    shape, matrices, side = STACKS[stack]
    builder, stored = builder_of(shape, dtype)
    axis = {"one": 1, "columns": len(matrices) - 1 - (side == 0), "matrices": len(matrices) - 3}[scales]
    count = 1 if scales == "one" else matrices[axis]
    scale = np.linspace(0.01, 0.02, count).astype(np.float32) if count > 1 else np.float32(0.015)
    weights = np.random.default_rng(3).integers(-120, 120, matrices).astype(np.int8)
    real = builder.add("DequantizeLinear", weights, scale, np.zeros(scale.shape, np.int8), axis=axis)
    operands = [builder.add("DequantizeLinear", *stored), real]
    product = builder.add("MatMul", *(operands if side else operands[::-1]))
    y = builder.add("QuantizeLinear", product, STEPS[1], stored[2])
    made, expected = compared(builder, builder.add("DequantizeLinear", y, STEPS[1], stored[2]), shape, tmp_path)
    assert np.abs(made - expected).max() <= STEPS[1] * 1.001
    assert (made == expected).mean() > 0.97


@pytest.mark.parametrize("stack", STACKS)
def test_operators_on_stored_tensors(stack, tmp_path):
    shape, matrices, side = STACKS[stack]
    builder, stored = builder_of(shape, np.int8)
    weights = [np.random.default_rng(3).integers(-120, 120, matrices).astype(np.int8), np.float32(0.015), np.int8(0)]
    operands = [*stored, *weights] if side else [*weights, *stored]
    y = builder.add("QLinearMatMul", *operands, STEPS[1], np.int8(3))
    made, expected = compared(builder, builder.add("DequantizeLinear", y, STEPS[1], np.int8(3)), shape, tmp_path)
    np.testing.assert_array_equal(made, expected)


def test_a_stack_of_more_dimensions_than_the_tensor_is_refused(tmp_path):
    builder, stored = builder_of((5, 6), np.int8)
    weights = builder.add("DequantizeLinear", np.ones((2, 6, 3), np.int8), np.float32(0.1), np.int8(0))
    product = builder.add("MatMul", builder.add("DequantizeLinear", *stored), weights)
    y = builder.add("QuantizeLinear", product, STEPS[1], np.int8(0))
    onnx.save(
        builder.model({builder.add("DequantizeLinear", y, STEPS[1], np.int8(0)): np.float32}), tmp_path / "x.onnx"
    )
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", "genesys:8x8")
    assert error.value.code == "ONX0010"
