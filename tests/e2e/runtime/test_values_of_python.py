"""Machines, programs and results as values: they pickle, and notebooks show them and load them as data frames."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from digits import DIGITS, model_of

import covenant
from covenant.tables import MOST_ROWS, data_frame, html_table

COPY = "import pickle, sys; sys.stdout.buffer.write(pickle.dumps(pickle.load(sys.stdin.buffer)))"
SETTINGS = {"accumulator": 20, "overflow": "saturate", "requant": "fixed"}


def elsewhere(value):
    """The value from a fresh process, which got it pickled."""
    command = [sys.executable, "-c", COPY]
    copied = subprocess.run(command, input=pickle.dumps(value), capture_output=True, check=True).stdout
    return pickle.loads(copied)  # noqa: S301 (our own)


@pytest.fixture(scope="module")
def image():
    return np.load(DIGITS / "digits_test.npz")["images"][:1]


@pytest.fixture(scope="module")
def ran(image):
    program = covenant.compile(model_of("qdq"), "genesys:8x8")
    return program, covenant.Session(program).run(image, trace=True, records=True)


def test_a_machine_pickles():
    machine = covenant.Machine("genesys:8x8", **SETTINGS)
    back = elsewhere(machine)
    assert (back, hash(back), back.preset) == (machine, hash(machine), "8x8")
    assert back != covenant.Machine("genesys:8x8")


def test_a_program_and_its_result_pickle(ran, image):
    program, result = ran
    back, again = elsewhere((program, result))
    assert (back, back.schedule) == (program, program.schedule)
    assert back.to_bytes() == program.to_bytes()
    assert again == result
    assert (again.stats, again.layers, again.machine) == (result.stats, result.layers, result.machine)
    assert covenant.Session(back).run(image, trace=True, records=True) == result
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.Session(back).layer_tensors(image)
    assert caught.value.code == "CLI0016"


def test_a_program_of_parts_pickles():
    parts = covenant.compile_parts(model_of("qdq"), "genesys:8x8", {"pool": "hvx"})
    assert elsewhere(parts) == parts


def test_packets_pickle(image):
    program = covenant.compile(model_of("qdq"), "hvx")
    result = covenant.Session(program).run(image, profile=True, records=True)
    assert elsewhere(result) == result


def test_results_differ_by_one_byte(ran):
    result = ran[1]
    name, array = next(iter(result.outputs.items()))
    other = array.copy()
    other.view(np.uint8).flat[0] ^= 1
    assert replace(result, outputs={name: other}) != result
    assert replace(result, seconds=1e9) == result
    assert replace(result, cycles=1) != result
    assert result != "result"


def test_accuracies_pickle():
    found = covenant.accuracy(model_of("qdq"), DIGITS / "digits_test.npz", "genesys:8x8", images=10,
                              compare=("float",))  # fmt: skip
    back = elsewhere(found)
    assert back == found
    assert back.to_dict() == found.to_dict()
    assert found.to_dict()["accuracy_interval"] == found.hits.interval
    assert found.float_p_value == 1.0


def test_html_is_small_and_escaped(ran):
    program, result = ran
    for value in (covenant.Machine("genesys"), program, result):
        html = value._repr_html_()
        assert len(html) < 8000
        assert html.startswith("<table>")
        assert "<script" not in html
    assert "6,212 cycles" not in covenant.Machine("genesys")._repr_html_()
    assert f"{result.cycles:,} cycles" in result._repr_html_()
    assert "<td>20</td>" in covenant.Machine("genesys", **SETTINGS)._repr_html_()
    assert "saturate" in covenant.Machine("genesys", **SETTINGS)._repr_html_()
    text = html_table("<b>&", ["<i>"], [("<script>alert(1)</script>", None, 1.5, True)] * (MOST_ROWS + 2), "<note>")
    assert "<script" not in text
    assert "&lt;b&gt;&amp;" in text
    assert text.count("<tr>") == MOST_ROWS + 1
    assert "and 2 rows more" in text


def test_without_pandas(ran, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    for value in ran:
        with pytest.raises(covenant.CovenantError) as caught:
            value.to_dataframe()
        assert caught.value.code == "CLI0012"
        assert "tables" in caught.value.fix


def test_rows_that_become_a_data_frame(ran, monkeypatch):
    """Gives pandas a dictionary for each row."""
    given = ModuleType("pandas")
    given.DataFrame = list
    monkeypatch.setitem(sys.modules, "pandas", given)
    program, result = ran
    assert [one["layer"] for one in program.to_dataframe()] == [block.layer for block in program.blocks]
    rows = result.to_dataframe()
    assert [one["cycles"] for one in rows] == [layer.cycles for layer in result.layers]
    assert rows[0]["causes.fetch"] == result.layers[0].causes["fetch"]


def test_a_real_data_frame(ran):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install covenant[tables]")
    frame = ran[1].to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["cycles"]) == [layer.cycles for layer in ran[1].layers]
    assert data_frame([{"a": 1}, {"b": 2}]).shape == (2, 2)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((), "requant fp32 (sums scaled in single precision), overflow wrap (sums of 32 bits that wrap)"),
        (
            tuple(word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")),
            "requant fixed (sums scaled in fixed point), overflow saturate (sums of 20 bits that saturate)",
        ),
    ],
)
def test_show_names_the_numerics(covenant_command, settings, said):
    assert f"numerics: {said}" in covenant_command("show", "genesys:8x8", *settings).out
