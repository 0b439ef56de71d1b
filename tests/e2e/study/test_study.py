"""Studies: every point equals a single run, none is computed twice, and only work in flight is ever lost."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from digits import model_of
from few_points import DATA, TEXT, written

import covenant
from covenant.study import Study, StudyMachine, StudyModel, StudySearch
from covenant.study.measure import INTERNAL, measure
from covenant.study.store import STALE_SECONDS, Store
from covenant.study.workers import Workers

COMMAND = [Path(sys.executable).with_name("covenant"), "study"]
# The process that started the tests in the background may have told its children to ignore Ctrl-C.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from covenant.cli import main
sys.exit(main())
"""
POINTS = 12


@pytest.fixture
def file(tmp_path) -> Path:
    return written(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The study, run to its end without interruption."""
    return Study.load(written(tmp_path_factory.mktemp("whole"))).run(jobs=2)


def counted(results: Path) -> dict[str, int]:
    """How often each point was begun."""
    with sqlite3.connect(results) as database:
        return dict(database.execute("SELECT key, count(*) FROM computations GROUP BY key"))


def test_rows_are_what_one_run_says(whole, images):
    with np.load(DATA) as split:
        labels = split["labels"][:12]
    assert [(row.status, row.memory) for row in whole.rows] == [("done", "fixed"), ("done", "ddr4_2400")] * 6
    assert whole.computed == POINTS + 1
    assert whole.points_per_minute > 0
    for row in whole.rows[::5]:
        program = covenant.compile(model_of("qdq"), covenant.Machine("genesys", **row.parameters))
        result = covenant.run(program, images[:1], memory=row.memory)
        guesses = [covenant.run(program, image[None]).outputs["logits"].argmax() for image in images[:12]]
        assert row.cycles == result.cycles
        assert row.seconds_of_machine == pytest.approx(result.cycles / 1e9)
        assert row.stalls == sum(layer.stalls for layer in result.layers)
        assert sum(row.stalls_by_cause.values()) == row.stalls
        offchip = result.stats["offchip"]
        assert row.bytes_offchip == sum(one["bytes_read"] + one["bytes_written"] for one in offchip)
        assert row.row_hits == (result.memory.row_hits if result.memory else None)
        assert sum(row.utilisation_of.values()) == pytest.approx(row.utilisation)
        assert row.accuracy == np.mean(np.equal(guesses, labels))
        assert (row.equal_images, row.compared_images, row.images, row.simulated_images) == (12, 12, 12, 4)
        assert row.onnxruntime_accuracy == row.accuracy


def test_the_front_is_what_nothing_dominates(whole):
    def dominates(one, other) -> bool:
        least = one.cycles <= other.cycles and one.utilisation >= other.utilisation
        return least and (one.cycles, one.utilisation) != (other.cycles, other.utilisation)

    expected = [row for row in whole.rows if not any(dominates(other, row) for other in whole.rows)]
    assert list(whole.front()) == expected
    assert 1 < len(expected) < POINTS


def test_killed_and_resumed(file, whole):
    """The table is that of a run without interruption, byte for byte, and what was done is not done again."""
    results = file.with_suffix(".sqlite")
    process = subprocess.Popen([*COMMAND, file, "--jobs", "2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    done: set[str] = set()
    end = time.monotonic() + 60
    while len(done) < 3 and time.monotonic() < end:
        time.sleep(0.02)
        if results.exists():
            done = finished(results)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = finished(results)
    assert 3 <= len(done) <= POINTS
    resumed = Study.load(file).run(jobs=2)
    assert resumed.to_json() == whole.to_json()
    assert resumed.to_csv() == whole.to_csv()
    assert resumed.computed == POINTS + 1 - len(done)
    assert all(counted(results)[key] == 1 for key in done)
    assert Study.load(file).run().computed == 0


def finished(results: Path) -> set[str]:
    try:
        with sqlite3.connect(results, timeout=10) as database:
            return {key for (key,) in database.execute("SELECT key FROM results")}
    except sqlite3.OperationalError:  # its tables are not there yet
        return set()


def test_two_processes_at_once(file, whole):
    """Each shows the whole table, and each point was computed by one of them, once."""
    file.write_text(TEXT.replace("images = 12", "images = 120"))  # long enough for both to have a part
    command = [*COMMAND, file, "--jobs", "1", "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    reports = [json.loads(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(report["computed"] for report in reports) == POINTS + 1
    assert all(report["computed"] for report in reports)
    counts = counted(file.with_suffix(".sqlite"))
    assert (len(counts), set(counts.values())) == (POINTS + 1, {1})
    for report in reports:
        assert [row["cycles"] for row in report["rows"]] == [row.cycles for row in whole.rows]


def test_interrupted_from_the_keyboard(file):
    command = [sys.executable, "-c", INTERRUPTIBLE, "study", file, "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    results = file.with_suffix(".sqlite")
    while not (results.exists() and finished(results)) and time.monotonic() < end:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in out + error
    assert finished(results)
    with sqlite3.connect(results) as database:
        assert database.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_a_machine_that_is_too_small_is_a_row(tmp_path):
    """And so is one that does not hold together; neither stops the others."""
    model = StudyModel(model_of("qdq"), DATA, images=1)
    machines = StudyMachine("genesys", {"M": (1, 0, 4), "N": (4,), "instruction_depth": (1024, 8)})
    study = Study("small", (model,), (machines,))
    result = study.run(tmp_path / "small.sqlite", jobs=2)
    assert [row.code for row in result.rows] == ["", "GEN0012", "ACG0013", "ACG0013", "", "GEN0012"]
    assert [row.status for row in result.rows] == ["done", "failed", "failed", "failed", "done", "failed"]
    assert result.failed == 4
    assert "conv1" in result.rows[1].text
    assert all(row.cycles is None for row in result.rows if row.code)
    assert study.run(tmp_path / "small.sqlite").computed == 0


def test_a_mistake_of_ours_is_a_row_and_told_apart(monkeypatch, whole, file):
    def broken(*_, **__):
        message = "a broken invariant"
        raise covenant.InternalError(message)

    monkeypatch.setattr("covenant.study.measure.compile_model", broken)
    study = Study.load(file)
    points = study.plan().points[:2]
    outcomes = list(measure(points))
    assert [outcome.code for outcome in outcomes] == [INTERNAL] * 2
    with Store(file.with_suffix(".sqlite")) as store:
        assert store.claim([outcome.key for outcome in outcomes]) == ([point.key for point in points], [])
        assert all(store.finish(outcome) for outcome in outcomes)
    row = study.known().rows[0]
    assert (row.status, row.code) == ("internal error", INTERNAL)
    assert "a broken invariant" in row.text
    assert study.known().rows[2].status == "missing"


def test_a_process_that_ends_in_the_middle(file):
    """The point of a killed process has no result and may be computed again."""
    with Workers(1) as workers:
        workers.send(Study.load(file).plan().points[:2])
        workers._workers[0].process.kill()
        outcomes = []
        while workers.is_busy:
            outcomes += workers.receive(1.0)
    assert [(outcome.code, is_computed) for outcome, is_computed in outcomes] == [(INTERNAL, False)] * 2
    assert "-9" in outcomes[0][0].text


def test_signs_of_life(tmp_path):
    path = tmp_path / "x.sqlite"
    with Store(path) as store:
        store.claim(["a"])
        with sqlite3.connect(path) as database:
            database.execute("UPDATE claims SET heartbeat = 0")
        store.show_life()
        with sqlite3.connect(path) as database:
            assert database.execute("SELECT heartbeat FROM claims").fetchone()[0] > time.time() - STALE_SECONDS


def test_claims_of_those_who_are_gone(tmp_path):
    path = tmp_path / "x.sqlite"
    with Store(path) as first, Store(path) as second:
        assert first.claim(["a", "b", "c"]) == (["a", "b", "c"], [])
        assert second.claim(["a"]) == ([], ["a"])  # its owner is there
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        with sqlite3.connect(path) as database:
            database.execute("UPDATE claims SET process = ? WHERE key = 'a'", (ended.pid,))
            old = time.time() - STALE_SECONDS - 1
            database.execute("UPDATE claims SET host = 'elsewhere', process = 1, heartbeat = ? WHERE key = 'b'", (old,))
            database.execute("UPDATE claims SET host = 'elsewhere' WHERE key = 'c'")
        assert second.claim(["a", "b", "c"]) == (["a", "b"], ["c"])
        outcome = next(iter(measure([replace(POINT, key="a")])))
        assert not first.finish(outcome)  # taken over: it is late
        assert second.finish(outcome)
        assert second.claim(["a"]) == ([], [])


POINT = Study(
    "one", (StudyModel(model_of("qdq"), DATA, images=1),), (StudyMachine("genesys", {"M": (8,)}),)
).plan().points[0]  # fmt: skip


def test_a_machine_that_issues_packets():
    """Bytes are those of lines of its caches; all other figures are there, too."""
    study = Study("x", (StudyModel(model_of("qdq"), DATA, images=1),), (StudyMachine("hvx"),))
    (outcome,) = measure(study.plan().points)
    assert outcome.values["bytes_offchip"] >= 30_000
    assert outcome.values["energy_by_component"].keys() >= {"L2", "DRAM"}
    assert outcome.values["energy_proxy"] == sum(outcome.values["energy_by_component"].values())
    assert outcome.values["cycles"] > outcome.values["stalls"] > 0
    assert outcome.values["equal_images"] == 1


def test_random_is_a_prefix_of_more_random(file):
    def keys(points: int, seed: int = 3) -> list[str]:
        study = replace(Study.load(file), search=StudySearch("random", points, seed))
        return [point.key for point in study.plan().points]

    grid = [point.key for point in Study.load(file).plan().points]
    every = keys(POINTS)
    assert sorted(every) == sorted(grid)
    assert every != grid
    assert all(keys(count) == every[:count] for count in range(1, POINTS))
    assert keys(POINTS, seed=4) != every


def test_keys_are_of_contents(file, tmp_path):
    """Names and places do not count; whatever a result depends on makes another key."""
    whole = model_of("qdq")

    def key(model=whole, images=2, machine="genesys", data=DATA) -> str:
        study = Study("x", (StudyModel(model, data, images=images),), (StudyMachine(machine),))
        return study.plan().points[0].key

    copied = tmp_path / "other.onnx"
    copied.write_bytes(model_of("qdq").read_bytes())
    with np.load(DATA) as split:
        np.savez(tmp_path / "other.npz", image=split["images"][:5], labels=split["labels"][:5])
        np.savez(tmp_path / "wrong.npz", image=split["images"], labels=(split["labels"] + 1) % 10)
    assert key(copied) == key() == key(data=tmp_path / "other.npz")
    others = [key(model_of("qoperator")), key(images=3), key(machine="genesys:8x8"), key(data=tmp_path / "wrong.npz")]
    assert len({key(), *others}) == 5


def test_limit_then_the_rest(file, whole, covenant_command):
    first = covenant_command("study", file, "--limit", 4, "--jobs", 2, "--json")
    assert (first.code, first.object["computed"], first.object["missing"]) == (0, 4, POINTS - 3)
    rest = covenant_command("study", file, "--jobs", 2, "--csv", file.with_suffix(".csv"))
    assert rest.code == 0
    assert "9 points computed" in rest.out
    assert file.with_suffix(".csv").read_text() == whole.to_csv()
    known = covenant_command("study", file, "--front", "--json")
    assert known.object["computed"] == 0
    assert [row["cycles"] for row in known.object["rows"]] == [row.cycles for row in whole.front()]
    whole.plot(file.with_suffix(".svg"))
    assert file.with_suffix(".svg").read_text().startswith("<svg")


def test_names_are_shown_as_they_are(file, covenant_command):
    file.write_text(TEXT.replace('"few"', '"few [/x] [bold]"').replace("M = [4, 8, 16]", "M = 4"))
    done = covenant_command("study", file, "--limit", 1, "--jobs", 1)
    assert done.code == 0
    assert done.out.startswith("few [/x] [bold]")


def test_a_point_that_fails_is_exit_code_1(file, covenant_command):
    file.write_text(TEXT.replace("M = [4, 8, 16]", "instruction_depth = 8, M = [4]"))
    done = covenant_command("study", file, "--jobs", 1)
    assert done.code == 1
    assert "GEN0012" in done.out
    assert "4 failed" in done.out


def test_values_that_the_machine_does_not_make_are_a_mistake_of_ours(monkeypatch):
    """An image that is simulated has another byte: a row says so, and nothing is called accurate."""
    from covenant.study import measure as module

    whole = module.quality_of

    def other(content, **numerics):
        quality = whole(content, **numerics)
        return replace(quality, outputs={name: array + 1 for name, array in quality.outputs.items()})

    monkeypatch.setattr(module, "quality_of", other)
    (outcome,) = measure([POINT])
    assert outcome.values is None
    assert outcome.code == INTERNAL
    assert "other bytes" in outcome.text
