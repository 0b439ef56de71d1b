"""Float rewrites keep the function, and their result, quantised, equals ONNX Runtime on machines."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from oracle_models import ModelBuilder

import covenant
from covenant import oracle
from covenant.model.editable_model import EditableModel
from covenant.quantization.rewrites import REWRITES

GENERATOR = np.random.default_rng(5)


def weights(*shape):
    """Small random numbers."""
    return GENERATOR.normal(scale=0.3, size=shape).astype(np.float32)


def grown(shape, grow):
    """A float model: convolution, what `grow` appends, convolution."""
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    axes = len(shape) - 2
    y = grow(builder, builder.add("Conv", "x", weights(6, shape[1], *[1] * axes)))
    return builder.model({builder.add("Conv", builder.add("Relu", y), weights(4, 6, *[1] * axes)): np.float32})


def averaged(builder, y):
    """Windows, some over the edge."""
    y = builder.add("AveragePool", y, kernel_shape=[3, 2], strides=[2, 1])
    return builder.add("AveragePool", y, kernel_shape=[2, 2], pads=[1, 1, 0, 0], count_include_pad=1)


def averaged_whole(builder, y):
    """One window."""
    return builder.add("AveragePool", y, kernel_shape=[8, 7])


def averaged_inside(builder, y):
    """Windows that count elements inside of the image alone."""
    return builder.add("AveragePool", y, kernel_shape=[3, 2], pads=[1, 1, 2, 0], strides=[2, 1])


def blocks(builder, y):
    """Every pixel becomes six, then they are scaled."""
    y = builder.add("ConvTranspose", y, weights(6, 6, 2, 3), weights(6), strides=[2, 3], kernel_shape=[2, 3])
    return builder.add("Add", builder.add("Mul", y, weights(1, 6, 1, 1)), weights(1, 6, 1, 1))


def overlapping(builder, y):
    """Kernels wider than their strides, cut on three sides; then narrower."""
    y = builder.add(
        "ConvTranspose", y, weights(6, 6, 3, 4), weights(6), strides=[2, 2], pads=[1, 1, 0, 2], output_padding=[1, 0]
    )
    return builder.add("ConvTranspose", y, weights(6, 6, 2, 1), strides=[3, 2], output_padding=[0, 1])


def interpolated(builder, y):
    """Linear, by two and three; by one and two."""
    y = builder.add("Resize", y, "", np.array([1, 1, 2, 3], np.float32), mode="linear")
    sizes = np.array([1, 6, 16, 42], np.int64)
    return builder.add("Resize", y, "", "", sizes, mode="linear", coordinate_transformation_mode="pytorch_half_pixel")


def resized(builder, y):
    """Resizes: linear between corners, then cubic."""
    sizes = np.array([1, 6, 11, 9], np.int64)
    y = builder.add("Resize", y, "", "", sizes, mode="linear", coordinate_transformation_mode="align_corners")
    return builder.add("Resize", y, "", np.array([1, 1, 0.6, 1], np.float32), mode="cubic")


def lengths(builder, y):
    """Divides each pixel's vector by its length."""
    return builder.add("Div", y, builder.add("ReduceL2", y, axes=[1]))


def one_group(builder, y):
    """A GroupNormalization of one group, as exporters write it."""
    y = builder.add("Reshape", y, np.array([1, 1, -1], np.int64))
    y = builder.add("InstanceNormalization", y, np.ones(1, np.float32), np.zeros(1, np.float32))
    return builder.add("Reshape", y, np.array([1, 6, 8, 7], np.int64))


def responses(builder, y):
    """Over five channels, and over three."""
    y = builder.add("LRN", y, size=5, alpha=0.5, beta=0.75, bias=1.5)
    return builder.add("LRN", y, size=3, alpha=0.3)


def sloped(builder, y):
    """A slope for each channel."""
    return builder.add("PRelu", y, np.abs(weights(6, 1, 1)))


def scaled(builder, y):
    """A factor and a term for each channel, of what two layers read."""
    scaled = builder.add("Sub", builder.add("Div", y, weights(1, 6, 1, 1) + 2), weights(6, 1, 1))
    return builder.add("Add", y, builder.add("Relu", scaled))


def normalised_rows(builder, y):
    """A BatchNormalization of rows, behind a Relu."""
    y = builder.add("Relu", y)
    return builder.add("BatchNormalization", y, weights(6), weights(6), weights(6), np.abs(weights(6)) + 1)


