"""The targets of libFuzzer, for a few thousand inputs each."""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import subprocess
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).resolve().parent / "libfuzzer/run_targets.py"
PROGRAMS = RUN.parents[3] / "build/release/tests/fuzz/libfuzzer"
TARGETS = ("machine", "behaviour", "program", "parts", "executable", "network", "schedule", "onnx")
RUNS = 3000
pytestmark = pytest.mark.skipif(
    os.environ.get("COVENANT_FULL") is None or not (PROGRAMS / "fuzz_machine").exists(),
    reason="compiles the readers with sanitizers; COVENANT_FULL=1, and clang++ with libFuzzer",
)


@dataclass(frozen=True)
class Run:
    """A run of all targets."""

    folder: Path
    code: int
    summary: dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One for each process of the tests that needs it: they share no files."""
    folder = tmp_path_factory.mktemp("libfuzzer")
    done = subprocess.run(
        [sys.executable, str(RUN), "--folder", str(folder), "--json", "--runs", str(RUNS), "--jobs", "1"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}, stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    return Run(folder, done.returncode, json.loads(done.stdout))


def test_targets_hold(run: Run) -> None:
    targets = run.summary["targets"]
    assert {name: row["failures"] for name, row in targets.items()} == {name: [] for name in TARGETS}
    assert run.code == run.summary["failed"] == 0
    assert all(row["runs"] >= RUNS for row in targets.values())


def sums_are_right(content: bytes) -> bool:
    """Whether the header of a program file is as long as it says, with its checksum."""
    size, header = struct.unpack_from("<QQ", content, 16)
    summed = content[:12] + content[16 : 32 + header]
    return size == len(content) and zlib.crc32(summed) == struct.unpack_from("<I", content, 12)[0]


@pytest.mark.parametrize("target", ["program", "parts"])
def test_mutations_come_behind_the_checksums(target: str, run: Run) -> None:
    grown = [path.read_bytes() for path in (run.folder / "libfuzzer" / target / "grown").iterdir()]
    assert sum(len(content) >= 32 and sums_are_right(content) for content in grown) > len(grown) / 2 > 10


def test_a_failure_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever libFuzzer, a sanitizer or the target complains about ends a run: here, the limit of memory."""
    spec = importlib.util.spec_from_file_location("run_libfuzzer", RUN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_libfuzzer", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LIMITS", ("-rss_limit_mb=1",))
    (tmp_path / "files/schedule").mkdir(parents=True)
    arguments = module.parser_of().parse_args(["--folder", str(tmp_path), "--runs", "100000000"])
    result = module.tried(module.BY_NAME["schedule"], arguments, [])
    summary = module.summary_of([result])
    assert summary["failed"] == 1
    assert Path(summary["targets"]["schedule"]["failures"][0]).name.startswith("oom-")
    assert "out-of-memory" in result.said
