"""`covenant run --report`: the parts of each total add up to it, and a browser renders the page without errors."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from browser import found_on, needs_browser
from digits import model_of
from test_bad_input import refused

import covenant
from covenant.oracle import Oracle
from covenant.report import scale_sim
from covenant.report.page import script
from covenant.report.timeline import timeline

pytest.importorskip("vl_convert", reason="vl-convert-python is not installed (requirements-dev.txt)")

MACHINE = ("-m", "genesys:8x8")
FILES = {
    "index.html", "layers.json", "layers.csv", "trace.json", "model.onnx", "COMPUTE_REPORT.csv", "BANDWIDTH_REPORT.csv",
    "DETAILED_ACCESS_REPORT.csv",
}  # fmt: skip
CHECKS = Path(__file__).with_name("report_checks.js")


def report(covenant_command, folder, *options: object, model=None):
    """The folder, and what the command says beside it."""
    source = (model,) if model else (model_of("qdq"), *MACHINE)
    done = covenant_command("run", *source, "--report", folder, "--json", *options)
    assert done.code == 0, done.error
    assert str(folder) in done.error
    return json.loads((folder / "layers.json").read_text()), done.object


def test_parts_add_up(tmp_path, covenant_command):
    facts, run = report(covenant_command, tmp_path / "report", "--compare", "onnxruntime", "--layers")
    assert {path.name for path in (tmp_path / "report").iterdir()} == FILES
    assert facts["cycles"] == run["cycles"] == sum(layer["cycles"] for layer in facts["layers"])
    assert facts["identical"] is True
    assert facts["bound"] == sum(layer["bound"] for layer in facts["layers"])
    assert facts["compared_layers"]["first_different"] is None
    stats = covenant.run(covenant.compile(model_of("qdq"), "genesys:8x8"), np.zeros((1, 1, 8, 8), np.float32)).stats
    words, *edges = stats["offchip"]
    for key, parts in {
        "bytes_read": sum(edge["bytes_read"] for edge in edges),
        "bytes_written": sum(edge["bytes_written"] for edge in edges),
        "instruction_bytes": words["bytes_read"],
    }.items():
        assert sum(layer[key] for layer in facts["layers"]) == parts
    for layer, row in zip(facts["layers"], run["layers"], strict=True):
        assert layer["compute"] + sum(layer["stalls"].values()) == layer["cycles"] == row["cycles"]
        assert layer["stalls"] == row["causes"]
        assert 0 < layer["bound"] <= layer["cycles"]
        assert sum(layer["live_bytes"].values()) <= facts["memory_bytes"]
        assert layer["buffer_bytes"]
        for memory, filled in layer["buffer_bytes"].items():
            assert 0 < filled <= facts["roofs"]["buffers"][memory]
    with (tmp_path / "report" / "layers.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row, layer in zip(rows, facts["layers"], strict=True):
        stalls = sum(int(value) for key, value in row.items() if key.startswith("stall "))
        assert int(row["compute"]) + stalls == int(row["cycles"]) == layer["cycles"]


def test_the_worst_layers_come_first(tmp_path, covenant_command):
    facts, _ = report(covenant_command, tmp_path / "report")
    found = facts["losses"]
    lost = {layer["index"]: layer["cycles"] - layer["bound"] for layer in facts["layers"]}
    assert [loss["lost"] for loss in found] == sorted(filter(None, lost.values()), reverse=True)
    for loss in found:
        layer = facts["layers"][loss["index"]]
        assert loss["lost"] == lost[loss["index"]]
        unused = layer["compute"] - round(layer["utilisation"] * layer["cycles"])
        parts = layer["stalls"] | {"compute": unused}
        assert parts[loss["cause"]] == max(parts.values())
        memory = loss["cause"].removesuffix(".full")
        assert memory == loss["cause"] or memory in loss["help"], "what would help names the memory"


def test_a_core_that_issues_packets_has_a_report(tmp_path, covenant_command):
    folder = tmp_path / "report"
    facts, run = report(covenant_command, folder, "-m", "hvx", "--compare", "reference", model=model_of("qdq"))
    assert {path.name for path in folder.iterdir()} == {"index.html", "layers.json", "layers.csv", "model.onnx"}
    assert facts["packets"] == run["packets"]
    assert facts["identical"] is True
    assert facts["cycles"] == sum(layer["cycles"] for layer in facts["layers"])
    assert facts["bound"] is None
    for layer in facts["layers"]:
        assert layer["compute"] + sum(layer["stalls"].values()) == layer["cycles"]
    lost = [loss["lost"] for loss in facts["losses"]]
    assert lost == sorted(lost, reverse=True)
    assert {loss["index"] for loss in facts["losses"]} == set(range(len(facts["layers"])))


def test_what_is_live_is_what_the_program_needs(tmp_path, covenant_command):
    facts, _ = report(covenant_command, tmp_path / "report")
    live = [layer["live_bytes"].get("intermediate", 0) for layer in facts["layers"]]
    # What conv1 makes, conv2+add reads while it makes its own; the last layer reads and makes 32 bytes at most.
    assert live[0] == 8 * 8 * 16
    assert live[1] == 2 * 8 * 8 * 16
    assert live[-1] <= 32
    assert facts["identical"] is None


def test_equal_runs_give_equal_files_and_other_folders_are_left_alone(tmp_path, covenant_command):
    for name in ("one", "other"):
        report(covenant_command, tmp_path / name)
    report(covenant_command, tmp_path / "one")  # replaced
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes(), path.name
    assert (tmp_path / "one" / "index.html").stat().st_size < 2_000_000
    page = (tmp_path / "one" / "index.html").read_text()
    assert "src=" not in page.split("<script>")[0]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    error = refused(covenant_command("run", model_of("qdq"), *MACHINE, "--report", mine, "--json"), "CLI0011")
    assert "not a folder of a report" in error["message"]
    assert [path.name for path in mine.iterdir()] == ["thesis.txt"]


def test_a_program_has_no_model_to_annotate(tmp_path, covenant_command):
    covenant.compile(model_of("qdq"), "genesys:8x8").save(tmp_path / "digits.cprog")
    facts, _ = report(covenant_command, tmp_path / "report", model=tmp_path / "digits.cprog")
    assert {path.name for path in (tmp_path / "report").iterdir()} == FILES - {"model.onnx"}
    whole, _ = report(covenant_command, tmp_path / "whole")
    for layer, other in zip(facts["layers"], whole["layers"], strict=True):
        assert layer["tile"] is None
        assert other["tile"]
        assert layer | {"tile": other["tile"]} == other


def test_the_annotated_model_is_the_model(tmp_path, covenant_command):
    facts, _ = report(covenant_command, tmp_path / "report")
    model = onnx.load(str(tmp_path / "report" / "model.onnx"))
    onnx.checker.check_model(model)
    nodes = {node.name: node for node in model.graph.node}
    for layer in facts["layers"]:
        for name in layer["nodes"]:
            metadata = {entry.key: entry.value for entry in nodes[name].metadata_props}
            assert metadata["covenant.cycles"] == str(layer["cycles"])
            assert metadata["covenant.layer"] == layer["name"]
            assert metadata["covenant.tile"] == layer["tile"]
            assert f"cycles: {layer['cycles']}" in nodes[name].doc_string
    image = {"image": np.random.default_rng(0).random((1, 1, 8, 8), np.float32)}
    assert Oracle(model).run(image)["logits"].tobytes() == Oracle(model_of("qdq")).run(image)["logits"].tobytes()


def test_scale_sim_reports_hold_what_was_measured(tmp_path, covenant_command):
    facts, _ = report(covenant_command, tmp_path / "report")
    tables = {}
    for name, header in (
        ("COMPUTE", scale_sim.COMPUTE), ("BANDWIDTH", scale_sim.BANDWIDTH), ("DETAILED_ACCESS", scale_sim.DETAILED),
    ):  # fmt: skip
        lines = (tmp_path / "report" / f"{name}_REPORT.csv").read_text().splitlines()
        assert lines[0] == ", ".join(header) + ","
        tables[name] = [dict(zip(header, line[:-1].split(", "), strict=True)) for line in lines[1:]]
    for layer, compute, access in zip(facts["layers"], tables["COMPUTE"], tables["DETAILED_ACCESS"], strict=True):
        assert int(compute["Total Cycles"]) == layer["cycles"]
        assert int(compute["Stall Cycles"]) == layer["cycles"] - layer["compute"]
        assert compute["Mapping Efficiency %"] == ""
        if layer["engine"] == "SA":
            assert float(compute["Overall Util %"]) == pytest.approx(100 * layer["utilisation"], rel=1e-4)
            assert 0 <= int(access["DRAM Filter Start Cycle"]) <= int(access["SRAM Filter Start Cycle"])
            assert int(access["SRAM IFMAP Stop Cycle"]) < layer["cycles"]
            assert int(access["DRAM OFMAP Writes"]) == layer["bytes_written"]
        else:
            assert compute["Overall Util %"] == access["SRAM IFMAP Reads"] == access["DRAM Filter Reads"] == ""


def test_a_long_time_is_shown_in_few_pieces():
    events = [{"ph": "M", "tid": 1, "name": "thread_name", "args": {"name": "SA"}}]
    for index in range(20_000):
        work = {
            "ph": "X",
            "tid": 1,
            "ts": 100 * index,
            "dur": 60,
            "cat": "command",
            "name": "GEMM",
            "args": {"block": 0},
        }
        events += [work, work | {"ts": 100 * index + 60, "dur": 30, "cat": "stall", "name": "wait IBUF.full"}]
    pieces = timeline(json.dumps({"traceEvents": events}), 2_000_000)
    assert len(pieces) <= 10
    spent = {
        state: sum((p.end - p.start) * (p.high - p.low) for p in pieces if p.state == state)
        for state in ("works", "waits")
    }
    assert spent["works"] == pytest.approx(1_200_000, rel=0.03)
    assert spent["waits"] == pytest.approx(600_000, rel=0.06)


def test_without_its_package_nothing_is_begun(covenant_command, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    script.cache_clear()
    done = covenant_command("run", model_of("qdq"), *MACHINE, "--report", tmp_path / "report", "--json")
    assert "vl-convert-python" in refused(done, "CLI0012")["fix"]
    assert not (tmp_path / "report").exists()


def test_mistakes(covenant_command, tmp_path):
    options = ("run", model_of("qdq"), *MACHINE, "--report", tmp_path / "report", "--json")
    assert "time" in refused(covenant_command(*options, "--backend", "interpret"), "CLI0008")["message"]
    assert "one backend" in refused(covenant_command(*options, "--rtl", "conv3"), "CLI0008")["message"]
    assert not (tmp_path / "report").exists()


def with_long_names(path: Path) -> None:
    """The digits in QDQ style, each layer called as exporters call those of deep modules."""
    model = onnx.load(str(model_of("qdq")))
    for node in model.graph.node:
        node.name = f"/model/backbone/stages.0/blocks.11/attention/projection/{node.name}"
    onnx.save(model, str(path))


@needs_browser
@pytest.mark.parametrize("machine", ["genesys:8x8", "hvx"])
def test_a_page_is_whole_in_a_window_of_1400_pixels(machine, tmp_path, covenant_command):
    with_long_names(tmp_path / "long.onnx")
    facts, _ = report(covenant_command, tmp_path / "report", "-m", machine, model=tmp_path / "long.onnx")
    found = found_on(tmp_path / "report" / "index.html", CHECKS, tmp_path, width=1400)
    assert found["drawn"] == "yes"
    assert found["wider"] == []
    assert found["rows"] == len(facts["layers"])
    assert [row[0] for row in found["worst"]] == [facts["layers"][loss["index"]]["name"] for loss in facts["losses"]]
    assert [row[-1] for row in found["worst"]] == [loss["help"] for loss in facts["losses"]]
    assert found["hidden"] == ([] if machine != "hvx" else ["engines", "roofs", "on-chip"])


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_a_browser_draws_the_page(dark, tmp_path, covenant_command):
    facts, _ = report(covenant_command, tmp_path / "report", "--compare", "onnxruntime", "--memory", "ddr4_2400")
    found = found_on(tmp_path / "report" / "index.html", CHECKS, tmp_path, dark=dark)
    layers = facts["layers"]
    assert found["drawn"] == "yes"
    assert found["rows"] == len(layers)
    assert found["bars"] >= sum(1 + len(layer["stalls"]) for layer in layers)
    assert all(layer["name"] in found["labels"] for layer in layers)
    assert found["canvases"] == 1
    assert found["points"] >= len(layers)
    assert found["memory"] >= len(layers)
    assert found["buffers"] >= sum(len(layer["buffer_bytes"]) for layer in layers)
    assert "identical" in found["cards"]
    assert f"{facts['cycles']:,}" in found["cards"]
    assert f"{facts['memory']['refreshes']:,} refreshes" in found["cards"]
    cycles = sorted((layer["cycles"] for layer in layers), reverse=True)
    assert found["sorted"]["cycles"] == [f"{number:,}" for number in cycles]
    assert found["sorted"]["layer"] == sorted(layer["name"] for layer in layers)
