"""`covenant bench multitarget`: what it reports and refuses, its picture, and that the processor computes the same."""

from __future__ import annotations

import math
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from expectation import products_of, skip_unless_exact

from covenant import oracle
from covenant.bench.baseline import Baseline
from covenant.bench.layers import benchmark_layers, exact_sums
from covenant.cli import multitarget
from covenant.onnx_runtime import sessions
from covenant.report.chart import SERIES, Bars, write_chart

SMALL = ("bench", "multitarget", "--layer", "DLRM/FC4", "--layer", "DLRM/FC3", "--repeats", "2", "--json")
LAYERS = {layer.name: layer for layer in benchmark_layers()}


def input_of(layer, seed: int = 5) -> np.ndarray:
    sizes = layer.sizes
    shape = (sizes["heads"] * sizes["m"], sizes["k"]) if layer.kind == "gemm" else (sizes["batch"], *sizes["input"])
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def test_reports_each_layer_on_each_machine(covenant_command):
    done = covenant_command(*SMALL, "-m", "dnnweaver", "-m", "genesys:8x8", "--threads", "2")
    assert done.code == 0
    report = done.object
    assert report["identical"] is True
    assert report["picture"] is None
    assert report["baseline"].items() >= {"name": "onnxruntime", "element": "int8", "threads": 2, "repeats": 2}.items()
    assert report["baseline"]["version"] == oracle.PINNED_ONNXRUNTIME
    assert report["baseline"]["processor"]
    assert [(row["layer"], row["machine"]) for row in report["rows"]] == [
        (layer, machine) for layer in ("DLRM/FC3", "DLRM/FC4") for machine in ("dnnweaver", "genesys:8x8")
    ]
    for row in report["rows"]:
        table = covenant_command("bench", "table2", "-m", row["machine"], "--layer", row["layer"], "--json").object
        assert row["cycles"] == table["rows"][0]["cycles"]
        assert row["seconds"] == row["cycles"] / 1e9
        assert row["speedup"] == row["baseline_seconds"] / row["seconds"] > 0
        assert row["identical"] is True
        assert 1 <= row["baseline_copies"] <= 32
    for machine in report["machines"]:
        speedups = [row["speedup"] for row in report["rows"] if row["machine"] == machine["machine"]]
        assert math.isclose(machine["geometric_mean"], math.prod(speedups) ** (1 / len(speedups)))
        assert machine["clock_hertz"] == 1e9


def test_the_clock_of_the_machine_counts(covenant_command, tmp_path):
    slow = tmp_path / "slow.acg"
    text = covenant_command("show", "genesys:8x8", "--acg").out
    assert "clock = 1 GHz" in text
    slow.write_text(text.replace("clock = 1 GHz", "clock = 250 MHz"))
    report = covenant_command(*SMALL, "-m", slow, "-m", "genesys:8x8").object
    ours, other = report["rows"][:2]
    assert ours["cycles"] == other["cycles"]
    assert ours["seconds"] == 4 * other["seconds"]


def test_a_table_for_people(covenant_command):
    done = covenant_command(*SMALL[:-1], "-m", "genesys:8x8")
    assert done.code == 0
    for part in ("DLRM/FC4", "geometric means: genesys:8x8", "int8, 1 thread on", "equals the exact sums"):
        assert part in done.out


