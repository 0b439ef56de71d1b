"""Figures of the long proofs are those of their last runs."""

from __future__ import annotations

import os

import pytest
from proofs import MARK, PAGE, PROOFS, Proof, kept, page


def test_page_holds_what_was_kept() -> None:
    text = PAGE.read_text(encoding="utf-8")
    written = text.partition(MARK)[2].partition("<!-- end -->")[0].strip()
    assert written == page(), "./dev proofs --write"


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_last_run_passed(proof: Proof) -> None:
    if proof.name == "full" and "COVENANT_FULL" in os.environ:
        pytest.skip("this run makes the record: one that failed would fail the next")
    record = kept(proof)
    if record is None:
        pytest.skip("not run yet")
    assert record.passed
