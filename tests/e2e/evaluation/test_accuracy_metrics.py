"""Metrics of accuracy and sensitivity other than ranks: compared with NumPy's figures, and refused if wrong."""

from __future__ import annotations

import json

import numpy as np
import onnx
import onnxruntime
import pytest
from digits import DIGITS, model_of
from onnx import numpy_helper

import covenant
from covenant.errors import CovenantError
from covenant.evaluation import draw_worst, figure, sensitivity_to_bits, shown, shown_gain
from covenant.study import Study, StudyMachine, StudyModel

DATA = DIGITS / "digits_test.npz"
FLOAT = DIGITS / "digits_float.onnx"
METRIC = '''
import numpy as np

def read(outputs, labels):
    """The share of digits that are read."""
    return np.mean(np.stack(outputs).reshape(len(outputs), -1).argmax(axis=1) == labels)

def whole(outputs, labels):
    """What the data say, as they say it."""
    assert labels.dtype.kind == "U" and labels.shape == (12, 2)
    return len(outputs)

def raises(outputs, labels):
    return outputs[0][99]

def leaves(outputs, labels):
    raise SystemExit(0)

def no_number(outputs, labels):
    return "0.5"

def nan(outputs, labels):
    return float("nan")

def several(outputs, labels):
    return np.ones(2)

def nothing(outputs, labels):
    pass

def changes(outputs, labels):
    outputs[0] += 1
    return 0
'''


@pytest.fixture
def file(tmp_path):
    (tmp_path / "metrics.py").write_text(METRIC)
    return tmp_path / "metrics.py"


def refused(call, *arguments, **options):
    with pytest.raises(CovenantError) as caught:
        call(*arguments, **options)
    return caught.value.diagnostic


def float_logits(images):
    session = onnxruntime.InferenceSession(str(FLOAT), providers=["CPUExecutionProvider"])
    return np.stack([session.run(["logits"], {"image": image[None]})[0] for image in images])


def in_decibel(made, real):
    """Signal to noise ratio in dB: 10 log10 of the signal's sum of squares over the noise's."""
    made, real = made.astype(np.float64), real.astype(np.float64)
    return 10 * np.log10(np.sum(real**2) / np.sum((made - real) ** 2))


def without_certainty(report):
    """A report without intervals and probabilities: a metric of a file has none, its numbers need not be counts."""
    if isinstance(report, dict):
        kept = {key: one for key, one in report.items() if not key.endswith(("interval", "p_value"))}
        return {key: without_certainty(one) for key, one in kept.items()}
    return [without_certainty(one) for one in report] if isinstance(report, list | tuple) else report


@pytest.mark.parametrize(
    "arguments",
    [
        ("accuracy", "-m", "genesys:8x8", "--worst", "0", "--compare", "float,onnxruntime"),
        ("accuracy", "-m", "genesys:8x8", "--worst", "0", "--set", "accumulator=19", "--set", "overflow=saturate"),
        ("sensitivity",),
    ],
)
def test_top1_in_a_file_gives_the_same_bytes(arguments, file, covenant_command):
    command, *others = arguments
    found = {}
    for metric in ("top1", f"{file}:read"):
        done = covenant_command(
            command, model_of("qdq"), "--data", DATA, "--float", FLOAT, "--images", 70, *others, "--metric", metric,
            "--json",
        )  # fmt: skip
        assert done.code == 0
        report = json.loads(done.out)
        assert report.pop("metric") == metric
        timed = ("values_seconds", "images_per_second")
        found[metric] = {key: value for key, value in report.items() if key not in timed}
        found[metric].get("verified", {}).pop("seconds", None)
    plain, own = (json.dumps(without_certainty(report)) for report in found.values())
    assert plain == own


def test_one_layer_with_more_bits_by_a_file(file, images):
    samples, options = {"image": images[:60]}, {"weight_bits": 2, "more_bits": 7, "one_in_float": False, "images": 90}
    ranks = sensitivity_to_bits(FLOAT, DATA, samples, **options)
    own = sensitivity_to_bits(FLOAT, DATA, samples, metric=f"{file}:read", **options)
    ranks, own = (without_certainty(one.to_dict() | {"metric": ""}) for one in (ranks, own))
    assert ranks == own


