"""Normalisation along rows, in single precision: at most one step from ONNX Runtime, whose rounding is its own."""

from __future__ import annotations

import numpy as np
import pytest
from test_matmul import attention
from test_tables import Network

import covenant
from covenant import oracle
from covenant.errors import CovenantError
from covenant.oracle.witness import Witness
from covenant.verify import verdict
from covenant.verify.expected import Source, expected_outputs

STEP = np.float32(0.03)
MACHINES = ("genesys:8x8", "genesys:8x24", "dnnweaver")


def normalize(network, columns, *, offsets=True, **attributes):
    gains = network.generator.normal(1, 0.3, columns).astype(np.float32)
    operands = [gains, network.generator.normal(0, 0.3, columns).astype(np.float32)][: 1 + offsets]
    made = network.builder.add("LayerNormalization", network.real(), *operands, **attributes)
    zero_point = network.dtype(3 + (128 if network.dtype is np.uint8 else 0))
    network.now = network.stored(made, (STEP, zero_point))


def expect_near(network, folder, image=None, machines=MACHINES):
    """Machines and the reference operators say the same; ONNX Runtime at most a step from it."""
    path = network.save(folder)
    shape = network.builder.inputs["image"].shape
    image = np.random.default_rng(5).normal(size=shape).astype(np.float32) if image is None else image
    ours = expected_outputs(path, [{"image": image}], Source.REFERENCE).outputs[0]
    theirs = oracle.run(path, image)
    for name, array in ours.items():
        assert np.abs(array - theirs[name]).max() <= 1.001 * STEP
        for machine in machines:
            result = covenant.run(covenant.compile(path, machine), image)
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("shape", [(3, 40), (1, 7, 24), (2, 5, 50), (1, 2, 3, 192), (4, 1)], ids=str)
def test_rows_of_any_length(shape, dtype, tmp_path):
    network = Network(41, shape, dtype)
    normalize(network, shape[-1])
    expect_near(network, tmp_path)


@pytest.mark.parametrize("axis", [1, 2, -1])
def test_several_dimensions_at_once(axis, tmp_path):
    shape = (2, 3, 5, 8)
    network = Network(42, shape)
    normalize(network, shape[axis:], axis=axis, offsets=False, epsilon=1e-12)
    expect_near(network, tmp_path)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-5])
def test_rows_of_one_value(epsilon, tmp_path):
    """Rows of one value have no variance, or less than none by rounding."""
    network = Network(43, (256, 33))
    normalize(network, 33, epsilon=epsilon)
    image = np.repeat(np.linspace(-5, 5, 256, dtype=np.float32)[:, None], 33, axis=1)
    expect_near(network, tmp_path, image)


def test_gains_and_offsets_that_are_quantized(tmp_path):
    network = Network(44, (5, 20))
    gains, offsets = (network.generator.integers(-100, 100, 20).astype(dtype) for dtype in (np.int8, np.int32))
    add = network.builder.add
    operands = [add("DequantizeLinear", gains, np.float32(0.01), np.int8(3))]
    operands.append(add("DequantizeLinear", offsets, np.float32(0.003), np.int32(0)))
    network.now = network.stored(add("LayerNormalization", network.real(), *operands), (STEP, np.int8(3)))
    expect_near(network, tmp_path)


def test_gains_that_do_not_fit_are_refused(tmp_path):
    network = Network(45, (5, 20))
    normalize(network, 4)
    with pytest.raises(CovenantError, match="ONX0009"):
        covenant.compile(network.save(tmp_path), "genesys")


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    ("shape", "axis", "numbers"),
    [((2, 6, 40), -1, (6, 1)), ((1, 5, 5), -1, (5, 1)), ((2, 3, 5, 8), 2, (3, 1, 1)), ((2, 3, 5, 8), -1, (2, 1, 5, 1))],
    ids=str,
)
def test_gains_of_rows(shape, axis, numbers, dtype, tmp_path):
    """As the standard lets them be broadcast; ONNX Runtime takes gains of columns alone, and multiplies after them."""
    network = Network(47, shape, dtype)
    gains, offsets = (network.generator.normal(mean, 0.3, numbers).astype(np.float32) for mean in (1, 0))
    add, columns = network.builder.add, shape[axis:]
    before = network.real()
    zero_point = dtype(3 + (128 if dtype is np.uint8 else 0))
    network.now = network.stored(add("LayerNormalization", before, gains, offsets, axis=axis), (STEP, zero_point))
    path = network.save(tmp_path)
    image = np.random.default_rng(6).normal(size=shape).astype(np.float32)
    ours = expected_outputs(path, [{"image": image}], Source.REFERENCE).outputs[0]
    for machine in MACHINES:
        result = covenant.run(covenant.compile(path, machine), image)
        for name, array in ours.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)

    witness = Network(47, shape, dtype)
    plain = witness.builder.add("LayerNormalization", witness.real(), np.ones(columns, np.float32), axis=axis)
    scaled = [np.broadcast_to(one, shape) for one in (gains, offsets)]
    summed = witness.builder.add("Add", witness.builder.add("Mul", plain, scaled[0]), scaled[1])
    witness.now = witness.stored(summed, (STEP, zero_point))
    (tmp_path / "witness").mkdir()
    theirs = Witness(witness.save(tmp_path / "witness")).whole({"image": image})
    for array, other in zip(ours.values(), theirs.values(), strict=True):
        assert np.abs(array - other).max() <= 1.001 * STEP


