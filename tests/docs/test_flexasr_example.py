"""The example of FlexASR: its table, its quantiser beside all numbers of the format, a layer beside exact products."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import covenant
from covenant.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/09_flexasr"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Its `demo.py`, with the modules beside it; other examples have modules of these names."""
    monkeypatch.syspath_prepend(EXAMPLE)
    for name in ("demo", "layers", "adaptivfloat"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("demo")
    for name in ("demo", "layers", "adaptivfloat"):
        monkeypatch.delitem(sys.modules, name)
    return module


def values(register: int) -> np.ndarray:
    """All numbers of AdaptivFloat under a register, by their bytes: its definition."""
    codes = np.arange(256)
    sizes = 2.0 ** ((codes >> 4 & 7) + register - 10) * (1 + (codes & 15) / 16)
    return np.where(codes & 127, np.where(codes > 127, -sizes, sizes), 0)


def test_the_table_is_what_the_demo_prints() -> None:
    shown = re.search(r"```text\n(.*?)```", (EXAMPLE / "README.md").read_text(), re.DOTALL)[1]
    done = subprocess.run([sys.executable, str(EXAMPLE / "demo.py")], capture_output=True, text=True, check=True)
    assert done.stdout == shown


@pytest.mark.parametrize("register", range(8))
def test_bytes_are_those_of_the_nearest_numbers(register: int, example: ModuleType) -> None:
    known = values(register)
    drawn = np.random.default_rng(register).normal(0, 2.0 ** (register - 4), 20_000)
    halfway = (np.sort(known)[1:] + np.sort(known)[:-1]) / 2
    for some in (drawn, halfway, known):
        codes = example.encoded(some, register)
        nearest = np.abs(some[:, None] - known[None]).min(axis=1)
        assert (np.abs(known[codes] - some) == nearest).all()
    even = np.abs(halfway) > known[1]
    assert (example.encoded(halfway[even], register) % 2 == 0).all()
    assert example.register_of(np.array([0.0, -known[127]])) == register


def test_the_machine_gives_what_exact_products_round_to(example: ModuleType) -> None:
    of = example.drawn(18, 48, 128, 1)
    bytes_of = example.quantized(of, {"results": 3})
    device = covenant.CommandDevice("flexasr")
    results, cycles = example.run(example.layer(device, example.LINEAR, bytes_of), bytes_of)
    exact = {name: values(bytes_of.bias_of[name])[getattr(bytes_of, name)] for name in of}
    sums = np.floor((exact["inputs"] @ exact["weights"][0].T) * 2**14) / 2**14 + exact["bias"][0]
    known = np.unique(values(3))
    above = known[np.clip(np.searchsorted(known, sums), 0, len(known) - 1)]
    below = known[np.clip(np.searchsorted(known, sums) - 1, 0, len(known) - 1)]
    rounded = np.where(above - sums <= sums - below, above, below)
    large = np.abs(sums) > known[known > 0][0]
    assert large.mean() > 0.9
    assert (results == rounded)[large].all()
    assert cycles > 18 * 3 * 2  # 3 cycles for each vector of inputs that is sent, 6 products of 2 vectors of results


def test_the_stream_is_what_the_demo_writes(example: ModuleType, tmp_path: Path) -> None:
    example.main(["--stream", str(tmp_path / "linear.txt")])
    for name in ("linear.txt", "linear.json"):
        assert (tmp_path / name).read_text() == (EXAMPLE / name).read_text()


def test_the_stream_gives_its_reads(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "replay",
        str(EXAMPLE / "linear.txt"),
        "-m",
        "flexasr",
        "--compare",
        str(EXAMPLE / "linear.json"),
        "--json",
    ]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["bytes"], said["differ"]) == (128, 0)
