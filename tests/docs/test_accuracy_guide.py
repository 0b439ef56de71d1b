"""The guide to accuracy is true: its commands and its script run, and print what it shows."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/accuracy.md").read_text()
ACCURACY, DECIBEL, SUMS, SENSITIVITY, BITS = (
    block.strip() for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
)
SCRIPT = re.search(r"```py\n(.*?)```", PAGE, re.DOTALL).group(1)


def columns(*rows: str):
    """Cells below each other in two rows of a table, found by how the rows begin."""
    cells = (re.search(rf"^\| {row} *\|(.*)\|$", PAGE, re.MULTILINE).group(1).split("|") for row in rows)
    return zip(*cells, strict=True)


def test_the_commands_run_and_say_what_the_page_says(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main(shlex.split(ACCURACY)[1:]) == 0
    said = capsys.readouterr().out
    assert said.count("98.33%") == 3
    assert "the same bytes of 360 of 360 images" in said
    assert main(shlex.split(SENSITIVITY)[1:]) == 0
    said = capsys.readouterr().out
    for column in ("error alone", "error in the chain", "beyond the range", "at its ends", "gain"):
        assert column in said


def test_a_layer_costs_decibels_and_no_guesses(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    gains = {}
    for metric in ("sqnr", "top1"):
        command = DECIBEL.replace("--metric sqnr", f"--metric {metric}")
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        gains[metric] = {one["node"]: one["gain"] for one in json.loads(capsys.readouterr().out)["layers"]}
    assert max(gains["sqnr"], key=gains["sqnr"].__getitem__) == "conv2"
    assert gains["sqnr"]["conv2"] > 1
    assert max(gains["top1"].values()) <= 0


def test_sums_of_few_bits_ruin_it_as_the_page_says(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    rows = {"wrap": "digits that are read", "saturate": "with `overflow=saturate`"}
    for how, row in rows.items():
        for head, figure in columns("bits of a sum", row):
            for bits in head.split(" to "):
                command = SUMS.replace("accumulator=18", f"accumulator={bits.strip()} --set overflow={how}")
                assert main([*shlex.split(command)[1:], "--json"]) == 0
                report = json.loads(capsys.readouterr().out)
                assert f"{report['accuracy']:.2%}" == figure.strip(), (how, bits)
                assert report["cycles"] == 6212


def test_ways_of_scaling_cost_what_the_page_says(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    for head, figure in columns("`requant`", "digits that are read so"):
        command = SUMS.replace("accumulator=18", f"requant={head.strip()}")
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        assert f"{json.loads(capsys.readouterr().out)['accuracy']:.2%}" == figure.strip(), head


def test_the_layer_that_gains_most_has_not_the_largest_error(monkeypatch, tmp_path, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    samples, command = BITS.splitlines()
    subprocess.run([sys.executable, *shlex.split(samples)[1:]], check=True)
    assert main([*shlex.split(command)[1:], "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (round(report["accuracy"], 2), round(report["float_accuracy"], 2)) == (0.90, 0.98)
    errors = {layer["node"]: layer["alone"]["relative"] for layer in report["layers"]}
    gains = {layer["node"]: layer["gain_of_bits"] for layer in report["layers"] if layer["gain_of_bits"] is not None}
    assert sorted(errors, key=errors.__getitem__)[-2:] == ["conv3", "conv4"]
    assert max(gains, key=gains.__getitem__) == "conv2"
    assert gains["conv3"] <= 0


def test_the_script_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(SCRIPT, "accuracy.md", "exec"), {})  # noqa: S102 (the page's own)
    first, *_ = capsys.readouterr().out.splitlines()
    accuracy, in_float, cycles, _ = map(float, first.split())
    assert accuracy > 0.97
    assert in_float > 0.97
    assert cycles > 0