@pytest.mark.parametrize(
    ("gains", "offsets"), [((5, 1), (20,)), ((20,), (5, 1)), ((4, 1), (4, 1)), ((5, 20), (5, 20))], ids=str
)
def test_gains_that_fit_neither_rows_nor_columns_are_refused(gains, offsets, tmp_path):
    network = Network(48, (5, 20))
    operands = [network.generator.normal(1, 0.3, numbers).astype(np.float32) for numbers in (gains, offsets)]
    made = network.builder.add("LayerNormalization", network.real(), *operands)
    network.now = network.stored(made, (STEP, np.int8(3)))
    with pytest.raises(CovenantError, match="ONX0009"):
        covenant.compile(network.save(tmp_path), "genesys")


def transformer(network, heads):
    """A layer of a transformer as encoders have it: attention, residual sums, normalisations, two products and GELU."""
    add = network.builder.add
    _, _, channels = network.builder.inputs["image"].shape
    before = network.now
    normalize(network, channels)
    attention(network, heads)
    network.now = before = network.stored(add("Add", network.real(before), network.real()))
    normalize(network, channels)
    for outputs, inputs in ((2 * channels, channels), (channels, 2 * channels)):
        w = network.generator.integers(-63, 64, (inputs, outputs)).astype(np.int8)
        weights = add("DequantizeLinear", w, np.float32(0.005), np.int8(0))
        network.now = network.stored(add("MatMul", network.real(), weights))
        if outputs > inputs:
            network.now = network.stored(network.gelu())
    network.now = network.stored(add("Add", network.real(before), network.real()))


def test_the_command_lets_a_normalisation_be_a_step_away_and_nothing_else(tmp_path, covenant_command, monkeypatch):
    """Each layer is given ONNX Runtime's tensors; outputs have to be those of the reference operators."""
    network = Network(46, (1, 21, 24))
    transformer(network, 3)
    path = network.save(tmp_path)
    options = ("run", path, "-m", "genesys:8x8", "--compare", "onnxruntime", "--json")
    done = covenant_command(*options)
    assert done.code == 0
    assert done.object["oracle"]["inexact"] == ["LayerNormalization"]
    assert not done.object["oracle"]["exact"]
    assert done.object["within_a_step"]
    tensors = [tensor for tensor in done.object["compared_layers"]["tensors"] if tensor["compared"]]
    assert [tensor["tolerance"] for tensor in tensors].count(1) == 2
    assert covenant_command(*options[:-2], "reference", "--json").object["within_a_step"] is None

    for tolerance in (0, 1):
        moved = next(tensor for tensor in tensors if tensor["tolerance"] == tolerance)
        for steps in (1, 2):
            with monkeypatch.context() as patched:
                patched.setattr(verdict, "compare_layers", comparison_with(moved["tensor"], steps))
                told = covenant_command(*options).object
            first = moved["layer"] if steps > tolerance else None
            assert told["compared_layers"]["first_different"] == first
            assert told["within_a_step"] == (first is None)


def comparison_with(name, steps):
    """The comparison, beside ONNX Runtime's tensors with one element of this one so many steps away."""
    true, stem = verdict.compare_layers, name.removesuffix("/image")

    def moved(known):
        array = known[stem].copy()
        array.flat[0] += steps if array.flat[0] < 100 else -steps
        return known | {stem: array}

    return lambda ours, theirs, inexact: true(ours, map(moved, theirs), inexact)


@pytest.mark.parametrize(("length", "channels", "heads"), [(16, 32, 2), (21, 24, 3)])
def test_a_layer_of_a_transformer(length, channels, heads, tmp_path):
    network = Network(46, (1, length, channels))
    transformer(network, heads)
    path = network.save(tmp_path)
    image = np.random.default_rng(5).normal(size=(1, length, channels)).astype(np.float32)
    ours = expected_outputs(path, [{"image": image}], Source.REFERENCE).outputs[0]
    for machine in MACHINES:
        result = covenant.run(covenant.compile(path, machine), image)
        for name, array in ours.items():
            np.testing.assert_array_equal(result.outputs[name], array, err_msg=machine)
