"""Chains of float operators as tables: which chains are subgraphs, and that machines equal ONNX Runtime on them."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from oracle_models import ROOT, ModelBuilder

import covenant
from covenant.__main__ import main
from covenant.errors import CovenantError
from covenant.model.float_subgraphs import find_float_subgraphs
from covenant.onnx_runtime import sessions
from covenant.onnx_runtime.fused_model import FusedModel
from covenant.rewrite.elementwise import tables
from covenant.verify.expected import Source, expected_outputs

SHAPE = (1, 6, 5, 7)
MACHINES = ("genesys:8x8", "genesys:8x24", "genesys:09", "dnnweaver")


class Network:
    """A network in QDQ style that grows value by value; `now` is the stored one with its scale and zero point."""

    def __init__(self, seed, shape=SHAPE, dtype=np.int8):
        self.generator = np.random.default_rng(seed)
        self.dtype = dtype
        self.builder = ModelBuilder({"image": np.zeros(shape, np.float32)})
        self.now = self.stored("image")

    def quantization(self):
        """A random scale and zero point."""
        low = 0 if self.dtype is np.uint8 else -60
        return np.float32(self.generator.uniform(0.02, 0.06)), self.dtype(self.generator.integers(low, low + 120))

    def stored(self, y, quantization=None):
        """Quantised; with its scale and zero point."""
        scale, zero = quantization or self.quantization()
        return self.builder.add("QuantizeLinear", y, scale, zero), scale, zero

    def real(self, stored=None):
        """Real number that a stored value, or `now`, stands for."""
        return self.builder.add("DequantizeLinear", *(stored or self.now))

    def conv(self, stored, outputs, inputs, kernel=1):
        """A convolution that keeps the size."""
        w = self.generator.integers(-127, 128, (outputs, inputs, kernel, kernel)).astype(np.int8)
        weights = self.builder.add("DequantizeLinear", w, np.float32(0.01), np.int8(0))
        return self.stored(self.builder.add("Conv", self.real(stored), weights, pads=[kernel // 2] * 4))

    def hard_swish(self):
        """HardSwish of `now`, in two nodes."""
        return self.builder.add("Mul", self.real(), self.builder.add("HardSigmoid", self.real(), alpha=1 / 6, beta=0.5))

    def gelu(self):
        """Gelu of `now`, in five nodes."""
        erf = self.builder.add("Erf", self.builder.add("Div", self.real(), np.float32(1.41421356)))
        sum_ = self.builder.add("Add", erf, np.float32(1))
        return self.builder.add("Mul", self.builder.add("Mul", self.real(), sum_), np.float32(0.5))

    def model(self):
        """The model whose output is `now`."""
        y = self.real()
        return self.builder.model({y: np.float32})

    def save(self, folder):
        """The model in a file; its path."""
        path = folder / "network.onnx"
        onnx.save(self.model(), str(path))
        return path


def squeeze_and_excite(seed):
    """A convolution, HardSwish, a gate for each channel, a residual product, GELU."""
    network = Network(seed)
    network.now = network.conv(network.now, 9, 6, kernel=3)
    network.now = wide = network.stored(network.hard_swish())
    pooled = network.stored(network.builder.add("GlobalAveragePool", network.real()))
    network.now = network.conv(pooled, 9, 9)
    gate = network.stored(network.builder.add("Sigmoid", network.real()), (np.float32(1 / 256), np.int8(-128)))
    network.now = network.stored(network.builder.add("Mul", network.real(wide), network.real(gate)))
    network.now = network.stored(network.builder.add("Mul", network.real(), network.real(wide)))
    network.now = network.stored(network.gelu())
    return network


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("seed", range(3))
def test_a_gated_network_equals_onnx_runtime(seed, machine, tmp_path):
    path = squeeze_and_excite(seed).save(tmp_path)
    image = np.random.default_rng(seed).normal(size=SHAPE).astype(np.float32)
    expected = expected_outputs(path, [{"image": image}], Source.ONNXRUNTIME).outputs[0]
    result = covenant.run(covenant.compile(path, machine), image)
    assert {name: array.tobytes() for name, array in result.outputs.items()} == {
        name: array.tobytes() for name, array in expected.items()
    }


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize(
    "chain",
    [
        lambda n: n.builder.add("Sigmoid", n.real()),
        lambda n: n.builder.add("LeakyRelu", n.real(), alpha=0.1),
        lambda n: n.builder.add("Tanh", n.builder.add("Mul", n.real(), np.float32(0.7))),
        lambda n: n.builder.add("Add", n.real(), n.builder.add("DequantizeLinear", n.dtype(40), *n.quantization())),
        lambda n: n.builder.add("Relu", n.real()),
        lambda n: n.builder.add("Clip", n.real(), np.float32(-0.3), np.float32(0.4)),
        lambda n: n.builder.add("Sub", np.float32(1), n.real()),
        lambda n: n.builder.add("Max", n.real(), np.zeros(1, np.float32)),
    ],
)  # fmt: skip
def test_chains_of_one_tensor(chain, dtype, tmp_path):
    network = Network(5, dtype=dtype)
    network.now = network.stored(chain(network))
    path = network.save(tmp_path)
    image = np.linspace(-5, 5, int(np.prod(SHAPE)), dtype=np.float32).reshape(SHAPE)
    assert len(find_float_subgraphs(network.model())) == 1
    expected = expected_outputs(path, [{"image": image}], Source.ONNXRUNTIME).outputs[0]
    (name,) = expected
    assert covenant.run(covenant.compile(path, "genesys"), image).outputs[name].tobytes() == expected[name].tobytes()


def not_alone(network):
    y = network.builder.add("Sigmoid", network.real())
    network.builder.inputs["other"] = np.zeros(SHAPE, np.float32)
    return network.builder.add("Mul", y, "other")


@pytest.mark.parametrize(
    "chain",
    [
        not_alone,
        lambda n: n.builder.add("Add", n.real(), np.ones((6, 1, 1), np.float32)),  # one for each channel
        lambda n: n.builder.add("Add", n.real(), np.ones((1, 1, 1, 1, 1), np.float32)),  # another rank
        lambda n: n.builder.add("Softmax", n.real()),
        lambda n: n.builder.add("Mul", n.real(), n.real()),  # QLinearMul
        lambda n: n.builder.add("Exp", np.float32(2)),  # nothing varies
    ],
)
def test_what_is_no_float_subgraph(chain):
    network = Network(1)
    network.now = network.stored(chain(network))
    names = {node.name for subgraph in find_float_subgraphs(network.model()) for node in subgraph.nodes}
    assert network.builder.nodes[-3].name not in names  # then it is quantised, and dequantised


@pytest.mark.parametrize("machine", MACHINES[:2])
def test_chains_that_part(machine, tmp_path):
    """A tensor that one QuantizeLinear reads goes on in another chain: each end gets a table."""
    network = Network(2)
    shared = network.hard_swish()
    gate = network.stored(shared)
    network.now = network.stored(network.builder.add("Sigmoid", network.builder.add("Neg", shared)))
    network.now = network.stored(network.builder.add("Add", network.real(), network.real(gate)))
    assert len(find_float_subgraphs(network.model())) == 2
    path = network.save(tmp_path)
    image = network.generator.normal(scale=2, size=SHAPE).astype(np.float32)
    (expected,) = expected_outputs(path, [{"image": image}], Source.ONNXRUNTIME).outputs[0].values()
    (made,) = covenant.run(covenant.compile(path, machine), image).outputs.values()
    np.testing.assert_array_equal(made, expected)


def test_a_relu_between_equal_quantizations_is_a_clip():
    network = Network(1)
    network.now = network.stored(network.builder.add("Relu", network.real()), network.now[1:])
    assert find_float_subgraphs(network.model()) == ()


def test_the_table_of_a_sigmoid():
    network = Network(2)
    source = network.now
    network.now = network.stored(network.builder.add("Sigmoid", network.real()), (np.float32(1 / 256), np.int8(-128)))
    (subgraph,) = find_float_subgraphs(network.model())
    table = tables.table_of(network.model(), subgraph)
    stored = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64)
    real = 1 / (1 + np.exp(-(stored - int(source[2])) * float(source[1])))
    assert np.abs(table - np.clip(np.rint(real * 256) - 128, -128, 127)).max() <= 1
    assert subgraph.source == source[0]


def test_a_byte_that_depends_on_its_neighbours_is_refused(tmp_path, monkeypatch):
    network = Network(3)
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    path = network.save(tmp_path)
    run = FusedModel.run

    def uneven(self, inputs):
        return {name: array ^ (array.size > 1) for name, array in run(self, inputs).items()}

    monkeypatch.setattr(FusedModel, "run", uneven)
    with pytest.raises(CovenantError, match="alone than among others") as error:
        covenant.compile(path, "genesys")
    assert error.value.code == "ONX0021"


def test_without_onnx_runtime(tmp_path, monkeypatch):
    network = Network(4)
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    path = network.save(tmp_path)
    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.0.1")
    with pytest.raises(CovenantError, match=r"ONX0021.*0\.0\.1"):
        covenant.compile(path, "genesys")


def test_a_machine_without_tables_says_so(tmp_path):
    network = Network(6)
    network.now = network.stored(network.builder.add("Sigmoid", network.real()))
    path = network.save(tmp_path)
    text = (ROOT / "acg" / "machines" / "genesys.acg").read_text()
    lines = [line for line in text.splitlines() if "LOOKUP" not in line]
    (tmp_path / "plain.acg").write_text("\n".join(lines).replace("acg genesys", "acg plain"))
    with pytest.raises(CovenantError, match=r"CDL0040[\s\S]*LOOKUP"):
        covenant.compile(path, str(tmp_path / "plain.acg"))


def test_the_command_compares_and_prints(tmp_path, capsys):
    path = squeeze_and_excite(7).save(tmp_path)
    np.savez(tmp_path / "in.npz", image=np.random.default_rng(7).normal(size=SHAPE).astype(np.float32))
    arguments = ["run", str(path), "-m", "genesys", "--input", str(tmp_path / "in.npz"), "--compare", "onnxruntime"]
    assert main(arguments) == 0
    assert main(["compile", str(path), "-m", "genesys", "--emit", "network"]) == 0
    text = capsys.readouterr().out
    assert "lookup" in text
    (tmp_path / "again.network").write_text(text[text.index("network ") :])
    assert main(["compile", str(tmp_path / "again.network"), "-m", "genesys", "-o", str(tmp_path / "a.cprog")]) == 0
    assert main(["compile", str(path), "-m", "genesys", "-o", str(tmp_path / "b.cprog")]) == 0
    assert (tmp_path / "a.cprog").read_bytes() == (tmp_path / "b.cprog").read_bytes()
