"""A refusal blames what is to blame: models that are broken or not supported each get the right words."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from oracle_models import ModelBuilder

import covenant

IMAGE = (1, 4, 8, 8)
SCALE = np.float32(0.05)
ZERO = np.int8(0)


class Quantized(ModelBuilder):
    """A model whose layers have QuantizeLinear and DequantizeLinear around them."""

    def around(self, real: str, zero: Any = ZERO) -> str:
        """A float tensor, quantised and dequantised."""
        return self.add("DequantizeLinear", self.add("QuantizeLinear", real, SCALE, zero), SCALE, zero)

    def input(self, name: str = "x", shape: tuple[int, ...] = IMAGE, zero: Any = ZERO) -> str:
        """Adds a graph input, quantised and dequantised; returns the tensor that a layer reads."""
        self.inputs[name] = np.zeros(shape, np.float32)
        return self.around(name, zero)

    def weights(self, *shape: int, scales: int = 1, **attributes: Any) -> str:
        """Dequantised weights, with so many scales."""
        stored = (np.arange(np.prod(shape)) % 100 - 50).astype(np.int8).reshape(shape)
        scale = np.full(scales, 0.02, np.float32) if scales > 1 else np.float32(0.02)
        return self.add("DequantizeLinear", stored, scale, np.zeros(np.shape(scale), np.int8), **attributes)

    def layer(self, real: str, **attributes: Any) -> str:
        """A quantised convolution of an image."""
        return self.around(self.add("Conv", self.around(real), self.weights(4, 4, 3, 3), **attributes))


def refusal(builder: ModelBuilder, output: str, folder: Path, machine: str = "genesys:8x8", **settings: Any) -> Any:
    """The diagnostic of a model that ends in `output`."""
    model = builder.model({output: np.float32})
    path = folder / "model.onnx"
    onnx.save(model, str(path))
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.compile(path, covenant.Machine(machine, **settings))
    diagnostic = caught.value.diagnostic
    assert diagnostic.fix
    assert diagnostic.file == str(path)
    return diagnostic


@pytest.mark.parametrize("channels", [3, 4, 8], ids=["fewer", "as many", "more"])
def test_scales_along_another_axis_name_it(channels, tmp_path):
    builder = Quantized()
    weights = builder.weights(8, channels, 3, 3, scales=channels, axis=1)
    found = refusal(
        builder, builder.around(builder.add("Conv", builder.input("x", (1, channels, 8, 8)), weights)), tmp_path
    )
    assert (found.code, found.subject) == ("ONX0012", "node3 (Conv)")
    assert "lie along axis 1" in found.message
    assert found.allowed == ("axis=0",)
    assert "statically" not in found.fix


def test_scales_along_the_sum_of_a_product_by_a_constant_on_the_left(tmp_path):
    """The constant is turned; it is named as the model names it."""
    builder = Quantized()
    weights = builder.weights(8, 16, scales=16, axis=1)
    found = refusal(builder, builder.around(builder.add("MatMul", weights, builder.input("x", (16, 4)))), tmp_path)
    assert found.code == "ONX0012"
    assert "rewritten" not in found.message
    assert any(f"weights {one.name} lie" in found.message for one in builder.constants)


def test_scales_of_a_product_along_its_sum(tmp_path):
    builder = Quantized()
    weights = builder.weights(16, 8, scales=16, axis=0)
    found = refusal(builder, builder.around(builder.add("MatMul", builder.input("x", (4, 16)), weights)), tmp_path)
    assert found.code == "ONX0012"
    assert "lie along axis 0" in found.message
    assert found.allowed == ("axis=1",)


def test_scales_of_blocks(tmp_path):
    builder = Quantized()
    stored = np.ones((16, 8), np.int8)
    scales, zeros = np.full((4, 8), 0.02, np.float32), np.zeros((4, 8), np.int8)
    weights = builder.add("DequantizeLinear", stored, scales, zeros, axis=0, block_size=4)
    found = refusal(builder, builder.around(builder.add("MatMul", builder.input("x", (4, 16)), weights)), tmp_path)
    assert found.code == "ONX0012"
    assert "for each block" in found.message
    assert "block_size=4" in found.offending


def with_if(builder: Quantized, real: str) -> str:
    """A choice between two sums by what comes before it."""
    largest = builder.add("ReduceMax", real, keepdims=0)
    condition = builder.add("Greater", largest, np.float32(0))
    one = builder.add("Identity", np.float32(1))
    branches = {}
    for name in ("then_branch", "else_branch"):
        made = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
        branches[name] = helper.make_graph([helper.make_node("Add", [real, one], [name])], name, [], [made])
    return builder.add("If", condition, **branches)


def with_loop(builder: Quantized, real: str) -> str:
    """Three times a Relu."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["on_again"]), helper.make_node("Relu", ["given"], ["made"])],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("given", TensorProto.FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("on_again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("made", TensorProto.FLOAT, None),
        ],
    )
    return builder.add("Loop", np.int64(3), np.array(True), real, body=body)


