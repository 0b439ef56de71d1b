"""Ties of studies: which points the images tell apart, what a search has found, and tables without paths."""

from __future__ import annotations

import csv
import io
import json
import pickle
import subprocess
import sys

import pytest
from digits import DIGITS, model_of

import covenant
from covenant.evaluation import Hits, wilson_interval
from covenant.explore import explore
from covenant.study import Objective, Study, StudyMachine, StudyModel, StudyNumerics, StudyResult, StudyRow
from covenant.study.names import names_of_files
from covenant.study.pictures.charts import charts_of

GOALS = (Objective("cycles", "min"), Objective("accuracy", "max"))
DATA = DIGITS / "digits_test.npz"


def row(cycles: int, right: int, data: str = "x") -> StudyRow:
    """A point whose hits are the first so many of a hundred images."""
    hits = Hits(100, (1 << right) - 1, data)
    return StudyRow("m", "genesys", {}, "fixed", "done", cycles=cycles, accuracy=right / 100, hits=hits,
                    accuracy_interval=hits.interval)  # fmt: skip


def table(*rows: StudyRow, **more) -> StudyResult:
    return StudyResult("t", GOALS, rows, 0, **more)


def test_what_is_tied_with_the_front():
    """Beside the fastest: one as fast with two images less, and one on the front that is slower with two more."""
    found = table(row(10, 90), row(10, 88), row(10, 80), row(20, 92), row(30, 99), row(30, 97))
    assert found.front_places == (0, 3, 4)
    assert found.ties == {0: (1,), 3: (0, 1), 4: (5,)}
    assert found.tied_places == (1, 5)
    assert found.to_dict()["ties"] == [[1], [0, 1], [5]]
    marks = [found._repr_html_().count(f">{mark}</td>") for mark in "*="]
    assert marks == [3, 2]
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [one["tied_with"] for one in rows] == ["3", "0 3", "", "", "", "4"]
    assert [float(one["accuracy_interval.low"]) for one in rows] == [one.accuracy_interval[0] for one in found.rows]


def test_other_images_are_compared_by_their_intervals():
    assert table(row(10, 90), row(10, 80)).ties == {0: ()}
    assert table(row(10, 90), row(10, 80, "y")).ties == {0: (1,)}


def test_figures_that_are_no_shares_are_tied_if_equal():
    one = StudyRow("m", "genesys", {}, "fixed", "done", cycles=10, accuracy=31.5)
    other = StudyRow("m", "genesys", {}, "fixed", "done", cycles=10, accuracy=31.4)
    assert table(one, other, one).ties == {0: (2,), 2: (0,)}


@pytest.mark.parametrize(
    ("later", "found"),
    [(row(10, 91), False), (row(9, 90), True), (row(10, 99), True), (row(20, 50), False), (row(20, 99), True)],
)
def test_a_search_that_found_nothing_better_says_so(later, found):
    """An image more is nothing better than the first batch."""
    assert table(row(10, 90), row(15, 70), later, first_batch=2).found_better is found
    assert table(row(10, 90), row(15, 70), later).found_better is None


@pytest.mark.parametrize(("ranges", "found"), [({"M": (4, 8)}, False), ({"M": (8, 16)}, True)])
def test_a_search_for_machines_says_so_too(tmp_path, capsys, ranges, found):
    done = explore(model_of("qdq"), "genesys:8x8", ranges=ranges, points=2, results=tmp_path / "r.sqlite", jobs=1)
    assert (done.start, done.found_better) == (0, found)
    assert done.to_dict()["found_better"] is found
    from covenant.cli import main

    name, values = next(iter(ranges.items()))
    assert main(["explore", str(model_of("qdq")), "--family", "genesys:8x8", "--range",
                 f"{name}={','.join(map(str, values))}", "--points", "2",
                 "--results", str(tmp_path / "r.sqlite")]) == 0  # fmt: skip
    assert ("nothing better than the start" in capsys.readouterr().out) is not found


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A study of a float model, of which a machine is too small, from files that lie in folders."""
    folder = tmp_path_factory.mktemp("somewhere")
    own = folder / "own.acg"
    own.write_text(str(covenant.Machine("genesys:8x8")))
    memory = folder / "own.json"
    memory.write_text("{}")
    model = StudyModel(DIGITS / "digits_float.onnx", DATA, images=12, calibrate=DATA, name="digits")
    machines = (StudyMachine("genesys", {"M": (4,), "instruction_depth": (1024, 8)}), StudyMachine(str(own)))
    study = Study("paths", (model,), machines, numerics=(StudyNumerics(weight_bits=(8, 4)),))
    return folder, study.run(folder / "r.sqlite", jobs=1)


def test_a_table_has_no_paths(measured):
    """Neither of the cache of quantised models nor of the user's files, also where a point fails."""
    folder, result = measured
    assert [one.status for one in result.rows].count("failed") == 2
    assert {one.machine for one in result.rows} == {"genesys", "own.acg"}
    for text in (result.to_json(), result.to_csv(), result._repr_html_()):
        assert "quantised/" not in text
        assert str(folder) not in text
        assert str(DIGITS) not in text
    assert any("digits: weights 4" in one.text for one in result.rows if one.code)


