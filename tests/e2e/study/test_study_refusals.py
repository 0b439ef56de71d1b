"""Mistakes that a study refuses before it computes anything, and files that have changed since."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from digits import model_of
from few_points import DATA, TEXT, written

import covenant
from covenant.study import Study, StudyMachine, StudyModel
from covenant.study.measure import measure


@pytest.fixture
def file(tmp_path) -> Path:
    return written(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("name = ", "name : ", "STU0001"),
        ("memory = ", "memories = ", "STU0002"),
        ("images = 12", 'images = "all"', "STU0003"),
        ("images = 12", "images = 0", "STU0003"),
        ("M = [4, 8, 16]", "M = [4.5]", "STU0003"),
        ('name = "few"', "", "STU0004"),
        ("M = [4, 8, 16]", "M = []", "STU0005"),
        ('memory = ["fixed", "ddr4_2400"]', "memory = []", "STU0005"),
        ("images = 12", 'metric = "top3"', "STU0006"),
        ("[objectives]", '[search]\nmethod = "gird"\n[objectives]', "STU0007"),
        ('cycles = "min"', 'cycle = "min"', "STU0008"),
        ('cycles = "min"', 'cycles = "low"', "STU0008"),
        ("digits_qdq", "digits_missing", "STU0009"),
        ("digits_test", "digits_missing", "STU0009"),
        (str(model_of("qdq")), str(DATA), "STU0009"),
        ("images = 12", "images = 361", "STU0010"),
        ("[objectives]", '[search]\nmethod = "random"\n[objectives]', "STU0011"),
        ("[objectives]", "[search]\npoints = 3\n[objectives]", "STU0011"),
        ("[objectives]", '[search]\nmethod = "random"\npoints = 13\n[objectives]', "STU0011"),
        ("images = 12", 'output = "other"', "STU0014"),
        ("[[machines]]", f'[[models]]\nmodel = "{model_of("qdq")}"\ndata = "{DATA}"\n[[machines]]', "STU0015"),
        ('machine = "genesys"', 'machine = "genesis"', "ACG0007"),
        ('"ddr4_2400"', '"ddr4"', "MEM0001"),
    ],
)
def test_a_wrong_study_is_refused_before_anything(old, new, code, file):
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(covenant.CovenantError) as refused:
        Study.load(file).run()
    assert refused.value.code == code
    assert refused.value.fix
    if code.startswith("STU"):
        assert refused.value.where.startswith(str(file))
    assert not file.with_suffix(".sqlite").exists()


def test_what_is_wrong_is_told_with_its_place(file, covenant_command):
    file.write_text(TEXT.replace("images = 12", "image = 12"))
    done = covenant_command("study", file, "--json")
    assert done.code == 2
    error = done.object["error"]
    assert (error["code"], error["subject"]) == ("STU0002", "models[0].image")
    assert error["fix"] == 'did you mean "images"?'
    file.write_text(TEXT.replace('name = "few"', 'name = "few'))
    assert covenant_command("study", file, "--json").object["error"]["where"] == f"{file}:2:12"


def test_a_file_of_results_that_is_something_else(file, tmp_path):
    for content in (b"some text that is no database" * 9, None):
        other = tmp_path / "other.sqlite"
        other.unlink(missing_ok=True)
        if content:
            other.write_bytes(content)
        else:
            with sqlite3.connect(other) as database:
                database.execute("CREATE TABLE mine (x)")
        before = other.read_bytes()
        with pytest.raises(covenant.CovenantError) as refused:
            Study.load(file).run(other)
        assert refused.value.code == "STU0012"
        assert other.read_bytes() == before
    with pytest.raises(covenant.CovenantError, match="CLI0006"):
        Study.load(file).run(tmp_path / "nowhere" / "x.sqlite")


def test_a_model_that_changes_meanwhile(tmp_path):
    model = tmp_path / "x.onnx"
    model.write_bytes(model_of("qdq").read_bytes())
    study = Study("x", (StudyModel(model, DATA, images=1),), (StudyMachine("genesys"),))
    plan = study.plan()
    model.write_bytes(model_of("qoperator").read_bytes())
    (outcome,) = measure(plan.points)
    assert outcome.code == "STU0013"


def test_a_model_that_onnx_runtime_would_not_run_in_integers(monkeypatch):
    from covenant import oracle

    def refuses(*_, **__):
        message = "it is not installed"
        raise oracle.OracleError(message)

    monkeypatch.setattr(oracle, "run", refuses)
    (outcome,) = measure(Study("x", (StudyModel(model_of("qdq"), DATA),), (StudyMachine("genesys"),)).plan().references)
    assert outcome.code == "STU0016"


def test_a_study_in_python_says_where_results_go():
    study = Study("x", (StudyModel(model_of("qdq"), DATA),), (StudyMachine("genesys"),))
    with pytest.raises(ValueError, match="results"):
        study.run()
    with pytest.raises(ValueError, match="at least 1"):
        study.run("x.sqlite", jobs=0)
    assert not os.path.exists("x.sqlite")  # noqa: PTH110
