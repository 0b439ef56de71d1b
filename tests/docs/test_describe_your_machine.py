"""The page for newcomers is true: its machine, which is new to the SDK, runs the digits bit for bit."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from expectation import expected_here

import covenant
from covenant.cli import main
from covenant.verify.comparison import compare

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/describe-your-machine.md").read_text()
LISTING = re.search(r"```acg\n(.*?)```", PAGE, re.DOTALL).group(1)
TERRACE = ROOT / "examples/02_your_machine/terrace.acg"
DIGITS = ROOT / "examples/01_digits"
IMAGES = 40


def blocks() -> list[list[str]]:
    """Lines of the blocks of expected text."""
    return [block.splitlines() for block in re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)]


@pytest.fixture
def written(tmp_path):
    """The newcomer's files, in a folder outside of the project."""

    def write(text: str = LISTING) -> str:
        path = tmp_path / "pebble.acg"
        path.write_text(text)
        return str(path)

    return write


def without(text: str) -> str:
    """The machine without a part of its text."""
    assert LISTING.count(text) == 1
    return LISTING.replace(text, "")


def test_the_page_shows_the_file():
    assert (ROOT / "examples/02_your_machine/pebble.acg").read_text() == LISTING
    assert len(LISTING.splitlines()) <= 70, "a newcomer writes about sixty lines"


def test_the_sdk_has_never_seen_the_machine():
    sources = [path for room in ("acg", "compiler", "sim", "runtime", "python") for path in (ROOT / room).rglob("*")]
    texts = [path for path in sources if path.suffix in (".h", ".cpp", ".acg", ".cdlt", ".py", ".txt")]
    assert len(texts) > 100
    assert [path for path in texts if "pebble" in path.read_text().lower()] == []
    assert "pebble" not in covenant.machines()


@pytest.mark.parametrize("settings", [{}, {"K": 4}, {"K": 12, "L": 2}, {"L": 1}, {"DEPTH": 512}], ids=str)
@pytest.mark.parametrize("style", ["qdq", "qoperator"])
def test_the_digits_run_bit_for_bit(style, settings, written):
    model = DIGITS / f"digits_{style}.onnx"
    with np.load(DIGITS / "digits_test.npz") as split:
        images = split["images"][:IMAGES]
    program = covenant.compile(model, covenant.Machine(written(), **settings))
    ours = [covenant.run(program, image[None], backend="systemc").outputs for image in images]
    comparison = compare(ours, expected_here(model, [{"image": image[None]} for image in images]).outputs)
    assert comparison.images == IMAGES
    assert comparison.identical, comparison


def test_its_commands_print_what_it_says(capfd, monkeypatch):
    monkeypatch.chdir(ROOT)
    commands = re.findall(r"^    (covenant .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 6
    printed: list[str] = []
    for command in commands:
        if " cosim " in command:
            continue
        arguments = shlex.split(command.split(" > ")[0])[1:]
        assert main(arguments) == 0, command
        lines = capfd.readouterr().out.splitlines()
        assert lines
        printed += lines
    for line in blocks()[0] + blocks()[1]:
        assert line in printed


def test_the_page_shows_lines_of_the_machine_with_levels():
    shown = re.search(r"```terrace\n(.*?)```", PAGE, re.DOTALL).group(1)
    lines = TERRACE.read_text().splitlines()
    assert [line for line in shown.splitlines() if line not in lines] == []


@pytest.mark.parametrize("style", ["qdq", "qoperator"])
def test_the_digits_run_bit_for_bit_on_the_machine_with_levels(style):
    model = DIGITS / f"digits_{style}.onnx"
    with np.load(DIGITS / "digits_test.npz") as split:
        images = split["images"][:IMAGES]
    program = covenant.compile(model, covenant.Machine(str(TERRACE)))
    ours = [covenant.run(program, image[None], backend="systemc").outputs for image in images]
    comparison = compare(ours, expected_here(model, [{"image": image[None]} for image in images]).outputs)
    assert comparison.identical, comparison


@pytest.mark.skipif(shutil.which("verilator") is None, reason="needs verilator")
def test_the_machine_with_levels_in_lock_step():
    program = covenant.compile(DIGITS / "digits_qdq.onnx", covenant.Machine(str(TERRACE)))
    with np.load(DIGITS / "digits_test.npz") as split:
        image = split["images"][:1]
    result = covenant.cosim(program, {"image": image}, build=covenant.Build(quick=True))
    assert result.first is None, result.first
    assert result.instructions > 1000


@pytest.mark.parametrize(("number", "missing"), [(2, " channels = 8;"), (3, "VQUANT")])
def test_its_messages_are_those_of_the_compiler(number, missing, written):
    part = missing if missing.startswith(" ") else next(
        line + "\n" for line in LISTING.splitlines() if line.startswith(f"  mnemonic {missing}(")
    )  # fmt: skip
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.compile(DIGITS / "digits_qdq.onnx", covenant.Machine(written(without(part))))
    assert [line for line in blocks()[number] if line.strip() not in str(caught.value)] == []
