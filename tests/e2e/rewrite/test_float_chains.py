"""Float operators between tensors of 16 bits, in f32: at most a step from ONNX Runtime, every element of a function."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import onnx
import pytest
from both_ways import as_written
from onnx import helper
from oracle_models import ModelBuilder

import covenant

FUNCTIONS = {
    "Sigmoid": (8, 1), "Tanh": (5, 1), "Erf": (4, 1), "Exp": (3, 21), "Softplus": (9, 9), "Mish": (8, 8),
    "Gelu": (7, 7), "HardSwish": (6, 6), "LeakyRelu": (5, 5), "Elu": (6, 6), "Selu": (5, 6), "Celu": (5, 5),
    "Softsign": (9, 1), "Abs": (4, 4), "Sqrt": (4, 2), "Reciprocal": (4, 300),
}  # fmt: skip
"""Operators, the largest operand and the largest result."""
STEPS = np.float32(2e-4), np.float32(3e-4)


def quantized(value, builder, step, zero):
    return builder.add("DequantizeLinear", builder.add("QuantizeLinear", value, step, zero), step, zero)


def modelled(builder, value):
    model = builder.model({value: np.float32})
    model.opset_import[0].version, model.ir_version = 21, 10
    return model


def both(model, feed, path, backend="interpret"):
    """Outputs of ONNX Runtime on the model as it is written, and of a machine of 16 bits."""
    onnx.save(model, path)
    (expected,) = as_written(path, feed).values()
    program = covenant.compile(path, covenant.Machine("genesys:8x8", bits=16))
    (made,) = covenant.run(program, feed, backend=backend).outputs.values()
    return made, expected


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
@pytest.mark.parametrize("operator", FUNCTIONS)
def test_every_element_of_a_function(operator, dtype, tmp_path):
    most, largest = FUNCTIONS[operator]
    is_positive = operator in ("Sqrt", "Reciprocal")
    lowest = np.iinfo(dtype).min
    zeros = dtype(lowest if is_positive else lowest + 32768), dtype(lowest + 32768)
    steps = np.float32(most / (65536 if is_positive else 32768)), np.float32(largest / 32767)
    x = (np.arange(65536).reshape(1, 16, 64, 64) - (0 if is_positive else 32768)).astype(np.float32) * steps[0]
    builder = ModelBuilder({"x": np.zeros(x.shape, np.float32)})
    value = builder.add(operator, quantized("x", builder, steps[0], zeros[0]))
    made, expected = both(
        modelled(builder, quantized(value, builder, steps[1], zeros[1])), {"x": x}, tmp_path / "x.onnx"
    )
    assert np.abs(made - expected).max() <= steps[1] * 1.01
    assert (made == expected).mean() > 0.99
    assert np.unique(expected).size > 1000


CHAINS = {
    "SiLU": lambda b, x: b.add("Mul", x, b.add("Sigmoid", x)),
    "gated": lambda b, x, z: b.add("Mul", b.add("Sigmoid", x), b.add("Tanh", z)),
    "PRelu": lambda b, x: b.add("PRelu", x, np.linspace(-0.4, 0.9, 5, dtype=np.float32).reshape(5, 1, 1)),
    "gelu of five": lambda b, x: b.add(
        "Mul", b.add("Mul", x, b.add("Add", b.add("Erf", b.add("Div", x, np.float32(2**0.5))), np.float32(1))),
        np.float32(0.5),
    ),
    "scaled for each channel": lambda b, x, z: b.add(
        "Add", b.add("Mul", x, np.linspace(-1, 1, 5, dtype=np.float32).reshape(1, 5, 1, 1)), z
    ),
    "distance": lambda b, x, z: b.add(
        "Sqrt", b.add("Add", b.add("Mul", x, x), b.add("Pow", z, np.float32(2)))
    ),
    "chosen by a constant": lambda b, x, z: b.add(
        "Mul", b.add("Where", np.arange(5).reshape(5, 1, 1) % 2 == 0, x, b.add("Tanh", z)), z
    ),
    "square": lambda b, x: b.add("Mul", x, x),
    "product": lambda b, x, z: b.add("Mul", x, z),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int16, np.uint16])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("shape", [(1, 5, 6, 7), (2, 5, 3, 3)])
def test_several_operators(shape, chain, dtype, tmp_path):
    random, zero = np.random.default_rng(6), dtype(np.iinfo(dtype).min + 30000)
    names = ("x", "z")[: CHAINS[chain].__code__.co_argcount - 1]
    feed = {name: random.normal(scale=2, size=shape).astype(np.float32) for name in names}
    builder = ModelBuilder(feed)
    value = CHAINS[chain](builder, *(quantized(name, builder, STEPS[0], zero) for name in names))
    made, expected = both(modelled(builder, quantized(value, builder, STEPS[1], zero)), feed, tmp_path / "x.onnx")
    assert np.abs(made - expected).max() <= STEPS[1] * 1.01
    assert (made == expected).mean() > 0.98
    assert np.unique(expected).size > 20


@pytest.mark.parametrize("backend", ["interpret", "systemc", "rtl"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_an_input_in_float(dtype, backend, tmp_path):
    """Bytes, too: of two tensors there is no table."""
    random, zero = np.random.default_rng(9), dtype(np.iinfo(dtype).min + 117)
    feed = {name: random.normal(size=(1, 5, 4, 3)).astype(np.float32) for name in ("x", "z")}
    builder = ModelBuilder(feed)
    stored = quantized(
        builder.add("Tanh", quantized("z", builder, np.float32(0.02), zero)), builder, np.float32(0.02), zero
    )
    y = quantized(builder.add("Sub", "x", stored), builder, np.float32(0.03), zero)
    onnx.save(modelled(builder, y), tmp_path / "x.onnx")
    (expected,) = as_written(tmp_path / "x.onnx", feed).values()
    program = covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:8x8"))
    (made,) = covenant.run(program, feed, backend=backend).outputs.values()
    np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("backend", ["systemc", "rtl"])
def test_simulators_make_the_same(backend, tmp_path):
    """Exponentials, quotients and roots, and a quotient by nothing."""
    random, zero = np.random.default_rng(8), np.int16(0)
    feed = {"x": random.normal(scale=2, size=(1, 5, 4, 4)).astype(np.float32)}
    feed["x"][0, 0] = 0
    builder = ModelBuilder(feed)
    x = quantized("x", builder, STEPS[0], zero)
    value = builder.add("Div", builder.add("Sub", builder.add("Exp", x), np.float32(1)), builder.add("Sqrt", x))
    model = modelled(builder, quantized(value, builder, STEPS[1], zero))
    made, _ = both(model, feed, tmp_path / "x.onnx", backend)
    interpreted, _ = both(model, feed, tmp_path / "x.onnx")
    np.testing.assert_array_equal(made, interpreted)
    assert np.unique(made).size > 10


def test_what_no_chain_says_is_refused(tmp_path):
    builder = ModelBuilder({"x": np.zeros((1, 3, 4, 4), np.float32)})
    value = builder.add("Floor", quantized("x", builder, STEPS[0], np.int16(0)))
    onnx.save(modelled(builder, quantized(value, builder, STEPS[1], np.int16(0))), tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as error:
        covenant.compile(tmp_path / "x.onnx", covenant.Machine("genesys:8x8", bits=16))
    assert error.value.code == "ONX0027"


def test_the_text_of_a_network_gives_the_same_program(tmp_path):
    builder = ModelBuilder({"x": np.zeros((1, 3, 4, 4), np.float32)})
    value = builder.add("Sigmoid", quantized("x", builder, STEPS[0], np.int16(0)))
    onnx.save(modelled(builder, quantized(value, builder, STEPS[1], np.int16(0))), tmp_path / "x.onnx")
    machine, programs = ["-m", "genesys:8x8", "--set", "bits=16"], ("direct.cprog", "again.cprog")
    for arguments in (
        ["x.onnx", "--stop-after", "network", "-o", "x.network"],
        ["x.onnx", "-o", programs[0]],
        ["x.network", "-o", programs[1]],
    ):
        command = [sys.executable, "-m", "covenant", "compile", *arguments, *machine]
        made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    assert "steps " in (tmp_path / "x.network").read_text()
    assert len({(tmp_path / name).read_bytes() for name in programs}) == 1


@pytest.mark.parametrize(
    ("inputs", "steps", "code"),
    [
        (["stored", "step", "zero", "step", "zero"], None, "ONX0010"),
        (["stored", "step", "zero", "step", "zero"], "load 0; exp %0", "ONX0010"),
        (["stored", "step", "zero", "zero"], "load 0", "ONX0009"),
        (["stored", "step", "zero", "small", "", "", "step", "zero"], "load 0; load 1; add %0 %1", "ONX0009"),
        (["stored", "step", "zero", "whole", "", "", "step", "zero"], "load 0; load 1; add %0 %1", "ONX0009"),
        (["stored", "wide", "zero", "step", "zero"], "load 0", "ONX0012"),
    ],
)
def test_a_chain_says_what_is_wrong(inputs, steps, code, tmp_path):
    constants = {
        "step": np.float32(0.1), "zero": np.int8(0), "wide": np.ones(2, np.float32),
        "small": np.ones(2, np.float32), "whole": np.ones((1, 2, 4), np.int8),
    }  # fmt: skip
    attributes = {} if steps is None else {"steps": steps}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "step", "zero"], ["stored"]),
        helper.make_node("DequantizeLinear", ["stored", "step", "zero"], ["same"]),
        helper.make_node("FloatChain", inputs, ["y"], domain="covenant", **attributes),
    ]
    graph = helper.make_graph(
        nodes, "chain", [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 2, 4])],
        [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in ("same", "y")],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("covenant", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), tmp_path / "x.onnx")
    with pytest.raises(covenant.CovenantError) as raised:
        covenant.compile(tmp_path / "x.onnx", "genesys:07")
    assert raised.value.code == code, str(raised.value)
