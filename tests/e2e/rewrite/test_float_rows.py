"""Reductions that a model computes in float between quantised tensors: at most a step from what ONNX Runtime makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper
from oracle_models import ModelBuilder

import covenant
from covenant.cli import main
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness


@dataclass
class Rows:
    """A stored tensor, dequantised, and along which axes its rows lie."""

    builder: ModelBuilder
    x: str
    axes: list[int]
    shape: tuple[int, ...]
    draw: np.random.Generator

    def add(self, operator, *operands, **attributes):
        """Result of a new node."""
        return self.builder.add(operator, *operands, **attributes)

    def reduced(self, operator, value, keeps=1):
        """One number a row."""
        if operator == "ReduceSum":
            return self.add(operator, value, np.array(self.axes, np.int64), keepdims=keeps)
        return self.add(operator, value, axes=self.axes, keepdims=keeps)

    def squares(self, value):
        """In one of two spellings."""
        return self.add("Pow", value, np.float32(2)) if self.draw.integers(2) else self.add("Mul", value, value)

    def gains(self):
        """One for each column."""
        return self.draw.normal(size=[self.shape[axis] if axis in self.axes else 1 for axis in range(len(self.shape))])

    def root(self):
        """Root of the mean of squares."""
        mean = self.reduced("ReduceMean", self.squares(self.x))
        return self.add("Sqrt", self.add("Add", mean, np.float32(1e-5)))

    def centred(self):
        """Less the mean of the row."""
        return self.add("Sub", self.x, self.reduced("ReduceMean", self.x))


def normalised(rows):
    left = rows.centred()
    variance = rows.reduced("ReduceMean", rows.squares(left))
    even = rows.add("Div", left, rows.add("Sqrt", rows.add("Add", variance, np.float32(1e-3))))
    return rows.add("Add", rows.add("Mul", even, np.float32(rows.gains())), np.float32(rows.gains()))


def deviation(rows):
    mean = rows.reduced("ReduceMean", rows.squares(rows.centred()))
    return rows.add("Sqrt", rows.add("Add", mean, np.float32(1e-3)))


def by_sum(rows):
    positive = rows.add("Relu", rows.x)
    return rows.add("Div", positive, rows.add("Add", rows.reduced("ReduceSum", positive), np.float32(1e-9)))


KINDS = {
    "root mean square": lambda r: r.add("Mul", r.add("Div", r.x, r.root()), np.float32(r.gains())),
    "its reciprocal": lambda r: r.add("Mul", np.float32(r.gains()), r.add("Mul", r.x, r.add("Reciprocal", r.root()))),
    "one by it": lambda r: r.add("Div", np.float32(1), r.root()),
    "norm": lambda r: r.reduced("ReduceL2", r.x, 0),
    "by the norm": lambda r: r.add("Div", r.x, r.add("Max", r.reduced("ReduceL2", r.x), np.float32(1e-12))),
    "sum of sizes": lambda r: r.reduced("ReduceL1", r.x, 0),
    "by sizes": lambda r: r.add("LpNormalization", r.x, axis=r.axes[0], p=1),
    "by the norm, one operator": lambda r: r.add("LpNormalization", r.x, axis=r.axes[0], p=2),
    "by the sum": by_sum,
    "less the mean": lambda r: r.centred(),
    "mean less it": lambda r: r.add("Sub", r.reduced("ReduceMean", r.x), r.x),
    "normalised": normalised,
    "deviation": deviation,
    "mean of a function": lambda r: r.reduced("ReduceMean", r.add("Tanh", r.x)),
    "sum of a function": lambda r: r.reduced("ReduceSum", r.add("Relu", r.x)),
}
SHAPES = {(3, 5, 24): [2], (1, 6, 4, 5): [1], (2, 3, 4, 5): [2, 3], (7, 1): [1]}


def stored(rows, value, step, zero):
    made = rows.add("QuantizeLinear", value, step, zero)
    return rows.add("DequantizeLinear", made, step, zero)


def layer(kind, shape, axes, dtype, seed):
    """A model of one such layer, its feed, and the step of its result: the range is that of the real one."""
    draw, lowest = np.random.default_rng(seed), int(np.iinfo(dtype).min)
    step, zero = np.float32(draw.uniform(0.01, 0.1)), dtype(lowest + int(draw.choice([0, 40, 128, 250])))
    array = (draw.normal(scale=40, size=shape) * step).astype(np.float32)
    array[(0,) * len(shape)] = 0
    if len(shape) - len(axes) > 0:
        array[tuple(slice(None) if axis in axes else -1 for axis in range(len(shape)))] = 0  # a row of nothing
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    rows = Rows(builder, "", axes, shape, draw)
    rows.x = stored(rows, "x", step, zero)
    real = KINDS[kind](rows)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(builder.model({real: np.float32}).SerializeToString(), options)
    (made,) = session.run(None, {"x": array})
    made = made[np.isfinite(made)]
    least, most = min(0.0, made.min(initial=0)), max(0.0, made.max(initial=0))
    goal = np.float32(max(most - least, 1e-3) / 255)
    y = stored(rows, real, goal, dtype(np.clip(np.rint(lowest - least / goal), lowest, lowest + 255)))
    return builder.model({y: np.float32}), {"x": array}, float(goal)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (kind, shape) for kind in KINDS for shape in SHAPES if shape[-1] > 1 or "less" not in kind
    ],  # of one: nothing left
    ids=str,
)
def test_rows_are_summed_up_exactly(kind, shape, dtype, tmp_path):
    axes = SHAPES[shape]
    if kind in ("by sizes", "by the norm, one operator"):
        axes = axes[-1:]  # LpNormalization has one
    model, feed, step = layer(kind, shape, axes, dtype, sum(shape) + len(kind))
    onnx.save(model, tmp_path / "x.onnx")
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    program = covenant.compile(tmp_path / "x.onnx", "genesys:03")
    (made,) = covenant.run(program, feed, backend="interpret").outputs.values()
    assert np.abs(made - expected).max() <= step * 1.001
    assert (np.abs(made - expected) > step / 2).sum() <= max(1, 0.05 * made.size)


@pytest.mark.parametrize("machine", ["genesys:07", "dnnweaver"])
@pytest.mark.parametrize("kind", ["root mean square", "by the norm", "deviation", "by sizes"])
def test_machines_make_the_bytes_of_onnx_runtime(kind, machine, tmp_path, capsys):
    model, _, _ = layer(kind, (1, 6, 32), [2], np.int8, 7)
    onnx.save(model, tmp_path / "x.onnx")
    assert main(["run", str(tmp_path / "x.onnx"), "-m", machine, "--compare", "onnxruntime", "--layers"]) == 0
    assert "none further" in capsys.readouterr().out


@pytest.mark.parametrize("operator", ["RMSNormalization", "SimplifiedLayerNormalization"])
@pytest.mark.parametrize("axis", [-1, 1])
def test_root_mean_squares_are_one_operator(operator, axis, tmp_path):
    draw, shape = np.random.default_rng(5), (2, 5, 16)
    builder = ModelBuilder({"x": np.zeros(shape, np.float32)})
    rows = Rows(builder, "", [2], shape, draw)
    rows.x = stored(rows, "x", np.float32(0.03), np.int8(-7))
    gains = draw.normal(size=shape[axis:]).astype(np.float32)
    y = stored(rows, rows.add(operator, rows.x, gains, axis=axis, epsilon=1e-5), np.float32(0.05), np.int8(3))
    model = builder.model({y: np.float32})
    model.opset_import[0].version = 23
    model.ir_version = 10
    onnx.save(model, tmp_path / "x.onnx")
    feed = {"x": draw.normal(size=shape).astype(np.float32)}
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), feed).outputs.values()
    assert np.abs(made - expected).max() <= 0.05 * 1.001


def test_another_tensor_may_divide_rows(tmp_path):
    """As a quantiser writes a chain: the mean has a scale, its root has none."""
    draw = np.random.default_rng(6)
    builder = ModelBuilder({"x": np.zeros((2, 6, 16), np.float32), "mean": np.zeros((2, 6, 1), np.float32)})
    rows = Rows(builder, "", [2], (2, 6, 16), draw)
    rows.x = stored(rows, "x", np.float32(0.03), np.uint8(120))
    mean = stored(rows, "mean", np.float32(0.02), np.uint8(0))
    y = stored(rows, rows.add("Div", rows.x, rows.add("Sqrt", mean)), np.float32(0.04), np.uint8(128))
    onnx.save(builder.model({y: np.float32}), tmp_path / "x.onnx")
    feed = {
        "x": draw.normal(size=(2, 6, 16)).astype(np.float32),
        "mean": draw.uniform(0.02, 5, size=(2, 6, 1)).astype(np.float32),
    }
    (expected,) = Witness(tmp_path / "x.onnx").whole(feed).values()
    (made,) = covenant.run(covenant.compile(tmp_path / "x.onnx", "genesys:07"), feed).outputs.values()
    assert np.abs(made - expected).max() <= 0.04 * 1.001


@pytest.mark.parametrize(
    ("epsilon", "step"), [(1e-18, 0.02), (1e-3, 1e-7)], ids=["divided by next to nothing", "a step of what is rounded"]
)
def test_what_rounding_decides_is_refused(epsilon, step, tmp_path):
    """Rows of equal elements less their mean are what ONNX Runtime has rounded: no byte is right there."""
    builder = ModelBuilder({"x": np.zeros((4, 9), np.float32)})
    rows = Rows(builder, "", [1], (4, 9), np.random.default_rng(1))
    rows.x = stored(rows, "x", np.float32(0.03), np.int8(0))
    left = rows.centred()
    if epsilon < 1e-9:
        mean = rows.reduced("ReduceMean", rows.squares(left))
        left = rows.add("Div", left, rows.add("Sqrt", rows.add("Add", mean, np.float32(epsilon))))
    y = stored(rows, left, np.float32(step), np.int8(0))
    onnx.save(builder.model({y: np.float32}), tmp_path / "x.onnx")
    with pytest.raises(CovenantError) as raised:
        covenant.compile(tmp_path / "x.onnx", "genesys:07")
    assert raised.value.code == "ONX0028"


@pytest.mark.parametrize(
    ("node", "code"),
    [
        (("RowSums", ["stored", "step", "zero"], {}), "ONX0010"),
        (("RowSums", ["stored", "step", "zero"], {"factor": 200}), "ONX0010"),
        (("RowMean", ["stored"], {"count": 4, "scale": 1.0}), "ONX0009"),
    ],
)
def test_nodes_on_rows_say_what_is_wrong(node, code, tmp_path):
    operator, inputs, attributes = node
    constants = {"step": np.float32(0.1), "zero": np.int8(0)}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "step", "zero"], ["stored"]),
        helper.make_node("DequantizeLinear", ["stored", "step", "zero"], ["same"]),
        helper.make_node(operator, inputs, ["y"], domain="covenant", **attributes),
    ]
    graph = helper.make_graph(
        nodes, "rows", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 2, 4])],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("same", "y")],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("covenant", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "x.onnx")
    with pytest.raises(CovenantError) as raised:
        covenant.compile(tmp_path / "x.onnx", "genesys:07")
    assert raised.value.code == code
