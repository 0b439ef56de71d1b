"""PyTorch modules, exported, quantised and run: each step agrees with PyTorch and ONNX Runtime."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import covenant
from covenant.oracle import Oracle

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own affairs
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install covenant[torch]")
    pytest.importorskip("onnxscript", reason="onnxscript is not installed: pip install covenant[torch]")

from torch import nn

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/bring-your-model.md"


# ruff: noqa: D101, D102 (what these modules compute is what they are)


class Block(nn.Module):
    """A convolution, and what goes around it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(x + self.norm(self.conv(x)))


class Network(nn.Module):
    """Small, with what networks have."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU())
        self.blocks = nn.ModuleList([Block(8), Block(8)])
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(8, 5)

    def forward(self, image):
        x = self.stem(image)
        for block in self.blocks:
            x = block(x)
        return self.head(self.drop(self.pool(x).flatten(1)))


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(11)
    made = Network()
    for one in made.modules():
        if isinstance(one, nn.BatchNorm2d):  # not what it begins with
            one.running_mean.uniform_(-0.5, 0.5)
            one.running_var.uniform_(0.5, 2.0)
    return made.train()


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(3).normal(size=(16, 3, 12, 10)).astype(np.float32)


@pytest.fixture(scope="module")
def export(network, tmp_path_factory):
    path = tmp_path_factory.mktemp("torch") / "network.onnx"
    return covenant.from_torch(network, torch.zeros(1, 3, 12, 10), path)


def test_the_float_model_is_the_module(export, network, images):
    import onnx
    import onnxruntime

    assert network.training  # as it was
    assert export.inputs == {"image": (1, 3, 12, 10)}
    assert list(export.outputs.values()) == [(1, 5)]
    assert export.operators["Conv"] == 3
    assert "BatchNormalization" not in export.operators
    model = onnx.load(export.output)
    onnx.checker.check_model(model, full_check=True)
    names = [node.name for node in model.graph.node]
    assert len(set(names)) == len(names)
    assert {"stem.0", "blocks.0.conv", "blocks.1.conv", "blocks.0.add", "pool", "head"} <= set(names)
    session = onnxruntime.InferenceSession(str(export.output), providers=["CPUExecutionProvider"])
    network.eval()
    with torch.no_grad():
        expected = network(torch.from_numpy(images)).numpy()
    network.train()
    found = np.concatenate([session.run(None, {"image": image[None]})[0] for image in images])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_quantized_and_run(export, images, tmp_path):
    """The machine gives the bytes that ONNX Runtime gives, and they are near what the module gives."""
    report = covenant.quantize(export.output, tmp_path / "int8.onnx", {"image": images})
    assert report.errors[0].noise_decibel > 20
    oracle = Oracle(report.output)
    for spec in ("genesys", "genesys:8x8"):
        session = covenant.Session(covenant.compile(report.output, spec))
        assert session.program.blocks
        for image in images[:4]:
            (ours,) = session.run(image[None]).outputs.values()
            (theirs,) = oracle.run({"image": image[None]}).values()
            assert ours.tobytes() == theirs.tobytes()


def test_equal_modules_give_equal_bytes(export, network, tmp_path):
    """Whatever the example is; and nothing says where the source lies."""
    again = covenant.from_torch(network, {"image": torch.rand(1, 3, 12, 10)}, tmp_path / "again.onnx")
    assert again.output.read_bytes() == export.output.read_bytes()
    assert b"test_from_torch" not in again.output.read_bytes()


def test_two_inputs_and_two_outputs(tmp_path, monkeypatch):
    class Pair(nn.Module):
        def forward(self, one, other):
            return {"sum": one + other, "rest": (torch.relu(one - other),)}

    monkeypatch.chdir(tmp_path)
    example = {"other": torch.rand(2, 4), "one": torch.rand(2, 4)}
    export = covenant.from_torch(Pair(), example)
    assert export.output == Path("Pair.onnx")
    assert export.output.is_file()
    assert list(export.inputs) == ["one", "other"]
    assert list(export.outputs.values()) == [(2, 4), (2, 4)]


class Branches(nn.Module):
    def forward(self, x):
        return 2 * x if x.sum() > 0 else x


class Eigenvalues(nn.Module):
    def forward(self, x):
        return torch.linalg.eigvalsh(x)


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ((Branches(), torch.ones(1, 4)), "TCH0004", "data-dependent"),
        ((Eigenvalues(), torch.ones(4, 4)), "TCH0004", "linalg_eigh"),
        ((Noisy(), torch.ones(1, 64)), "TCH0005", "random"),
        ((nn.Linear(3, 4), torch.ones(1, 5)), "TCH0003", "shapes"),
        ((nn.Linear(3, 4).double(), torch.ones(1, 3)), "TCH0002", "float64"),
        ((nn.Linear(3, 4), np.ones((1, 3), np.float32)), "TCH0002", "from_numpy"),
        (("a module", torch.ones(1, 3)), "TCH0002", "torch.nn.Module"),
    ],
    ids=["branch", "operator", "random", "shapes", "precision", "array", "text"],
)
def test_mistakes(given, code, words, tmp_path, capfd):
    module, example = given
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.from_torch(module, example, tmp_path / "x.onnx")
    assert refused.value.code == code
    assert words in str(refused.value)
    assert refused.value.fix
    assert not (tmp_path / "x.onnx").exists()
    assert capfd.readouterr() == ("", "")


def test_the_guide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (script,) = re.findall(r"## From PyTorch.*?```py\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    found: dict = {}
    exec(compile(script, "bring-your-model.md", "exec"), found)  # noqa: S102 (the page's own)
    assert found["export"].largest_difference < 1e-5
    assert found["result"].cycles > 0
