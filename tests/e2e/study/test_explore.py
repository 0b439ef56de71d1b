"""Searches for machines: limits hold, fronts and hypervolumes equal those of brute force, a kill changes nothing."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from digits import DIGITS, model_of

import covenant
from covenant.energy import energy_of
from covenant.explore import Space, default_ranges, explore, hypervolume, parse_constraint
from covenant.explore.space import parse_range
from covenant.study import Objective
from covenant.study.hardware import COUNTED, hardware_of

MODEL = str(model_of("qoperator"))
RANGES = {"M": (4, 8, 12, 16), "N": (4, 8, 12, 16), "axi_weight": (32, 64, 128), "vector_depth": (256, 512, 1024)}
LIMITS = ("pe_count<=96", "buffer_bits<=2.5e6", "bus_bits<=1100")
COMMAND = Path(sys.executable).with_name("covenant")


def search(results, points=16, seed=3, **more):
    goals = (Objective("cycles", "min"), Objective("energy_proxy", "min"))
    limits = [parse_constraint(text) for text in LIMITS]
    return explore(MODEL, "genesys:8x8", objectives=goals, constraints=limits, ranges=RANGES, points=points, seed=seed,
                   results=results, jobs=1, **more)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return search(tmp_path_factory.mktemp("whole") / "results.sqlite")


def test_every_point_is_within_the_limits_and_what_a_run_says(whole):
    assert len(whole.rows) == 16
    assert len({json.dumps(row.parameters) for row in whole.rows}) == 16
    for row in whole.rows:
        assert row.status == "done", row.text
        machine = covenant.Machine("genesys:8x8", **row.parameters)
        found = hardware_of(machine.to_json(), COUNTED)
        assert found["pe_count"] == row.parameters["M"] * row.parameters["N"] <= 96
        assert found["buffer_bits"] == row.buffer_bits <= 2.5e6
        assert found["bus_bits"] == row.bus_bits <= 1100
    row = whole.front()[0]
    program = covenant.compile(MODEL, covenant.Machine("genesys:8x8", **row.parameters))
    image = np.load(DIGITS / "digits_test.npz")
    name = program.inputs[0].name
    result = covenant.Session(program).run(image[name][:1] if name in image else image[image.files[0]][:1])
    assert (row.cycles, row.energy_proxy) == (result.cycles, energy_of(result).picojoules)


def test_the_front_is_that_of_brute_force(whole):
    costs = [(row.cycles, row.energy_proxy) for row in whole.rows]
    best = [
        place
        for place, cost in enumerate(costs)
        if not any(all(a <= b for a, b in zip(other, cost, strict=True)) and other != cost for other in costs)
    ]
    assert list(whole.front_places) == best


def test_the_hypervolume_never_shrinks(whole):
    assert list(whole.hypervolumes) == sorted(whole.hypervolumes)
    assert 0 < whole.hypervolumes[-1] <= 1


def counted(costs, reference) -> int:
    """Number of unit boxes that costs in whole numbers dominate."""
    boxes = itertools.product(*(range(end) for end in reference))
    return sum(any(all(a <= b for a, b in zip(cost, box, strict=True)) for cost in costs) for box in boxes)


@pytest.mark.parametrize("seed", range(12))
def test_hypervolumes_are_those_of_counted_boxes(seed):
    draw = random.Random(seed)  # noqa: S311
    parts = 1 + seed % 4
    reference = [draw.randint(2, 9) for _ in range(parts)]
    costs = [tuple(draw.randint(0, 9) for _ in range(parts)) for _ in range(draw.randint(0, 9))]
    assert hypervolume(costs, reference) == counted(costs, reference), (seed, costs, reference)


def test_hypervolumes_are_those_of_a_library():
    library = pytest.importorskip("optuna._hypervolume", reason="Optuna is not installed: no other hypervolume here")
    draw = np.random.default_rng(5)
    for parts in (2, 3, 4):
        costs = draw.random((20, parts))
        expected = library.compute_hypervolume(costs, np.ones(parts))
        assert hypervolume(costs.tolist(), [1.0] * parts) == pytest.approx(expected)


def test_a_longer_search_begins_with_the_shorter_one(whole, tmp_path):
    longer = search(tmp_path / "results.sqlite", points=24)
    assert longer.rows[:16] == whole.rows
    assert longer.computed == 24
    again = search(tmp_path / "results.sqlite", points=24)
    assert again.computed == 0
    assert again.to_json() == longer.to_json()


def test_killed_and_resumed_it_is_the_same(whole, tmp_path):
    results = tmp_path / "results.sqlite"
    script = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "if __name__ == '__main__':\n"
        "    from test_explore import search\n"
        "    search(sys.argv[1])\n"
    )
    here = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]
    process = subprocess.Popen([sys.executable, "-c", script, str(results), *here], start_new_session=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.3)
        if results.exists() and kept(results) >= 3:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert 3 <= kept(results) < 16, "it was not killed in the middle"
    resumed = search(results)
    assert resumed.to_json() == whole.to_json()
    assert 0 < resumed.computed < 16


def kept(results: Path) -> int:
    import sqlite3

    try:
        with sqlite3.connect(results) as database:
            return database.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_default_ranges_are_those_of_parameters_that_cost_something():
    ranges = default_ranges("genesys:8x8")
    assert {"M", "N", "axi_weight", "weight_depth"} <= set(ranges)
    assert not {"axi", "bits", "dram_latency"} & set(ranges)
    assert all(8 in ranges[name] for name in ("M", "N"))
    assert "bits" not in default_ranges("genesys:01")


@pytest.mark.parametrize(
    ("text", "values"), [("M=8,4", (4, 8)), ("M=4..6", (4, 5, 6)), ("M=4..20:8", (4, 12, 20))]
)  # fmt: skip
def test_ranges_on_the_command_line(text, values):
    assert parse_range(text) == ("M", values)


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (lambda: parse_constraint("depth<=3"), "EXP0001"),
        (lambda: parse_constraint("pe_count=3"), "EXP0002"),
        (lambda: parse_constraint("pe_count<=1.2.3"), "EXP0002"),
        (lambda: Space("genesys", {"Q": (1, 2)}), "EXP0003"),
        (lambda: Space("genesys", {}), "EXP0003"),
        (lambda: parse_range("M"), "EXP0004"),
        (lambda: parse_range("M=4..x"), "EXP0004"),
    ],
)
def test_what_is_refused(what, code):
    with pytest.raises(covenant.CovenantError) as caught:
        what()
    assert caught.value.code == code


def test_limits_that_nothing_holds(tmp_path):
    found = explore(MODEL, "genesys:8x8", constraints=[parse_constraint("pe_count<=3")], ranges={"M": (4, 8)},
                    points=4, results=tmp_path / "results.sqlite", jobs=1)  # fmt: skip
    assert found.rows == ()
    assert found.refused > 0


def test_a_limit_of_what_is_measured(tmp_path):
    found = explore(MODEL, "genesys:8x8", constraints=[parse_constraint("cycles<=7000")], ranges={"M": (4, 8, 16)},
                    points=3, results=tmp_path / "results.sqlite", jobs=1)  # fmt: skip
    assert len(found.rows) == 3
    assert any(not found.holds(row) for row in found.rows)
    assert all(row.cycles <= 7000 for row in found.front())


def test_on_the_command_line(tmp_path, capsys):
    from covenant.cli import main

    asked = ["explore", MODEL, "--family", "genesys:8x8", "--within", "--range", "axi_weight=64,128,256",
             "--range", "axi_output=64,128", "--points", "4", "--results", str(tmp_path / "r.sqlite")]  # fmt: skip
    assert main([*asked, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["computed"] == 4
    assert report["constraints"][0] == "pe_count<=64"
    assert all(row["holds"] for row in report["rows"])
    assert main(asked) == 0
    assert "front of 4 machines" in capsys.readouterr().out