def joined(builder, y):
    """Constant rows before and behind what varies, as of a class token."""
    y = builder.add("Concat", weights(1, 6, 2, 7), y, weights(1, 6, 1, 7), axis=2)
    return builder.add("Concat", y, weights(1, 6, 11, 3), axis=-1)


CASES = {
    averaged: ((1, 3, 8, 7), {"Conv"}, {"AveragePool"}),
    averaged_whole: ((1, 3, 8, 7), {"GlobalAveragePool"}, {"AveragePool"}),
    averaged_inside: ((1, 3, 8, 7), {"Mul"}, {"AveragePool"}),
    blocks: ((1, 3, 8, 7), {"Reshape", "Transpose"}, {"ConvTranspose", "Mul"}),
    overlapping: ((1, 3, 5, 7), {"Reshape", "Transpose", "Slice"}, {"ConvTranspose"}),
    interpolated: ((1, 3, 8, 7), {"Conv", "Pad", "Transpose"}, {"Resize"}),
    resized: ((1, 3, 8, 7), {"MatMul", "Transpose"}, {"Resize"}),
    lengths: ((1, 3, 8, 7), {"ReduceSum", "Sqrt"}, {"ReduceL2"}),
    one_group: ((1, 3, 8, 7), {"LayerNormalization"}, {"InstanceNormalization"}),
    responses: ((1, 3, 8, 7), {"Conv", "Mul", "Pow"}, {"LRN"}),
    sloped: ((1, 3, 8, 7), {"Relu", "Min"}, {"PRelu"}),
    scaled: ((1, 3, 8, 7), {"Conv"}, {"Div", "Sub"}),
    joined: ((1, 3, 8, 7), {"Pad", "Add"}, {"Concat"}),
    normalised_rows: ((1, 3, 21), {"Conv"}, {"BatchNormalization", "Mul"}),
}


def test_layers_that_share_a_bias(tmp_path):
    """Layers share a bias, as exporters leave equal ones; each layer gets the scale of its own."""
    builder = ModelBuilder({"x": np.zeros((4, 8), np.float32)})
    builder.constants.append(numpy_helper.from_array(weights(8), "shared"))
    y = builder.add("Gemm", builder.add("Gemm", "x", weights(8, 8), "shared"), weights(8, 8), "shared")
    onnx.save(builder.model({y: np.float32}), tmp_path / "float.onnx")
    samples = GENERATOR.normal(size=(16, 8)).astype(np.float32)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples})
    assert any(one.what.startswith("vectors") and one.count == 1 for one in report.rewrites)
    result = covenant.run(covenant.compile(tmp_path / "int8.onnx", "genesys:8x8"), samples[:4])
    for name, array in oracle.run(tmp_path / "int8.onnx", samples[:4]).items():
        np.testing.assert_array_equal(result.outputs[name], array)


@pytest.mark.parametrize("grow", CASES, ids=lambda grow: grow.__name__)
def test_the_function_stays(grow):
    shape, there, gone = CASES[grow]
    model = grown(shape, grow)
    sample = {"x": GENERATOR.normal(size=shape).astype(np.float32)}
    expected = oracle.Oracle(model).run(sample)
    rewritten = EditableModel(model)
    for rewrite in REWRITES.values():
        rewrite(rewritten)
    operators = {node.op_type for node in rewritten.nodes}
    assert there <= operators
    assert not gone & operators
    got = oracle.Oracle(rewritten.model).run(sample)
    for name, array in expected.items():
        np.testing.assert_allclose(got[name], array, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "grow", [grow for grow in CASES if grow not in (averaged_inside, one_group)], ids=lambda grow: grow.__name__
)
def test_machines_equal_onnx_runtime(grow, tmp_path):
    shape = CASES[grow][0]
    onnx.save(grown(shape, grow), tmp_path / "float.onnx")
    samples = GENERATOR.normal(size=(4, *shape[1:])).astype(np.float32)
    report = covenant.quantize(tmp_path / "float.onnx", tmp_path / "int8.onnx", {"x": samples})
    assert report.float_operators == ()
    assert all(error.noise_decibel > 15 for error in report.errors)
    expected = oracle.run(tmp_path / "int8.onnx", samples[:1])
    for machine in ("genesys:8x8", "dnnweaver"):
        result = covenant.run(covenant.compile(tmp_path / "int8.onnx", machine), samples[:1])
        for name, array in expected.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)
