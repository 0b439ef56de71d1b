"""Movements of dequantised constants, products with a constant on the left, and data in another file."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import held
from test_tables import Network

import covenant
from covenant.errors import CovenantError
from covenant.quantization import quantize
from covenant.verify.expected import Source, expected_outputs

STEP = np.float32(0.05)
RANDOM = np.random.default_rng(31)


def ints(*numbers):
    return np.array(numbers, np.int64)


def dequantized(network, shape, axis=None, dtype=np.int8):
    """A stored constant, and what it means."""
    low, high = (-127, 128) if dtype is np.int8 else (0, 100)
    stored = RANDOM.integers(low, high, shape).astype(dtype)
    scales = np.float32(0.01) if axis is None else RANDOM.uniform(0.004, 0.02, shape[axis]).astype(np.float32)
    zeros = np.full(scales.shape, 0 if dtype is np.int8 else 50, dtype)
    return network.builder.add("DequantizeLinear", stored, scales, zeros, **({} if axis is None else {"axis": axis}))


MATRICES = {
    "turned": ((7, 6), 0, [("Transpose", {"perm": [1, 0]})]),
    "turned, one scale": ((7, 6), None, [("Transpose", {})]),
    "turned twice": ((6, 7), 1, [("Transpose", {}), ("Identity", {}), ("Transpose", {})]),
    "reshaped": ((7, 2, 3), 0, [("Reshape", ints(7, 6), {}), ("Transpose", {"perm": [1, 0]})]),
    "flattened": ((6, 1, 7), 2, [("Flatten", {"axis": 1})]),
    "squeezed": ((1, 6, 7), 2, [("Squeeze", ints(0), {})]),
    "cut": ((6, 9), 1, [("Slice", ints(1), ints(8), ints(1), {})]),
    "picked": ((6, 9), 1, [("Gather", ints(8, 0, 1, 3, 3, 5, 7), {"axis": 1})]),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", MATRICES)
def test_weights_of_a_product(name, dtype, tmp_path):
    shape, axis, steps = MATRICES[name]
    network = Network(31, (3, 6))
    w = moved(network, dequantized(network, shape, axis, dtype), steps)
    network.now = network.stored(network.builder.add("MatMul", network.real(), w), (STEP, np.int8(4)))
    held(network.save(tmp_path), STEP)


def moved(network, value, steps):
    """The value after some movements."""
    for operator, *operands, attributes in steps:
        value = network.builder.add(operator, value, *operands, **attributes)
    return value


def test_weights_of_a_convolution(tmp_path):
    network = Network(32, (1, 6, 5, 4))
    w = moved(network, dequantized(network, (3, 3, 6, 7), 3), [("Transpose", {"perm": [3, 2, 0, 1]})])
    network.now = network.stored(network.builder.add("Conv", network.real(), w), (STEP, np.int8(4)))
    held(network.save(tmp_path), STEP)


def test_weights_that_are_quantized_once_more(tmp_path):
    """Float weights, quantised and dequantised, turned, and quantised again as they were."""
    network = Network(33, (3, 6))
    real = RANDOM.normal(size=(7, 6)).astype(np.float32)
    meaning = (np.float32(0.02), np.int8(0))
    value = network.builder.add("DequantizeLinear", network.builder.add("QuantizeLinear", real, *meaning), *meaning)
    turned = network.builder.add("Transpose", value, perm=[1, 0])
    w = network.builder.add("DequantizeLinear", network.builder.add("QuantizeLinear", turned, *meaning), *meaning)
    network.now = network.stored(network.builder.add("MatMul", network.real(), w), (STEP, np.int8(4)))
    held(network.save(tmp_path), STEP)


def test_parts_of_one_constant(tmp_path):
    """Weights in two parts, as attention has them."""
    network = Network(34, (3, 6))
    first = network.builder.add("Split", dequantized(network, (6, 14), 1), ints(7, 7), axis=1)
    network.builder.nodes[-1].output.append("rest")
    products = [network.builder.add("MatMul", network.real(), part) for part in (first, "rest")]
    outputs = {network.real(network.stored(one, (STEP, np.int8(4)))): np.float32 for one in products}
    path = tmp_path / "model.onnx"
    onnx.save(network.builder.model(outputs), str(path))
    held(path, STEP)


def test_scales_along_the_sum_are_refused(tmp_path):
    network = Network(35, (3, 6))
    w = moved(network, dequantized(network, (7, 6), 1), [("Transpose", {"perm": [1, 0]})])
    network.now = network.stored(network.builder.add("MatMul", network.real(), w))
    with pytest.raises(CovenantError, match="6 scales for") as error:
        covenant.compile(network.save(tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0012"


@pytest.mark.parametrize("shape", [(6, 5), (2, 6, 5), (1, 2, 6, 5), (6,)], ids=str)
@pytest.mark.parametrize("left", [((7, 6), None), ((7, 6), 0)], ids=str)
def test_a_constant_on_the_left(left, shape, tmp_path):
    network = Network(36, shape)
    w = dequantized(network, *left)
    network.now = network.stored(network.builder.add("MatMul", w, network.real()), (STEP, np.int8(4)))
    held(network.save(tmp_path), STEP, fuses=left[1] is None)


def test_a_stored_constant_on_the_left(tmp_path):
    network = Network(37, (2, 6, 5))
    stored = RANDOM.integers(-127, 128, (7, 6)).astype(np.int8)
    meaning, result = (np.float32(0.01), np.int8(0)), (STEP, np.int8(2))
    y = network.builder.add("QLinearMatMul", stored, *meaning, *network.now, *result)
    network.now = (y, *result)
    held(network.save(tmp_path), STEP)


@pytest.mark.parametrize("shape", [(7, 6), (1, 7, 6)], ids=str)
def test_quantizing_a_product_with_a_constant_on_the_left(shape, tmp_path):
    network = Network(38, (1, 6, 5))
    network.builder.nodes.clear()
    y = network.builder.add("MatMul", RANDOM.normal(size=shape).astype(np.float32), "image")
    path, made = tmp_path / "float.onnx", tmp_path / "int8.onnx"
    onnx.save(network.builder.model({network.builder.add("Relu", y): np.float32}), str(path))
    samples = RANDOM.normal(size=(8, 6, 5)).astype(np.float32)
    quantize(path, made, {"image": samples})
    feed = {"image": samples[:1]}
    ours = covenant.run(covenant.compile(made, "genesys:8x8"), feed).outputs
    for name, array in expected_outputs(made, [feed], Source.ONNXRUNTIME).outputs[0].items():
        np.testing.assert_array_equal(ours[name], array)


@pytest.mark.parametrize("operator", ["Relu", "Sigmoid"])
def test_data_in_another_file(operator, tmp_path):
    network = Network(39)
    network.now = network.conv(network.now, 6, 6, kernel=3)
    network.now = network.stored(network.builder.add(operator, network.real()), (STEP, np.int8(-100)))
    path = tmp_path / "model.onnx"
    onnx.save(network.model(), str(path), save_as_external_data=True, location="model.data", size_threshold=0)
    assert (tmp_path / "model.data").is_file()
    held(path, STEP)
    values = covenant.Values(path)
    assert len(values.made) > 1


def test_a_file_that_is_missing(tmp_path):
    network = Network(40)
    network.now = network.conv(network.now, 6, 6)
    path = tmp_path / "model.onnx"
    onnx.save(network.model(), str(path), save_as_external_data=True, location="model.data", size_threshold=0)
    (tmp_path / "model.data").unlink()
    with pytest.raises(CovenantError) as error:
        covenant.compile(path, "genesys:8x8")
    assert error.value.code == "ONX0003"


def test_more_data_than_one_model_can_hold(tmp_path):
    network = Network(41)
    network.now = network.conv(network.now, 6, 6)
    model = network.model()
    large = model.graph.initializer.add(name="large", data_type=onnx.TensorProto.FLOAT, dims=[1 << 30])
    large.data_location = onnx.TensorProto.EXTERNAL
    large.external_data.add(key="location", value="model.data")
    path = tmp_path / "model.onnx"
    onnx.save(model, str(path))
    with pytest.raises(CovenantError, match="more than one model can hold") as error:
        covenant.compile(path, "genesys:8x8")
    assert error.value.code == "ONX0003"
