"""Movements, pools and limits between a float operator and its QuantizeLinear: quantised first, then moved."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import held
from test_tables import Network

import covenant
from covenant import oracle
from covenant.errors import CovenantError

SHAPE = (1, 8, 6, 4)
STEP = (np.float32(0.07), 5)


def ints(*numbers):
    return np.array(numbers, np.int64)


def grown(dtype, *steps):
    """A network with a Conv, then float steps on its real result, then one QuantizeLinear."""
    network = Network(3, SHAPE, dtype)
    w = network.generator.integers(-127, 128, (8, 8, 1, 1)).astype(np.int8)
    weights = network.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
    y = network.builder.add("Conv", network.real(), weights)
    for operator, *operands in steps:
        attributes = operands.pop() if operands and isinstance(operands[-1], dict) else {}
        y = network.builder.add(operator, y, *operands, **attributes)
    network.now = network.stored(y, (STEP[0], dtype(STEP[1])))
    return network


POOL = ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]})
CHAINS = {
    "transpose": [("Transpose", {"perm": [0, 2, 3, 1]})],
    "reshape": [("Reshape", ints(1, 8, 24))],
    "flatten": [("Flatten",)],
    "unsqueeze": [("Unsqueeze", ints(0, 5))],
    "depth to space": [("DepthToSpace", {"blocksize": 2})],
    "space to depth": [("SpaceToDepth", {"blocksize": 2})],
    "gather": [("Gather", ints(3, 1, 1, -1), {"axis": 1})],
    "expand": [("Slice", ints(0), ints(1), ints(2)), ("Expand", ints(1, 8, 3, 4))],
    "tile": [("Tile", ints(1, 1, 2, 3))],
    "pad by zero": [("Pad", ints(0, 0, 1, 2, 0, 0, 0, 1))],
    "identity": [("Identity",)],
    "max pool": [POOL],
    "padded max pool": [("MaxPool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]})],
    "global max pool": [("GlobalMaxPool",)],
    "largest pixel": [("ReduceMax", {"axes": [2, 3], "keepdims": 0})],
    "relu first": [("Relu",), ("Transpose", {"perm": [0, 2, 3, 1]})],
    "relu last": [("Transpose", {"perm": [0, 2, 3, 1]}), ("Relu",)],
    "relu after a pool": [POOL, ("Relu",)],
    "relu between": [("Reshape", ints(1, 8, 24)), ("Relu",), ("Transpose", {"perm": [0, 2, 1]})],
    "clip after zeros": [("Pad", ints(0, 0, 1, 2, 0, 0, 0, 1)), ("Clip", np.float32(-0.5), np.float32(1))],
    "several": [POOL, ("Relu",), ("Transpose", {"perm": [0, 2, 3, 1]}), ("Flatten",)],
    "nearest": [("Resize", "", np.array([1, 1, 1.5, 2], np.float32), {"mode": "nearest"})],
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", CHAINS)
def test_what_a_layer_makes_is_quantized_before_it_is_moved(name, dtype, tmp_path):
    path = grown(dtype, *CHAINS[name]).save(tmp_path)
    held(path, STEP[0])


@pytest.mark.parametrize("steps", [[("Transpose", {"perm": [0, 2, 3, 1]})], [POOL, ("Relu",)]])
def test_elements_of_16_bits(steps, tmp_path):
    model = grown(np.int8, *steps).model()
    constants = {tensor.name for tensor in model.graph.initializer}
    weights = {name for node in model.graph.node if constants.issuperset(node.input) for name in node.input}
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.INT8 and not tensor.dims and tensor.name not in weights:
            wide = onnx.numpy_helper.to_array(tensor).astype(np.int16)
            tensor.CopyFrom(onnx.numpy_helper.from_array(wide, tensor.name))
    model.opset_import[0].version, model.ir_version = 21, 10
    path = tmp_path / "wide.onnx"
    onnx.save(model, str(path))
    image = np.random.default_rng(1).normal(size=SHAPE).astype(np.float32)
    ours = covenant.run(covenant.compile(path, covenant.Machine("genesys", preset="8x8", bits=16)), image).outputs
    for output, array in oracle.run(path, image, any_width=True).items():
        assert np.abs(ours[output] - array).max() <= 1.001 * STEP[0]


OTHERS = {
    "a table": lambda n: n.builder.add("Sigmoid", n.real()),
    "a softmax": lambda n: n.builder.add("Softmax", n.real(), axis=3),
    "a sum": lambda n: n.builder.add("Add", n.real(), n.real(n.conv(n.now, 8, 8))),
    "a product": lambda n: n.builder.add("Mul", n.real(), n.real(n.conv(n.now, 8, 8))),
    "a table, moved before": lambda n: n.builder.add("Tanh", n.builder.add("Transpose", n.real(), perm=[0, 1, 3, 2])),
    "a table in two parts": lambda n: n.builder.add(
        "Mul", n.builder.add("Transpose", n.builder.add("Sigmoid", n.real()), perm=[0, 1, 3, 2]), np.float32(0.8)
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_operators_than_layers(name, tmp_path):
    network = Network(4, SHAPE)
    y = network.builder.add("Flatten", OTHERS[name](network))
    network.now = network.stored(y, (np.float32(0.02), np.int8(-20)))
    held(network.save(tmp_path), np.float32(0.02))


def joined(network):
    """Two Conv and a stored tensor, joined and turned, quantised once."""
    one, other = (_convolved(network) for _ in range(2))
    y = network.builder.add("Concat", one, network.real(), network.builder.add("Relu", other), axis=1)
    return {network.builder.add("Transpose", y, perm=[0, 2, 3, 1]): STEP}


def joined_with_a_constant(network):
    """A Conv beside a constant, turned."""
    beside = network.generator.normal(size=(1, 2, 6, 4)).astype(np.float32)
    y = network.builder.add("Concat", _convolved(network), beside, axis=1)
    return {network.builder.add("Transpose", y, perm=[0, 2, 3, 1]): STEP}


def parted(network):
    """A Conv in two parts, quantised alike."""
    return dict.fromkeys(_split(network), STEP)


def parted_apart(network):
    """A Conv in two parts of scales of their own, one of them clamped."""
    first, second = _split(network)
    return {network.builder.add("Relu", first): STEP, second: (np.float32(0.05), -3)}


def read_twice(network):
    """A tensor that two QuantizeLinear read, one of them through a pool."""
    y = _convolved(network)
    return {y: STEP, network.builder.add("MaxPool", y, kernel_shape=[2, 2]): (np.float32(0.05), -3)}


def read_alike(network):
    """A tensor that two QuantizeLinear of one scale read."""
    y = _convolved(network)
    return {y: STEP, network.builder.add("Flatten", y): STEP}


def limited_differently(network):
    """A Conv that two limits read, and a table of which parts are joined."""
    y = _convolved(network)
    z = network.builder.add("Sigmoid", network.real())
    whole = network.builder.add("Concat", z, network.builder.add("Relu", z), axis=1)
    return {
        network.builder.add("Relu", y): STEP,
        network.builder.add("Clip", y, np.float32(-1), np.float32(1)): (np.float32(0.05), -3),
        network.builder.add("Flatten", whole): (np.float32(0.01), -100),
    }


def _convolved(network):
    """A Conv of `now`, real."""
    w = network.generator.integers(-127, 128, (8, 8, 1, 1)).astype(np.int8)
    weights = network.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
    return network.builder.add("Conv", network.real(), weights)


def _split(network):
    """Names of both parts of a Conv's result."""
    node = network.builder.nodes
    first = network.builder.add("Split", _convolved(network), ints(3, 5), axis=1)
    node[-1].output.append("rest")
    return first, "rest"