def with_positions(builder: Quantized, real: str) -> str:
    """Positions of the elements greater than 0: as many as there are."""
    places = builder.add("NonZero", builder.add("Greater", real, np.float32(0)))
    return builder.add("GatherND", real, builder.add("Transpose", places, perm=[1, 0]))


@pytest.mark.parametrize(
    ("made", "operator", "code"),
    [(with_if, "If", "ONX0026"), (with_loop, "Loop", "ONX0026"), (with_positions, "NonZero", "ONX0006")],
    ids=["if", "loop", "nonzero"],
)
def test_what_no_machine_can_have_is_named_before_its_neighbours(made, operator, code, tmp_path):
    builder = Quantized()
    found = refusal(builder, builder.around(made(builder, builder.input())), tmp_path)
    assert found.code == code
    assert found.subject.endswith(f"({operator})")
    assert len(found.allowed) == 1, "a list of operators would say nothing"


def test_an_if_of_the_host_is_not_to_blame(tmp_path):
    builder = Quantized()
    odd = builder.around(builder.add("Einsum", builder.input(), equation="abcd->abdc"))
    found = refusal(builder, with_if(builder, builder.layer(odd)), tmp_path)
    assert found.subject == "node2 (Einsum)"


def test_the_layer_that_nothing_quantizes_is_named(tmp_path):
    builder = Quantized()
    convolution = builder.add("Conv", builder.input(), builder.weights(4, 4, 3, 3))
    found = refusal(builder, builder.layer(builder.add("Sigmoid", convolution)), tmp_path)
    assert (found.code, found.subject) == ("ONX0028", "node4 (Sigmoid)")
    assert "node3 (Conv)" in found.message
    assert "QuantizeLinear" in found.fix


def test_a_chain_that_reads_two_tensors(tmp_path):
    builder = Quantized()
    sum_of_two = builder.add("Add", builder.input("x"), builder.input("other"))
    found = refusal(builder, builder.layer(builder.add("Sin", sum_of_two)), tmp_path)
    assert (found.code, found.subject) == ("ONX0028", "node5 (Sin)")
    assert "two tensors" in found.message
    assert "node4, node5" in found.fix


@pytest.mark.parametrize("operator", ["Max", "Sub"])
@pytest.mark.parametrize("made", [None, "Pad", "Sin"])
def test_a_float_operand_is_named(made, operator, tmp_path):
    """An input, or what the host makes of it first: read beside a stored tensor, too."""
    builder = Quantized()
    builder.inputs["other"] = np.zeros(IMAGE, np.float32)
    other, name = "other", "the input other"
    if made:
        other = builder.add(made, other, *([np.zeros(8, np.int64)] if made == "Pad" else []))
        name = f"the result of {builder.nodes[-1].name} ({made})"
    mixed = builder.add(operator, builder.input("x"), other)
    node = builder.nodes[-1].name
    found = refusal(builder, builder.layer(builder.add("Sin", mixed)), tmp_path)
    assert (found.code, found.subject, found.offending) == ("ONX0028", f"{node} ({operator})", other)
    assert f"it reads {name} in float" in found.message
    assert f"DequantizeLinear behind {other}" in found.fix


