"""Machines of a systolic and a SIMD array that scale in fixed point: elements of 4, 8 and 16 bits, in every model."""

from __future__ import annotations

import numpy as np
import pytest
from digits import DIGITS, STYLES, model_of
from width_networks import WidthNetwork, random_chain

import covenant
from covenant.comparison import compare
from covenant.expected import Source, expected_outputs, fixed_point_steps
from covenant.study import Study


def machine(bits: int = 8, preset: str = "8x8", **settings: int | str) -> covenant.Machine:
    """A GeneSys in fixed point."""
    return covenant.Machine("genesys", preset=preset, bits=bits, requant="fixed", **settings)


def stacked(feeds):
    """Each input of all feeds as one array."""
    return {name: np.stack([feed[name] for feed in feeds]) for name in feeds[0]}


def check(path, where: covenant.Machine, feeds, backends=("interpret", "systemc")):
    """Every byte as the reference operators have it, and as kernels for whole test sets."""
    expected = expected_outputs(path, feeds, Source.REFERENCE, fixed_point=True).outputs
    program = covenant.compile(path, where)
    for backend in backends:
        session = covenant.Session(program, backend)
        assert compare([session.run(feed).outputs for feed in feeds], expected).identical, backend
    values = covenant.Values(path, fixed_point=True, threads=1).run(stacked(feeds))
    ours = [{name: of_all[i] for name, of_all in values.items()} for i in range(len(feeds))]
    assert compare(ours, expected).identical, "values"
    return program


def test_the_mode_is_a_parameter_and_its_default_changes_nothing():
    for name in ("genesys", "dnnweaver"):
        plain, single = covenant.Machine(name), covenant.Machine(name, requant="fp32")
        assert str(plain) == str(single)
        assert not plain.fixed_point
        assert "REQUANT_FIXED" not in str(plain)
        fixed = covenant.Machine(name, requant="fixed")
        assert fixed.fixed_point
        assert "REQUANT(" not in str(fixed)
        assert fixed.parameters == plain.parameters
        assert str(covenant.Machine.from_json(fixed.to_json())) == str(fixed)
    with pytest.raises(covenant.CovenantError, match="ACG0013") as refused:
        covenant.Machine("genesys", requant="fixd")
    assert "did you mean" in str(refused.value)


@pytest.mark.parametrize("name", ["genesys", "dnnweaver"])
@pytest.mark.parametrize("style", STYLES)
def test_digits(style, name, images):
    where = covenant.Machine(name, requant="fixed")
    check(model_of(style), where, [{"image": image[None]} for image in images[::8]])


def test_digits_are_read_as_well(images):
    with np.load(DIGITS / "digits_test.npz") as split:
        labels = split["labels"]
    right = {}
    for requant in ("fp32", "fixed"):
        where = covenant.Machine("genesys", requant=requant)
        values = covenant.Values(model_of("qdq"), fixed_point=where.fixed_point, threads=1)
        logits = values.run({"image": np.stack([image[None] for image in images])})["logits"]
        right[requant] = float(np.mean(logits.reshape(len(images), -1).argmax(1) == labels))
    print(right)
    assert abs(right["fixed"] - right["fp32"]) < 0.01


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bits", [4, 8, 16])
def test_random_chains(bits, seed, tmp_path):
    network = random_chain(np.random.default_rng(3000 * bits + seed), bits)
    print(f"seed {seed}, {bits} bits: {[node.op_type for node in network.nodes]}")
    path = network.save(tmp_path)
    check(path, machine(bits, M=8, N=(8, 16)[seed % 2]), [network.feed() for _ in range(2)])


@pytest.mark.parametrize("bits", [4, 8, 16])
@pytest.mark.parametrize("layer", ["conv", "gemm", "add", "mul", "average_pool", "mean", "concat"])
def test_a_layer_is_a_step_from_single_precision(layer, bits, tmp_path):
    network = WidthNetwork(np.random.default_rng(18), bits, [1, 6, 8, 8], signed=True)
    network.weight_bits = min(bits, 8)
    first = network.last
    arguments = {
        "conv": (10, 3, 1, 1), "gemm": (9,), "add": (first,), "mul": (first,), "average_pool": (2,), "mean": (),
        "concat": (first,),
    }  # fmt: skip
    getattr(network, layer)(*arguments[layer])
    path, feed = network.save(tmp_path), network.feed()
    check(path, machine(bits), [feed])
    # Scales of a sum have 15 bits, fewer than its elements.
    assert fixed_point_steps(path, [feed]) <= (2 if layer == "add" and bits == 16 else 1)


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
        parameters = {{ requant = ["fp32", "fixed"] }}
    """
    (tmp_path / "modes.toml").write_text(text)
    rows = Study.load(tmp_path / "modes.toml").run(jobs=1).rows
    assert [row.parameters["requant"] for row in rows] == ["fp32", "fixed"]
    assert [row.status for row in rows] == ["done", "done"]
    assert rows[1].cycles < rows[0].cycles
