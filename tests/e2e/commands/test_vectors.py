"""`./dev bench commands`: rows of sets, and when they are not right."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "perf/commands"))
import commands


def test_a_set_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["--set", "vta_fsim", "--set", "hlscnn_drawn", "--json"]) == 0
    programs, layers = json.loads(capsys.readouterr().out)
    assert (programs["streams"], programs["bytes"], programs["differ"]) == (200, 16784, 0)
    assert programs["cycles_expected"] is None
    assert (layers["streams"], layers["differ"]) == (commands.DRAWN_LAYERS, 0)
    assert layers["cycles_expected"] == layers["cycles"] > 0
    for row in (programs, layers):
        assert row["macs_per_second"] == row["macs"] / row["seconds_working"]
        assert 0 < row["seconds_working"] < row["seconds"]
    assert commands.main(["--set", "vta_fsim"]) == 0
    assert "| vta_fsim | vta | its functional simulator | 200 |" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["byte", "cycle", "nothing"])
def test_what_differs_is_told(what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first = next(commands.hlscnn_layers())
    reads = first.stream.reads or ()
    other = ((reads[0][0], reads[0][1] ^ 1), *reads[1:]) if what == "byte" else reads
    cycles = (first.cycles[0] + (what == "cycle"),) if first.cycles else None
    wrong = replace(first, stream=replace(first.stream, reads=other), cycles=cycles)
    monkeypatch.setitem(commands.SETS, "hlscnn_drawn", ("hlscnn", lambda: iter([wrong]), "numpy"))
    assert commands.main(["--set", "hlscnn_drawn", "--json"]) == (what != "nothing")
    (row,) = json.loads(capsys.readouterr().out)
    assert row["differ"] == (what == "byte")


def test_the_product_of_vta_multiplies_as_often_as_its_sizes_say() -> None:
    vector = next(commands.vta_large())
    assert vector.macs == 64 * 256 * 256
