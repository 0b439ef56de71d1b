"""The page about schedules is true: save, edit, force; and what is wrong is told."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import covenant
from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/tune-a-schedule.md").read_text()
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
EDITED = re.search(r"```schedule\n(.*?)```", PAGE, re.DOTALL).group(1)
MISTAKES = re.findall(r"^\| `(.*?)` \| (SCH\d{4})", PAGE, re.MULTILINE)
MODEL = "examples/01_digits/digits_qdq.onnx"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The reader's folder: the examples, and the file that the page writes."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "edited.schedule").write_text(EDITED)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cycles_of(*arguments: str, capfd) -> dict[str, int]:
    assert main(["run", MODEL, "-m", "genesys", "--compare", "onnxruntime", "--json", *arguments]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["identical"]
    return {layer["name"]: layer["cycles"] for layer in report["layers"]}


def test_the_commands_run(folder, capsys):
    assert len(COMMANDS) == 6
    for line in COMMANDS:
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
    assert (folder / "digits.cprog").read_bytes() == (folder / "again.cprog").read_bytes()
    out = capsys.readouterr().out
    assert "tile oh 2 of 8;\n  tile ow 2 of 8;\n  tile kh" in out  # the last command
    saved = (folder / "digits.schedule").read_text()
    block = re.search(r'^layer "conv2\+add".*?^}', saved, re.DOTALL | re.MULTILINE).group(0)
    assert block in out  # explained


def test_the_edit_changes_the_cycles_of_its_layer_alone(folder, capfd):
    before = cycles_of(capfd=capfd)
    after = cycles_of("--schedule", "edited.schedule", capfd=capfd)
    assert after["conv2+add"] > before["conv2+add"]
    others = [name for name in before if name != "conv2+add"]
    assert [after[name] for name in others] == [before[name] for name in others]


def test_a_pinned_layer_has_one_way_left(folder, capsys):
    command = ["compile", MODEL, "-m", "genesys", "--explain-schedule", "--json"]
    for layer, ways in (("conv2+add", 1), ("conv1", 2)):
        assert main([*command[:-1], layer, "--json", "--schedule", "edited.schedule"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert len(content["alternatives"]) == ways
        if layer == "conv2+add":
            assert all(one["tiles"]["oh"] == 2 for one in content["alternatives"][0]["schedules"])
            assert "tile ow 2 of 8;" in content["schedule"]


def test_from_python(folder):
    searched = covenant.compile(MODEL, "genesys")
    edited = covenant.compile(MODEL, "genesys", schedule="edited.schedule")
    assert edited != searched
    assert "tile oh 2 of 8;" in edited.schedule
    assert covenant.emit(MODEL, "genesys", "schedule", schedule="edited.schedule") == edited.schedule
    edited.save("edited.cprog")
    loaded = covenant.Program.load("edited.cprog")
    assert loaded == edited
    assert loaded.schedule is None  # a program file does not hold it


@pytest.mark.parametrize(("line", "code"), MISTAKES, ids=[code for _, code in MISTAKES])
def test_mistakes_are_told(folder, line, code):
    layer = line if line.startswith("layer") else 'layer "conv2+add" {'
    rest = "" if line.startswith("layer") else line
    (folder / "wrong.schedule").write_text(f'{layer}\n  lowering "plain";\n  {rest}\n}}\n')
    with pytest.raises(covenant.CovenantError) as refused:
        covenant.compile(MODEL, "genesys", schedule="wrong.schedule")
    assert refused.value.code == code
    assert refused.value.where.startswith("wrong.schedule:" + ("3:" if rest else "1:7"))
    assert refused.value.diagnostic.allowed
    assert refused.value.diagnostic.fix


def test_the_page_names_five_mistakes():
    assert len(MISTAKES) == 5


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["compile", MODEL, "-m", "genesys", "-o", "x.cprog", "--schedule", "nowhere"], "CLI0009"),
        (["compile", MODEL, "-m", "genesys", "-o", "x.cprog", "--schedule", "latin1"], "SCH0001"),
        (["compile", MODEL, "-m", "genesys", "--stop-after", "tile", "--save-schedule", "x"], "CLI0008"),
        (["compile", MODEL, "-m", "genesys", "--explain-schedule", "conv2+add", "--save-schedule", "x"], "CLI0008"),
        (["run", "x.cprog", "--schedule", "edited.schedule"], "CLI0008"),
        (["cosim", "--random-machines", "1", "--schedule", "edited.schedule"], "CLI0008"),
        (["bench", "table2", "-m", "genesys", "--layer", "DLRM/FC4", "--schedule", "edited.schedule"], "SCH0010"),
    ],
)
def test_arguments_that_do_not_go_together(folder, capsys, arguments, code):
    (folder / "latin1").write_bytes('layer "\xe9"'.encode("latin-1"))
    assert main([*arguments, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert not (folder / "x.cprog").exists()


def test_one_file_serves_several_layers_of_the_table(folder, capsys):
    """And a layer that is pinned takes other cycles, with the same exact sums."""
    text = "".join(
        f'layer "{name}" {{ lowering "plain"; {tiles} }}\n'
        for name, tiles in (("DLRM/FC4", "tile k 1;"), ("DLRM/FC2", "tile o 1;"))
    )
    (folder / "table.schedule").write_text(text)
    rows = []
    for extra in ([], ["--schedule", "table.schedule"]):
        command = ["bench", "table2", "-m", "genesys:8x8", "--layer", "DLRM/FC4", "--layer", "DLRM/FC2", "--json"]
        assert main([*command, *extra]) == 0
        rows.append({row["layer"]: row["cycles"] for row in json.loads(capsys.readouterr().out)["rows"]})
    assert rows[0]["DLRM/FC4"] < rows[1]["DLRM/FC4"]
    assert rows[0]["DLRM/FC2"] < rows[1]["DLRM/FC2"]
