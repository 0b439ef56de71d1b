"""`covenant bench` and `covenant compile --layer`, as users call them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from covenant.bench.layers import benchmark_layers
from covenant.cli import main

ROW = {"layer", "cycles", "bound", "ratio", "identical", "limited_by"}


def test_bench_reports_each_layer(capsys):
    layers = ["DLRM/FC2", "DLRM/FC4", "ResNet50/CONV2"]
    chosen = [part for layer in layers for part in ("--layer", layer)]
    assert main(["bench", "table2", "-m", "dnnweaver", *chosen, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [row["layer"] for row in report["rows"]] == layers
    for row in report["rows"]:
        assert row.keys() >= ROW
        assert row["identical"] is True
        assert row["cycles"] >= row["bound"] > 0
        assert row["ratio"] == row["cycles"] / row["bound"]
    assert report["geometric_mean"] >= 1
    assert report["identical"] is True


def test_an_unknown_layer_lists_those_known(capsys):
    assert main(["bench", "table2", "-m", "dnnweaver", "--layer", "DLRM/FC9", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["code"] == "GEN0040"
    assert error["allowed"] == [layer.name for layer in benchmark_layers()]


def test_layers_can_be_listed_and_compiled(capsys, tmp_path):
    assert main(["compile", "--layer", "list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["layers"]) == 17
    program = tmp_path / "layer.cprog"
    assert main(["compile", "--layer", "DLRM/FC4", "-m", "genesys:8x8", "-o", str(program)]) == 0
    assert main(["compile", "--layer", "DLRM/FC4", "-m", "genesys:8x8", "--emit", "tiled"]) == 0
    assert '"GEMM"' in capsys.readouterr().out
    assert program.stat().st_size > 0


@pytest.mark.parametrize("arguments", [["-m", "genesys"], ["model.onnx", "--layer", "DLRM/FC4", "-m", "genesys"],
                                       ["--layer", "DLRM/FC4"]])  # fmt: skip
def test_compile_wants_one_source_and_a_machine(arguments, capsys):
    assert main(["compile", *arguments]) == 2
    assert "CLI0001" in capsys.readouterr().err


def measured(machine: str, *names: str) -> list[dict]:
    """Rows of `./dev bench layers`."""
    tests = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, tests / "perf/layers/measure_layers.py", machine, *names],
        stdout=subprocess.PIPE, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tests / "support"), *_python_path()])},
    )  # fmt: skip
    return json.loads(done.stdout)


def _python_path() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def test_fusing_is_measured_against_not_fusing():
    names = ["ResNet50/BLOCK16", "digits_qdq"]
    rows = measured("genesys:16x16", *names)
    assert [(row["model"], row["fused"]) for row in rows] == list(
        zip(names, [["conv+add"], ["conv2+add"]], strict=True)
    )
    for row in rows:
        assert row["cycles"] < row["cycles_apart"]
        assert row["compile_seconds"] > 0
        assert row["compile_seconds_apart"] > 0
        assert row["peak_bytes"] < 1024**3


@pytest.mark.parametrize("machine", ["dnnweaver", "genesys:8x8", "genesys:14"])
def test_compiling_a_layer_stays_within_its_limits(machine):
    """Counts and memory, never seconds: tilings that are looked at, and the most that the process has held."""
    names = [layer.name for layer in benchmark_layers()]
    rows = measured(machine, *names)
    assert [row["layer"] for row in rows] == names
    for row in rows:
        assert row["peak_bytes"] < 1024**3
        assert row["cycles"] >= row["bound"]
        assert row["searches"]
        for search in row["searches"]:
            assert 0 < search["candidates"] <= 200_000
            # The search looks at up to 200,000 tilings of a layer, and up to 20,000 of the two parts of a split layer.
            assert search["stop"] == "complete" or search["candidates"] >= 20_000