@pytest.mark.parametrize(
    "grow",
    [joined, joined_with_a_constant, parted, parted_apart, read_twice, read_alike, limited_differently],
    ids=lambda one: one.__name__,
)
def test_several_readers_and_producers(grow, tmp_path):
    network = Network(6, SHAPE)
    outputs = {}
    for value, (scale, zero) in grow(network).items():
        outputs[network.real(network.stored(value, (scale, np.int8(zero))))] = np.float32
    path = tmp_path / "model.onnx"
    onnx.save(network.builder.model(outputs), str(path))
    held(path, STEP[0])


def test_the_host_reads_what_is_quantized_too(tmp_path):
    """The host computes the layer itself, from the stored tensor before it."""
    network = Network(7, SHAPE)
    turned = network.builder.add("Transpose", _convolved(network), perm=[0, 2, 3, 1])
    shares = network.builder.add("Exp", turned)
    network.now = network.stored(turned, (STEP[0], np.int8(STEP[1])))
    path = tmp_path / "model.onnx"
    onnx.save(network.builder.model({network.real(): np.float32, shares: np.float32}), str(path))
    held(path, STEP[0])
    assert "Exp" in covenant.compile(path, "genesys:8x8").end.operators


def test_a_function_of_a_real_result_is_refused(tmp_path):
    """Sigmoid of what a Conv makes, which is rounded nowhere: a machine has it in no form."""
    network = Network(8, SHAPE)
    y = network.builder.add("Sigmoid", network.builder.add("Flatten", _convolved(network)))
    network.now = network.stored(y)
    with pytest.raises(CovenantError) as error:
        covenant.compile(network.save(tmp_path), "genesys:8x8")
    assert error.value.code.startswith("ONX")


def test_a_clip_that_moves_zero_stays_after_zeros(tmp_path):
    """Clip of at least 0.3 makes 0.3 of what lies around: it cannot come first."""
    path = grown(np.int8, ("Pad", ints(0, 0, 1, 2, 0, 0, 0, 1)), ("Clip", np.float32(0.3), np.float32(1))).save(
        tmp_path
    )
    held(path, STEP[0])
