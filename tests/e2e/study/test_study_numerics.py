"""Studies of float models: quantised in every way that they name, measured by the SDK's metrics and the user's."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import covenant
from covenant import oracle
from covenant.evaluation.metrics import MOST_DECIBEL, figure
from covenant.study import Study, StudyMachine, StudyModel, StudyNumerics
from covenant.study.grid import Grid

ROOT = Path(__file__).resolve().parents[3]
DIGITS = ROOT / "examples/01_digits"
METRIC = '''
def missed(outputs, labels):
    """The share of images that are not read."""
    return sum(int(one.argmax() != label) for one, label in zip(outputs, labels)) / len(labels)
'''
TEXT = """
name = "bits"
[[models]]
model = "digits_float.onnx"
data = "digits_test.npz"
calibrate = "digits_test.npz"
images = 30
[[numerics]]
weight_bits = [8, "conv1=8,*=3"]
granularity = ["tensor", "channel"]
[[numerics]]
bits = 4
method = "mse"
bias_correction = true
[[machines]]
machine = "genesys:8x8"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    for name in ("digits_float.onnx", "digits_qdq.onnx", "digits_test.npz"):
        shutil.copy(DIGITS / name, tmp_path / name)
    (tmp_path / "metrics.py").write_text(METRIC)
    (tmp_path / "study.toml").write_text(TEXT)
    return tmp_path


def test_every_way_is_a_row(folder):
    result = Study.load(folder / "study.toml").run(jobs=1)
    assert [row.status for row in result.rows] == ["done"] * 5
    ways = [row.numerics for row in result.rows]
    assert [(one["weight_bits"], one["granularity"], one["method"]) for one in ways] == [
        (8, "tensor", "minmax"), (8, "channel", "minmax"), ("conv1=8,*=3", "tensor", "minmax"),
        ("conv1=8,*=3", "channel", "minmax"), (4, "channel", "mse"),
    ]  # fmt: skip
    assert all(row.equal_images == 30 and row.accuracy == row.onnxruntime_accuracy for row in result.rows)
    assert result.rows[1].accuracy > result.rows[2].accuracy
    assert result.rows[1].mean_layer_error < result.rows[3].mean_layer_error < result.rows[2].mean_layer_error
    assert result.rows[0].layer_errors.keys() >= {"conv1", "conv2", "conv3", "conv4", "classifier"}
    # The model that a row is about is the one that `covenant quantize` makes.
    data = np.load(folder / "digits_test.npz")
    report = covenant.quantize(
        folder / "digits_float.onnx", folder / "y.onnx", {"image": data["images"]}, weight_bits=4, activation_bits=4,
        method="mse", bias_correction=True, layers=True,
    )  # fmt: skip
    read = [oracle.run(report.output, image[None])["logits"].argmax() for image in data["images"][:30]]
    assert result.rows[4].accuracy == np.mean(read == data["labels"][:30])
    assert result.rows[4].layer_errors == {one.name: one.relative_error for one in report.layers}


def test_every_width_on_every_machine(folder):
    """Elements that a machine is too narrow for are a row that says so, and stop nothing."""
    text = TEXT[: TEXT.index("[[numerics]]")].replace("images = 30", "images = 9")
    text += (
        '[[numerics]]\nelements = [4, 8, 16]\n[[machines]]\nmachine = "genesys:8x8"\nparameters = {bits = [4, 8, 16]}\n'
    )
    (folder / "widths.toml").write_text(text)
    rows = Study.load(folder / "widths.toml").run(jobs=1).rows
    found = {(row.numerics["elements"], row.parameters["bits"]): row for row in rows}
    assert {widths for widths, row in found.items() if row.code == "NET0030"} == {(8, 4), (16, 4), (16, 8)}
    done = [row for widths, row in found.items() if widths[0] <= widths[1]]
    assert all(row.status == "done" and row.equal_images == 9 for row in done)
    assert {row.numerics["weight_bits"] for row in done} == {4, 8, 16}
    assert all(abs(row.accuracy - row.onnxruntime_accuracy) <= 1 / 9 for row in done)
    assert found[16, 16].mean_layer_error < found[8, 8].mean_layer_error < found[4, 4].mean_layer_error


