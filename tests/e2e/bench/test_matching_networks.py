"""Networks for flexible matching: they run, and their operators are those of Relay's texts."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from relay_text import Numbers, counted, parameter_shapes
from unlicensed import unlicensed

from covenant.bench.matching import BUILDERS, NETWORKS, network, operator_counts, operators_of

EVALUATION = "github.com/uwsampl/3la-evaluation, models and yi_e2e_script/test_resmlp_3la/models"
TEXTS = {
    "efficientnet": "efficientnet",
    "lstm_language_model": "lstm_model",
    "lstm_layer": "lstm_pattern",
    "mobilenet_v2": "mobilenet",
    "resmlp": "resmlp",
    "resnet_20": "resnet20",
    "transformer": "transformer",
}
OUTPUTS = {
    "efficientnet": ("logits", (1, 1000)),
    "lstm_language_model": ("log_probabilities", (35, 33278)),
    "lstm_layer": ("states", (35, 1, 128)),
    "mobilenet_v2": ("logits", (1, 10)),
    "resmlp": ("logits", (1, 10)),
    "resnet_20": ("logits", (1, 10)),
    "transformer": ("output", (20, 32, 256)),
}
# Row 3 of Table 1; Relay's text of ResNet-20 has 73 operators, of MobileNetV2 187.
PUBLISHED = {
    "efficientnet": 232,
    "lstm_language_model": 578,
    "mobilenet_v2": 757,
    "resmlp": 343,
    "resnet_20": 494,
    "transformer": 872,
}
# Operators that a normalisation by stored statistics becomes for inference, beyond the one that it was.
WRITTEN_OUT = 10
WORDS = 33_278
ALL = list(BUILDERS)


@cache
def model(name: str) -> onnx.ModelProto:
    return network(name)


def table() -> dict[str, dict[str, int]]:
    """The committed numbers."""
    text = Path(__file__).with_name("relay_operators.csv").read_text().splitlines()
    found: dict[str, dict[str, int]] = {}
    for name, operator, number in csv.reader(line for line in text if not line.startswith("#")):
        found.setdefault(name, {})[operator] = int(number)
    return found


def text_of(name: str) -> str:
    return unlicensed(f"relay/{TEXTS[name]}.relay", EVALUATION).read_text()


def shape_of(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    return tuple(size.dim_value for size in value.type.tensor_type.shape.dim)


def feeds_of(proto: onnx.ModelProto, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    return {
        one.name: random.integers(0, WORDS, shape_of(one))
        if one.type.tensor_type.elem_type == TensorProto.INT64
        else random.standard_normal(shape_of(one), dtype=np.float32)
        for one in proto.graph.input
    }


def results(proto: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def shows_everything(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with all float values that depend on its inputs as outputs; full shapes of all are inferred."""
    inferred = onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)
    known = {one.name: one for one in inferred.graph.value_info}
    reached = {one.name for one in proto.graph.input}
    for node in proto.graph.node:
        if reached.intersection(node.input):
            reached.update(node.output)
    seen = onnx.ModelProto()
    seen.CopyFrom(proto)
    for name in (name for node in proto.graph.node for name in node.output if name in known):
        assert all(shape_of(known[name])), name
        if name in reached and known[name].type.tensor_type.elem_type == TensorProto.FLOAT:
            seen.graph.output.append(known[name])
    return seen


@pytest.mark.parametrize("name", ALL)
def test_values_neither_vanish_nor_explode(name):
    proto = model(name)
    onnx.checker.check_model(proto, full_check=True)
    output, shape = OUTPUTS[name]
    assert [(one.name, shape_of(one)) for one in proto.graph.output] == [(output, shape)]
    found = results(shows_everything(proto), feeds_of(proto, 1))
    assert len(found) > len(proto.graph.node) / 3
    assert found[output].shape == shape
    strange = {key: float(value.std()) for key, value in found.items() if not 0.02 < value.std() < 10}
    assert strange == {}
    assert all(np.isfinite(value).all() for value in found.values())
    other = results(proto, feeds_of(proto, 2))[output]
    assert (other - found[output]).std() > found[output].std() / 20