def test_a_byte_that_differs_is_exit_code_one(covenant_command, monkeypatch):
    monkeypatch.setattr(multitarget, "exact_sums", lambda layer, x: exact_sums(layer, x) + 1)
    done = covenant_command(*SMALL, "-m", "genesys:8x8")
    assert done.code == 1
    assert done.object["identical"] is False


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["--layer", "DLRM/FC9"], "GEN0040", "DLRM/FC9"),
        (["-m", "genesis"], "ACG0007", "genesis"),
        (["--baseline", "numpy"], "CLI0001", "onnxruntime-f32"),
        (["--threads", "0"], "CLI0001", "--threads"),
        (["--picture", "speedup.pdf"], "CLI0013", ".pdf"),
        (["--picture", "no/such/folder/speedup.svg"], "CLI0006", "speedup.svg"),
        (["--picture", "x.svg", *(f"-m=genesys:{n}x{n}" for n in (8, 16, 32)), "-m=genesys:8x24", "-m=genesys:20x12",
          *(f"-m=genesys:{n}" for n in ("03", "04", "07", "09", "13"))], "CLI0008", f"room for {len(SERIES)}"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_before_anything_runs(covenant_command, monkeypatch, arguments, code, part):
    monkeypatch.setattr(multitarget, "run", None)
    done = covenant_command("bench", "multitarget", "--json", *arguments)
    assert done.code == 2
    assert done.object["error"]["code"] == code
    assert part in done.error


@pytest.mark.parametrize(
    ("package", "arguments", "code"),
    [("matplotlib", ["--picture", "x.svg"], "CLI0012"), ("torch", ["--baseline", "pytorch-f32"], "CLI0012")],
)
def test_a_package_that_is_missing_is_named(covenant_command, monkeypatch, package, arguments, code):
    monkeypatch.setitem(sys.modules, package, None)
    done = covenant_command("bench", "multitarget", "--json", *arguments)
    assert done.code == 2
    assert done.object["error"]["code"] == code
    assert f"pip install {package}" in done.object["error"]["fix"]


def test_another_onnx_runtime_is_refused(covenant_command, monkeypatch):
    monkeypatch.setattr(sessions, "PINNED_ONNXRUNTIME", "0.1")
    done = covenant_command(*SMALL)
    assert done.code == 2
    assert done.object["error"]["code"] == "CLI0004"


@pytest.mark.parametrize("name", ["DLRM/FC1", "BERT-LG/ATN2-GEMM", "MobileNetV3/CONV1", "InceptionV3/CONV1"])
@pytest.mark.parametrize("baseline", ["onnxruntime", "onnxruntime-f32"])
def test_the_processor_computes_the_same_sums(name, baseline):
    if baseline == "onnxruntime":
        skip_unless_exact(*products_of("uint8", "int8"))
    layer = LAYERS[name]
    timing = Baseline(baseline).measure(layer, input_of(layer), repeats=1)
    assert timing.identical
    assert timing.seconds > 0


@pytest.mark.parametrize("baseline", ["onnxruntime", "onnxruntime-f32"])
def test_a_sum_that_is_not_the_same_is_seen(baseline):
    layer = LAYERS["DLRM/FC3"]
    exact = exact_sums(layer, input_of(layer))
    one = Baseline(baseline)
    element = np.dtype("int32" if one.element == "int8" else "float32")
    assert one._is_same(exact.astype(element), exact)
    wrong = exact.copy()
    wrong[0, 7] += np.abs(exact).max() // 1000
    assert not one._is_same(wrong.astype(element), exact)


def test_the_picture_shows_every_layer_and_machine(covenant_command, tmp_path):
    svg, png = tmp_path / "speedup.svg", tmp_path / "speedup.PNG"
    for file in (svg, png):
        done = covenant_command(*SMALL, "-m", "genesys:8x8", "-m", "genesys:16x16", "--picture", file)
        assert done.code == 0
        assert done.object["picture"] == str(file)
    text = svg.read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    # Letters are drawn as paths, each text after a comment.
    for part in ("FC3", "FC4", "DLRM", "geometric mean", "genesys:8x8 (8×8, 1 GHz)", "1× = ONNX Runtime"):
        assert f"<!-- {part}" in text
    assert png.read_bytes().startswith(b"\x89PNG")


def test_equal_figures_give_equal_pictures(tmp_path):
    bars = Bars("title", "subtitle", "speedup", ["A/X", "B/X", "mean"], {"m": [0.2, 3, 40], "n": [1, 2, 3]})
    for kind in ("svg", "png"):
        first, second = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
        write_chart(bars, first)
        write_chart(bars, second)
        assert first.read_bytes() == second.read_bytes()
