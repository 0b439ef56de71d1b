"""Killed in the middle, commands leave nothing half-written; done twice at once, they do the same."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from digits import DIGITS

from covenant.folders import write_folder

SEED = int(os.environ.get("COVENANT_SEED", "1"))
KILLS = 25 if os.environ.get("COVENANT_FULL") else 5
READY = "print('ready', flush=True)"
FOLDER = """
import sys
from pathlib import Path
from covenant.folders import write_folder
print('ready', flush=True)
for turn in range(int(sys.argv[2])):
    parts = {f"part{k}": f"{turn} " * 20000 for k in range(20)}
    write_folder(parts | {"mark": str(turn)}, sys.argv[1], "mark", "parts")
"""
FILE = """
import sys
from covenant.files import write_whole
print('ready', flush=True)
for turn in range(int(sys.argv[2])):
    write_whole(sys.argv[1], f"{turn} " * 1000000)
"""
MODEL = """
import sys, covenant
print('ready', flush=True)
covenant.VerilatedModel('genesys:8x8', covenant.Build(cache=sys.argv[1]))
"""
ZOO = """
import sys
from covenant import zoo
print('ready', flush=True)
zoo.get('dlrm_top', sys.argv[1])
"""
AREA = """
import sys
from covenant.area.store import AreaCache
print('ready', flush=True)
for turn in range(int(sys.argv[2])):
    assert AreaCache(sys.argv[1]).get(f"content {turn}", lambda: ["cells"] * 100000) == ["cells"] * 100000
"""
QUANTISED = """
import sys
from covenant.study import Study
from covenant.study.quantized import stored
print('ready', flush=True)
print(stored(Study.load(sys.argv[1]).plan().points[0].model).path)
"""
# Tools that take a moment, and make a library with the symbol that is looked up.
TOOLS = {
    "verilator": """[ "$1" = --version ] && echo "Verilator 5" && exit 0
mkdir -p obj; echo half > obj/part; sleep 0.3""",
    "make": """[ "$1" = --version ] && echo "GNU Make 4" && exit 0
echo half > obj/libcovenant_model.so; sleep 0.3
echo 'void covenant_model_run(void) {}' > model.c
/usr/bin/gcc -shared -fPIC -o obj/libcovenant_model.so model.c && echo . >> ../made""",
    "clang++": "echo clang",
    "ccache": "exit 1",
}

FAILING = '[ "$1" = --version ] && echo "Verilator 5" && exit 0; echo "%Error: x"; exit 1'


def started(code: str, *arguments: object, environment: dict[str, str] | None = None) -> subprocess.Popen[str]:
    """A process that has come as far as its work."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def finished(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """Words of processes, which succeed."""
    said = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), said
    return [output for output, _ in said]


def killed(code: str, *arguments: object, within: float, environment: dict[str, str] | None = None) -> None:
    """Starts the process again and again, and kills it at times that are drawn."""
    draw = random.Random(SEED)  # noqa: S311 (no secret)
    print(f"seed {SEED}")
    for _ in range(KILLS):
        with started(code, *arguments, environment=environment) as process:
            time.sleep(draw.uniform(0, within))
            process.kill()
        assert process.wait() in (-signal.SIGKILL, 0), "it ended by itself, and not well"


@pytest.fixture
def tools(tmp_path) -> dict[str, str]:
    """Environment with quick tools for building models."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name, script in TOOLS.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def models(cache: Path) -> list[Path]:
    """Libraries that a cache has, each whole."""
    return sorted(cache.glob("*/obj/libcovenant_model.so"))