def test_the_float_weights_of_a_transposed_convolution_are_named(tmp_path):
    """ONNX Runtime's quantiser leaves them so among operators on stored tensors."""
    builder = Quantized()
    real = builder.add("ConvTranspose", builder.input("x"), np.ones((4, 4, 2, 2), np.float32))
    found = refusal(builder, builder.layer(real), tmp_path)
    assert (found.code, found.subject) == ("ONX0028", "node2 (ConvTranspose)")
    assert "its weights are float" in found.message
    assert found.offending in {one.name for one in builder.constants}


def test_a_chain_of_16_bits_whose_parts_are_outputs(tmp_path):
    """The copy of a tensor for one of several readers has the tensor's name in messages."""
    builder = Quantized()
    real = builder.input(zero=np.int16(0))
    swished = builder.add("Mul", real, builder.add("Sin", real))
    last = builder.around(builder.add("Relu", swished), np.int16(0))
    model = builder.model({last: np.float32, swished: np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    onnx.save(model, tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:8x8", bits=16))
    found = error.value.diagnostic
    assert (found.code, found.offending) == ("ONX0027", "elements of 16 bits")
    assert found.subject in {f"{node.name} ({node.op_type})" for node in builder.nodes}


@pytest.mark.parametrize("moved", [False, True])
def test_a_table_of_16_bits_is_said_by_width(moved, tmp_path):
    builder = Quantized()
    real = builder.input(zero=np.int16(0))
    made = builder.add("Sin", real)
    if moved:
        made = builder.add("Transpose", made, perm=[0, 2, 3, 1])
    found = refusal(builder, builder.around(made, np.int16(0)), tmp_path, "genesys", bits=16)
    assert (found.code, found.subject) == ("ONX0027", "node2 (Sin)")
    assert "16 bits" in found.offending


@pytest.mark.parametrize(
    ("operators", "whose"), [(["Sub", "Softmax"], "the host's"), (["Transpose"], "moves elements")]
)
def test_a_model_without_anything_for_the_machine(operators, whose, tmp_path):
    builder = Quantized()
    real = builder.input()
    for operator in operators:
        real = builder.add(operator, *([real, real] if operator == "Sub" else [real]))
    found = refusal(builder, real, tmp_path)
    assert found.code == "GEN0014"
    assert found.message.endswith(f"all of it {'is ' if whose.startswith('the') else ''}{whose}")
    assert found.offending == ", ".join(operators)


def test_operators_of_other_domains(tmp_path):
    builder = Quantized()
    made = builder.add("Fancy", builder.input())
    builder.nodes[-1].domain = "my.company"
    found = refusal(builder, builder.layer(made), tmp_path)
    assert found.code == "ONX0006"
    assert "domain my.company" in found.message


def test_weights_alone_are_quantized(tmp_path):
    builder = Quantized()
    builder.inputs["x"] = np.zeros(IMAGE, np.float32)
    found = refusal(builder, builder.add("Conv", "x", builder.weights(4, 4, 3, 3)), tmp_path)
    assert found.code == "ONX0007"
    assert "only weights" in found.message


def test_weights_in_float_are_named(tmp_path):
    builder = Quantized()
    product = builder.add("MatMul", builder.input("x", (4, 16)), np.ones((16, 8), np.float32))
    found = refusal(builder, builder.around(product), tmp_path)
    assert found.code == "ONX0013"
    assert "not quantised" in found.message
    assert found.offending == "f32 [16,8]"


def test_a_second_output(tmp_path):
    builder = Quantized()
    made = builder.add("MaxPool", builder.input(), kernel_shape=[2, 2])
    builder.nodes[-1].output.append("places")
    found = refusal(builder, builder.layer(made), tmp_path)
    assert found.code == "ONX0010"
    assert "first output" in found.message


def test_a_dynamic_dimension_is_fixed_by_its_name(tmp_path):
    builder = Quantized()
    model = builder.model({builder.layer(builder.input()): np.float32})
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "frames"
    onnx.save(model, str(tmp_path / "model.onnx"))
    with pytest.raises(covenant.CovenantError, match="ONX0004") as caught:
        covenant.compile(tmp_path / "model.onnx", "genesys:8x8")
    assert "--dim_param frames" in caught.value.fix


def test_nodes_that_are_not_sorted(tmp_path):
    builder = Quantized()
    output = builder.layer(builder.input())
    builder.nodes.reverse()
    found = refusal(builder, output, tmp_path)
    assert found.code == "ONX0008"
    assert "before this node" in found.message


def test_scalars_are_refused(tmp_path):
    builder = Quantized()
    found = refusal(
        builder, builder.around(builder.add("Add", builder.input("x", ()), builder.input("z", ()))), tmp_path
    )
    assert found.code == "GEN0022"


@pytest.mark.parametrize(
    ("operator", "missing"), [("Softmax", "SUB"), ("Sub", "DEQUANTIZE")], ids=["softmax", "difference"]
)
def test_what_a_machine_lacks_is_said_of_the_layer(operator, missing, tmp_path):
    builder = Quantized()
    operands = [builder.input(f"x{place}", (4, 16)) for place in range(1 if operator == "Softmax" else 2)]
    found = refusal(builder, builder.around(builder.add(operator, *operands)), tmp_path, "hvx")
    assert found.code == "CDL0040"
    assert found.subject == f"node{2 * len(operands)} ({operator})"
    assert missing in found.offending
    assert found.line == 0
    assert found.fix.startswith("compile for a machine that takes it")


def pooled(operator: str, elements: np.ndarray, window: dict[str, Any]) -> np.ndarray:
    """The pool of the standard: `ceil(size / stride)` windows, the odd pad at the end (UPPER) or the beginning."""
    (kernel,), (stride,), (dilation,) = window["kernel_shape"], window["strides"], window["dilations"]
    reach = (kernel - 1) * dilation + 1
    windows = -(-elements.size // stride)
    total = max(0, (windows - 1) * stride + reach - elements.size)
    before = total // 2 if window["auto_pad"] == "SAME_UPPER" else total - total // 2
    made = []
    for place in range(windows):
        indices = place * stride - before + dilation * np.arange(kernel)
        inside = elements[indices[(indices >= 0) & (indices < elements.size)]]
        made.append(inside.max() if operator == "MaxPool" else inside.mean())
    return np.array(made, np.float32)


def by_onnxruntime(operator: str, elements: np.ndarray, window: dict[str, Any]) -> np.ndarray | None:
    """The pool in float by ONNX Runtime; None if it fails."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "xy")
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], **window)], "pool", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    onnxruntime.set_default_logger_severity(4)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, {"x": elements.reshape(1, 1, -1)})[0].reshape(-1)
    except Exception:  # noqa: BLE001  (its exceptions have no common base)
        return None


def said_of(path: Path) -> Any | None:
    """The front end's refusal of a model; None if it takes it."""
    try:
        covenant.emit(path, "genesys:8x8", "normalized")
    except covenant.CovenantError as error:
        return error.diagnostic
    return None


@pytest.mark.parametrize("operator", ["MaxPool", "AveragePool"])
def test_pools_that_onnxruntime_pads_otherwise_are_refused(operator, tmp_path):
    random = np.random.default_rng(1)
    every = list(itertools.product(range(3, 12), (1, 2, 3), (1, 2, 3), (1, 2, 3), ("SAME_UPPER", "SAME_LOWER")))
    refused = taken = 0
    for index in random.permutation(len(every))[:60]:
        size, kernel, stride, dilation, auto_pad = every[index]
        window = {"kernel_shape": [kernel], "strides": [stride], "dilations": [dilation], "auto_pad": auto_pad}
        elements = random.permutation(size).astype(np.float32)
        builder = Quantized()
        model = builder.model(
            {builder.around(builder.add(operator, builder.input("x", (1, 4, size)), **window)): np.float32}
        )
        model.opset_import[0].version = 19
        onnx.save(model, str(tmp_path / "pool.onnx"))
        found = said_of(tmp_path / "pool.onnx")
        if found is not None:
            assert found.code == "ONX0010", found
            assert "explicit pads" in found.allowed
            refused += 1
            continue
        taken += 1
        theirs = by_onnxruntime(operator, elements, window)
        if theirs is not None:
            np.testing.assert_allclose(theirs, pooled(operator, elements, window), rtol=1e-6, err_msg=str(window))
    assert refused > 5
    assert taken > 20
