"""Biases in float, and factors of channels after a layer: stored as ONNX Runtime does, a step from what it adds."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import held
from onnx import numpy_helper
from test_tables import Network

import covenant
from covenant import oracle
from covenant.compiler.model_parts import parts_of
from covenant.errors import CovenantError

STEP = np.float32(0.05)
RANDOM = np.random.default_rng(12)


def weights(network, shape, axis, per_channel):
    """Stored weights with a scale for each output or one for all, dequantised."""
    count = shape[axis]
    scales = RANDOM.uniform(0.003, 0.02, count).astype(np.float32) if per_channel else np.float32(0.01)
    zeros = np.zeros(scales.shape, np.int8)
    stored = RANDOM.integers(-127, 128, shape).astype(np.int8)
    return network.builder.add("DequantizeLinear", stored, scales, zeros, **({"axis": axis} if per_channel else {}))


def layer(operator, bias, *, per_channel=True, dtype=np.int8, **attributes):
    """A model of one layer with a float bias."""
    network = Network(21, (1, 6, 5, 4) if operator == "Conv" else (3, 6), dtype)
    rows = bool(attributes.get("transB"))
    shape = (7, 6, 3, 3) if operator == "Conv" else ((7, 6) if rows else (6, 7))
    real = weights(network, shape, 0 if operator == "Conv" or rows else 1, per_channel)
    y = network.builder.add(operator, network.real(), real, bias, **attributes)
    network.now = network.stored(y, (STEP, dtype(3)))
    return network


BIASES = {
    "vector": RANDOM.normal(size=7).astype(np.float32),
    "row": RANDOM.normal(size=(1, 7)).astype(np.float32),
    "number": np.float32(0.7),
    "one": np.array([-0.4], np.float32),
    "equal rows": np.tile(RANDOM.normal(size=7).astype(np.float32), (3, 1)),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("per_channel", [True, False])
@pytest.mark.parametrize("operator", ["Conv", "Gemm"])
def test_the_stored_bias_is_onnx_runtimes(operator, per_channel, dtype, tmp_path):
    path = layer(operator, BIASES["vector"], per_channel=per_channel, dtype=dtype).save(tmp_path)
    held(path, STEP)
    assert stored_biases(onnx.load_from_string(parts_of(path).content)) == stored_biases(oracle.Oracle(path).optimized)


def stored_biases(model):
    """Stored constants of 32 bits that are no zero points."""
    arrays = [numpy_helper.to_array(tensor) for tensor in model.graph.initializer]
    return [array.tolist() for array in arrays if array.dtype == np.int32 and array.any()]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("between", ["turned twice", "turned", "pooled", "padded"])
def test_movements_before_a_layer(between, dtype, tmp_path):
    """Keras keeps channels last, and exporters turn images before each convolution: elements mean the same."""
    network = layer("Conv", BIASES["vector"], dtype=dtype)
    nodes = network.builder.nodes
    conv = next(node for node in nodes if node.op_type == "Conv")
    pads = network.builder.add("Identity", np.array([0, 0, 1, 0, 0, 0, 0, 2]))
    ways = {
        "turned twice": [("Transpose", [], {"perm": [0, 2, 3, 1]}), ("Transpose", [], {"perm": [0, 3, 1, 2]})],
        "turned": [("Transpose", [], {"perm": [0, 1, 3, 2]})],
        "pooled": [("MaxPool", [], {"kernel_shape": [2, 2]})],
        "padded": [("Pad", [pads], {})],
    }
    now = conv.input[0]
    for operator, rest, attributes in ways[between]:
        now = network.builder.add(operator, now, *rest, **attributes)
    conv.input[0] = now
    network.builder.nodes = in_order(nodes)
    held(network.save(tmp_path), STEP)


def in_order(nodes):
    """Nodes behind what they read."""
    left, made = list(nodes), []
    while left:
        waiting = {node.output[0] for node in left}
        ready = [node for node in left if waiting.isdisjoint(node.input)]
        made += ready
        left = [node for node in left if not any(node is one for one in ready)]
    return made


@pytest.mark.parametrize("attributes", [{}, {"transB": 1}, {"beta": 0.5}], ids=str)
@pytest.mark.parametrize("bias", BIASES)
def test_biases_of_a_product(bias, attributes, tmp_path):
    held(layer("Gemm", BIASES[bias], **attributes).save(tmp_path), STEP)


def test_one_bias_of_two_layers(tmp_path):
    network = Network(22, (1, 6, 5, 4))
    bias = RANDOM.normal(size=6).astype(np.float32)
    network.builder.constants.append(numpy_helper.from_array(bias, "shared"))
    for per_channel in (True, False):
        real = weights(network, (6, 6, 1, 1), 0, per_channel)
        network.now = network.stored(network.builder.add("Conv", network.real(), real, "shared"), (STEP, np.int8(1)))
    held(network.save(tmp_path), STEP)


def test_a_bias_that_a_node_makes(tmp_path):
    network = layer("Conv", "made")
    network.builder.nodes.insert(0, onnx.helper.make_node("Constant", [], ["given"], value_floats=[0.1] * 7))
    network.builder.nodes.insert(1, onnx.helper.make_node("Neg", ["given"], ["made"]))
    held(network.save(tmp_path), STEP)


@pytest.mark.parametrize("operator", ["Conv", "Gemm"])
def test_a_bias_of_8_bits(operator, tmp_path):
    network = layer(operator, "bias")
    network.builder.add("DequantizeLinear", RANDOM.integers(-99, 99, 7).astype(np.int8), np.float32(0.02))
    network.builder.nodes.insert(0, network.builder.nodes.pop())
    network.builder.nodes[0].output[0] = "bias"
    held(network.save(tmp_path), STEP)


@pytest.mark.parametrize("bias", [np.full(7, 1e9, np.float32), np.full(7, np.inf, np.float32)])
def test_a_bias_that_does_not_fit_is_refused(bias, tmp_path):
    with pytest.raises(CovenantError, match="the bias is float, and does not fit 32 bits") as error:
        covenant.compile(layer("Conv", bias).save(tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0015"
    assert f"] = {bias[0]:g}, " in error.value.diagnostic.offending


def test_rows_that_differ_are_refused(tmp_path):
    with pytest.raises(CovenantError) as error:
        covenant.compile(layer("Gemm", RANDOM.normal(size=(3, 7)).astype(np.float32)).save(tmp_path), "genesys:8x8")
    assert error.value.code == "ONX0015"


def some(*shape):
    """Factors of both signs."""
    return (RANDOM.uniform(0.5, 1.5, shape) * RANDOM.choice([-1, 1], shape)).astype(np.float32)


NORMALISATION = [some(7), some(7), some(7), np.abs(some(7))]
AFTER_CONV = {
    "normalised": [("BatchNormalization", *NORMALISATION)],
    "normalised, then limited": [("BatchNormalization", *NORMALISATION), ("Relu",)],
    "an offset for each channel": [("Add", some(7, 1, 1))],
    "a factor for each channel": [("Mul", some(1, 7, 1, 1))],
    "several": [("Mul", some(7, 1, 1)), ("Sub", some(1, 7, 1, 1)), ("Div", np.float32(1.3)), ("Relu",)],
    "a channel that is left out": [("Mul", np.array([1, 0, -1, 0, 2, 1, 1], np.float32).reshape(7, 1, 1))],
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("name", AFTER_CONV)
def test_factors_and_offsets_after_a_convolution(name, bias, tmp_path):
    network = Network(23, (1, 6, 5, 4))
    operands = [network.real(), weights(network, (7, 6, 3, 3), 0, per_channel=True)]
    y = network.builder.add("Conv", *operands, *([BIASES["vector"]] if bias else []))
    held(scaled(network, y, AFTER_CONV[name]).save(tmp_path), STEP)


def scaled(network, y, steps):
    """The network with steps after `y`, quantised."""
    for operator, *operands in steps:
        y = network.builder.add(operator, y, *operands)
    network.now = network.stored(y, (STEP, np.int8(-7)))
    return network


@pytest.mark.parametrize("shape", [(3, 6), (2, 3, 6), (1, 2, 3, 6)], ids=str)
@pytest.mark.parametrize("steps", [[("Add", some(7))], [("Mul", some(7)), ("Add", some(1, 7))]], ids=len)
def test_factors_and_offsets_after_a_product(steps, shape, tmp_path):
    network = Network(24, shape)
    y = network.builder.add("MatMul", network.real(), weights(network, (6, 7), 1, per_channel=True))
    held(scaled(network, y, steps).save(tmp_path), STEP)


def test_weights_that_do_not_fit_are_refused(tmp_path):
    """-128 times -1."""
    network = Network(25, (1, 6, 5, 4))
    stored = np.full((7, 6, 1, 1), -128, np.int8)
    real = network.builder.add("DequantizeLinear", stored, np.float32(0.001), np.int8(0))
    y = network.builder.add("Conv", network.real(), real)
    with pytest.raises(CovenantError) as error:
        covenant.compile(
            scaled(network, y, [("Mul", np.full((7, 1, 1), -1, np.float32))]).save(tmp_path), "genesys:8x8"
        )
    assert error.value.code == "ONX0028"