def test_results_are_kept_by_content(folder, tmp_path_factory):
    study = Study.load(folder / "study.toml")
    first = study.run(jobs=2)
    assert study.run(jobs=1).computed == 0
    other = tmp_path_factory.mktemp("moved") / "there"
    shutil.copytree(folder, other)
    moved = Study.load(other / "study.toml")
    assert moved.known(folder / "study.sqlite").to_json() == first.to_json()
    anew = moved.run(other / "anew.sqlite", jobs=1)
    assert anew.to_json() == first.to_json()
    assert "numerics.weight_bits" in first.to_csv().splitlines()[0]
    assert json.loads(first.to_json())["rows"][2]["numerics"]["weight_bits"] == "conv1=8,*=3"
    with np.load(folder / "digits_test.npz") as data:
        arrays = dict(data)
    np.savez(other / "few.npz", images=arrays["images"][:7])
    (other / "study.toml").write_text(TEXT.replace('calibrate = "digits_test.npz"', 'calibrate = "few.npz"'))
    keys = [{point.key for point in Study.load(one / "study.toml").plan().points} for one in (folder, other)]
    assert keys[0] & keys[1] == set()


def test_a_metric_of_the_users(folder):
    """A metric is identified by its text, wherever it lies."""
    text = TEXT.replace("images = 30", 'images = 30\nmetric = "metrics.py:missed"')
    (folder / "own.toml").write_text(text)
    study = Study.load(folder / "own.toml")
    right, missed = Study.load(folder / "study.toml").run(jobs=1), study.run(jobs=1)
    np.testing.assert_allclose([1 - row.accuracy for row in right.rows], [row.accuracy for row in missed.rows])
    before = [point.key for point in study.plan().points]
    (folder / "metrics.py").write_text(METRIC + "\n# another text\n")
    assert not set(before) & {point.key for point in study.plan().points}


def test_signal_to_noise(folder):
    (folder / "study.toml").write_text(TEXT.replace("images = 30", 'images = 5\nmetric = "sqnr"'))
    rows = Study.load(folder / "study.toml").run(jobs=1).rows
    assert {row.float_accuracy for row in rows} == {MOST_DECIBEL}
    assert rows[1].accuracy > 20 > rows[2].accuracy > 0
    ones = [np.ones((1, 4), np.float32)] * 3
    assert figure("sqnr", [one * 1.1 for one in ones], np.zeros(0), ones) == pytest.approx(20, rel=1e-3)


def refused(code, folder, *replacements):
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    (folder / "wrong.toml").write_text(text)
    with pytest.raises(covenant.CovenantError) as error:
        Study.load(folder / "wrong.toml").plan()
    assert error.value.code == code, error.value
    return error.value.diagnostic


def test_mistakes(folder):
    assert refused("STU0021", folder, ("bits = 4", "bits = 4\nweight_bits = 4")).subject == "numerics[1].bits"
    assert refused("STU0021", folder, ('"tensor", ', '"row", ')).allowed == ("tensor", "channel")
    assert refused("STU0021", folder, ('calibrate = "digits_test.npz"\n', "")).offending == "digits_float"
    assert (
        refused("STU0021", folder, ('calibrate = "digits_test.npz"', 'keep_float = ["conv1"]')).subject
        == "models[0].calibrate"
    )
    assert refused("STU0005", folder, ('granularity = ["tensor", "channel"]', "granularity = []"))
    assert refused("STU0003", folder, ("bias_correction = true", "bias_correction = 1"))
    assert refused("STU0002", folder, ("bits = 4", "bit = 4"))
    assert refused("QNT0008", folder, ("bits = 4", "bits = 40")).subject == "numerics[1].weight_bits"
    assert refused("QNT0005", folder, ('"mse"', '"best"')).file
    assert refused("STU0009", folder, ('calibrate = "digits_test.npz"', 'calibrate = "none.npz"'))
    assert refused("STU0006", folder, ("images = 30", 'metric = "metrics.txt:missed"'))
    assert refused("STU0020", folder, ("images = 30", 'metric = "none.py:missed"'))
    assert refused("STU0020", folder, ("images = 30", 'metric = "metrics.py:found"')).offending.endswith(
        "no such function"
    )
    model = StudyModel(folder / "digits_qdq.onnx", folder / "digits_test.npz", "sqnr")
    with pytest.raises(covenant.CovenantError) as error:
        Study("one", (model,), (StudyMachine("genesys"),)).plan()
    assert error.value.code == "STU0021"


