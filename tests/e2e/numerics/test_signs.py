"""Models that mix signed and unsigned elements, and weights that need nine bits once a zero point is subtracted.

Scales are powers of two and sums are small: ONNX Runtime, with all optimisations off and so in float, rounds nothing
but where it quantises. What it says of the file as it is then is exact, and owes nothing to how the compiler reads it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.runtime.session import Session
from covenant.runtime.values import Values
from covenant.verify.expected import Source, expected_outputs, reference
from covenant.verify.verdict import verdict_of

U8, I8 = np.uint8, np.int8
MACHINES = ("genesys:03", "dnnweaver")
MICROSOFT = "com.microsoft"


class Mixed:
    """Layers in QDQ style; tensors are stored, by name."""

    def __init__(self, shape: list[int], seed: int, *, domain: str = "", power: bool = True) -> None:
        self.random = np.random.default_rng(seed)
        self.power, self.domain = power, domain
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.meaning: dict[str, tuple[np.float32, Any]] = {}
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "z")]
        self.outputs: list[Any] = []

    def constant(self, array: Any) -> str:
        """The name of a new initialiser."""
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def node(self, operator: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        """Appends a node; returns the name of its result."""
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], f"n_{output}", domain=domain, **attributes))
        return output

    def scale(self, step: int) -> np.float32:
        """2^step; without `power` a number near it."""
        return np.float32(2.0**step * (1 if self.power else self.random.uniform(0.7, 1.4)))

    def stored(self, real: str, dtype: Any, step: int = -4, zero: int | None = None) -> str:
        """A real value quantised."""
        limits = np.iinfo(dtype)
        zero = int(self.random.integers(limits.min, limits.max + 1)) if zero is None else zero
        scale, point = self.scale(step), dtype(zero)
        made = self.node("QuantizeLinear", [real, self.constant(scale), self.constant(point)], self.domain)
        self.meaning[made] = (scale, point)
        return made

    def real(self, stored: str) -> str:
        """A stored tensor dequantised."""
        scale, point = self.meaning[stored]
        return self.node("DequantizeLinear", [stored, self.constant(scale), self.constant(point)], self.domain)

    def image(self, dtype: Any) -> str:
        """The model's input, stored: its zero point is about the middle."""
        return self.stored("x", dtype, -5, (0 if dtype is I8 else 128) + int(self.random.integers(-9, 10)))

    def weights(self, shape: list[int], axis: int, dtype: Any = I8, *, zeros: str = "none") -> str:
        """Random ones; `zeros`: none, one or each (of a channel)."""
        limits = np.iinfo(dtype)
        count = shape[axis] if zeros == "each" else 1
        points = self.random.integers(limits.min, limits.max + 1, count) if zeros != "none" else np.zeros(1, int)
        elements = self.random.integers(limits.min, limits.max + 1, shape).astype(dtype)
        scales = np.array([self.scale(int(step)) for step in self.random.integers(-9, -6, count)])
        many = zeros == "each"
        constants = [elements, scales if many else scales[0], points.astype(dtype) if many else dtype(points[0])]
        return self.node(
            "DequantizeLinear", [self.constant(one) for one in constants], **({"axis": axis} if many else {})
        )

    def conv(self, stored: str, channels: int, made: int, dtype: Any, *, weights: str | None = None, step: int = -2,
             zero: int | None = None, relu: bool = False, **attributes: Any) -> str:  # fmt: skip
        """A convolution with pads of 1, quantised."""
        kernel = self.weights([made, channels, 3, 3], 0) if weights is None else weights
        real = self.node("Conv", [self.real(stored), kernel], pads=[1, 1, 1, 1], **attributes)
        return self.stored(self.node("Relu", [real]) if relu else real, dtype, step, zero)

    def save(self, folder: Path, *stored: str, real: bool = True) -> Path:
        """Saves the model with these tensors as outputs, dequantised or as they are stored."""
        for one in stored:
            dtype = TensorProto.FLOAT if real else helper.np_dtype_to_tensor_dtype(self.meaning[one][1].dtype)
            self.outputs.append(helper.make_tensor_value_info(self.real(one) if real else one, dtype, None))
        read = {value for node in self.nodes for value in node.input}
        inputs = [entry for entry in self.inputs if entry.name in read]
        graph = helper.make_graph(self.nodes, "mixed", inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(folder / "mixed.onnx"))
        return folder / "mixed.onnx"