def test_accuracies_have_intervals(measured):
    result = measured[1]
    for one in result.rows:
        assert one.float_accuracy_interval is not None
        assert one.onnxruntime_accuracy_interval is not None
        if one.code:
            continue
        assert one.accuracy_interval == one.hits.interval
        assert one.hits.right / one.hits.rows == one.accuracy
    assert len(json.loads(result.to_json())["rows"][0]["float_accuracy_interval"]) == 2


def test_a_study_pickles_in_another_process(measured):
    result = measured[1]
    script = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps(pickle.load(sys.stdin.buffer)))"
    command = [sys.executable, "-c", script]
    copied = subprocess.run(command, input=pickle.dumps(result), capture_output=True, check=True).stdout
    back = pickle.loads(copied)  # noqa: S301 (our own)
    assert back == result
    assert (back.to_json(), back.ties) == (result.to_json(), result.ties)


def test_names_of_files():
    assert names_of_files(["genesys:8x8", "a/own.acg"]) == {"genesys:8x8": "genesys:8x8", "a/own.acg": "own.acg"}
    assert names_of_files(["/a/b/x.acg", "/a/c/x.acg"]) == {"/a/b/x.acg": "b/x.acg", "/a/c/x.acg": "c/x.acg"}


def test_pictures_have_bars_of_confidence(tmp_path):
    """Each point of a picture of accuracy has the ends of its interval, and those of other columns none."""
    found = table(row(10, 90), row(20, 97))
    (front,) = (one for one in charts_of(found) if one.template == "pareto")
    assert (front.values["ylow"], front.values["yhigh"]) == ("accuracy/low", "accuracy/high")
    assert (front.values["xlow"], front.values["xhigh"]) == ("cycles", "cycles")
    ends = {one["cycles"]: (one["accuracy/low"], one["accuracy/high"]) for one in front.rows}
    assert ends == {one.cycles: one.accuracy_interval for one in found.rows}
    assert "95 % confidence" in front.subtitle
    found.plot(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text().count('aria-roledescription="rule mark"') >= 2


def test_the_command_says_what_is_tied(tmp_path, covenant_command):
    """Sums that are scaled in fixed point cost an image of the digits, which is no difference that the images show."""
    file = tmp_path / "two.toml"
    file.write_text(
        f'name = "two"\n[[models]]\nmodel = "{model_of("qdq")}"\ndata = "{DATA}"\n'
        '[[machines]]\nmachine = "genesys"\nparameters = { requant = ["fixed", "fp32"] }\n'
    )
    report = covenant_command("study", file, "--jobs", 1, "--json").object
    assert [row["accuracy_interval"] for row in report["rows"]] == [
        list(wilson_interval(right, 360)) for right in (353, 354)
    ]
    best = report["front"].index(1)
    assert (report["ties"][best], report["found_better"]) == ([0], None)
    done = covenant_command("study", file, "--jobs", 1, "--front")
    assert done.code == 0, done.error
    is_on_front = 0 in report["front"]
    assert ("tied on the front: digits_qdq on genesys requant=fp32" in done.out) is is_on_front
    assert ("= 1 more points" in done.out) is not is_on_front
