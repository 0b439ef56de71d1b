"""DeepBench's layers: their list, and that machines compute them as ONNX Runtime does."""

from __future__ import annotations

import json

import pytest

import covenant
from covenant.bench import deepbench
from covenant.bench.deepbench import figures as measuring
from covenant.cli import main

CONV = "device/conv/1x512x7x7-512-3x3-1x1-pad1x1"
GEMM = "device/gemm/64x1x1216"


def test_all_layers_are_there_once():
    found = deepbench.layers()
    assert len({layer.name for layer in found}) == len(found) == 206
    by_name = {layer.name: layer for layer in found}
    assert by_name[CONV].macs == 512 * 7 * 7 * 512 * 9
    assert by_name[GEMM].output == (1, 64)
    assert by_name["server/conv/1x1x161x700-32-5x20-2x2"].output == (1, 32, 79, 341)


@pytest.mark.parametrize("machine", ["genesys:07", "dnnweaver", "genesys:8x24"])
def test_machines_equal_onnx_runtime(machine, capsys):
    command = ["bench", "deepbench", "-m", machine, "--layer", CONV, "--layer", GEMM, "--json"]
    assert main(command) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["identical"]
    assert [row["layer"] for row in said["rows"]] == [CONV, GEMM]
    assert all(row["compared"] == "all" and row["cycles"] >= row["bound"] > 0 for row in said["rows"])


def test_of_large_products_the_first_rows_are_compared(monkeypatch):
    monkeypatch.setattr(measuring, "MOST_MACS", 1)
    layer = next(one for one in deepbench.layers() if one.name == "device/gemm/35x700x2048")
    figures = deepbench.measure(layer, covenant.Machine("genesys:07"))
    assert (figures.compared, figures.identical) == ("8 rows", True)
    assert figures.cycles > 50_000


def test_what_is_measured_is_not_measured_again(tmp_path, monkeypatch, capsys):
    kept = tmp_path / "figures.json"
    command = ["bench", "deepbench", "-m", "genesys:07", "-o", str(kept), "--layer"]
    assert main([*command, GEMM]) == 0
    content = json.loads(kept.read_text())
    content["rows"][0]["cycles"] = 7
    kept.write_text(json.dumps(content))
    assert main([*command, "device/gemm/*x1x1*", "--json"]) == 0
    rows = {row["layer"]: row["cycles"] for row in json.loads(kept.read_text())["rows"]}
    assert rows.pop(GEMM) == 7
    assert rows
    assert min(rows.values()) > 1000
    capsys.readouterr()
    assert main(["bench", "deepbench", "-m", "genesys:09", "-o", str(kept), "--layer", GEMM]) == 2
    assert "figures of another machine" in capsys.readouterr().err
    kept.write_text("{}")
    assert main([*command, GEMM]) == 2
    assert main([*command[:4], "--layer", "lion"]) == 2
    assert "GEN0040" in capsys.readouterr().err


def test_the_paper_counts_108_convolutions():
    found = deepbench.convolutions()
    assert len(found) == 108
    assert sum(layer.input[1] % 16 == 0 for layer in found) == 96
    assert found[-1].name == "device/conv/1x1x40x151-32-5x20-2x8-pad8x8"


STEM = "server/conv/1x3x224x224-64-7x7-2x2-pad3x3"
WIDE = "server/conv/1x256x14x14-256-3x3-1x1-pad1x1"


@pytest.mark.parametrize(
    ("machine", "instruction", "steps"),
    [("genesys:03", "GEMM rows 1 columns 16 inner 16", 4 * 112 * 112 * 10),
     ("genesys:07", "GEMM rows 1 columns 32 inner 32", 2 * 112 * 112 * 5)],
)  # fmt: skip
def test_embeddings_are_found_under_both_rules(machine, instruction, steps, capsys):
    command = ["bench", "deepbench", "-m", machine, "--embeddings", "--layer", STEM, "--layer", WIDE]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    rows = {row["layer"]: row for row in said["rows"]}
    assert {row["instruction"] for row in rows.values()} == {instruction}
    assert all(row["embedded"] and row["complete"] and row["nodes"] for row in rows.values())
    assert (rows[STEM]["strict"], rows[WIDE]["strict"]) == (False, True)
    assert rows[STEM]["steps"] <= steps
    assert rows[WIDE]["steps"] == 14 * 14 * 9 * 256 * 256 // int(instruction.split()[4]) ** 2
    assert rows[STEM]["weights_ratio"] < 0.25
    (total,) = said["sums"]
    assert (total["layers"], total["embedded"], total["strict"], total["complete"]) == (2, 2, 1, True)
    assert total["steps"] == sum(row["steps"] for row in rows.values())
    assert total["weights_ratio"] == pytest.approx(rows[STEM]["weights_ratio"])
    assert main(command) == 0
    assert "2 of 2 embedded, 1 under strict rules" in " ".join(capsys.readouterr().out.split())


def test_each_instruction_of_a_machine_has_its_row(capsys):
    assert main(["bench", "deepbench", "-m", "hvx", "--embeddings", "--layer", WIDE, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    vrmpy = next(row for row in rows if row["instruction"] == "GEMM rows 32 columns 1 inner 4")
    assert vrmpy["steps"] == 14 * 14 * 9 * 256 * 256 // 128
    assert "exchange" in vrmpy["relaxations"]
