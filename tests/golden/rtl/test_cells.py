"""The RTL synthesises, into as many cells as the committed figures say. Full tier: minutes of Yosys."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FULL = pytest.mark.skipif(os.environ.get("COVENANT_FULL") is None, reason="COVENANT_FULL=1 has Yosys read two machines")


@FULL
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_cells_are_as_committed(root: Path):
    if shutil.which("yosys") is None:
        pytest.skip("no yosys")
    sources = root / "build/release/tests/perf/synth/synth_sources"
    subprocess.run(["cmake", "--build", root / "build/release", "--target", "synth_sources"], check=True)
    assert sources.exists()
    rewrite = ["--write"] if os.environ.get("COVENANT_REWRITE_GOLDEN") else []
    done = subprocess.run(
        [sys.executable, root / "tests/perf/synth/cells.py", "--json", *rewrite],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if rewrite:
        pytest.fail("docs/reference/rtl-cells.json is written anew: run again without COVENANT_REWRITE_GOLDEN")
    assert json.loads(done.stdout) == json.loads((root / "docs/reference/rtl-cells.json").read_text())


def test_committed_cells_hold_together(root: Path):
    figures = json.loads((root / "docs/reference/rtl-cells.json").read_text())
    small, large = figures["genesys:8x8"], figures["genesys:16x16"]
    assert set(small) == set(large)
    for rows, elements in ((small, 64), (large, 256)):
        # One multiplier for each element.
        assert rows["covenant_systolic_grid"]["multipliers"] >= elements
        assert {name: row["instances"] for name, row in rows.items() if name == "covenant_top"} == {"covenant_top": 1}
    assert large["covenant_systolic_grid"]["cells"] > small["covenant_systolic_grid"]["cells"]
