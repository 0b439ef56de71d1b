"""Studies that Optuna searches: an interrupted search ends in the same table, and searching beats chance."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from digits import DIGITS, model_of

import covenant
from covenant.study import Objective, Study, StudyMachine, StudyModel, StudySearch
from covenant.study.grid import Grid
from covenant.study.search import Search, start_search
from covenant.study.table import StudyRow

pytest.importorskip("optuna", reason="Optuna is not installed (requirements-dev.txt)")

MODEL = StudyModel(model_of("qdq"), DIGITS / "digits_test.npz", images=2)
MACHINES = (
    StudyMachine("genesys", {"M": (4, 8, 16), "N": ("M",), "axi": (64, 256)}),
    StudyMachine("genesys:16x16", {"instruction_depth": (512, 1024)}),
)
STUDY = Study(
    "searched", (MODEL,), MACHINES, ("fixed", "ddr4_2400"), StudySearch("optuna", points=8, seed=5, batch=3)
)  # fmt: skip
ONE = (Objective("cycles", "min"),)
WIDE = StudyMachine("genesys", {"M": tuple(range(1, 33)), "N": tuple(range(1, 33)), "axi": (64, 128, 256)})


@pytest.mark.parametrize("objectives", [ONE, STUDY.objectives], ids=["tpe", "nsga2"])
def test_an_interrupted_search_has_the_table_of_another(objectives, tmp_path):
    """Other processes and pieces of three points change nothing: proposals depend on results alone."""
    study = replace(STUDY, objectives=objectives)
    whole = study.run(tmp_path / "whole.sqlite", jobs=2)
    assert (len(whole.rows), whole.missing, whole.failed) == (8, 0, 0)
    assert len({(row.label, row.memory) for row in whole.rows}) == 8
    pieces, computed = [], 0
    while not pieces or pieces[-1].missing:
        pieces.append(study.run(tmp_path / "pieces.sqlite", jobs=1, limit=3))
        computed += pieces[-1].computed
    assert len(pieces) == 3
    assert computed == 9  # and one in ONNX Runtime
    assert pieces[0].unnamed == 5
    assert pieces[0].missing == 5 + 1
    assert pieces[-1].to_json() == whole.to_json()
    assert pieces[-1].to_csv() == whole.to_csv()
    assert study.known(tmp_path / "pieces.sqlite") == whole
    longer = replace(study, search=replace(study.search, points=10)).run(tmp_path / "pieces.sqlite", jobs=2)
    assert longer.rows[:8] == whole.rows
    assert longer.computed == 2


def test_all_points_and_no_more():
    """The sampler proposes what it has proposed; the rest of the grid comes all the same, each point once."""
    grid = Grid((MODEL,), MACHINES, STUDY.memory)
    assert len(grid) == 16
    twice = Grid((MODEL,), (*MACHINES, StudyMachine("genesys", {"M": (8, 8, 4), "axi": (64, 64)})), STUDY.memory)
    for one in (grid, twice):
        assert [one.place(one.chosen(place)) for place in range(len(one))] == list(range(len(one)))
    for objectives in (ONE, STUDY.objectives):
        search = start_search(grid, StudySearch("optuna", points=16, seed=2, batch=5), objectives)
        batches = list(told(search))
        assert [len(batch) for batch in batches] == [5, 5, 5, 1]
        assert len({point.key for batch in batches for point in batch}) == 16


def test_the_order_of_numbers_is_known():
    axes = {axis.name: axis.is_ordered for axis in Grid((MODEL,), MACHINES, STUDY.memory).axes}
    assert axes == {
        "machine": False, "machines[0].M": True, "machines[0].axi": True, "machines[1].instruction_depth": True,
        "memory": False,
    }  # fmt: skip


def far(row: dict[str, int]) -> int:
    """Least, 0, at one of 3,072 machines."""
    return (row["M"] - 21) ** 2 + (row["N"] - 6) ** 2 + abs(row["axi"] - 128)


@pytest.mark.parametrize("seed", range(3))
def test_it_finds_more_than_chance(seed):
    """The later half of Optuna's points beats random points on a function with one valley."""
    grid = Grid((MODEL,), (WIDE,), ("fixed",))
    found = {}
    for method in ("optuna", "random"):
        search = start_search(grid, StudySearch(method, points=48, seed=seed), ONE)
        found[method] = [far(point.settings) for batch in told(search) for point in batch]
        print(f"seed {seed}: {method} {min(found[method])}, mean of the later half {np.mean(found[method][24:]):.0f}")
    assert np.mean(found["optuna"][24:]) < np.mean(found["random"]) / 2


def told(search: Search):
    """Batches of a search, each told how far its points are."""
    while batch := search.ask():
        yield batch
        search.tell(
            [
                StudyRow("", "", point.settings, point.memory, "done", cycles=far({"N": 0, "axi": 0} | point.settings),
                         accuracy=0.5) if "M" in point.settings else StudyRow("", "", {}, "", "failed")
                for point in batch
            ]
        )  # fmt: skip


def test_without_optuna_nothing_is_begun(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(covenant.CovenantError) as refused:
        STUDY.run(tmp_path / "x.sqlite")
    assert refused.value.code == "STU0017"
    assert "pip install optuna" in refused.value.fix
    assert not (tmp_path / "x.sqlite").exists()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"points": None}, "STU0011"),
        ({"points": 17}, "STU0011"),
        ({"sampler": "tpee"}, "STU0007"),
        ({"method": "random", "batch": 3}, "STU0011"),
        ({"method": "random", "sampler": "tpe"}, "STU0011"),
        ({"batch": 0}, "STU0011"),
        ({"seed": -1}, "STU0011"),
    ],
)
def test_mistakes(given, code):
    with pytest.raises(covenant.CovenantError) as refused:
        replace(STUDY, search=StudySearch(**{"method": "optuna", "points": 4} | given)).plan()
    assert refused.value.code == code
    assert refused.value.fix
