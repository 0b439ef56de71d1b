"""Operators that do nothing, wherever they stand, and constants that stand beside an activation."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from both_ways import held
from onnx import TensorProto, helper
from test_tables import Network

import covenant
from covenant.errors import CovenantError
from covenant.model.idle_operators import without_idle

SHAPE = (1, 6, 5, 7)
STEP = (np.float32(0.05), 3)


def ints(*numbers):
    return np.array(numbers, np.int64)


IDLE = {
    "Cast": lambda b, y, stored: b.add("Cast", y, to=TensorProto.INT8 if stored else TensorProto.FLOAT),
    "Dropout": lambda b, y, stored: b.add("Dropout", y, np.float32(0.3)),
    "Dropout that says so": lambda b, y, stored: b.add("Dropout", y, np.float32(0.3), np.bool_(0)),
    "Identity": lambda b, y, stored: b.add("Identity", y),
    "Reshape": lambda b, y, stored: b.add("Reshape", y, ints(0, -1, 5, 7)),
    "Transpose": lambda b, y, stored: b.add("Transpose", y, perm=[0, 1, 2, 3]),
    "Pad": lambda b, y, stored: b.add("Pad", y, ints(*[0] * 8), mode="reflect"),
    "Slice": lambda b, y, stored: b.add("Slice", y, ints(0, -9), ints(99, 99), ints(1, 3), ints(1, 1)),
    "Concat": lambda b, y, stored: b.add("Concat", y, axis=1),
    "Expand": lambda b, y, stored: b.add("Expand", y, ints(1, 6, 1, 7)),
    "Tile": lambda b, y, stored: b.add("Tile", y, ints(1, 1, 1, 1)),
    "Unsqueeze, Squeeze": lambda b, y, stored: b.add("Squeeze", b.add("Unsqueeze", y, ints(2)), ints(2)),
}
REAL_ALONE = {"Dropout", "Dropout that says so"}


PLACES = ["stored", "real", "before the quantising", "first", "last"]
EVERYWHERE = [(name, place) for name in IDLE for place in PLACES if place != "stored" or name not in REAL_ALONE]


@pytest.mark.parametrize(("name", "place"), EVERYWHERE)
def test_operators_that_do_nothing(name, place, tmp_path):
    network = Network(71, SHAPE)
    builder = network.builder
    if place == "first":
        network = Network(71, SHAPE)
        builder = network.builder
        builder.nodes.clear()
        network.now = network.stored(IDLE[name](builder, "image", stored=False))
    if place == "stored":
        network.now = (IDLE[name](builder, network.now[0], stored=True), *network.now[1:])
    real = network.real()
    if place == "real":
        real = IDLE[name](builder, real, stored=False)
    w = np.random.default_rng(2).integers(-127, 128, (6, 6, 3, 3)).astype(np.int8)
    weights = builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
    y = builder.add("Conv", real, weights, pads=[1] * 4)
    if place == "before the quantising":
        y = IDLE[name](builder, y, stored=False)
    network.now = network.stored(y, (STEP[0], np.int8(STEP[1])))
    y = network.real()
    if place == "last":
        y = IDLE[name](builder, y, stored=False)
    path = tmp_path / "model.onnx"
    onnx.save(builder.model({y: np.float32}), str(path))
    held(path, STEP[0])


def test_outputs_keep_their_names():
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["x"], ["y"]),
            helper.make_node("Identity", ["y"], ["first"]),
            helper.make_node("Identity", ["y"], ["second"]),
            helper.make_node("Identity", ["x"], ["third"]),
            helper.make_node("Neg", ["y"], ["fourth"]),
        ],
        "names",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [2])
            for name in ("first", "second", "third", "fourth")
        ],
    )
    made = without_idle(helper.make_model(graph)).graph
    assert [(node.op_type, list(node.input), list(node.output)) for node in made.node] == [
        ("Relu", ["x"], ["first"]),
        ("Identity", ["first"], ["second"]),
        ("Identity", ["x"], ["third"]),
        ("Neg", ["first"], ["fourth"]),
    ]


def test_a_mask_that_is_read_stays():
    graph = helper.make_graph(
        [helper.make_node("Dropout", ["x"], ["y", "mask"])],
        "mask",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2]),
         helper.make_tensor_value_info("mask", TensorProto.BOOL, [2])],
    )  # fmt: skip
    model = helper.make_model(graph)
    assert without_idle(model) is model


def some(*shape):
    return np.random.default_rng(9).uniform(-1.5, 1.5, shape).astype(np.float32)


CHANNELS = {
    "a factor": (SHAPE, [("Mul", some(6, 1, 1))]),
    "an offset": (SHAPE, [("Add", some(1, 6, 1, 1))]),
    "a difference": (SHAPE, [("Sub", some(6, 1, 1))]),
    "a quotient": (SHAPE, [("Div", some(6, 1, 1))]),
    "a layer scale": ((1, 5, 9), [("Mul", some(9))]),
    "features": ((4, 9), [("Add", some(9)), ("Relu",)]),
    "rows": ((2, 5, 9), [("Mul", some(5, 1)), ("Tanh",)]),
    "normalised images": (SHAPE, [("Sub", some(6, 1, 1)), ("Div", some(1, 6, 1, 1) + 3), ("Clip", np.float32(-1))]),
    "steep where it is negative": (SHAPE, [("Add", some(6, 1, 1)), ("PRelu", some(6, 1, 1))]),
    "another form of one number": (SHAPE, [("Mul", np.full((1, 1, 1, 1), 0.6, np.float32)), ("Add", some(6, 1, 1))]),
}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("name", CHANNELS)
def test_a_function_for_each_channel(name, dtype, tmp_path):
    shape, steps = CHANNELS[name]
    network = Network(72, shape, dtype)
    y = network.real()
    for operator, *operands in steps:
        y = network.builder.add(operator, y, *operands)
    network.now = network.stored(y, (STEP[0], dtype(STEP[1])))
    held(network.save(tmp_path), STEP[0])


def test_factors_along_two_axes(tmp_path):
    """No tables, but f32 on machines that have it."""
    network = Network(73, SHAPE)
    network.now = network.stored(network.builder.add("Mul", network.real(), some(6, 5, 1)))
    held(network.save(tmp_path), STEP[0])
    with pytest.raises(CovenantError) as error:
        covenant.compile(network.save(tmp_path), "hvx")
    assert error.value.code == "CDL0040"


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1, 1)], ids=str)
@pytest.mark.parametrize("rank", [2, 4])
def test_one_number_of_any_rank(rank, shape, tmp_path):
    """Keras writes a hard sigmoid with constants [1,1,1,1]."""
    network = Network(74, SHAPE if rank == 4 else (5, 6))
    y = network.builder.add("Add", network.real(), np.full(shape, 3, np.float32))
    y = network.builder.add("Clip", y, np.float32(0), np.float32(6))
    y = network.builder.add("Mul", y, np.full(shape, 1 / 6, np.float32))
    network.now = network.stored(y, (np.float32(1 / 255), np.int8(-128)))
    held(network.save(tmp_path), np.float32(1 / 255))


@pytest.mark.parametrize("axes", [[6, 3], [-5], [2, 2], [2, -2]], ids=str)
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean", "ReduceMax"])
def test_axes_that_are_not_there_are_refused(operator, axes, tmp_path):
    network = Network(75, SHAPE)
    given = ([ints(*axes)], {}) if operator == "ReduceSum" else ([], {"axes": axes})
    network.now = network.stored(network.builder.add(operator, network.real(), *given[0], **given[1]))
    with pytest.raises(CovenantError) as error:
        covenant.compile(network.save(tmp_path), "genesys:8x8")
    assert error.value.code.startswith("ONX")
