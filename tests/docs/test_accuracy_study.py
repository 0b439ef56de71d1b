"""The page about few bits is true: its study runs, and its tables show the figures that a command has written."""

from __future__ import annotations

import csv
import os
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

import covenant
from covenant.cli import main
from covenant.study import Study
from covenant.study.quantized import stored
from covenant.study.reading import read_study

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/accuracy-study.md").read_text()
EXAMPLE = ROOT / "examples/08_accuracy_study"
TEXT = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL).group(1)
COMMAND = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).strip()
SHOWN = re.search(r"<!-- bits.csv -->\n```text\n(.*?)```", PAGE, re.DOTALL).group(1)


@pytest.fixture(scope="module")
def figures():
    """The module of the example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLE))
        import figures as found

        yield found
    sys.modules.pop("figures", None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The reader's."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path


def test_ten_lines(folder, capsys):
    assert len(TEXT.splitlines()) == 10
    (folder / "bits.toml").write_text(TEXT)
    assert main(shlex.split(COMMAND)[1:]) == 0, capsys.readouterr().err
    with (folder / "bits.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert all(row["equal_images"] == row["images"] == "360" for row in rows)
    shapes = {
        "numerics.weight_bits": ">7", "numerics.granularity": "<13", "mean_layer_error": ">21.1%",
        "largest_layer_error": ">7.1%", "accuracy": ">8.4f",
        "accuracy_interval.low": ">5.3f", "accuracy_interval.high": ">5.3f", "float_accuracy": ">8.4f",
    }  # fmt: skip
    lines = [
        "  ".join(
            format(float(row[name]) if "f" in how or "%" in how else row[name], how) for name, how in shapes.items()
        )
        for row in rows
    ]
    assert SHOWN.splitlines()[1:] == lines


def test_tables_are_those_of_the_figures(figures):
    assert figures.page_of(figures.kept(), PAGE) == PAGE


def test_every_way_of_the_study_is_there_and_equal(figures):
    kept, count = figures.kept(), 0
    for name in figures.STUDIES:
        given = read_study(EXAMPLE / name)
        count += len({one for table in given["numerics"] for one in table.choices()}) * len(given["models"])
        assert {model.title for model in given["models"]} <= {one.network for one in kept}
    assert len(kept) == count
    assert all(one.equal_images == one.images for one in kept)
    assert all(one.machine == one.onnxruntime for one in kept)


def test_the_picture_is_that_of_the_figures(figures, tmp_path):
    plain = [one for one in figures.kept() if "=" not in one.weight_bits]
    figures.draw(plain, tmp_path / "a.svg")
    text, shown = (tmp_path / "a.svg").read_text(), figures.PICTURE.read_text()
    assert text.count("<use") == shown.count("<use") > len(plain)


def test_a_small_slice(folder, monkeypatch):
    """Two of the networks, a few images, two ways: as the page says, from its data on."""
    monkeypatch.delenv("XDG_CACHE_HOME")  # the zoo is there
    data = folder / "build/accuracy"
    monkeypatch.setattr(sys, "argv", [
        "prepare.py", "--images", "6", "--set", "angle", "--set", "recogniser", "-o", str(data),
    ])  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", list(sys.path))
        runpy.run_path(str(EXAMPLE / "prepare.py"), run_name="__main__")
    text = (EXAMPLE / "study.toml").read_text()
    models = [one for one in text.split("[[models]]") if "angle_test" in one or "recogniser_test" in one]
    numerics = '[[numerics]]\nweight_bits = 8\ngranularity = ["tensor", "channel"]\n'
    (folder / "small").mkdir()
    (folder / "small/metrics.py").write_text((EXAMPLE / "metrics.py").read_text())
    whole = "".join(f"[[models]]{one.partition('[[')[0]}" for one in models).replace("../../build", "../build")
    (folder / "small/study.toml").write_text(f'name = "small"\n{whole}{numerics}[[machines]]\nmachine = "genesys:09"\n')
    result = Study.load(folder / "small/study.toml").run()
    assert [row.status for row in result.rows] == ["done"] * 4
    assert all(row.equal_images == row.images == 6 for row in result.rows)
    tensor, channel = result.rows[2:]
    assert tensor.model == "characters"
    assert channel.accuracy > 0.9 > tensor.accuracy
    assert tensor.mean_layer_error < 0.1
    # The same metric, data and model by `covenant accuracy`.
    point = Study.load(folder / "small/study.toml").plan().points[3]
    alone = covenant.accuracy(stored(point.model).path, point.model.data, "genesys:09", metric=point.model.metric)
    assert point.model.metric.endswith("metrics.py:characters")
    assert (alone.accuracy, alone.worst, alone.cycles) == (channel.accuracy, (), channel.cycles)


@pytest.mark.skipif(os.environ.get("COVENANT_FULL") is None, reason="measures every point anew; COVENANT_FULL=1")
@pytest.mark.timeout(1800)
def test_the_figures_are_measured(figures, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["prepare.py"])
    runpy.run_path(str(EXAMPLE / "prepare.py"), run_name="__main__")
    assert figures.text_of(figures.measured()) == figures.KEPT.read_text()