def workers_in(folder: Path) -> list[str]:
    """Processes that work there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve().is_relative_to(folder):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_a_killed_build_of_a_model(tools, tmp_path):
    """The next one removes what is left of it; and its tools end with it."""
    cache = tmp_path / "models"
    killed(MODEL, cache, within=0.9, environment=tools)
    end = time.monotonic() + 20
    while workers_in(cache) and time.monotonic() < end:
        time.sleep(0.1)
    assert workers_in(cache) == []
    finished([started(MODEL, cache, environment=tools)])
    folders = [path for path in cache.iterdir() if path.is_dir()]
    assert [path / "obj/libcovenant_model.so" for path in folders] == models(cache)
    assert len(folders) == 1


def test_a_failed_build_leaves_its_log_alone(tools, tmp_path):
    (tmp_path / "tools/verilator").write_text(f"#!/bin/sh\n{FAILING}\n")
    process = started(MODEL, tmp_path / "models", environment=tools)
    assert "RTL0011" in process.communicate()[1]
    left = sorted((tmp_path / "models").iterdir())
    assert [path.suffix for path in left] == [".lock", ".log"]
    assert "%Error: x" in left[1].read_text()


def test_a_model_is_built_once_by_two_at_once(tools, tmp_path):
    cache = tmp_path / "models"
    finished([started(MODEL, cache, environment=tools) for _ in range(3)])
    assert len(models(cache)) == 1
    assert (cache / "made").read_text() == ".\n"


def test_a_folder_is_whole_or_not_there(tmp_path):
    target = tmp_path / "parts"
    killed(FOLDER, target, 1000, within=0.4)
    finished([started(FOLDER, target, 1)])
    check_parts(target)
    assert list(tmp_path.iterdir()) == [target], "what killed processes have left is gone"


def test_a_folder_that_two_write_at_once(tmp_path):
    target = tmp_path / "parts"
    finished([started(FOLDER, target, 60) for _ in range(3)])
    check_parts(target)
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_another_process_takes_for_left(tmp_path, monkeypatch):
    """Between a working folder is made and locked, a process that cleans up may lock it, to remove it."""
    made, locks = [], []
    make = tempfile.mkdtemp

    def taken_at_first(**arguments):
        made.append(make(**arguments))
        if len(made) == 1:
            locks.append(os.open(made[0], os.O_RDONLY | os.O_DIRECTORY))
            fcntl.flock(locks[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", taken_at_first)
    write_folder({"mark": "0"}, tmp_path / "parts", "mark", "parts")
    os.close(locks[0])
    assert len(made) == 2
    assert Path(made[0]).is_dir()
    assert not Path(made[1]).exists()
    assert (tmp_path / "parts/mark").read_text() == "0"


def check_parts(folder: Path) -> None:
    turn = (folder / "mark").read_text()
    assert {(folder / f"part{k}").read_text() for k in range(20)} == {f"{turn} " * 20000}


def test_a_file_is_whole_and_alone(tmp_path):
    """Temporary files have no names; one that was to be renamed when its writer was killed goes with the next write."""
    target = tmp_path / "file"
    target.write_text("before " * 1000000)
    killed(FILE, target, 10000, within=0.3)
    assert len(set(target.read_text().split())) == 1
    assert target.read_text().count(" ") == 1000000
    assert {path.name for path in tmp_path.iterdir()} <= {"file", ".file.new"}
    (tmp_path / ".file.new").write_text("left")
    finished([started(FILE, target, 30) for _ in range(3)])
    assert target.read_text() == "29 " * 1000000
    assert list(tmp_path.iterdir()) == [target]


def test_a_killed_cache_of_the_zoo(tmp_path):
    finished([started(ZOO, tmp_path / "whole")])
    killed(ZOO, tmp_path / "killed", within=2.0)
    finished([started(ZOO, tmp_path / "killed")])
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_a_zoo_that_two_fill_at_once(tmp_path):
    finished([started(ZOO, tmp_path / "both") for _ in range(2)])
    finished([started(ZOO, tmp_path / "one")])
    assert contents(tmp_path / "both") == contents(tmp_path / "one")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_cache_of_areas(tmp_path):
    killed(AREA, tmp_path / "area", 1000, within=0.3)
    finished([started(AREA, tmp_path / "area", 100) for _ in range(2)])
    assert {path.suffix for path in (tmp_path / "area").rglob("*") if path.is_file()} == {".json"}


def test_int8_models_of_studies(tmp_path, images):
    np.savez(tmp_path / "calibration.npz", image=images[:8])
    study = tmp_path / "float.toml"
    study.write_text(
        f'name = "digits"\n[[models]]\nmodel = "{DIGITS / "digits_float.onnx"}"\ncalibrate = "calibration.npz"\n'
        '[[machines]]\nmachine = "genesys:8x8"\n[objectives]\ncycles = "min"\n'
    )
    caches = {"XDG_CACHE_HOME": str(tmp_path / "caches")}
    killed(QUANTISED, study, within=2.0, environment=caches)
    one, other = finished([started(QUANTISED, study, environment=caches) for _ in range(2)])
    assert one == other
    path = Path(one.strip())
    assert sorted(path.parent.iterdir()) == sorted([path, path.with_suffix(".json")])
    again = {"XDG_CACHE_HOME": str(tmp_path / "others")}
    (alone,) = finished([started(QUANTISED, study, environment=again)])
    assert Path(alone.strip()).read_bytes() == path.read_bytes()