def test_sqnr_is_numpys(images):
    result = covenant.accuracy(model_of("qdq"), DATA, "genesys:8x8", metric="sqnr", float_model=FLOAT, images=40,
                               compare=("onnxruntime",))  # fmt: skip
    wanted = in_decibel(result.outputs["logits"], float_logits(images[:40]))
    assert result.accuracy == pytest.approx(wanted, abs=1e-3)
    assert result.onnxruntime_accuracy == result.accuracy
    assert result.worst == ()
    assert (result.float_accuracy, result.float_source) == (200.0, FLOAT.name)
    made = covenant.accuracy(model_of("qdq"), {"image": images[:40]}, "genesys:8x8", metric="sqnr")
    assert made.float_source == "the model without rounding between layers"
    assert made.accuracy > result.accuracy  # the weights are rounded in both


def test_the_gain_of_a_layer_in_decibel(images):
    """Gain of the last layer in float: scores from real weights and the int8 model's last tensor, computed here."""
    result = covenant.sensitivity(model_of("qdq"), {"image": images[:40]}, metric="sqnr", float_model=FLOAT)
    values = covenant.Values(model_of("qdq"))
    real = float_logits(images[:40])
    assert result.accuracy == pytest.approx(
        in_decibel(values.run({"image": images[:40, None]})["logits"], real), abs=1e-3
    )
    flat = next(one for one in values.made if one.node == "flatten")
    stored = values.tensors({"image": images[:40, None]}, [flat.name])[flat.name]
    taken = (stored[:, 0].astype(np.float64) - flat.zero_point) * flat.scale
    weights = {one.name: numpy_helper.to_array(one) for one in onnx.load(str(FLOAT)).graph.initializer}
    logits = taken @ weights["classifier.weight"].astype(np.float64).reshape(10, -1).T + weights["classifier.bias"]
    by_node = {one.statistics.node: one for one in result.layers}
    known = by_node["classifier"].statistics  # what is beyond the stored type's range still becomes its ends
    wanted = in_decibel(np.clip(logits, known.range_lowest, known.range_highest)[:, None], real)
    assert by_node["classifier"].accuracy_in_float == pytest.approx(wanted, abs=1e-2)
    assert result.gain(by_node["classifier"]) == pytest.approx(wanted - result.accuracy, abs=1e-2)


def test_bits_in_decibel(images):
    result = sensitivity_to_bits(FLOAT, {"image": images[:20]}, {"image": images[:60]}, metric="sqnr", weight_bits=3,
                                 one_in_float=False)  # fmt: skip
    assert 0 < result.accuracy < result.accuracy_at_more_bits
    assert max(result.gain_of_bits(one) or 0 for one in result.layers) > 1


def test_labels_are_passed_as_they_are(file, images):
    labels = np.array([["one", "two"]] * 16)
    result = covenant.accuracy(model_of("qdq"), {"image": images[:16], "labels": labels}, "genesys:8x8", images=12,
                               metric=f"{file}:whole")  # fmt: skip
    assert result.accuracy == 12.0


def test_figures_for_people(file, covenant_command):
    options = (model_of("qdq"), "--data", DATA, "--images", 20)
    said = covenant_command("accuracy", *options, "-m", "genesys:8x8", "--metric", f"{file}:read").out
    assert "no worst examples: read has no rows of scores" in said
    assert "%" not in said
    said = covenant_command("accuracy", *options, "-m", "genesys:8x8", "--metric", "sqnr").out
    assert " dB" in said
    assert "%" not in said
    said = covenant_command("sensitivity", *options, "--metric", "sqnr", "--errors-only").out
    assert "in float 200.00 dB" in said
    assert [shown(one, 0.5) for one in ("top5", "sqnr", "m.py:f")] == ["50.00%", "0.50 dB", "0.5"]
    assert [shown_gain(one, 0.5) for one in ("top1", "sqnr", "m.py:f")] == ["+50.00", "+0.50", "+0.5"]


