"""Windows and planes that fit no tile: reductions that continue from tile to tile equal ONNX Runtime in every byte."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder
from test_windows import DTYPES, activation, expect_equal, max_pool

import covenant
from covenant.program.inputs import random_feeds
from covenant.verify.comparison import compare


def average(channels: int, height: int, width: int, dtype: Any) -> Any:
    builder = ModelBuilder({"x": np.zeros((1, channels, height, width), np.float32)})
    middle = 128 if dtype is np.uint8 else 0
    value, scale, zero = activation(builder, dtype, middle)
    operands = [value, scale, zero, np.float32(0.001), dtype(middle)]
    value = builder.add("QLinearGlobalAveragePool", *operands, channels_last=0)
    return builder.model({builder.add("DequantizeLinear", value, operands[3], operands[4]): np.float32})


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows_larger_than_a_tile(dtype, tmp_path):
    """8 x 8 lanes, 1 KiB of vector memory a buffer: a window of 15 x 15 vectors of 8 bytes does not fit."""
    machine = covenant.Machine("genesys", M=8, N=8, vector_depth=32)
    window = {"kernel_shape": [15, 15], "pads": [7, 7, 7, 7], "strides": [2, 2]}
    program = expect_equal(max_pool(20, 24, window, dtype), machine, tmp_path)
    # The interpreter knows nothing of words and engines.
    feed = random_feeds(program, images=1, seed=2)[0]
    ours, same = (covenant.run(program, feed, backend=backend).outputs for backend in ("systemc", "interpret"))
    assert compare([ours], [same]).identical


@pytest.mark.parametrize("dtype", DTYPES)
def test_planes_larger_than_a_tile(dtype, tmp_path):
    expect_equal(average(12, 37, 23, dtype), covenant.Machine("genesys", M=8, N=8, vector_depth=32), tmp_path)


def test_a_large_global_average_pool(tmp_path):
    expect_equal(average(512, 112, 112, np.uint8), covenant.Machine("genesys", preset="8x8"), tmp_path, images=1)


@pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
def test_reductions_that_go_on_are_in_lock_step(tmp_path, covenant_command):
    settings = ("--set", "M=3", "--set", "N=4", "--set", "vector_depth=8", "--rtl-quick")
    for model in (average(6, 9, 7, np.uint8), max_pool(6, 14, {"kernel_shape": [9, 9], "strides": [3, 3]}, np.int8)):
        path = tmp_path / "model.onnx"
        onnx.save(model, str(path))
        done = covenant_command("cosim", path, "-m", "genesys", *settings, "--images", 1, "--json")
        assert done.code == 0
        assert (done.object["differences"], done.object["first"]) == (0, None)
