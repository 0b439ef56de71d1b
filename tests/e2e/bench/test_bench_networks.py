"""`covenant bench networks`: what it reports for networks on machines, and that it measures nothing twice."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from digits import model_of
from test_layer_norm import transformer
from test_tables import Network

from covenant import zoo
from covenant.errors import CovenantError, Diagnostic

MACHINES = ("genesys:8x8", "dnnweaver")


def measured(command, *arguments, machines=MACHINES):
    named = [word for machine in machines for word in ("-m", machine)]
    return command("bench", "networks", *named, *arguments, "--json")


def test_the_command_itself_starts_processes_of_its_own():
    command = [Path(sys.executable).with_name("covenant"), "bench", "networks", "-m", "dnnweaver"]
    done = subprocess.run([*command, "--model", model_of("qdq"), "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["right"]


def test_networks_on_machines(covenant_command):
    done = measured(covenant_command, "--model", model_of("qdq"))
    assert done.code == 0
    assert done.object["right"]
    assert [(row["model"], row["machine"]) for row in done.object["rows"]] == [("digits_qdq", one) for one in MACHINES]
    for row in done.object["rows"]:
        assert row["identical"]
        assert row["within_a_step"] is None
        assert row["expected_from"] == "onnxruntime"
        assert row["cycles"] == sum(layer["cycles"] for layer in row["layers"])
        assert row["bound"] == sum(layer["bound"] for layer in row["layers"])
        assert row["ratio"] == pytest.approx(row["cycles"] / row["bound"])
        assert all(layer["cycles"] >= layer["bound"] > 0 for layer in row["layers"])
        assert row["peak_memory_bytes"] > 10_000_000
        assert row["ratio_to_onnxruntime"] == pytest.approx(row["simulate_seconds"] / row["onnxruntime_seconds"])
        assert row["timing_ratio_to_onnxruntime"] > 0


def test_a_normalisation_may_be_a_step_away(tmp_path, covenant_command):
    network = Network(46, (1, 21, 24))
    transformer(network, 3)
    done = measured(covenant_command, "--model", network.save(tmp_path), machines=MACHINES[:1])
    assert done.code == 0
    (row,) = done.object["rows"]
    assert row["within_a_step"]
    assert row["identical"] == (row["largest_steps"] == 0)


def test_what_is_measured_is_not_measured_again(tmp_path, covenant_command):
    kept = tmp_path / "figures.json"
    given = ("--model", model_of("qdq"), "-o", kept)
    assert measured(covenant_command, *given, machines=MACHINES[:1]).code == 0
    content = json.loads(kept.read_text())
    content["rows"][0]["cycles"] = 7
    kept.write_text(json.dumps(content))
    rows = measured(covenant_command, *given, "--model", model_of("qoperator"), machines=MACHINES[:1]).object["rows"]
    assert rows[0]["cycles"] == 7
    assert rows[1]["cycles"] > 1000
    other = measured(covenant_command, *given, machines=MACHINES[1:])
    assert (other.code, other.object["error"]["code"]) == (2, "CLI0006")


def test_all_of_the_zoo_that_can_be_made(covenant_command, monkeypatch):
    def get(name, **_):
        if name == "there":
            return model_of("qdq")
        message = "exporting this model needs other packages"
        raise CovenantError(Diagnostic("ZOO0002", message, subject=name, offending="torch"))

    monkeypatch.setattr(zoo, "ENTRIES", {"elsewhere": None, "there": None})
    monkeypatch.setattr(zoo, "get", get)
    done = measured(covenant_command, machines=MACHINES[:1])
    assert [row["model"] for row in done.object["rows"]] == ["there"]
    assert "left out: elsewhere: exporting this model needs other packages: torch" in done.error
    refused = measured(covenant_command, "--model", "zoo:elsewhere", machines=MACHINES[:1])
    assert (refused.code, refused.object["error"]["code"]) == (2, "ZOO0002")


def test_what_the_table_says(covenant_command):
    said = covenant_command("bench", "networks", "-m", "genesys:8x8", "--model", model_of("qdq")).out
    assert "identical" in said
    assert "geometric mean of cycles / bound: " in said
    assert all(word in said for word in ("model", "machine", "bound", "ratio"))