@pytest.mark.parametrize("name", ALL)
def test_equal_bytes_each_time(name):
    assert network(name).SerializeToString() == model(name).SerializeToString()


@pytest.mark.parametrize("name", ALL)
def test_operators_are_those_of_the_table(name):
    assert operator_counts(model(name)) == table()[name]


@pytest.mark.parametrize("name", ALL)
def test_the_table_is_that_of_the_texts(name):
    assert counted(text_of(name)) == table()[name]


@pytest.mark.parametrize("name", ALL)
def test_operators_are_applied_to_the_same_values(name):
    """Every operator of the text with its attributes and, in turn, its operands is there as often as in the text."""
    text, numbers = text_of(name), Numbers()
    assert numbers.in_model(model(name)) == numbers.in_text(text)
    graph = model(name).graph
    weights = [tuple(one.dims) for one in graph.initializer if one.data_type == TensorProto.FLOAT and one.dims]
    assert Counter([*weights, *map(shape_of, graph.input)]) == parameter_shapes(text)


def convolutions(name: str) -> list[int]:
    """Groups of each convolution."""
    attributes = [
        {one.name: one for one in node.attribute} for node in model(name).graph.node if node.op_type == "Conv"
    ]
    return [one["group"].i if "group" in one else 1 for one in attributes]


@pytest.mark.parametrize(
    ("name", "operators", "grouped"),
    [
        ("efficientnet", {"nn.conv2d": 51}, 16),
        ("lstm_language_model", {"nn.dense": 36}, 0),
        ("lstm_layer", {"nn.dense": 35}, 0),
        ("mobilenet_v2", {"nn.conv2d": 57, "nn.dense": 1}, 17),
        ("resmlp", {"nn.conv1d": 12, "nn.dense": 26}, 0),
        ("resnet_20", {"nn.conv2d": 21, "nn.dense": 1}, 0),
        ("transformer", {"nn.dense": 66}, 0),
    ],
)
def test_products_are_as_many_as_table_1_of_the_paper_needs(name, operators, grouped):
    """Those that are offloaded: all of them but grouped convolutions."""
    counts = operator_counts(model(name))
    products = ("nn.conv1d", "nn.conv2d", "nn.dense")
    assert {operator: counts[operator] for operator in products if operator in counts} == operators
    assert sum(groups > 1 for groups in convolutions(name)) == grouped


def test_operators_are_as_many_as_the_paper_says():
    """MobileNetV2 has as many once normalisations are written out, ResNet-20 in neither form."""
    counts = {name: operator_counts(model(name)) for name in NETWORKS}
    written = {name: sum(one.values()) for name, one in counts.items()}
    simple = {name: written[name] + WRITTEN_OUT * one.get("nn.batch_norm", 0) for name, one in counts.items()}
    assert list(NETWORKS) == list(PUBLISHED)
    as_written = {name for name in NETWORKS if written[name] == PUBLISHED[name]}
    assert as_written == {"efficientnet", "lstm_language_model", "resmlp", "transformer"}
    assert (written["mobilenet_v2"], simple["mobilenet_v2"]) == (187, PUBLISHED["mobilenet_v2"])
    assert (written["resnet_20"], simple["resnet_20"], PUBLISHED["resnet_20"]) == (73, 283, 494)
    assert sum(operator_counts(model("lstm_layer")).values()) == 566


def test_the_unrolled_lstm_is_that_of_onnx():
    """The operator LSTM, whose gates stand in another order, of the same weights."""
    proto = model("lstm_layer")
    feeds = feeds_of(proto, 3)
    weights = {one.name: numpy_helper.to_array(one) for one in proto.graph.initializer}

    def ordered(name: str) -> np.ndarray:
        entering, kept, offered, leaving = np.split(weights[f"lstm.{name}"], 4)
        return np.concatenate([entering, leaving, kept, offered])[np.newaxis]

    constants = {
        "w": ordered("weight_ih"),
        "r": ordered("weight_hh"),
        "b": np.concatenate([ordered("bias_ih"), ordered("bias_hh")], axis=1),
    }
    node = helper.make_node("LSTM", ["sequence", "w", "r", "b", "", "hidden", "cell"], ["states"], hidden_size=128)
    states = helper.make_tensor_value_info("states", TensorProto.FLOAT, [35, 1, 1, 128])
    initializers = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph([node], "lstm", proto.graph.input, [states], initializers)
    whole = helper.make_model(graph, opset_imports=proto.opset_import, ir_version=proto.ir_version)
    expected = results(whole, feeds)["states"][:, 0]
    np.testing.assert_allclose(results(proto, feeds)["states"], expected, rtol=0, atol=2e-5)