def test_pictures(file, tmp_path, covenant_command):
    options = (model_of("qdq"), "--data", DATA, "--images", 20, "--picture", tmp_path / "picture.svg")
    for others in (("--metric", f"{file}:read"), ("--metric", "sqnr"), ("--worst", "0")):
        done = covenant_command("accuracy", *options, "-m", "genesys:8x8", *others)
        assert done.code == 2
        assert "error[ACC0011]" in done.error
    assert not (tmp_path / "picture.svg").exists()
    result = covenant.accuracy(model_of("qdq"), DATA, "genesys:8x8", metric="sqnr", images=5)
    assert refused(draw_worst, result, tmp_path / "picture.svg").code == "ACC0011"
    done = covenant_command("sensitivity", *options, "--metric", "sqnr")
    assert done.code == 0
    assert (tmp_path / "picture.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("raises", "IndexError"),
        ("leaves", "SystemExit"),
        ("no_number", "'0.5', which is no finite number"),
        ("nan", "nan, which is no finite number"),
        ("several", "which is no finite number"),
        ("nothing", "None, which is no finite number"),
        ("changes", "read-only"),
        ("absent", "no such function"),
    ],
)
def test_functions_that_fail(function, said, file, images):
    metric = f"{file}:{function}"
    data = {"image": images[:4], "labels": np.zeros(4, np.int64)}
    wrong = refused(covenant.accuracy, model_of("qdq"), data, "genesys:8x8", metric=metric)
    assert wrong == refused(covenant.sensitivity, model_of("qdq"), data, metric=metric, one_in_float=False)
    assert (wrong.code, wrong.subject) == ("ACC0009", "metric")
    assert said in wrong.offending
    # In a study: before it begins, or in the row.
    study = Study("one", (StudyModel(model_of("qdq"), DATA, metric, images=4),), (StudyMachine("genesys:8x8"),))
    if function == "absent":
        assert refused(study.plan).code == "STU0020"
    else:
        (row,) = study.run(file.with_name("results.sqlite"), jobs=1).rows
        assert row.code == "STU0020"
        assert said in row.text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        (b"def read(:", "SyntaxError"),
        (b"\x00\xff\x00", ""),
        (b"import a_package_that_nobody_has", "ModuleNotFoundError"),
        (b"raise SystemExit", "SystemExit"),
        (b"read = 3", "no such function"),
    ],
)
def test_files_that_are_no_metrics(content, said, tmp_path):
    path = tmp_path / "broken.py"
    if content is not None:
        path.write_bytes(content)
    wrong = refused(covenant.accuracy, model_of("qdq"), DATA, "genesys:8x8", metric=f"{path}:read")
    assert wrong == refused(covenant.sensitivity, model_of("qdq"), DATA, metric=f"{path}:read")
    assert wrong.code == "ACC0009"
    assert said in wrong.offending
    assert refused(Study("one", (StudyModel(model_of("qdq"), DATA, f"{path}:read"),), (StudyMachine("hvx"),)).plan
                   ).code == "STU0020"  # fmt: skip


@pytest.mark.parametrize("metric", ["top3", "metrics.py", ":top1", ":sqnr", "metrics.txt:read", "metrics.py:a b", ""])
def test_there_is_no_such_metric(metric):
    for call in (covenant.accuracy, covenant.sensitivity):
        machine = ("genesys:8x8",) if call is covenant.accuracy else ()
        wrong = refused(call, model_of("qdq"), DATA, *machine, metric=metric)
        assert wrong.code == "ACC0002"
        assert wrong.allowed == ("top1", "top5", "sqnr", "FILE.py:FUNCTION")
    assert refused(StudyModel, model_of("qdq"), DATA, metric).code == "STU0006"


def test_labels_that_a_function_cannot_take(file, images):
    for labels in (None, np.int64(3), np.zeros((7, 2)), np.zeros(0)):
        data = {"image": images[:10]} | ({} if labels is None else {"labels": np.asarray(labels)})
        wrong = refused(covenant.accuracy, model_of("qdq"), data, "genesys:8x8", metric=f"{file}:read")
        assert wrong.code == "ACC0001"


def test_sqnr_needs_real_outputs(images):
    """None can be made of a model in QOperator style; and integers, or what is infinite, have no such ratio."""
    wrong = refused(covenant.accuracy, model_of("qoperator"), {"image": images[:2]}, "genesys:8x8", metric="sqnr")
    assert wrong.code == "ACC0005"
    ones = [np.ones((1, 4), np.float32)] * 2
    for made in (np.ones((1, 4), np.int8), np.ones((1, 3), np.float32), np.full((1, 4), np.inf, np.float32)):
        assert refused(figure, "sqnr", [made] * 2, np.zeros(0), ones).code == "ACC0010"
    nan = np.full((2, 1, 4), np.nan, np.float32)
    assert refused(figure, "top1", nan, np.zeros(2, np.int64)).code == "ACC0010"


def test_an_output_without_rows(tmp_path):
    """One number has no scores; a function may take it all the same."""
    (tmp_path / "metrics.py").write_text("def mean(outputs, labels):\n    return sum(outputs) / len(outputs)\n")
    made = np.zeros((2,), np.float32)
    assert refused(figure, "top1", made, np.zeros(2, np.int64)).code == "ACC0004"
    assert figure(f"{tmp_path / 'metrics.py'}:mean", made + 3, np.zeros(2, np.int64)) == 3.0
