"""Every mutant fits its source; only the long proof would notice one that has moved away."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/mutation"))

from drawn import SUITES as DRAWN_SUITES  # noqa: E402
from mutants import (  # noqa: E402  (a folder of scripts, no package)
    BENCHES,
    FOLDER,
    SUITES,
    UNFUSED,
    load,
    load_all,
    rewrite,
)


@pytest.mark.parametrize("side", sorted(SUITES))
def test_mutants_fit_their_sources(side: str) -> None:
    mutants = load(side)
    assert mutants
    for name in {mutant.file for mutant in mutants}:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert rewrite(text, [mutant for mutant in mutants if mutant.file == name]) != text


def test_every_suite_is_built_before_mutants_are_planted() -> None:
    listed = (FOLDER / "suite/CMakeLists.txt").read_text(encoding="utf-8").split()
    needed = {suite for mutant in load_all() for suite in mutant.suites} | set(DRAWN_SUITES)
    needed -= {*BENCHES, UNFUSED, "models"}
    assert needed <= {word.strip("()") for word in listed}
