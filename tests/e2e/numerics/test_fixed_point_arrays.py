"""Machines of a systolic and a SIMD array that scale in fixed point: elements of 4, 8 and 16 bits, in every model."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import DIGITS, STYLES, model_of
from onnx import helper, numpy_helper
from width_networks import WidthNetwork, random_chain

import covenant
from covenant.study import Study
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, expected_outputs, fixed_point_steps

KINDS = ("fixed", "fixed_tflite")


def machine(bits: int = 8, preset: str = "8x8", requant: str = "fixed", **settings: int | str) -> covenant.Machine:
    """A GeneSys in fixed point."""
    return covenant.Machine("genesys", preset=preset, bits=bits, requant=requant, **settings)


def stacked(feeds):
    """Each input of all feeds as one array."""
    return {name: np.stack([feed[name] for feed in feeds]) for name in feeds[0]}


def check(path, where: covenant.Machine, feeds, backends=("interpret", "systemc")):
    """Every byte as the reference operators have it, and as kernels for whole test sets."""
    expected = expected_outputs(path, feeds, Source.REFERENCE, requant=where.requant).outputs
    program = covenant.compile(path, where)
    for backend in backends:
        session = covenant.Session(program, backend)
        assert compare([session.run(feed).outputs for feed in feeds], expected).identical, backend
    values = covenant.Values(path, requant=where.requant, threads=1).run(stacked(feeds))
    ours = [{name: of_all[i] for name, of_all in values.items()} for i in range(len(feeds))]
    assert compare(ours, expected).identical, "values"
    return program


def test_the_mode_is_a_parameter_and_its_default_changes_nothing():
    for name in ("genesys", "dnnweaver"):
        plain, single = covenant.Machine(name), covenant.Machine(name, requant="fp32")
        assert str(plain) == str(single)
        assert not plain.fixed_point
        assert "REQUANT_FIXED" not in str(plain)
        assert "half_away" not in str(plain)
        for requant in KINDS:
            fixed = covenant.Machine(name, requant=requant)
            assert (fixed.requant, fixed.fixed_point) == (requant, True)
            assert "REQUANT(" not in str(fixed)
            assert fixed.parameters == plain.parameters
            assert covenant.Machine.from_json(fixed.to_json()).requant == requant
            assert str(covenant.Machine.from_json(fixed.to_json())) == str(fixed)
            changed = str(fixed).replace("    half_away = 1;\n", "")
            assert changed == str(covenant.Machine(name, requant="fixed"))
    with pytest.raises(covenant.CovenantError, match="ACG0013") as refused:
        covenant.Machine("genesys", requant="fixd")
    assert "did you mean" in str(refused.value)


@pytest.mark.parametrize("requant", KINDS)
@pytest.mark.parametrize("name", ["genesys", "dnnweaver"])
@pytest.mark.parametrize("style", STYLES)
def test_digits(style, name, requant, images):
    where = covenant.Machine(name, requant=requant)
    check(model_of(style), where, [{"image": image[None]} for image in images[::8]])


def test_digits_are_read_as_well(images):
    with np.load(DIGITS / "digits_test.npz") as split:
        labels = split["labels"]
    right = {}
    for requant in ("fp32", *KINDS):
        where = covenant.Machine("genesys", requant=requant)
        values = covenant.Values(model_of("qdq"), requant=where.requant, threads=1)
        logits = values.run({"image": np.stack([image[None] for image in images])})["logits"]
        right[requant] = float(np.mean(logits.reshape(len(images), -1).argmax(1) == labels))
    print(right)
    assert all(abs(right[requant] - right["fp32"]) < 0.01 for requant in KINDS)


def scaled_by_gemmlowp(sums: np.ndarray, scale: float) -> np.ndarray:
    """Sums times a scale, from the definitions of gemmlowp and of the quantised multipliers of TensorFlow Lite.

    A multiply whose nudge has the product's sign and whose quotient is cut towards zero; a division by a power of two
    that looks at a mask and at a threshold, which is one more for what is less than 0.
    """
    significand, exponent = np.frexp(scale)
    fraction, right = int(np.round(significand * 2.0**31)), max(-int(exponent), 0)
    products = sums.astype(np.int64) * fraction
    nudged = products + np.where(products >= 0, 1 << 30, 1 - (1 << 30))
    high = np.sign(nudged) * (np.abs(nudged) >> 31)
    mask = (1 << right) - 1
    threshold = (mask >> 1) + (high < 0)
    return (high >> right) + ((high & mask) > threshold)


def gemm_of_sums(path, sums: np.ndarray, scale: float, zero_point: int):
    """Saves a layer whose accumulators are these, its biases: its weights are 0."""
    one, zero = np.float32(1), np.int8(0)
    constants = {
        "one": one, "zero": zero, "scale": np.float32(scale), "zero_point": np.int8(zero_point),
        "zero_sum": np.int32(0), "weights": np.zeros((len(sums), 4), np.int8), "sums": sums.astype(np.int32),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "one", "zero"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "one", "zero"], ["xr"]),
        helper.make_node("DequantizeLinear", ["weights", "scale", "zero"], ["wr"]),
        helper.make_node("DequantizeLinear", ["sums", "scale", "zero_sum"], ["br"]),
        helper.make_node("Gemm", ["xr", "wr", "br"], ["yr"], transB=1),
        helper.make_node("QuantizeLinear", ["yr", "one", "zero_point"], ["yq"]),
        helper.make_node("DequantizeLinear", ["yq", "one", "zero_point"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "sums", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 4])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, len(sums)])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )  # fmt: skip
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


@pytest.mark.parametrize("count", [1_000, 100_000])
@pytest.mark.parametrize("scale", [0.25, 2.0**-9, 0.0123, 0.7])
def test_sums_are_scaled_as_gemmlowp_says(scale, count, tmp_path):
    """Half of them are halves, where a power of two makes some; the ends of 32 bits are among them."""
    random, path, zero_point = np.random.default_rng(count), tmp_path / "sums.onnx", 3
    sums = np.rint(random.uniform(-140, 140, count) / scale)
    sums[::2] = np.rint((random.integers(-140, 140, count)[::2] + 0.5) / scale)
    sums[:2] = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    gemm_of_sums(path, sums, scale, zero_point)
    feed = {"x": np.zeros((1, 4), np.float32)}
    expected = np.clip(scaled_by_gemmlowp(sums, float(np.float32(scale))) + zero_point, -128, 127) - zero_point
    made = covenant.Values(path, requant="fixed_tflite").run(stacked([feed]))["y"].ravel()
    assert np.array_equal(made, expected)
    up = covenant.Values(path, requant="fixed").run(stacked([feed]))["y"].ravel()
    differ = up != expected
    assert np.any(differ) == (scale < 0.5), "something is shifted to the right"
    assert np.all(expected[differ] < 0)
    assert np.all(up[differ] == expected[differ] + 1)
    if count == 1_000:
        program = check(path, machine(requant="fixed_tflite"), [feed])
        assert np.array_equal(covenant.Session(program).run(feed).outputs["y"].ravel(), expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bits", [4, 8, 16])
def test_random_chains(bits, seed, tmp_path):
    network = random_chain(np.random.default_rng(3000 * bits + seed), bits)
    print(f"seed {seed}, {bits} bits: {[node.op_type for node in network.nodes]}")
    path = network.save(tmp_path)
    where = machine(bits, requant=KINDS[seed // 2 % 2], M=8, N=(8, 16)[seed % 2])
    check(path, where, [network.feed() for _ in range(2)])


@pytest.mark.parametrize("requant", KINDS)
@pytest.mark.parametrize("bits", [4, 8, 16])
@pytest.mark.parametrize("layer", ["conv", "gemm", "add", "mul", "average_pool", "mean", "concat"])
def test_a_layer_is_a_step_from_single_precision(layer, bits, requant, tmp_path):
    network = WidthNetwork(np.random.default_rng(18), bits, [1, 6, 8, 8], signed=True)
    network.weight_bits = min(bits, 8)
    first = network.last
    arguments = {
        "conv": (10, 3, 1, 1), "gemm": (9,), "add": (first,), "mul": (first,), "average_pool": (2,), "mean": (),
        "concat": (first,),
    }  # fmt: skip
    getattr(network, layer)(*arguments[layer])
    path, feed = network.save(tmp_path), network.feed()
    check(path, machine(bits, requant=requant), [feed])
    # Scales of a sum have 15 bits, fewer than its elements.
    assert fixed_point_steps(path, [feed], requant) <= (2 if layer == "add" and bits == 16 else 1)


def test_operators_in_single_precision_stay(tmp_path):
    network = WidthNetwork(np.random.default_rng(4), 8, [1, 5, 3, 3], signed=True)
    network.conv(7, 3, 1, 1)
    network.softmax()
    path = network.save(tmp_path)
    check(path, machine(), [network.feed() for _ in range(2)])


def test_cycles_follow_the_latencies_of_the_mode(tmp_path):
    """Fewer stages, nothing else: words move as many bytes."""
    network = WidthNetwork(np.random.default_rng(1), 8, [1, 64], signed=True)
    network.gemm(64)
    path, feed = network.save(tmp_path), network.feed()
    runs = {}
    for requant in ("fp32", "fixed"):
        where = covenant.Machine("genesys", preset="8x8", requant=requant)
        runs[requant] = covenant.Session(covenant.compile(path, where)).run(feed)
    assert runs["fixed"].cycles < runs["fp32"].cycles


def test_studies_range_over_the_modes(tmp_path):
    text = f"""
        name = "modes"
        [[models]]
        model = "{model_of("qdq")}"
        data = "{DIGITS / "digits_test.npz"}"
        images = 20
        [[machines]]
        machine = "genesys:8x8"
        parameters = {{ requant = ["fp32", "fixed", "fixed_tflite"] }}
    """
    (tmp_path / "modes.toml").write_text(text)
    rows = Study.load(tmp_path / "modes.toml").run(jobs=1).rows
    assert [row.parameters["requant"] for row in rows] == ["fp32", "fixed", "fixed_tflite"]
    assert [row.status for row in rows] == ["done", "done", "done"]
    assert rows[2].cycles == rows[1].cycles < rows[0].cycles