def images_for(path: Path, count: int = 3) -> list[dict[str, np.ndarray]]:
    """Random ones, of a resolution in which their scale loses nothing."""
    random = np.random.default_rng(3)
    feeds = []
    for _ in range(count):
        feed = {}
        for entry in onnx.load(str(path)).graph.input:
            shape = [one.dim_value for one in entry.type.tensor_type.shape.dim]
            if entry.type.tensor_type.elem_type == TensorProto.FLOAT:
                feed[entry.name] = (random.integers(-99, 100, shape) / 32).astype(np.float32)
            else:
                dtype = helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
                limits = np.iinfo(dtype)
                feed[entry.name] = random.integers(limits.min, limits.max + 1, shape).astype(dtype)
        feeds.append(feed)
    return feeds


def in_float(path: Path, feed: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """ONNX Runtime on the file as it is, nothing fused."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def expect_exact(path: Path, machines: tuple[str, ...] = MACHINES, *, steps: float = 0) -> None:
    """Machines, whole test sets and reference operators say what ONNX Runtime says in float, or some units beside."""
    feeds = images_for(path)
    values = Values(path).run({name: np.stack([feed[name] for feed in feeds]) for name in feeds[0]})
    sessions = [Session(covenant.compile(path, machine)) for machine in machines]
    for index, feed in enumerate(feeds):
        expected = in_float(path, feed)
        own = reference(path, feed)
        for name, array in expected.items():
            assert own[name].dtype == array.dtype
            apart = np.abs(own[name].astype(np.float64) - array.astype(np.float64))
            assert apart.max() <= steps, (name, own[name], array)
            assert values[name][index].tobytes() == own[name].tobytes()
        for session in sessions:
            for name, array in session.run(feed).outputs.items():
                assert array.tobytes() == own[name].tobytes(), (session.program.machine.name, name)


@pytest.mark.parametrize("real", [True, False], ids=["real", "stored"])
@pytest.mark.parametrize(("first", "second"), [(U8, I8), (I8, U8)], ids=["u8 to i8", "i8 to u8"])
def test_convolutions(first, second, real, tmp_path):
    model = Mixed([1, 3, 7, 9], 1)
    image = model.image(first)
    made = model.conv(image, 3, 20, second, relu=True, zero=np.iinfo(second).min)
    expect_exact(model.save(tmp_path, made, model.conv(made, 20, 8, first, strides=[2, 2]), real=real))


@pytest.mark.parametrize("operator", ["Add", "Mul", "Sub", "Max", "Min"])
@pytest.mark.parametrize("types", [(U8, I8, I8), (I8, U8, U8), (I8, I8, U8), (U8, U8, I8)], ids=str)
def test_pairs(operator, types, tmp_path):
    model = Mixed([1, 20, 5, 6], 2)
    first, second = model.image(types[0]), model.stored("z", types[1], -4)
    both = model.node(operator, [model.real(first), model.real(second)])
    expect_exact(model.save(tmp_path, model.stored(both, types[2], -3)))


@pytest.mark.parametrize("types", [(U8, I8, I8), (I8, U8, U8)], ids=str)
def test_a_factor_for_each_channel(types, tmp_path):
    model = Mixed([1, 20, 4, 6], 4)
    image = model.image(types[0])
    mean = model.stored(model.node("GlobalAveragePool", [model.real(image)]), types[1], -5)
    gate = model.node("Mul", [model.real(image), model.real(mean)])
    expect_exact(model.save(tmp_path, model.stored(gate, types[2], -4), mean))


@pytest.mark.parametrize("types", [(U8, I8, U8), (I8, U8, I8), (I8, I8, U8), (U8, U8, I8)], ids=str)
def test_residuals_and_a_tensor_read_by_both_signs(types, tmp_path):
    model = Mixed([1, 8, 6, 6], 5)
    image = model.image(types[0])
    left = model.conv(image, 8, 8, types[1])
    right = model.conv(image, 8, 8, types[2])
    both = model.node("Relu", [model.node("Add", [model.real(left), model.real(right)])])
    expect_exact(model.save(tmp_path, model.stored(both, U8, -1, 0), right))


@pytest.mark.parametrize(("first", "second"), [(U8, I8), (I8, U8)], ids=["u8 to i8", "i8 to u8"])
def test_what_makes_no_number(first, second, tmp_path):
    """Conversions, parts of a Concat, the largest of windows, movements."""
    model = Mixed([1, 20, 6, 8], 6)
    image = model.image(first)
    converted = model.stored(model.real(image), second, -5)
    joined = model.stored(model.node("Concat", [model.real(image), model.real(converted)], axis=1), second, -4)
    pooled = model.node("MaxPool", [model.real(joined)], kernel_shape=[2, 2], strides=[2, 2])
    turned = model.node("Transpose", [model.real(converted)], perm=[0, 1, 3, 2])
    stored = [model.stored(pooled, first, -4), model.stored(turned, first, -5)]
    expect_exact(model.save(tmp_path, joined, *stored))


@pytest.mark.parametrize(("first", "second"), [(U8, I8), (I8, U8)], ids=["u8 to i8", "i8 to u8"])
def test_averages(first, second, tmp_path):
    """Windows of 2 x 2: a quarter of the means are ties, which go by where the zero point is added."""
    model = Mixed([1, 20, 6, 8], 7)
    image = model.image(first)
    windows = model.node("AveragePool", [model.real(image)], kernel_shape=[2, 2], strides=[1, 2])
    planes = model.node("GlobalAveragePool", [model.real(image)])
    expect_exact(model.save(tmp_path, model.stored(windows, second, -5), model.stored(planes, second, -6)))


@pytest.mark.parametrize("types", [(U8, I8, U8), (I8, U8, I8), (U8, U8, I8), (I8, I8, U8)], ids=str)
def test_products_of_two_activations(types, tmp_path):
    model = Mixed([2, 5, 16], 8)
    first, second = model.image(types[0]), model.stored("z", types[1], -4)
    turned = model.node("Transpose", [model.real(second)], perm=[0, 2, 1])
    moved = model.stored(turned, types[1], -4, int(model.meaning[second][1]))
    made = model.node("MatMul", [model.real(first), model.real(moved)])
    expect_exact(model.save(tmp_path, model.stored(made, types[2], -2)))


@pytest.mark.parametrize(("first", "second"), [(U8, I8), (I8, U8)], ids=["u8 to i8", "i8 to u8"])
def test_tables_and_softmax(first, second, tmp_path):
    """Softmax has a table in integers: a step of 1/256 beside float operators."""
    model = Mixed([1, 20, 6], 9)
    image = model.image(first)
    gate = model.stored(model.node("Sigmoid", [model.real(image)]), second, -7, np.iinfo(second).min)
    scaled = model.stored(model.node("Mul", [model.real(image), model.real(gate)]), first, -5)
    expect_exact(model.save(tmp_path, scaled))
    shares = model.stored(model.node("Softmax", [model.real(image)], axis=-1), second, -8, np.iinfo(second).min)
    model.outputs.clear()
    same = model.stored(model.real(shares), second, -8, np.iinfo(second).min)
    expect_exact(model.save(tmp_path, same), steps=2.0**-8)


# ---- Weights of nine bits


@pytest.mark.parametrize("zeros", ["one", "each"])
@pytest.mark.parametrize("dtype", [U8, I8], ids=["u8", "i8"])
@pytest.mark.parametrize(
    ("group", "attributes"),
    [(1, {}), (20, {}), (4, {"strides": [2, 1]}), (1, {"dilations": [1, 2]}), (20, {"dilations": [2, 2]})],
    ids=str,
)
def test_convolutions_by_weights_less_a_zero_point(group, attributes, dtype, zeros, tmp_path):
    model = Mixed([1, 20, 7, 6], 10)
    weights = model.weights([20, 20 // group, 3, 3], 0, dtype, zeros=zeros)
    made = model.conv(model.image(U8), 20, 20, I8, weights=weights, step=-1, group=group, **attributes)
    expect_exact(model.save(tmp_path, made))


@pytest.mark.parametrize("zeros", ["one", "each"])
@pytest.mark.parametrize("turned", [False, True])
def test_products_by_weights_less_a_zero_point(turned, zeros, tmp_path):
    model = Mixed([3, 21], 11)
    weights = model.weights([30, 21] if turned else [21, 30], 0 if turned else 1, U8, zeros=zeros)
    made = model.node("Gemm", [model.real(model.image(I8)), weights], transB=int(turned))
    expect_exact(model.save(tmp_path, model.stored(made, U8, -1)))


def test_weights_from_end_to_end_of_their_type(tmp_path):
    """255 less 0 is the sum of three bytes with a sign."""
    model = Mixed([1, 5, 4, 4], 12)
    elements = np.array([0, 255, 128, 127, 254], U8).reshape(1, 5, 1, 1)
    weights = model.node("DequantizeLinear", [model.constant(one) for one in (elements, np.float32(2**-9), U8(0))])
    made = model.node("Conv", [model.real(model.image(U8)), weights])
    expect_exact(model.save(tmp_path, model.stored(made, U8, -5)))


@pytest.mark.parametrize("operator", ["ConvInteger", "MatMulInteger"])
def test_products_that_keep_their_sums(operator, tmp_path):
    """Sums of elements without a sign by weights without one, each less its zero point; the host scales them."""
    is_conv = operator == "ConvInteger"
    model = Mixed([1, 20, 5, 6] if is_conv else [5, 20], 13)
    image = model.image(U8)
    elements = model.random.integers(0, 256, [7, 20, 2, 2] if is_conv else [20, 7]).astype(U8)
    zeros = [model.constant(model.meaning[image][1]), model.constant(U8(41))]
    sums = model.node(operator, [image, model.constant(elements), *zeros])
    real = model.node("Cast", [sums], to=TensorProto.FLOAT)
    scaled = model.node("Mul", [real, model.constant(np.float32(2**-9))])
    model.outputs.append(helper.make_tensor_value_info(scaled, TensorProto.FLOAT, None))
    path = model.save(tmp_path)
    for machine in MACHINES:
        session = Session(covenant.compile(path, machine))
        for feed in images_for(path):
            for name, array in in_float(path, feed).items():
                np.testing.assert_array_equal(session.run(feed).outputs[name], array)


# ---- ONNX Runtime's integer kernels, other machines, other widths


@pytest.mark.parametrize("seed", range(2))
def test_onnx_runtimes_kernels(seed, tmp_path):
    """Scales as they come: layers of one type each, with conversions between them, are integer kernels."""
    model = Mixed([1, 3, 8, 8], 20 + seed, power=False)
    types = [(U8, I8)[(seed + layer) % 2] for layer in range(5)]
    made = model.image(types[0])
    for channels, dtype in zip((3, 12, 12), types[1:], strict=False):
        made = model.conv(made, channels, 12, dtype, step=-3, zero=7)
    mean = model.stored(model.node("GlobalAveragePool", [model.real(made)]), types[4], -4, 5)
    path = model.save(tmp_path, mean, made)
    program = covenant.compile(path, "genesys:03")
    feeds = images_for(path)
    results = [Session(program).run(feed) for feed in feeds]
    verdict = verdict_of(program, path, feeds, results, Source.ONNXRUNTIME)
    assert verdict.oracle["exact"]
    assert verdict.comparison.identical


def test_quantize_and_dequantize_of_onnx_runtimes_own_domain(tmp_path):
    model = Mixed([1, 8, 6, 6], 30, domain=MICROSOFT)
    image = model.image(U8)
    left = model.conv(image, 8, 8, I8)
    both = model.stored(model.node("Add", [model.real(left), model.real(image)]), U8, -2)
    gate = model.stored(model.node("Sigmoid", [model.real(both)]), I8, -7)
    mean = model.stored(model.node("ReduceMean", [model.real(gate)], axes=[2, 3], keepdims=1), U8, -7)
    expect_exact(model.save(tmp_path, both, gate))
    expect_exact(model.save(tmp_path, mean), steps=2.0**-7)


def test_packets_and_fixed_point(tmp_path):
    """Cores that issue packets add and multiply elements of different signs as they are."""
    model = Mixed([1, 8, 6, 6], 31)
    image = model.image(U8)
    left = model.conv(image, 8, 8, I8)
    both = model.stored(model.node("Add", [model.real(left), model.real(image)]), U8, -2)
    product = model.stored(model.node("Mul", [model.real(both), model.real(left)]), I8, 0)
    path = model.save(tmp_path, both, product)
    program = covenant.compile(path, "hvx")
    for feed in images_for(path):
        expected = expected_outputs(path, [feed], Source.REFERENCE, requant="fixed").outputs[0]
        for name, array in Session(program).run(feed).outputs.items():
            assert array.tobytes() == expected[name].tobytes()
            close = np.abs(array - in_float(path, feed)[name]).max()
            assert close <= 4, "a step of each layer on the way"


def test_operators_of_one_type_are_refused_with_two(tmp_path):
    """QLinearAdd has one by its definition."""
    model = Mixed([1, 8, 6, 6], 32)
    first, second = model.image(U8), model.stored("z", I8)
    operands = [one for stored in (first, second) for one in (stored, *map(model.constant, model.meaning[stored]))]
    scale, zero = model.meaning[first]
    made = model.node("QLinearAdd", [*operands, model.constant(scale), model.constant(zero)], MICROSOFT)
    model.meaning[made] = model.meaning[first]
    with pytest.raises(CovenantError, match=r"ONX0005[\s\S]*i8 to u8"):
        covenant.compile(model.save(tmp_path, made), "genesys:03")
