"""Systolic arrays whose sums of 16 to 32 bits wrap: every byte equals exact integers modulo 2^w."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from digits import DIGITS
from onnx import numpy_helper
from test_layer_norm import normalize, transformer
from test_tables import Network
from width_networks import SIGNED, UNSIGNED, WidthNetwork, limits, random_chain

import covenant
from covenant.cli import main
from covenant.runtime.values import Values, stacked
from covenant.study import Study
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, describe, expected_outputs, expected_tensors

WIDTHS = (16, 17, 20, 24, 31)


def machine(accumulator: int, **settings: int | str) -> covenant.Machine:
    """A GeneSys whose sums have so many bits."""
    return covenant.Machine("genesys", preset="8x8", accumulator=accumulator, **settings)


def check(path, where: covenant.Machine, feeds, backends=("interpret", "systemc")) -> list[dict[str, np.ndarray]]:
    """Every byte as the reference operators and the values of test sets have it; returns them."""
    numerics = {"requant": where.requant, "accumulators": where}
    expected = expected_outputs(path, feeds, Source.REFERENCE, **numerics).outputs
    program = covenant.compile(path, where)
    for backend in backends:
        session = covenant.Session(program, backend)
        assert compare([session.run(feed).outputs for feed in feeds], expected).identical, backend
    values = Values(path, **numerics).run(stacked(feeds))
    assert compare([{name: array[k] for name, array in values.items()} for k in range(len(feeds))], expected).identical
    return list(expected)


def wrapped(sums: np.ndarray, bits: int) -> np.ndarray:
    """Modulo 2^bits, in two's complement."""
    return (sums + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


class Layer:
    """The only Conv or Gemm of a model, in NumPy's 64-bit integers."""

    def __init__(self, path, network: WidthNetwork) -> None:
        model = onnx.load(path)
        made = {output: node for node in model.graph.node for output in node.output}
        arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
        self.node = next(node for node in model.graph.node if node.op_type in ("Conv", "Gemm"))
        stored = [[arrays[name] for name in made[operand].input] for operand in self.node.input[1:]]
        (self.weights, self.scales, _), (self.bias, _, _) = stored
        end = next(node for node in model.graph.node if self.node.output[0] in node.input)
        start = next(node for node in model.graph.node if "x" in node.input)
        self.input_scale, self.input_zero = (arrays[name] for name in start.input[1:])
        self.scale, self.zero = (arrays[name] for name in end.input[1:])
        self.kinds = SIGNED if network.signed else UNSIGNED
        self.least, self.most = limits(network.bits, signed=network.signed)

    def outputs(self, x: np.ndarray, bits: int) -> np.ndarray:
        """Float output for the float input `x`, computed with sums of `bits` bits."""
        zero = self.input_zero.astype(np.int64)
        stored = np.clip(np.rint(x / self.input_scale).astype(np.int64) + zero, self.least, self.most) - zero
        weights = self.weights.astype(np.int64)
        if self.node.op_type == "Gemm":
            sums = stored.reshape(len(stored), -1) @ weights.T
            shape = (1, -1)
        else:
            kernel = weights.shape[2]
            padded = np.pad(stored, ((0, 0), (0, 0), (1, 1), (1, 1)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (2, 3))
            sums = np.einsum("nchwij,ocij->nohw", windows, weights)
            shape = (1, -1, 1, 1)
        sums = wrapped(sums + self.bias.astype(np.int64).reshape(shape), bits)
        scales = (self.input_scale * self.scales).astype(np.float32) / self.scale
        made = np.rint(sums.astype(np.float32) * scales.reshape(shape)).astype(np.int64) + self.zero.astype(np.int64)
        made = np.clip(made, self.least, self.most)
        return (made - self.zero.astype(np.int64)).astype(np.float32) * self.scale


@pytest.mark.parametrize("accumulator", WIDTHS)
@pytest.mark.parametrize(("kind", "bits", "weight_bits"), [("conv", 8, 8), ("gemm", 8, 8), ("conv", 4, 8),
                                                            ("gemm", 16, 8), ("conv", 16, 16)])  # fmt: skip
def test_sums_are_exact_integers_modulo(accumulator, kind, bits, weight_bits, tmp_path):
    network = WidthNetwork(np.random.default_rng(accumulator), bits, [1, 40, 5, 5], signed=accumulator % 2 == 0)
    network.weight_bits = weight_bits
    network.conv(11, 3, 1, 1) if kind == "conv" else network.gemm(9)
    path, feed = network.save(tmp_path), network.feed()
    where = machine(accumulator, bits=max(bits, weight_bits))
    (ours,) = check(path, where, [feed])
    layer = Layer(path, network)
    (output,) = ours.values()
    np.testing.assert_array_equal(output, layer.outputs(feed["x"], accumulator))
    if accumulator == 16 and bits > 4:
        assert not np.array_equal(output, layer.outputs(feed["x"], 32)), "nothing left the accumulators"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bits", [4, 8, 16])
def test_random_chains(bits, seed, tmp_path):
    random = np.random.default_rng(2000 + 100 * bits + seed)
    network = random_chain(random, bits)
    accumulator = int(random.integers(16, 32))
    print(f"seed {seed}, {bits} bits, sums of {accumulator}: {[node.op_type for node in network.nodes]}")
    settings = {"M": (8, 16)[seed % 2], "N": (8, 16)[seed // 2], "bits": bits}
    check(network.save(tmp_path), machine(accumulator, **settings), [network.feed() for _ in range(2)])


@pytest.mark.parametrize("accumulator", [16, 19])
def test_sums_that_are_scaled_in_fixed_point(accumulator, tmp_path):
    network = random_chain(np.random.default_rng(accumulator), 8)
    check(network.save(tmp_path), machine(accumulator, requant="fixed"), [network.feed()])


@pytest.mark.parametrize("group", [3, 12])
def test_groups_of_channels(group, tmp_path):
    """Also a group a channel: the array sums those of several groups side by side."""
    network = WidthNetwork(np.random.default_rng(group), 8, [1, 12, 7, 7], signed=True)
    network.conv(24 if group == 3 else 12, 3, 1, 1, group=group)
    network.conv(5, 1)
    check(network.save(tmp_path), machine(16), [network.feed()])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("zeros", [(0, 0), (-7, 5), (-100, 90)], ids=str)
@pytest.mark.parametrize("softmax", [False, True])
def test_products_of_activations(softmax, zeros, dtype, tmp_path):
    """Zero points add a sum of their own, which is subtracted; a softmax transposes the product."""
    network = Network(31, (2, 3, 10, 40), dtype)
    middle = 128 if dtype is np.uint8 else 0
    a = network.stored("image", (np.float32(0.03), dtype(zeros[0] + middle)))
    b = network.stored(network.builder.add("Tanh", network.real(a)), (np.float32(0.01), dtype(zeros[1] + middle)))
    turned = network.builder.add("Transpose", network.real(b), perm=[0, 1, 3, 2])
    product = network.builder.add("MatMul", network.real(a), turned)
    network.now = network.stored(product, (np.float32(0.1), dtype(middle)))
    if softmax:
        network.now = network.stored(
            network.builder.add("Softmax", network.real(network.now), axis=-1),
            (np.float32(1 / 256), dtype(middle - 128)),
        )
    path = network.save(tmp_path)
    feed = {"image": np.random.default_rng(4).normal(0, 2, (2, 3, 10, 40)).astype(np.float32)}
    by_width = {bits: check(path, machine(bits), [feed])[0] for bits in (16, 18, 32)}
    assert not compare([by_width[16]], [by_width[32]]).identical, "nothing left the accumulators"


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_normalised_rows(dtype, tmp_path):
    """Sums of elements and of the two bytes of their squares each wrap."""
    network = Network(41, (1, 3, 700), dtype)
    normalize(network, 700)
    path = network.save(tmp_path)
    feed = {"image": np.random.default_rng(5).normal(0, 3, (1, 3, 700)).astype(np.float32)}
    by_width = {bits: check(path, machine(bits), [feed])[0] for bits in (16, 18, 32)}
    assert not compare([by_width[16]], [by_width[32]]).identical, "nothing left the accumulators"


@pytest.mark.parametrize("accumulator", [16, 17])
def test_a_layer_of_a_transformer(accumulator, tmp_path):
    network = Network(49, (1, 12, 48))
    transformer(network, 4)
    shape = network.builder.inputs["image"].shape
    feed = {"image": np.random.default_rng(6).normal(size=shape).astype(np.float32)}
    check(network.save(tmp_path), machine(accumulator), [feed])


def test_narrow_models_on_wider_machines(tmp_path):
    network = random_chain(np.random.default_rng(77), 4)
    check(network.save(tmp_path), machine(16, bits=8), [network.feed()])


def test_digits_by_width(images):
    """Enough bits are enough: the bytes of the model in 32 bits, which are ONNX Runtime's. Too few ruin it."""
    model = DIGITS / "digits_qdq.onnx"
    accuracy = {}
    for bits in (16, 18, 20, 32):
        result = covenant.accuracy(model, DIGITS / "digits_test.npz", machine(bits))
        accuracy[bits] = result.accuracy
        assert result.is_verified
    print(accuracy)
    assert accuracy[16] < accuracy[32] - 0.05
    assert accuracy[20] == accuracy[32]
    feeds = [{"image": image[None]} for image in images[:20]]
    wide = expected_outputs(model, feeds, Source.REFERENCE).outputs
    assert compare(check(model, machine(20), feeds), wide).identical
    for feed in feeds[:3]:
        tensors = {bits: next(iter(expected_tensors(model, [feed], Source.REFERENCE, accumulators=machine(bits))))
                   for bits in (20, 32)}  # fmt: skip
        assert all(np.array_equal(tensors[20][name], array) for name, array in tensors[32].items())


def test_cycles_and_words_do_not_depend_on_the_width():
    programs = {bits: covenant.compile(DIGITS / "digits_qdq.onnx", machine(bits)) for bits in (16, 23, 32)}
    (tensor,) = programs[32].inputs
    feed = {tensor.name: np.zeros(tensor.shape, np.float32)}
    cycles = {bits: covenant.Session(program).run(feed).cycles for bits, program in programs.items()}
    assert len(set(cycles.values())) == 1
    assert programs[16].disassemble() == programs[32].disassemble()
    assert machine(32) == covenant.Machine("genesys", preset="8x8")


def test_widths_are_a_range_of_a_study(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    (tmp_path / "study.toml").write_text(f"""
name = "widths"
[[models]]
model = "{DIGITS / "digits_qdq.onnx"}"
data = "{DIGITS / "digits_test.npz"}"
images = 60
[[machines]]
machine = "genesys:8x8"
[machines.parameters]
accumulator = [16, 20, 24, 32]
""")
    rows = Study.load(tmp_path / "study.toml").run(jobs=1).rows
    assert [row.status for row in rows] == ["done"] * 4
    assert [row.parameters["accumulator"] for row in rows] == [16, 20, 24, 32]
    assert rows[0].accuracy < rows[1].accuracy == rows[2].accuracy == rows[3].accuracy
    assert all(row.equal_images == row.compared_images for row in rows)
    assert [row.expected_from for row in rows[:3]] == ["reference"] * 3
    assert len({row.cycles for row in rows}) == 1


def test_the_command_compares_layers(capsys):
    arguments = ["-m", "genesys:8x8", "--set", "accumulator=17", "--compare", "reference", "--layers", "--json"]
    assert main(["run", str(DIGITS / "digits_qdq.onnx"), *arguments]) == 0
    assert "17 bits" in capsys.readouterr().out


def test_who_says_so(tmp_path):
    model = DIGITS / "digits_qdq.onnx"
    said = describe(model, Source.REFERENCE, accumulators=machine(20))["settings"]
    assert said == "the exact reference operators, sums that wrap at 20 bits"
    assert describe(model, Source.REFERENCE, accumulators=machine(32))["settings"] == "the exact reference operators"
    assert machine(20).accumulator_bits == 20
    assert covenant.Machine("hvx").accumulator_bits == 32
    with pytest.raises(covenant.CovenantError, match="ACG0005"):
        covenant.Machine("hvx", accumulator=24)
    with pytest.raises(covenant.CovenantError, match="ACG0013"):
        machine(15)
    wide = random_chain(np.random.default_rng(3), 16).save(tmp_path)
    with pytest.raises(covenant.CovenantError, match="NET0030"):
        Values(wide, accumulators=machine(20))
