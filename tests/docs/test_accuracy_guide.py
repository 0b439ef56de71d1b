"""The page about accuracy is true: its commands and its script run, and say what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/accuracy.md").read_text()
COMMANDS = [block.strip() for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)]
SCRIPT = re.search(r"```py\n(.*?)```", PAGE, re.DOTALL).group(1)


def test_the_commands_run_and_say_what_the_page_says(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    accuracy, sensitivity = COMMANDS
    assert main(shlex.split(accuracy)[1:]) == 0
    said = capsys.readouterr().out
    assert said.count("98.33%") == 3
    assert "the same bytes of 360 of 360 images" in said
    assert main(shlex.split(sensitivity)[1:]) == 0
    said = capsys.readouterr().out
    for column in ("error alone", "error in the chain", "beyond the range", "at its ends", "gain"):
        assert column in said


def test_the_script_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(SCRIPT, "accuracy.md", "exec"), {})  # noqa: S102 (the page's own)
    first, *_ = capsys.readouterr().out.splitlines()
    accuracy, in_float, cycles, _ = map(float, first.split())
    assert accuracy > 0.97
    assert in_float > 0.97
    assert cycles > 0
