"""`pip install .` as users do it: commands work elsewhere, two builds at once give one wheel, and all of it goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from digits import model_of

ROOT = Path(__file__).resolve().parents[3]
pytestmark = [
    pytest.mark.skipif(not os.environ.get("COVENANT_FULL"), reason="COVENANT_FULL=1 builds the wheel twice"),
    pytest.mark.timeout(3600),
]


def run(*words: object, cwd: Path) -> str:
    """Runs a command without this checkout's Python path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, check=False, cwd=cwd, env=environment
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> tuple[Path, Path]:
    """Two wheels, which are built at once with one compiler cache."""
    folders = [tmp_path_factory.mktemp("wheel") for _ in range(2)]
    command = [sys.executable, "-m", "pip", "wheel", "--no-input", "--no-deps", "--quiet", "--wheel-dir"]
    builds = [
        subprocess.Popen([*command, folder, ROOT], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for folder in folders
    ]
    said = [build.communicate()[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0], said
    first, second = (next(folder.glob("*.whl")) for folder in folders)
    return first, second


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """An environment with what the package needs, and without it."""
    folder = tmp_path_factory.mktemp("place")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    (site,) = (folder / "venv/lib").glob("*/site-packages")
    (site / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")  # of which only .pth files name the checkout
    return folder


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_two_builds_at_once_give_the_same(wheels):
    first, second = map(content, wheels)
    assert [name for name in first if first[name] != second.get(name)] == []
    assert first.keys() == second.keys()
    assert not [name for name in first if "test" in name or name.endswith((".h", ".cpp", ".a"))]


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_it_is_used_elsewhere_and_leaves_nothing(wheels, place):
    """All that a user starts with, RTL too, from a folder of its own; then the environment is as it was."""
    before = tree(place / "venv")
    pip = (place / "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "install", "--no-deps", "--no-index", wheels[0], cwd=place)
    covenant = place / "venv/bin/covenant"
    found = run(place / "venv/bin/python", "-c", "import covenant; print(covenant.__file__)", cwd=place)
    assert Path(found.strip()).is_relative_to(place)
    model = place / "model.onnx"
    model.write_bytes(model_of("qdq").read_bytes())
    assert json.loads(run(covenant, "machines", "--json", cwd=place))["machines"]
    compared = run(covenant, "run", model, "-m", "genesys", "--compare", "onnxruntime", "--json", cwd=place)
    assert json.loads(compared)["identical"]
    run(covenant, "rtl", "-m", "genesys:8x8", "-o", "rtl", cwd=place)
    run("make", "-C", "rtl", "lint", "test", cwd=place)
    machine = ("-m", "genesys", "--set", "M=4", "--set", "N=4")
    run(covenant, "cosim", model, *machine, "--rtl-quick", "--rtl-cache", "models", cwd=place)
    run(*pip, "uninstall", "--yes", "covenant", cwd=place)
    assert tree(place / "venv") == before
