"""Elements of 4, 8 and 16 bits as a property of the machine, of the model, and of both."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import DIGITS
from oracle_models import ModelBuilder
from width_networks import WidthNetwork, onnxruntime_on, quantized_digits, random_chain

import covenant
from covenant import _core
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, expected_outputs

INT4_DESIGNS = ("01", "02", "05", "06", "08", "11", "12")


def machine(bits: int, preset: str = "8x8", **settings: int) -> covenant.Machine:
    """A GeneSys with elements of so many bits."""
    return covenant.Machine("genesys", preset=preset, bits=bits, **settings)


def check(path, where: covenant.Machine, feeds, backends=("interpret", "systemc")):
    """Every byte as the reference operators have it."""
    expected = expected_outputs(path, feeds, Source.REFERENCE).outputs
    program = covenant.compile(path, where)
    for backend in backends:
        session = covenant.Session(program, backend)
        ours = [session.run(feed).outputs for feed in feeds]
        assert compare(ours, expected).identical, backend
    return program


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bits", [4, 16])
def test_random_chains(bits, seed, tmp_path):
    network = random_chain(np.random.default_rng(1000 * bits + seed), bits)
    print(f"seed {seed}, {bits} bits: {[node.op_type for node in network.nodes]}")
    path = network.save(tmp_path)
    check(path, machine(bits, **{"M": 8, "N": (8, 16)[seed % 2]}), [network.feed() for _ in range(2)])


def test_elements_in_a_memory_of_odd_words(tmp_path):
    """The surroundings of an image are written byte by byte, so elements begin where their first byte is written."""
    found = 0
    for index in (119, 155, 202, 209, 341, 632):  # on the way to their arrays lies a memory of words of an odd number
        where = covenant.Machine._wrap(_core.random_machine(1, index)[1])
        network = WidthNetwork(np.random.default_rng(index), 16, [1, 4, 3, 3], signed=True)
        network.weight_bits = 8  # sums of wider products leave 32 bits
        network.conv(5, 3, pad=2)
        folder = tmp_path / str(index)
        folder.mkdir()
        check(network.save(folder), where, [network.feed()])
        words = [one["banks"] * one["data_width"] for one in where.to_dict()["memories"] if one["name"] == "L2"]
        found += words[0] % 16 != 0
    assert found == 6, "the machines are others"


@pytest.mark.parametrize("bits", [4, 16])
@pytest.mark.parametrize("layer", ["conv", "gemm", "add", "mul", "max_pool", "average_pool", "mean", "concat"])
def test_a_layer_is_a_step_from_onnx_runtime(layer, bits, tmp_path):
    random = np.random.default_rng(17)
    network = WidthNetwork(random, bits, [1, 6, 8, 8], signed=True)
    network.weight_bits = min(bits, 8)  # sums of wider products leave 32 bits
    first = network.last
    arguments = {
        "conv": (10, 3, 1, 1), "gemm": (9,), "add": (first,), "mul": (first,), "max_pool": (2, 2),
        "average_pool": (2,), "mean": (), "concat": (first,),
    }  # fmt: skip
    getattr(network, layer)(*arguments[layer])
    path, feed = network.save(tmp_path), network.feed()
    check(path, machine(bits), [feed])
    ours = covenant.Session(covenant.compile(path, machine(bits))).run(feed).outputs
    theirs = onnxruntime_on(onnx.load(path), feed)
    steps = np.abs(next(iter(ours.values())) - theirs) / network.scale_of(network.last)
    assert steps.max() < 1.01  # it computes in float: ties fall either way
    assert np.mean(steps > 0.5) < 0.02


@pytest.mark.parametrize(("bits", "weight_bits", "least"), [(4, 4, 0.9), (16, 8, 0.97)])
def test_digits(bits, weight_bits, least, images, tmp_path):
    with np.load(DIGITS / "digits_test.npz") as split:
        labels = split["labels"]
    model = quantized_digits(bits, images[:60], weight_bits)
    path = tmp_path / "digits.onnx"
    onnx.save(model, path)
    feeds = [{"image": image[None]} for image in images[::6]]
    program = check(path, machine(bits, "16x16"), feeds)
    session = covenant.Session(program)
    answers = [int(session.run({"image": image[None]}).outputs["logits"].argmax()) for image in images]
    accuracy = np.mean(np.array(answers) == labels)
    theirs = np.mean([onnxruntime_on(model, {"image": image[None]}).argmax() == label
                      for image, label in zip(images[:90], labels[:90], strict=True)])  # fmt: skip
    print(f"{bits} bits: {accuracy:.4f}, ONNX Runtime in float on a quarter of them {theirs:.4f}")
    assert accuracy >= least


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("model_bits", "name", "bits"), [(8, "genesys", 16), (4, "genesys", 8), (4, "genesys", 16),
                                                         (4, "hvx", 0)])  # fmt: skip
def test_narrow_models_on_wider_machines(model_bits, name, bits, seed, tmp_path):
    network = random_chain(np.random.default_rng(70 + seed), model_bits)
    where = machine(bits) if name == "genesys" else covenant.Machine(name)
    path, feed = network.save(tmp_path), network.feed()
    if name == "genesys":
        check(path, where, [feed])
        return
    expected = expected_outputs(path, [feed], Source.REFERENCE, requant="fixed").outputs
    ours = covenant.Session(covenant.compile(path, where), "interpret").run(feed).outputs
    assert compare([ours], expected).identical


def test_layers_of_several_widths(tmp_path):
    random = np.random.default_rng(5)
    network = WidthNetwork(random, 8, [1, 4, 8, 8], signed=True)
    network.conv(12, 3, 1, 1)
    network.bits = network.weight_bits = 4
    network.conv(8, 3, 1, 1)
    network.conv(8, 1)
    network.bits = network.weight_bits = 8
    network.gemm(10)
    path, feed = network.save(tmp_path), network.feed()
    for bits in (8, 16):
        check(path, machine(bits), [feed])
    with pytest.raises(covenant.CovenantError, match="NET0030") as refused:
        covenant.compile(path, machine(4))
    assert "i8" in str(refused.value)


def test_elements_that_are_too_wide(tmp_path):
    network = random_chain(np.random.default_rng(3), 16)
    path = network.save(tmp_path)
    for where in (machine(4), machine(8), covenant.Machine("hvx")):
        with pytest.raises(covenant.CovenantError, match="NET0030") as refused:
            covenant.compile(path, where)
        assert "16 bits" in str(refused.value)


@pytest.mark.parametrize("zero_points", [(-32768, 0), (-20000, 900), (-32768, -32768)], ids=str)
def test_products_stay_within_32_bits(zero_points, tmp_path):
    """Elements far from their zero points, whose products would wrap, are multiplied in f32."""
    random, steps = np.random.default_rng(5), []
    builder = ModelBuilder({name: random.normal(0, 1, (1, 4, 6)).astype(np.float32) for name in "ab"})
    for name, zero in zip("ab", zero_points, strict=True):
        scale, zero_point = np.float32(6e-5), np.int16(zero)
        stored = builder.add("QuantizeLinear", name, scale, zero_point)
        steps.append(builder.add("DequantizeLinear", stored, scale, zero_point))
    product = builder.add("QuantizeLinear", builder.add("Mul", *steps), np.float32(1e-4), np.int16(3))
    real = builder.add("DequantizeLinear", product, np.float32(1e-4), np.int16(3))
    path = tmp_path / "product.onnx"
    model = builder.model({real: np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    onnx.save(model, path)
    check(path, machine(16), [builder.inputs])


@pytest.mark.parametrize("bits", [8, 16])
def test_tables_have_an_entry_for_every_value(bits, tmp_path):
    network = WidthNetwork(np.random.default_rng(4), bits, [1, 5, 3, 3], signed=True)
    network.softmax()
    path, feed = network.save(tmp_path), network.feed()
    with pytest.raises(covenant.CovenantError, match="NET0031") as refused:
        covenant.compile(path, machine(16))
    assert "softmax" in str(refused.value)
    if bits == 8:
        check(path, machine(8), [feed])


@pytest.mark.parametrize("preset", INT4_DESIGNS)
def test_published_designs_of_four_bits(preset, tmp_path):
    random = np.random.default_rng(int(preset))
    network = WidthNetwork(random, 4, [1, 64, 8, 8], signed=False)
    network.conv(64, 1, relu=True)
    before = network.last
    network.conv(64, 3, 1, 1, relu=True)
    network.conv(64, 1)
    network.add(before)
    network.conv(128, 1, 2)
    network.mean()
    network.gemm(100)
    path, feed = network.save(tmp_path), network.feed()
    where = covenant.Machine("genesys", preset=preset)
    assert where.parameters["bits"] == 4
    check(path, where, [feed], ("systemc",))


def test_bytes_and_cycles_follow_the_width(tmp_path):
    """The same layers on the same buses: a half and twice as many bytes."""
    moved, cycles = {}, {}
    for bits in (4, 8, 16):
        network = WidthNetwork(np.random.default_rng(1), bits, [1, 256], signed=True)
        network.gemm(256)
        network.gemm(128)
        program = covenant.compile(network.save(tmp_path), machine(bits, "16x16", axi=64))
        result = covenant.Session(program).run(network.feed())
        edges = [edge for edge in result.stats["offchip"] if edge["operand"] in ("IBUF", "WBUF", "VMEM1", "VMEM2")]
        moved[bits] = sum(edge["bytes_read"] + edge["bytes_written"] for edge in edges)
        cycles[bits] = result.cycles
    print(moved, cycles)
    assert moved[4] < 0.65 * moved[8] < 0.65 * 0.65 * moved[16]
    assert cycles[4] < cycles[8] < cycles[16]
