"""The page about studies is true, and the front of the example is the one that its page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import covenant
from covenant.cli import main
from covenant.study import Study
from covenant.study.quality import BY_REFERENCE
from covenant.study.reading import _MACHINE, _MODEL, _NUMERICS, _SEARCH, _STUDY

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/studies.md").read_text()
EXAMPLE = ROOT / "examples/04_study.toml"
TEXT = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL).group(1)
COMMANDS = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).splitlines()
SCRIPT = re.search(r"```py\n(.*?)```", PAGE, re.DOTALL).group(1)
MISTAKES = re.findall(r"^\| `(\w+ = .*?)` \| (STU\d{4})", PAGE, re.MULTILINE)
ROW = re.compile(r"^\| (digits_\w+) \| (.*?) \| (\w+) \| ([\d,]+) \| ([\d.]+ \[.*?\]) \| ([\d.]+%) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The reader's folder: the examples, and the file that the page writes."""
    path = tmp_path_factory.mktemp("reader")
    (path / "examples").symlink_to(ROOT / "examples")
    (path / "arrays.toml").write_text(TEXT)
    return path


def test_the_commands_run_and_so_does_the_script(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert len(COMMANDS) == 3
    printed = []
    for line in COMMANDS:
        assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
        printed.append(capsys.readouterr().out)
    assert "3 points computed" in printed[0]
    assert "4 points computed" in printed[1]
    assert "points computed" not in printed[2]
    assert len((folder / "arrays.csv").read_text().splitlines()) == 1 + 6
    exec(compile(SCRIPT, "studies.md", "exec"), {})  # noqa: S102 (the page's own)
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("genesys M=") for line in lines)
    assert (folder / "arrays.svg").stat().st_size > 1000


def test_float_models(folder, monkeypatch):
    """The page's own tables in the place of its models."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "caches"))
    tables = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
    head, machines = TEXT.partition("[[models]]")[0], TEXT[TEXT.index("[[machines]]") :]
    (folder / "float.toml").write_text(head + tables + machines.replace("M = [4, 8, 16]", "M = 8"))
    result = Study.load("float.toml").run()
    assert len(result.rows) == 2 * 2 * 2 * 2  # bits, granularity, equalising, memories
    assert result.failed == 0
    assert all(row.equal_images == 20 and row.accuracy > 0.8 for row in result.rows)
    assert {row.float_accuracy for row in result.rows} == {1.0}


def test_every_key_is_told():
    assert [
        key
        for keys in (_STUDY, _MODEL, _NUMERICS, _MACHINE, _SEARCH)
        for key in keys
        if not re.search(rf"`{key}|^{key} = ", PAGE, re.MULTILINE)
    ] == []


@pytest.mark.parametrize(("line", "code"), MISTAKES, ids=[code for _, code in MISTAKES])
def test_mistakes_are_told(folder, line, code, monkeypatch):
    monkeypatch.chdir(folder)
    key = line.partition(" ")[0]
    replaced = "images" if key == "image" else key
    (folder / "wrong.toml").write_text(re.sub(rf"^{replaced} = .*$", line, TEXT, count=1, flags=re.MULTILINE))
    with pytest.raises(covenant.CovenantError) as refused:
        Study.load("wrong.toml").plan()
    assert refused.value.code == code


def test_the_page_names_four_mistakes():
    assert len(MISTAKES) == 4


def test_the_front_of_the_example(tmp_path):
    """40 points, bit for bit in all images that are compared; the front is the table of the page."""
    result = Study.load(EXAMPLE).run(tmp_path / "study.sqlite")
    assert len(result.rows) == 40
    assert result.failed == 0
    for row in result.rows:
        # On processors whose kernels saturate the reference operators are asked instead, about fewer images.
        compared = 360 if row.expected_from == "onnxruntime" else BY_REFERENCE
        assert (row.images, row.compared_images, row.equal_images) == (360, compared, compared)
    assert all(row.simulated_images == 4 for row in result.rows)
    shown = ROW.findall(EXAMPLE.with_suffix(".md").read_text())
    found = [
        (row.model, row.label, row.memory, f"{row.cycles:,}", row.shown("accuracy"), f"{row.utilisation:.1%}")
        for row in result.front()
    ]
    assert shown == found
    assert result.tied_places == ()
    worse = [row for row in result.rows if row.model == "digits_qdq"]
    assert not any(row.hits.is_told_from(best.hits) for row in worse for best in result.front())
