"""Models on a machine that issues packets: the reference in fixed point, codelets, our core and QEMU agree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from test_bad_input import refused

import covenant
from covenant.bench.layers import compile_layer
from covenant.runtime.executable import run_executable
from covenant.verify.expected import Source, expected_outputs

DTYPES = {"u8": (np.uint8, TensorProto.UINT8), "i8": (np.int8, TensorProto.INT8)}


def scales(random: np.random.Generator, count: int, product: float) -> np.ndarray:
    """One scale for each channel, so that sums of `product` products fill about the range of a byte."""
    return (random.uniform(0.3, 1.7, count) * 2.0 / np.sqrt(product)).astype(np.float32)


class Layers:
    """A model in QOperator style, layer after layer."""

    def __init__(self, random: np.random.Generator, dtype: str, shape: list[int]) -> None:
        self.random, (self.numpy, self.onnx) = random, DTYPES[dtype]
        self.first, self.last = list(shape), list(shape)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.value, self.zero_point, self.scale = "x", 3, 0.02

    def constant(self, array: np.ndarray) -> str:
        """Adds a constant; returns its name in the model."""
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def append(self, operation: str, inputs: list[str], shape: list[int], **attributes: object) -> None:
        """A node that makes the next value."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, inputs, [name], name=f"{operation}_{name}", **attributes))
        self.value, self.last = name, shape

    def quantized(self, weights: np.ndarray, channels: int, zero_point: int) -> list[str]:
        """The inputs of a product from its own on: that, weights, result, each with scale and zero point."""
        products = weights.size / channels
        kind = self.numpy
        inputs = [self.value, self.constant(np.float32(self.scale)), self.constant(kind(self.zero_point))]
        inputs += [self.constant(weights), self.constant(scales(self.random, channels, products * 900))]
        inputs += [self.constant(np.zeros(channels, np.int8))]
        inputs += [self.constant(np.float32(0.02)), self.constant(kind(zero_point))]
        self.zero_point, self.scale = zero_point, 0.02
        return inputs

    def product(self, columns: int) -> None:
        """Rows by a matrix of weights."""
        weights = self.random.integers(-127, 128, (self.last[-1], columns)).astype(np.int8)
        inputs = self.quantized(weights, columns, int(self.random.integers(0, 20)))
        self.append("QLinearMatMul", inputs, [self.last[0], columns])

    @property
    def least(self) -> int:
        """The zero point of a value that no negative number is in."""
        return int(np.iinfo(self.numpy).min)

    def convolution(
        self, channels: int, kernel: int, stride: int, pads: tuple[int, ...] = (0, 0, 0, 0), *,
        zero_point: int | None = None, groups: int = 1,
    ) -> None:  # fmt: skip
        """Pads as ONNX has them: top, left, bottom, right."""
        batch, depth, *image = self.last
        weights = self.random.integers(-127, 128, (channels, depth // groups, kernel, kernel)).astype(np.int8)
        if zero_point is None:
            zero_point = int(self.random.integers(0, 20))
        inputs = self.quantized(weights, channels, zero_point)
        bias = self.random.integers(-3000, 3000, channels).astype(np.int32)
        padded = (size + pads[i] + pads[i + 2] for i, size in enumerate(image))
        shape = [batch, channels, *((size - kernel) // stride + 1 for size in padded)]
        constants = [*inputs, self.constant(bias)]
        self.append("QLinearConv", constants, shape, strides=[stride, stride], pads=pads, group=groups)

    def pool(self, kernel: int, stride: int, pads: tuple[int, ...] = (0, 0, 0, 0)) -> None:
        """The greatest of each window."""
        padded = (size + pads[i] + pads[i + 2] for i, size in enumerate(self.last[2:]))
        shape = [*self.last[:2], *((size - kernel) // stride + 1 for size in padded)]
        window = {"kernel_shape": [kernel, kernel], "strides": [stride, stride], "pads": pads}
        self.append("MaxPool", [self.value], shape, **window)

    def save(self, path: Path) -> Path:
        """The model as a file."""
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes, "layers", [value("x", self.onnx, self.first)], [value(self.value, self.onnx, self.last)],
            self.constants,
        )  # fmt: skip
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
        return path

    def image(self) -> np.ndarray:
        """Random bytes for its input."""
        limits = np.iinfo(self.numpy)
        return self.random.integers(limits.min, limits.max + 1, self.first).astype(self.numpy)


def outputs_in_qemu(program: covenant.Program, image: np.ndarray, path: Path) -> tuple[bytes, bytes]:
    """Output bytes of the executable in QEMU and on our core, for the bytes of an input as they lie in memory."""
    program.save(path)
    (segment,) = [one for one in program._core.segments if one["kind"] == "input"]
    memory = np.resize(image.reshape(-1).view(np.uint8), segment["size"]).tobytes()
    given = path.with_suffix(".bin")
    given.write_bytes(memory)  # one read of a pipe would not give all of it
    with given.open("rb") as file:
        process = subprocess.run(["qemu-hexagon", "-cpu", "v67", path], stdin=file, capture_output=True, check=True)
    return process.stdout, run_executable(path, "hvx", standard_input=memory, cycles=False).output


def check(layers: Layers, folder: Path) -> covenant.Program:
    """All ways lead to the same bytes."""
    model, image = layers.save(folder / "model.onnx"), layers.image()
    program = check_backends(model, {"x": image})
    in_qemu, on_core = outputs_in_qemu(program, image, folder / "model.elf")
    assert in_qemu == on_core
    return program


def check_backends(model: Path, feed: dict[str, np.ndarray]) -> covenant.Program:
    """Codelets and our core make what the reference makes."""
    program = covenant.compile(model, covenant.Machine("hvx"))
    expected = expected_outputs(model, [feed], Source.REFERENCE, requant="fixed").outputs[0]
    for backend in ("interpret", "systemc"):
        made = covenant.Session(program, backend).run(feed).outputs
        for name, array in expected.items():
            assert np.array_equal(made[name], array), (backend, name)
            assert len(np.unique(array)) > 2, "a model whose outputs say something"
    return program


@pytest.mark.parametrize("seed", range(8))
def test_products(seed, tmp_path):
    random = np.random.default_rng(seed)
    rows, depth = (int(random.integers(1, 40)) for _ in range(2))
    layers = Layers(random, ("u8", "i8")[seed % 2], [rows, depth])
    for _ in range(int(random.integers(1, 4))):
        layers.product(int(random.integers(1, 300)))
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_images(seed, tmp_path):
    random = np.random.default_rng(100 + seed)
    size = int(random.integers(9, 15))
    layers = Layers(random, ("u8", "i8")[seed % 2], [1, int(random.integers(1, 40)), size, size])
    layers.convolution(int(random.integers(1, 150)), int(random.integers(1, 4)), int(random.integers(1, 3)))
    layers.pool(2, int(random.integers(1, 3)))
    layers.convolution(int(random.integers(1, 70)), 1, 1)
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


@pytest.mark.parametrize("seed", range(8))
def test_padded_images(seed, tmp_path):
    random = np.random.default_rng(200 + seed)
    size = int(random.integers(6, 12))
    layers = Layers(random, ("u8", "i8")[seed % 2], [1, int(random.integers(1, 40)), size, size])
    for _ in range(2):
        kernel = int(random.integers(2, 5))
        pads = tuple(int(random.integers(0, kernel)) for _ in range(4))
        layers.convolution(int(random.integers(1, 150)), kernel, int(random.integers(1, 3)), pads)
    layers.convolution(16, 1, 1)
    print(f"seed {seed}: {layers.first} to {layers.last}")
    check(layers, tmp_path)


def test_an_executable_is_legal_and_shown(tmp_path):
    layers = Layers(np.random.default_rng(7), "u8", [4, 64])
    layers.product(64)
    program = check(layers, tmp_path)
    listed = subprocess.run(
        ["llvm-objdump-14", "-d", "--mattr=+hvxv66,+hvx-length128b", tmp_path / "model.elf"], capture_output=True,
        text=True, check=True,
    ).stdout  # fmt: skip
    begin = listed.index("<QLinearMatMul_n0>:")
    words = next(block.words for block in program.blocks if block.layer == "QLinearMatMul_n0")
    code = "\n".join(listed[begin:].splitlines()[1 : words + 1])
    assert "<unknown>" not in code
    text = covenant.emit(tmp_path / "model.onnx", covenant.Machine("hvx"), "asm")
    ours, theirs = (sorted(set(re.findall(r"vmpye\([^)]*\)|vasr\([^)]*\)", one))) for one in (text, code))
    assert ours == theirs
    assert ours


def test_an_executable_reads_a_file(tmp_path, covenant_command):
    layers = Layers(np.random.default_rng(3), "u8", [2, 64])
    layers.product(10)
    program = check(layers, tmp_path)
    bytes_of_input = layers.image().tobytes().ljust(program._core.segments[0]["size"], b"\0")
    (tmp_path / "image.bin").write_bytes(bytes_of_input)
    options = ("-m", "hvx", "--stdin", tmp_path / "image.bin", "--json")
    report = covenant_command("run", tmp_path / "model.elf", *options).object
    run = run_executable(tmp_path / "model.elf", "hvx", standard_input=bytes_of_input)
    assert (report["packets"], report["cycles"]) == (run.packets, run.cycles)
    assert report["output"] == run.output.decode("utf-8", errors="replace")
    assert len(run.output) == 2 * 128
    refused(covenant_command("run", tmp_path / "model.onnx", "-m", "hvx", "--stdin", "x", "--json"), "CLI0008")


def test_what_a_layer_costs(tmp_path, covenant_command):
    layers = Layers(np.random.default_rng(1), "u8", [8, 64])
    layers.product(128)
    layers.product(10)
    model = layers.save(tmp_path / "model.onnx")
    report = covenant_command("run", model, "-m", "hvx", "--compare", "reference", "--json").object
    assert report["identical"] is True
    # The first has unsigned weights, of which a layer in front makes up for what is added to them.
    assert [layer["operation"] for layer in report["layers"]] == ["gemm_sums", "gemm_unsigned", "gemm"]
    assert sum(layer["cycles"] for layer in report["layers"]) == report["cycles"] > 0


@pytest.mark.parametrize("layer", ["DLRM/FC4", "MobileNetV3/CONV2", "ResNet50/FC1"])
def test_a_layer_of_the_table_is_right_and_bound(layer, covenant_command):
    report = covenant_command("bench", "table2", "-m", "hvx", "--layer", layer, "--json").object
    (row,) = report["rows"]
    assert row["identical"] is True
    assert row["cycles"] > row["bound"] > 0


@pytest.mark.parametrize("layer", ["BERT-LG/GEMM1", "BERT-LG/GEMM2", "BERT-LG/ATN4-GEMM"])
def test_a_large_product_keeps_the_multipliers_busy(layer, covenant_command):
    """Both multipliers work in at least 85 of 100 cycles; all cycles count, those of caches and input sums too."""
    (row,) = covenant_command("bench", "table2", "-m", "hvx", "--layer", layer, "--json").object["rows"]
    assert row["identical"] is True
    assert row["limited_by"] == "compute"
    assert row["bound_busiest"] / row["cycles"] >= 0.85


def test_a_product_takes_few_packets():
    """384 x 1024 x 1024: two products a packet would be 1,572,864 of them."""
    program = compile_layer("BERT-LG/ATN4-GEMM", "hvx")
    result = covenant.run(program, {one.name: np.zeros(one.shape, np.int8) for one in program.inputs})
    assert result.packets < 1_683_000


@pytest.mark.parametrize("taps", [5, 7, 9])
def test_rows_of_weights_for_each_channel(tmp_path, taps):
    """All of a window at once: as many weights as take registers twice, once shuffled into one another."""
    layers = Layers(np.random.default_rng(taps), "i8", [1, 160, 1, 40])
    inputs = layers.quantized(layers.random.integers(-127, 128, (160, 1, 1, taps)).astype(np.int8), 160, -13)
    window = {"kernel_shape": [1, taps], "pads": [0, taps // 2, 0, taps // 2], "group": 160}
    layers.append("QLinearConv", inputs, [1, 160, 1, 40], **window)
    check(layers, tmp_path)


def with_operators_of_microsoft(model: Path) -> Path:
    loaded = onnx.load(model)
    loaded.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(loaded, model)
    return model


def test_an_operator_without_its_capability_is_refused(tmp_path, covenant_command):
    layers = Layers(np.random.default_rng(1), "u8", [1, 8, 6, 6])
    scales_and_zero_points = [layers.constant(value) for value in (np.float32(0.1), np.uint8(1))]
    inputs = ["x", *scales_and_zero_points, *scales_and_zero_points]
    layers.append("QLinearSoftmax", inputs, [1, 8, 6, 6], domain="com.microsoft", axis=1, opset=13)
    model = with_operators_of_microsoft(layers.save(tmp_path / "m.onnx"))
    error = refused(covenant_command("run", model, "-m", "hvx", "--json"), "CDL0040")
    assert error["subject"] == "QLinearSoftmax_n0 (QLinearSoftmax)"
    assert error["offending"].startswith("u8=SUB(u8,u8)")


def test_executables_are_of_packets(tmp_path, covenant_command):
    layers = Layers(np.random.default_rng(1), "u8", [1, 16])
    layers.product(16)
    model = layers.save(tmp_path / "m.onnx")
    refused(covenant_command("compile", model, "-m", "genesys", "-o", tmp_path / "m.elf", "--json"), "ISA0023")
    refused(covenant_command("compile", model, "-m", "hvx", "--emit", "buffered", "--json"), "GEN0030")


def test_lanes_that_nobody_needs_are_not_computed(tmp_path):
    """128 bytes are written at once, of which 64 are channels: of their sums there are two vectors, not four."""
    layers = Layers(np.random.default_rng(5), "u8", [1, 64, 10, 10])
    layers.convolution(64, 3, 1)
    check(layers, tmp_path)
    mapped = covenant.emit(tmp_path / "model.onnx", "hvx", "mapped", layer=f"QLinearConv_{layers.value}")
    assert "acc=local([1,8,8,64],i32" in mapped
    assert "loop oc1(2) {" in mapped