def test_a_metric_that_fails_is_a_row(folder):
    (folder / "metrics.py").write_text("def missed(outputs, labels):\n    return outputs[0][99]\n")
    (folder / "study.toml").write_text(TEXT.replace("images = 30", 'images = 2\nmetric = "metrics.py:missed"'))
    result = Study.load(folder / "study.toml").run(jobs=1)
    assert [row.code for row in result.rows] == ["STU0020"] * 5
    assert "IndexError" in result.rows[0].text


def test_bits_that_match_nothing_are_a_row(folder):
    (folder / "study.toml").write_text(TEXT.replace("conv1=8,*=3", "lion=3"))
    rows = Study.load(folder / "study.toml").run(jobs=1).rows
    assert [row.code for row in rows] == ["", "", "QNT0009", "QNT0009", ""]


def test_choices_multiply():
    table = StudyNumerics(weight_bits=(8, 4), activation_bits=(8, 6), granularity=("tensor", "channel"))
    assert [(one.weight_bits, one.activation_bits, one.per_channel) for one in table.choices()] == [
        (w, a, c) for w in (8, 4) for a in (8, 6) for c in (False, True)
    ]
    assert [(one.weight_bits, one.activation_bits) for one in StudyNumerics(bits=(8, "a=2,*=4")).choices()] == [
        (8, 8), ("a=2,*=4", "a=2,*=4"),
    ]  # fmt: skip


def test_numerics_are_axes_of_a_search(folder):
    data = folder / "digits_test.npz"
    models = (
        StudyModel(folder / "digits_float.onnx", data, calibrate=data, images=3),
        StudyModel(folder / "digits_qdq.onnx", data, images=3),
    )
    numerics = (
        StudyNumerics(weight_bits=(8, 6, 4), granularity=("tensor", "channel")),
        StudyNumerics(bits=("conv1=8,*=4", 8), equalize=(False, True)),
    )
    machines = (StudyMachine("genesys", {"M": (4, 8)}), StudyMachine("dnnweaver"))
    grid = Grid(models, machines, ("fixed", "ddr4_2400"), numerics)
    assert len(grid) == (6 + 4 - 1 + 1) * 3 * 2  # 8 bits a channel is in both tables
    assert {axis.name: axis.is_ordered for axis in grid.axes if axis.name.startswith("numerics")} == {
        "numerics": False, "numerics[0].weight_bits": True, "numerics[0].granularity": False, "numerics[1].bits": False,
        "numerics[1].equalize": True,
    }  # fmt: skip
    assert [grid.place(grid.chosen(place)) for place in range(len(grid))] == list(range(len(grid)))
    (bits,) = [axis for axis in grid.axes if axis.name == "numerics[1].bits"]
    assert bits.matters({"numerics": 1})
    assert not bits.matters({"numerics": 0, "machine": 1})


def test_a_search_by_optuna(folder):
    pytest.importorskip("optuna")
    search = '[search]\nmethod = "optuna"\npoints = 4\nbatch = 2\n[objectives]\naccuracy = "max"\n'
    (folder / "study.toml").write_text(TEXT.replace("images = 30", "images = 4") + search)
    first = Study.load(folder / "study.toml").run(jobs=2)
    assert [row.status for row in first.rows] == ["done"] * 4
    assert len({row.title for row in first.rows}) == 4
    assert Study.load(folder / "study.toml").run(folder / "anew.sqlite", jobs=1).to_json() == first.to_json()
