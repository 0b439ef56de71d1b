"""Fused layers take fewer cycles than the two they replace, give the same bytes, and keep names that users know."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import STYLES, model_of
from oracle_models import ModelBuilder

import covenant
from covenant.verify.expected import source_here

SCALE = np.float32(0.05)
ZERO = np.int8(3)


def quantized_conv(model: ModelBuilder, x: str, shape: tuple[int, int, int], random: np.random.Generator) -> str:
    """A convolution of stride 1 that keeps rows and columns; shape: input channels, output channels, kernel."""
    inputs, outputs, kernel = shape
    weights = random.integers(-127, 128, (outputs, inputs, kernel, kernel)).astype(np.int8)
    bias = random.integers(-500, 500, outputs).astype(np.int32)
    scales = random.uniform(0.001, 0.004, outputs).astype(np.float32)
    return model.add(
        "QLinearConv", x, SCALE, ZERO, weights, scales, np.zeros(outputs, np.int8), SCALE, ZERO, bias,
        kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, strides=[1, 1],
    )  # fmt: skip


def quantized_add(model: ModelBuilder, a: str, b: str) -> str:
    return model.add("QLinearAdd", a, SCALE, ZERO, b, SCALE, ZERO, SCALE, ZERO)


@pytest.fixture
def residual_model(tmp_path):
    """Two residual blocks; the shortcut of the second is a convolution of its own."""
    random = np.random.default_rng(5)
    model = ModelBuilder(inputs={"x": np.zeros((1, 16, 14, 14), np.int8)})
    stem = quantized_conv(model, "x", (16, 24, 3), random)
    inner = quantized_conv(model, stem, (24, 24, 3), random)
    first = quantized_add(model, quantized_conv(model, inner, (24, 24, 3), random), stem)
    shortcut = quantized_conv(model, first, (24, 40, 1), random)
    second = quantized_add(model, quantized_conv(model, first, (24, 40, 3), random), shortcut)
    path = tmp_path / "residual.onnx"
    onnx.save(model.model({second: np.int8}), str(path))
    return path


@pytest.mark.parametrize(
    ("machine", "pairs"),
    # On 64 lanes the first block has two outputs of 24 channels in a vector.
    [("genesys:8x8", 2), ("genesys", 2), ("genesys:8x24", 2), ("genesys:03", 2), ("dnnweaver", 2)],
)
def test_residual_blocks(residual_model, machine, pairs, covenant_command):
    """Equal to ONNX Runtime both ways, convolutions in front of an addition fused with it, and faster."""
    runs = []
    for option in ([], ["--no-fusion"]):
        done = covenant_command("run", residual_model, "-m", machine, "--compare", "onnxruntime", "--json", *option)
        assert done.code == 0, done.error
        runs.append(done.object)
        assert runs[-1]["identical"] is True
    fused, apart = runs
    names = [layer["name"] for layer in fused["layers"]]
    assert len([name for name in names if "+" in name]) == pairs, names
    assert len(names) == len(apart["layers"]) - pairs
    assert fused["cycles"] < apart["cycles"]
    print(f"{machine}: {apart['cycles']} cycles apart, {fused['cycles']} fused")


def test_two_layers_where_one_is_slower(tmp_path, covenant_command):
    """Little vector memory: with one tensor more in it tiles get smaller, and the weights are fetched more often."""
    random = np.random.default_rng(5)
    model = ModelBuilder(inputs={"x": np.zeros((1, 64, 14, 14), np.int8)})
    total = quantized_add(model, quantized_conv(model, "x", (64, 64, 3), random), "x")
    path = tmp_path / "pair.onnx"
    onnx.save(model.model({total: np.int8}), str(path))
    (tmp_path / "one.schedule").write_text('layer "node0+node1" { lowering "plain"; }\n')
    machine = ("-m", "genesys:03", "--set", "vector_depth=8", "--set", "weight_depth=16")
    explained = covenant_command("compile", path, *machine, "--explain-schedule", "node1", "--json").object
    (verdict,) = explained["fusions"]
    assert verdict["fused"] is False
    assert verdict["reason"] == "the two take no more cycles"
    cycles = []
    for option in ([], ["--no-fusion"], ["--schedule", tmp_path / "one.schedule"]):
        done = covenant_command("run", path, *machine, "--compare", "onnxruntime", "--json", *option)
        assert done.code == 0, done.error
        assert done.object["identical"] is True
        cycles.append(done.object["cycles"])
    chosen, apart, together = cycles
    assert chosen == apart
    assert apart < 0.9 * together
    assert verdict["cycles_apart"] == pytest.approx(apart, rel=0.03)
    assert verdict["cycles_together"] == pytest.approx(together, rel=0.03)


@pytest.mark.parametrize("machine", ["genesys:8x8", "genesys:03", "dnnweaver"])
def test_a_tensor_under_another_shape(tmp_path, machine, covenant_command):
    """An addition that reads all rows of a product as a batch is fused with it; one that reads some of them is not."""
    random = np.random.default_rng(6)
    runs = {}
    for rows, name in ((24, "all"), (10, "some")):
        model = ModelBuilder(inputs={"x": np.zeros((24, 16), np.int8), "r": np.zeros((1, rows, 40), np.int8)})
        weights = random.integers(-127, 128, (16, 40)).astype(np.int8)
        product = model.add("QLinearMatMul", "x", SCALE, ZERO, weights, np.float32(0.01), np.int8(0), SCALE, ZERO)
        if rows < 24:
            product = model.add("Slice", product, np.array([0]), np.array([rows]), np.array([0]))
        batch = model.add("Reshape", product, np.array([1, rows, 40]))
        total = quantized_add(model, batch, "r")
        path = tmp_path / f"{name}.onnx"
        onnx.save(model.model({total: np.int8}), str(path))
        done = covenant_command("run", path, "-m", machine, "--compare", "onnxruntime", "--json")
        assert done.code == 0, done.error
        assert done.object["identical"] is True
        runs[name] = [layer["operation"] for layer in done.object["layers"]]
    assert runs == {"all": ["gemm+add"], "some": ["gemm", "add"]}


@pytest.mark.parametrize("style", STYLES)
def test_digits(style, covenant_command):
    source = source_here(model_of(style)).value
    done = [
        covenant_command("run", model_of(style), "-m", "genesys", "--compare", source, "--json", *option)
        for option in ([], ["--no-fusion"])
    ]
    fused, apart = (one.object for one in done)
    assert fused["identical"] is True
    assert apart["identical"] is True
    assert fused["cycles"] < apart["cycles"]
    assert "conv+add" in [layer["operation"] for layer in fused["layers"]]
    print(f"{style}: {apart['cycles']} cycles apart, {fused['cycles']} fused")


def test_programs_say_what_is_fused():
    program = covenant.compile(model_of("qdq"), "genesys")
    fused = [block for block in program.blocks if block.fused]
    assert [(block.layer, block.operation, block.fused) for block in fused] == [
        ("conv2+add", "conv+add", ("conv2", "add"))
    ]
    apart = covenant.compile(model_of("qdq"), "genesys", fusion=False)
    assert {"conv2", "add"} <= {block.layer for block in apart.blocks}
    assert not any(block.fused for block in apart.blocks)
    assert sum(block.macs for block in program.blocks) == sum(block.macs for block in apart.blocks)
    assert sum(block.elementwise for block in program.blocks) == sum(block.elementwise for block in apart.blocks)


def test_the_fused_form_is_a_pass(covenant_command):
    text = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--emit", "fuse").out
    assert "cdlt conv2_add {" in text
    assert "cdlt conv2 {" not in text
    text = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--emit", "fused", "--no-fusion").out
    assert "cdlt conv2 {" in text


@pytest.mark.parametrize("layer", ["conv2", "add", "conv2+add"])
def test_explanations_say_why(layer, covenant_command):
    explained = covenant_command(
        "compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", layer, "--json"
    ).object
    assert explained["layer"] == layer
    fusion = explained["fusions"][0]
    assert (fusion["producer"], fusion["consumer"], fusion["fused"], fusion["reason"]) == ("conv2", "add", True, "")
    assert fusion["cycles_together"] < fusion["cycles_apart"]
    table = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", layer)
    assert "fused: conv2 and add" in table.out + table.error


def test_explanations_say_why_not(covenant_command):
    explained = covenant_command(
        "compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", "pool", "--json"
    ).object
    reasons = {(one["producer"], one["consumer"]): one["reason"] for one in explained["fusions"]}
    assert "element by element" in reasons["conv2+add", "pool"]
    assert "CDL0080" in reasons["pool", "conv3"]


def test_a_program_file_is_as_it_is(tmp_path, covenant_command):
    path = tmp_path / "digits.cprog"
    covenant.compile(model_of("qdq"), "genesys").save(path)
    done = covenant_command("run", path, "--no-fusion")
    assert done.code != 0
    assert "CLI0008" in done.error
