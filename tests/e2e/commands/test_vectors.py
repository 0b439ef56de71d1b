"""`covenant bench commands`: rows of sets, folders of vectors, and when they are not right."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path

import pytest
import vector_sets

from covenant import CovenantError
from covenant.bench import vector_sets as found
from covenant.cli import main

sys.path.append(str(Path(__file__).resolve().parents[2] / "perf/commands"))
import commands

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent


def rows_of(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    said: list[dict] = json.loads(capsys.readouterr().out)["rows"]
    return said


def test_all_sets_of_the_project_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "commands", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    rows = {row["set"]: row for row in said["rows"]}
    assert {*rows, *(one["set"] for one in said["left_out"])} == {one.name for one in vector_sets.SETS}
    assert said["right"] is True
    assert [name for name, row in rows.items() if row["differ"] or not row["bytes"]] == []
    known = {"flexasr_systemc": (100, 428_896), "vta_fsim": (200, 16_784), "vta_drawn": (72, 39_232)}
    assert {name: (rows[name]["streams"], rows[name]["bytes"]) for name in known} == known
    assert rows["hlscnn_drawn"]["streams"] == vector_sets.DRAWN_LAYERS
    assert rows["vta_fsim"]["cycles_expected"] is None
    assert rows["hlscnn_drawn"]["cycles_expected"] == rows["hlscnn_drawn"]["cycles"] > 0
    for row in rows.values():
        assert 0 < row["seconds_working"] < row["seconds"]
        assert row["cycles_per_second"] == row["cycles"] / row["seconds_working"]
        assert row["macs_per_second"] == (row["macs"] and row["macs"] / row["seconds_working"])


def test_what_may_not_be_held_here_is_measured_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("flexasr_call", "flexasr_published", "vta_hls")
    missing = {one.name: one.missing for one in vector_sets.SETS if one.name in names and one.missing}
    assert main(["bench", "commands", "--json", *(word for name in names for word in ("--only", name))]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [one["set"] for one in said["left_out"]] == list(missing)
    bytes_of = dict(zip(names, (4608, 4608, 528), strict=True))
    assert {row["set"]: (row["bytes"], row["differ"]) for row in said["rows"]} == {
        name: (bytes_of[name], 0) for name in names if name not in missing
    }


def test_the_page_is_written_by_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{commands.BEGIN}\nold\n<!-- end -->\nafter\n")
    monkeypatch.setattr(commands, "PAGE", page)
    assert commands.main(["--only", "vta_fsim", "--write", "--json"]) == 0
    (row,) = rows_of(capsys)
    assert f"| vta_fsim | vta | its functional simulator | 200 | {row['commands']:,} | 16,784 | 0 |" in page.read_text()
    assert "old" not in page.read_text()
    assert commands.main(["--only", "vta_fsim"]) == 0
    assert "16,784" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["byte", "cycle", "nothing", "no reads"])
def test_what_differs_is_told(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = json.loads(gzip.decompress((HERE / "flexasr/linear_00_plain.json.gz").read_bytes()))
    stream["cycles_start_to_interrupt"][0] += what == "cycle"
    if what == "byte":
        stream["reads"][0][1] = hex(int(stream["reads"][0][1], 16) ^ 0x100)
    if what == "no reads":
        del stream["reads"]
    (tmp_path / "one.json").write_text(json.dumps(stream))
    assert main(["bench", "commands", str(tmp_path), "-m", "flexasr", "--json"]) == (what != "nothing")
    (row,) = rows_of(capsys)
    assert (row["set"], row["machine"], row["streams"], row["cycles"]) == (tmp_path.name, "flexasr", 1, 42)
    assert row["cycles_expected"] == 42 + (what == "cycle")
    assert row["differ"] == (what == "byte")
    assert (row["bytes"] == 0) == (what == "no reads")


def test_a_text_of_ones_own_runs_the_sets_of_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "acg/machines/vta.acg").read_text()
    assert "reset ? 0 : wrap(i32, acc" in text
    machine = tmp_path / "mine.acg"
    machine.write_text(text.replace("reset ? 0 : wrap(i32, acc", "reset ? 1 : wrap(i32, acc"))
    words = ["bench", "commands", "-m", str(machine), "--only", "vta_fsim", "--engine", "evaluator", "--json"]
    assert main(words) == 1
    (row,) = rows_of(capsys)
    assert row["differ"] > 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["FOLDER"], "BEH0045", "without command vectors"),
        (["FOLDER/none"], "BEH0045", "cannot be read"),
        (["FOLDER/a\0b"], "BEH0045", "cannot be read"),
        ([str(HERE / "flexasr")], "CLI0008", "which machine"),
        (["--set", "batch=1"], "CLI0008", "about a machine"),
        (["--only", "zz"], "CLI0008", "no set is named zz"),
        (["-m", "vta", "--only", "hlscnn_large"], "CLI0008", "no set is chosen"),
        (["-m", "genesys"], "BEH0014", "not driven by commands"),
    ],
)
def test_other_arguments_are_refused(
    words: list[str], code: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "commands", *(word.replace("FOLDER", str(tmp_path)) for word in words)]) == 2
    said = capsys.readouterr().err
    assert f"error[{code}]" in said
    assert message in said


@pytest.mark.parametrize("text", ["SETS = [", "import no_such_module", "1 / 0", "", "SETS = 3", "SETS = [3]"])
def test_python_of_a_folder_that_fails_is_refused(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / found.FILE).write_text(text)
    assert main(["bench", "commands", str(tmp_path)]) == 2
    assert "error[BEH0045]" in capsys.readouterr().err


def test_without_a_checkout_a_folder_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found, "_CHECKOUT", tmp_path)
    with pytest.raises(CovenantError, match="no folder of command vectors is named") as raised:
        found.vector_sets(None, None)
    assert raised.value.code == "BEH0045"


def test_a_command_that_is_refused_is_told_with_its_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(HERE / "flexasr/linear_00_plain.json.gz", tmp_path / "first.json.gz")
    (tmp_path / "second.json").write_text('{"commands": [["R", "0x1"]], "reads": [["0x1", 0]]}')
    assert main(["bench", "commands", str(tmp_path), "-m", "flexasr"]) == 2
    assert f"{tmp_path.name}, stream second.json, command 1" in capsys.readouterr().err


def test_the_product_of_vta_multiplies_as_often_as_its_sizes_say() -> None:
    vector = next(vector_sets.vta_large())
    assert vector.macs == 64 * 256 * 256
