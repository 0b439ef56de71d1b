"""Systolic arrays whose sums saturate: the order of the program decides on the result, and all models agree on it."""

from __future__ import annotations

import numpy as np
import pytest
from digits import DIGITS
from test_accumulators import Layer
from width_networks import WidthNetwork, random_chain

import covenant
from covenant.runtime.values import Values
from covenant.study import Study
from covenant.verify.comparison import compare
from covenant.verify.expected import Source, describe, expected_outputs

ROWS = 8


def machine(accumulator: int, **settings: int | str) -> covenant.Machine:
    """A GeneSys whose sums of so many bits saturate."""
    return covenant.Machine("genesys", preset="8x8", accumulator=accumulator, overflow="saturate", **settings)


def check(path, where: covenant.Machine, feeds, backends=("systemc",)) -> list[dict[str, np.ndarray]]:
    """Every byte as the codelets of the program have it; returns them."""
    program = covenant.compile(path, where)
    numerics = {"requant": where.requant, "accumulators": program}
    expected = expected_outputs(path, feeds, Source.REFERENCE, **numerics).outputs
    for backend in backends:
        session = covenant.Session(program, backend)
        assert compare([session.run(feed).outputs for feed in feeds], expected).identical, backend
    return list(expected)


class OrderedLayer(Layer):
    """A Gemm, or a Conv of single pixels: its vectors follow each other along the channels."""

    def outputs(self, x: np.ndarray, bits: int) -> np.ndarray:
        """Float output for the float input `x`, with sums that saturate at `bits` bits after each vector."""
        zero = self.input_zero.astype(np.int64)
        stored = np.clip(np.rint(x / self.input_scale).astype(np.int64) + zero, self.least, self.most)
        vectors = np.moveaxis(stored, 1, -1)  # [..., channels]
        weights = self.weights.astype(np.int64).reshape(len(self.weights), -1)
        # The machine is given the zero point in the bias.
        sums = self.bias.astype(np.int64) - zero * weights.sum(axis=1) + np.zeros((*vectors.shape[:-1], 1), np.int64)
        end = 1 << (bits - 1)
        for first in range(0, weights.shape[1], ROWS):
            some = slice(first, first + ROWS)
            sums = np.clip(sums + vectors[..., some] @ weights[:, some].T, -end, end - 1)
        scales = (self.input_scale * self.scales).astype(np.float32) / self.scale
        made = np.rint(sums.astype(np.float32) * scales).astype(np.int64) + self.zero.astype(np.int64)
        made = np.clip(made, self.least, self.most)
        real = (made - self.zero.astype(np.int64)).astype(np.float32) * self.scale
        return np.moveaxis(real, -1, 1)


@pytest.mark.parametrize("accumulator", [16, 18, 21, 32])
@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(("kind", "bits"), [("conv", 8), ("gemm", 8), ("gemm", 4), ("conv", 16)])
def test_vectors_are_added_one_after_the_other(kind, bits, signed, accumulator, tmp_path):
    network = WidthNetwork(
        np.random.default_rng(accumulator), bits, [1, 88, 3, 3] if kind == "conv" else [1, 88], signed=signed
    )
    network.weight_bits = bits
    network.conv(11, 1) if kind == "conv" else network.gemm(9)
    path, feed = network.save(tmp_path), network.feed()
    (ours,) = check(path, machine(accumulator, bits=bits), [feed])
    (output,) = ours.values()
    np.testing.assert_array_equal(output, OrderedLayer(path, network).outputs(feed["x"], accumulator))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("bits", [4, 8, 16])
def test_random_chains(bits, seed, tmp_path):
    random = np.random.default_rng(3000 + 100 * bits + seed)
    network = random_chain(random, bits)
    accumulator = int(random.integers(16, 33))
    print(f"seed {seed}, {bits} bits, sums of {accumulator}: {[node.op_type for node in network.nodes]}")
    settings = {"M": (8, 16)[seed % 2], "N": (8, 16)[seed // 2], "bits": bits}
    check(network.save(tmp_path), machine(accumulator, **settings), [network.feed() for _ in range(2)])


def test_the_rtl_saturates_alike(tmp_path):
    network = random_chain(np.random.default_rng(5), 8)
    path = network.save(tmp_path)
    feeds = [network.feed()]
    small = machine(16, M=4, N=4)
    narrow = check(path, small, feeds, ("systemc", "rtl"))
    assert not compare(narrow, check(path, machine(32, M=4, N=4), feeds)).identical, "nothing left the accumulators"


def test_digits_by_width(images):
    """Enough bits are ONNX Runtime's bytes. A sum that comes back into its range needs them on the way."""
    model = DIGITS / "digits_qdq.onnx"
    saturated, wrapped = {}, {}
    for bits in (16, 19, 22):
        result = covenant.accuracy(model, DIGITS / "digits_test.npz", machine(bits), images=120)
        saturated[bits] = result.accuracy
        assert result.is_verified
        wrapping = covenant.Machine("genesys", preset="8x8", accumulator=bits)
        wrapped[bits] = covenant.accuracy(model, DIGITS / "digits_test.npz", wrapping, images=120).accuracy
    print(saturated, wrapped)
    assert saturated[16] < saturated[19] < wrapped[19] <= saturated[22] == wrapped[22]
    feeds = [{"image": image[None]} for image in images[:10]]
    wide = expected_outputs(model, feeds, Source.REFERENCE).outputs
    assert compare(check(model, machine(22), feeds), wide).identical


def test_cycles_and_words_do_not_depend_on_it():
    ways = {how: covenant.compile(DIGITS / "digits_qdq.onnx", covenant.Machine("genesys", accumulator=18, overflow=how))
            for how in ("wrap", "saturate")}  # fmt: skip
    (tensor,) = ways["wrap"].inputs
    feed = {tensor.name: np.zeros(tensor.shape, np.float32)}
    assert ways["wrap"].disassemble() == ways["saturate"].disassemble()
    assert len({covenant.Session(program).run(feed).cycles for program in ways.values()}) == 1


def test_overflow_is_a_range_of_a_study(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    (tmp_path / "study.toml").write_text(f"""
name = "ends"
[[models]]
model = "{DIGITS / "digits_qdq.onnx"}"
data = "{DIGITS / "digits_test.npz"}"
images = 40
[[machines]]
machine = "genesys:8x8"
[machines.parameters]
accumulator = [16, 24]
overflow = ["wrap", "saturate"]
""")
    rows = Study.load(tmp_path / "study.toml").run(jobs=1).rows
    assert [row.status for row in rows] == ["done"] * 4
    by_point = {(row.parameters["accumulator"], row.parameters["overflow"]): row for row in rows}
    assert by_point[16, "saturate"].accuracy != by_point[16, "wrap"].accuracy
    assert by_point[24, "saturate"].accuracy == by_point[24, "wrap"].accuracy
    assert all(row.equal_images == row.compared_images for row in rows)
    assert by_point[16, "saturate"].simulated_images == 40


def test_who_says_so():
    model = DIGITS / "digits_qdq.onnx"
    program = covenant.compile(model, machine(20))
    said = describe(model, Source.REFERENCE, accumulators=program)["settings"]
    assert said == "the program's codelets, interpreted, sums that saturate at 20 bits"
    assert machine(20).saturates
    assert not covenant.Machine("genesys").saturates
    with pytest.raises(covenant.CovenantError, match="NET0032"):
        Values(model, accumulators=machine(20))
    with pytest.raises(covenant.CovenantError, match="ACG0013"):
        covenant.Machine("genesys", overflow="stay")
