"""The page about co-design is true: its commands run in their order, and what its scripts assert holds."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from covenant.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/co-design.md").read_text()
STEP = re.compile(r"```(sh|py)\n(.*?)```", re.DOTALL)


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    printed, names = [], {}
    for language, text in STEP.findall(PAGE):
        if language == "py":
            exec(compile(text, "co-design.md", "exec"), names)  # noqa: S102 (the page's own)
            printed.append(capsys.readouterr().out)
            continue
        for line in text.splitlines():
            assert main([*shlex.split(line)[1:]]) == 0, capsys.readouterr().err
            printed.append(capsys.readouterr().out)
    split, shares, first, second, moved = printed
    assert "energy proxy" in split
    assert "DRAM" in shares
    assert "12 points computed" in first
    assert "4 points computed" in second
    assert "->" in moved