def of_node(kind: str, *inputs: str, **attributes: object) -> onnx.ModelProto:
    graph = helper.make_graph([helper.make_node(kind, inputs, ["y"], "n", **attributes)], "g", [], [])
    return helper.make_model(graph)


@pytest.mark.parametrize(
    ("proto", "operators"),
    [
        (of_node("Gemm", "x", "w", transB=1), ("nn.dense",)),
        (of_node("Gemm", "x", "w", "b", transB=1), ("nn.dense", "nn.bias_add")),
        (of_node("Conv", "x", "w", "b", kernel_shape=[1]), ("nn.conv1d", "nn.bias_add")),
        (of_node("Conv", "x", "w", kernel_shape=[1, 1]), ("nn.conv2d",)),
        (of_node("Einsum", "x", "w", equation="bmk,bnk->bmn"), ("nn.batch_matmul",)),
    ],
)
def test_a_node_stands_for_operators(proto, operators):
    assert operators_of(proto) == [operators]


@pytest.mark.parametrize(
    ("proto", "said"),
    [
        (of_node("Gemm", "x", "w"), "Gemm with this transB stands for no operator"),
        (of_node("Gemm", "x", "w", transB=1, alpha=2.0), "Gemm with this alpha stands for no operator"),
        (of_node("Einsum", "x", "w", equation="mk,kn->mn"), "Einsum with this equation stands for no operator"),
        (of_node("Conv", "x", "w", kernel_shape=[1, 1, 1]), "'n': Conv stands for no operator"),
        (of_node("Unsqueeze", "x", "axes"), "Unsqueeze stands for no operator"),
        (of_node("Celu", "x"), "Celu stands for no operator"),
    ],
)
def test_a_node_that_stands_for_nothing_is_refused(proto, said):
    with pytest.raises(ValueError, match=said):
        operators_of(proto)


def test_a_network_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no network 'resnet': efficientnet, lstm_language_model"):
        network("resnet")


TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %v: Tensor[(4), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]);
  %1 = nn.batch_norm(%0, %v, %v, %v, %v, epsilon=0.001f);
  %2 = %1.0;
  %3 = multiply(%2, 0.5f);
  add(%3, %2)
}
"""


def written_in_onnx() -> onnx.ModelProto:
    """The network of TEXT."""
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3], pads=[1] * 4),
        helper.make_node("BatchNormalization", ["c", *["v"] * 4], ["n"], epsilon=1e-3),
        helper.make_node("Mul", ["n", "half"], ["m"]),
        helper.make_node("Add", ["n", "m"], ["y"]),
    ]
    shapes = {"w": (4, 4, 3, 3), "v": (4,), "half": ()}
    constants = [numpy_helper.from_array(np.full(shape, 0.5, np.float32), name) for name, shape in shapes.items()]
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])
    return helper.make_model(helper.make_graph(nodes, "g", [value], [], constants))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("", "", 4),
        ("add(%3, %2)", "add(%2, %3)", 4),
        ("add(%3, %2)", "add(%3, %0)", 3),
        ("0.5f", "0.25f", 2),
        ("epsilon=0.001f", "epsilon=0.01f", 1),
        ("padding=[1, 1, 1, 1]", "strides=[2, 2], padding=[1, 1, 1, 1]", 0),
        ("padding=[1, 1, 1, 1]", "padding=[1, 1, 1, 1], groups=2", 0),
        ("(4, 4, 3, 3)", "(4, 2, 3, 3)", 0),
    ],
)
def test_the_comparison_with_texts_sees_what_differs(old, new, same):
    numbers = Numbers()
    common = numbers.in_model(written_in_onnx()) & numbers.in_text(TEXT.replace(old, new) if old else TEXT)
    assert sum(common.values()) == same
