"""Copies that gather: channels shuffled beside convolutions that cannot make them so, and pixels that are repeated."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ModelBuilder

import covenant
from covenant.cli import main
from covenant.oracle.witness import Witness

# Powers of two: sums are exact in f32, too.
STEP, WEIGHT_STEP = np.float32(2**-4), np.float32(2**-7)


def passed(builder, value, dtype):
    """The value as a tensor that is stored, and its real numbers."""
    zero = dtype(int(np.iinfo(dtype).min) + 117)
    return builder.add("DequantizeLinear", builder.add("QuantizeLinear", value, STEP, zero), STEP, zero)


def pooled(builder, dtype):
    return passed(builder, builder.add("MaxPool", passed(builder, "x", dtype), kernel_shape=[2, 2]), dtype)


def saved(builder, value, path):
    onnx.save(builder.model({value: np.float32}), path)
    return path


def shuffled(shape, groups, dtype, path):
    """A shuffle between a pool and a convolution of every channel."""
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    batch, channels, height, width = shape[0], shape[1], shape[2] - 1, shape[3] - 1
    y = builder.add("Reshape", pooled(builder, dtype), np.array([batch, groups, channels // groups, height, width]))
    y = builder.add("Transpose", y, perm=[0, 2, 1, 3, 4])
    y = builder.add("Reshape", y, np.array([batch, channels, height, width]))
    weights = np.random.default_rng(channels).integers(-120, 120, (9, channels, 1, 1)).astype(np.int8)
    w = builder.add("DequantizeLinear", weights, WEIGHT_STEP, np.int8(0))
    y = builder.add("Conv", y, w)
    return saved(builder, passed(builder, y, dtype), path)


def repeated(shape, dtype, path, *, tabulated):
    """Each pixel four times, at the end of the network, or before a function of each byte."""
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    y = builder.add(
        "Resize", pooled(builder, dtype), "", np.array([1, 1, 2, 2], np.float32), mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip
    y = passed(builder, y, dtype)
    if tabulated:
        y = passed(builder, builder.add("Sigmoid", y), dtype)
    return saved(builder, y, path)


def run(path, machine, schedule=None):
    """Cycles and operations; every byte is ONNX Runtime's."""
    program = covenant.compile(path, machine, schedule=schedule)
    shape = tuple(onnx.load(path).graph.input[0].type.tensor_type.shape.dim)
    draw = np.random.default_rng(8)
    feed = {"x": draw.normal(scale=3, size=[one.dim_value for one in shape]).astype(np.float32)}
    result = covenant.run(program, feed)
    for name, array in Witness(path).whole(feed).items():
        np.testing.assert_array_equal(result.outputs[name], array)
    return result.cycles, [block.operation for block in program.blocks]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("machine", ["genesys:8x8", "genesys:03", "genesys:07", "genesys:09"])
@pytest.mark.parametrize(("channels", "groups"), [(48, 2), (48, 3), (128, 2), (60, 5), (14, 7)])
def test_channels_are_shuffled_by_products(channels, groups, machine, dtype, tmp_path):
    path = shuffled((1, channels, 7, 8), groups, dtype, tmp_path / "x.onnx")
    _, operations = run(path, machine)
    assert "transpose" in operations
    assert ("copy" in operations) <= (machine == "genesys:8x8"), "on few lanes, runs may be copied first"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("channels", [1, 3, 5, 8, 16])
def test_pixels_are_repeated_by_products(channels, dtype, tmp_path):
    path = repeated((2, channels, 9, 12), dtype, tmp_path / "x.onnx", tabulated=False)
    _, operations = run(path, "genesys:09")
    assert "transpose" in operations


LAYER = 'layer "{}" {{\n  lowering "{}";\n}}\n'


def copy_of(path, machine, capsys):
    """Name of the layer that gathers, its lowering, and the others that it has."""
    assert main(["compile", str(path), "-m", machine, "--emit", "scheduled"]) == 0
    text = capsys.readouterr().out
    end = text.index('lowering "rows of')
    return text[:end].rsplit('layer "', 1)[1].split('"', 1)[0], text[end:].split('"')[1]


def test_a_schedule_names_each_way(tmp_path, capsys):
    path = shuffled((1, 48, 13, 13), 2, np.int8, tmp_path / "x.onnx")
    layer, way = copy_of(path, "genesys:09", capsys)
    assert way == "rows of 48 as 1 vector of 48"
    schedule = tmp_path / "ways.schedule"
    cycles = {}
    for lowering in (way, "rows of 48 as 2 vectors of 24", "plain"):
        schedule.write_text(LAYER.format(layer, lowering), encoding="utf-8")
        cycles[lowering], operations = run(path, "genesys:09", schedule)
        assert ("copy" in operations) == (lowering == "plain")
    assert cycles[way] == min(cycles.values()) == run(path, "genesys:09")[0]
    assert cycles["plain"] > 2 * cycles[way]
    schedule.write_text(LAYER.format(layer, "rows of 48 as 1 vector of 12"), encoding="utf-8")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(path, "genesys:09", schedule=schedule)
    assert error.value.diagnostic.code == "SCH0011"
    assert {"plain", *cycles} <= set(error.value.diagnostic.allowed)


def test_what_is_fused_with_a_copy_is_not_slower_for_it(tmp_path, capsys):
    """A product that gathers does not become one layer with its reader: it must be faster than the two as one."""
    path = repeated((1, 24, 33, 33), np.uint8, tmp_path / "x.onnx", tabulated=True)
    cycles, _ = run(path, "genesys:09")
    assert main(["compile", str(path), "-m", "genesys:09", "--emit", "network"]) == 0
    names = [line.split('"')[1] for line in capsys.readouterr().out.splitlines() if line.strip().startswith("layer ")]
    (copy,) = [name for name in names if name.endswith("_copy")]
    schedule = tmp_path / "plain.schedule"
    schedule.write_text(LAYER.format(copy, "plain"), encoding="utf-8")
    assert cycles <= run(path, "genesys:09", schedule)[0]
