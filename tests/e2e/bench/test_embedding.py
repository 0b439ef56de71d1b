"""`covenant bench embedding`: nodes of searches, and memory of embeddings, beside the figures of the paper."""

from __future__ import annotations

import json

import pytest

from covenant.bench.embedding import (
    PRINTED_MEANS,
    choice_of,
    footprint_of,
    least_weights,
    printed_rows,
    search_effort,
    statements_of,
)
from covenant.cli import main

FAST = ["--channels", "16", "--channels", "32"]


def test_nodes_of_each_layout_and_strategy(capsys):
    assert main(["bench", "embedding", "--search-nodes", *FAST, "--layout", "HWNC", "--layout", "NCHW", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["pixels"], report["taps"], report["sums"]) == (14, 3, "instances")
    rows = report["rows"]
    assert len(rows) == 2 * 2 * 4
    assert all(row["found"] and not row["complete"] and row["nodes"] > row["fails"] for row in rows)
    assert {row["strategy"]: row["assets"] for row in rows} == {"none": 1, "A": 12, "B": 1, "AB": 12}
    assert [one["holds"] for one in report["statements"]] == [True, True, True]


def test_nodes_are_the_same_on_every_run():
    assert search_effort("NHWC", 32, "A") == search_effort("NHWC", 32, "A")


def test_the_table_says_what_holds(capsys):
    assert main(["bench", "embedding", "--search-nodes", *FAST]) == 0
    text = capsys.readouterr().out
    assert "HWNC" in text
    assert "holds: under AB the layouts differ by at most 2 nodes" in text


def test_statements_need_their_figures():
    efforts = [search_effort("HWNC", 16, strategy, sums="elements") for strategy in ("none", "A")]
    assert statements_of(efforts) == ()


def test_the_picture_is_equal_on_every_run(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        arguments = [*FAST, "--layout", "HWNC", "--picture", str(tmp_path / name)]
        assert main(["bench", "embedding", "--search-nodes", *arguments, "--json"]) == 0
    capsys.readouterr()
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_one_measure_is_asked_for(capsys):
    assert main(["bench", "embedding"]) == 2
    error = capsys.readouterr().err
    assert "CLI0001" in error
    assert "--footprints" in error


def test_all_108_memory_figures_are_the_printed_ones(capsys):
    assert main(["bench", "embedding", "--footprints", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["equal"] is True
    assert len(report["rows"]) == 36
    for row in report["rows"]:
        for key in ("data", "weights", "total"):
            assert f"{row['ours'][key]:.3f}" == f"{row['printed'][key]:.3f}", row["layer"]
    assert {mean["table"] for mean in report["means"]} == PRINTED_MEANS.keys()


def test_least_weights_are_below_all_of_the_papers():
    rows = printed_rows()
    for row in rows:
        assert least_weights(row) <= float(f"{row.printed.weights + 0.0005:.4f}")


def test_an_embedding_in_words():
    row = printed_rows()[0]
    choice = choice_of(row)
    assert choice is not None
    assert choice.text == "rows 24 taps, 24 unrolled; columns 8 taps, 8 unrolled of fewer outputs; 1 channel"
    assert footprint_of(row, choice).printed() == ("2.796", "0.120", "2.722")
    assert row.layer == "(1, 700, 161, 1)(32, 1, 20, 5) 0,2"
