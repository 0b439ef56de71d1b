"""Depthwise convolutions with large kernels are done on blocks of pixels, where that takes fewer cycles."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder
from test_windows import expect_equal

import covenant
from covenant.program.inputs import random_feeds

ARRAY = {"M": 8, "N": 8, "input_depth": 256, "weight_depth": 64, "output_depth": 256, "vector_depth": 256}


def depthwise(kernel, channels, rows, columns):
    """A model of one convolution of each channel by itself, its result as large as its image."""
    drawn = np.random.default_rng(kernel)
    builder = ModelBuilder({"x": np.zeros((1, channels, rows, columns), np.float32)})
    scale, zero = np.float32(0.05), np.uint8(121)
    x = builder.add("DequantizeLinear", builder.add("QuantizeLinear", "x", scale, zero), scale, zero)
    weights = drawn.integers(-128, 128, (channels, 1, kernel, kernel)).astype(np.int8)
    scales = drawn.uniform(0.002, 0.004, channels).astype(np.float32)
    w = builder.add("DequantizeLinear", weights, scales, np.zeros(channels, np.int8), axis=0)
    y = builder.add("Conv", x, w, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4, group=channels)
    y_scale = np.float32(0.01 * kernel)
    y = builder.add("QuantizeLinear", y, y_scale, zero)
    return builder.model({builder.add("DequantizeLinear", y, y_scale, zero): np.float32})


@pytest.mark.parametrize(
    ("kernel", "channels", "rows", "columns"), [(7, 24, 28, 28), (7, 13, 15, 21), (5, 20, 27, 30), (9, 8, 24, 24)]
)
def test_bytes_are_as_expected(kernel, channels, rows, columns, tmp_path):
    program = expect_equal(
        depthwise(kernel, channels, rows, columns), covenant.Machine("genesys", **ARRAY), tmp_path, images=1
    )
    assert len(program.blocks) > 2, "the convolution is alone, so that nothing is shown"
    worked = [(block.macs, block.elementwise) for block in program.blocks if block.macs or block.elementwise]
    outputs = channels * rows * columns
    assert worked == [(outputs * kernel**2, outputs)]


def test_a_small_kernel_stays(tmp_path):
    program = expect_equal(depthwise(3, 24, 28, 28), covenant.Machine("genesys", **ARRAY), tmp_path, images=1)
    assert len(program.blocks) == 1


def test_a_schedule_can_name_the_blocks(tmp_path):
    onnx.save(depthwise(7, 16, 20, 20), str(tmp_path / "model.onnx"))
    schedule = tmp_path / "one.schedule"

    def cycles(lowering):
        schedule.write_text(f'layer "node3" {{ lowering "{lowering}"; }}\n')
        program = covenant.compile(tmp_path / "model.onnx", covenant.Machine("genesys", **ARRAY), schedule=schedule)
        (feed,) = random_feeds(program, images=1, seed=0)
        return covenant.run(program, feed, values=False).cycles

    plain, best = cycles("plain"), cycles("blocks of 2 x 2 from 1, 1")
    assert best < plain
    assert cycles("blocks of 1 x 4") not in (plain, best)
    with pytest.raises(covenant.CovenantError) as error:
        cycles("blocks of 3 x 3")
    assert error.value.code == "SCH0011"
