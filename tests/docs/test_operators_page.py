"""The page of operators and machines says what the compiler says."""

from __future__ import annotations

import os
import re

import pytest
from operators_page import PAGE

from covenant.operators import FORMS, GROUPS, machines_of_the_page, rows, table

FULL = pytest.mark.skipif(
    os.environ.get("COVENANT_FULL") is None, reason="COVENANT_FULL=1 compiles every row of the page"
)
SAMPLE = (
    "Conv", "MatMul, two activations", "Add", "Sub", "Max", "GlobalAveragePool", "Softmax", "LayerNormalization",
    "Sigmoid", "Transpose", "LSTM", "QLinearConv", "com.microsoft.QLinearSoftmax",
)  # fmt: skip
NAMES = list(dict.fromkeys(form.name for form in FORMS))


def spelt_out(text: str) -> dict[str, list[str]]:
    """Rows of all tables by their first cell, and their cells with each number's code and reason in its place."""
    lines = [
        [cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| ")
    ]
    reasons = {row[0]: f"{row[1]}: {row[2]}" for row in lines if row[0].isdigit()}
    return {
        row[0]: [re.sub(r"\((\d+)\)", lambda found: f"({reasons[found[1]]})", cell) for cell in row[1:]]
        for row in lines
        if row[0] not in reasons
    }


def as_it_is(names: tuple[str, ...] | list[str]) -> dict[str, list[str]]:
    """The rows as the compiler would have them now."""
    machines = machines_of_the_page()
    return spelt_out(table(list(rows([form for form in FORMS if form.name in names], machines)), list(machines)))


def check(names: tuple[str, ...] | list[str]) -> None:
    """Compares rows of the page."""
    written = spelt_out(PAGE.read_text())
    for name, cells in as_it_is(names).items():
        assert written.get(name) == cells, (
            f"{name}: write the page again: ./dev exec python {'tests/docs/operators_page.py'}"
        )


def test_every_operator_has_a_row():
    assert len(NAMES) == len(FORMS), "rows are told apart by their names"
    written = spelt_out(PAGE.read_text())
    assert [name for name in NAMES if name not in written] == []
    assert all(f"### {group}" in PAGE.read_text() for group in GROUPS)


def test_some_rows_are_as_the_page_says():
    assert set(SAMPLE) <= set(NAMES)
    check(SAMPLE)


@FULL
@pytest.mark.timeout(1800)
def test_all_rows_are_as_the_page_says():
    check(NAMES)
