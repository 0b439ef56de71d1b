"""Text files may begin with a UTF-8 byte-order mark and end their lines as Windows does: they say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from digits import DIGITS, model_of

import covenant

ROOT = DIGITS.parents[1]
PAGE = (ROOT / "docs/guide/add-an-operator.md").read_text()
MARK = b"\xef\xbb\xbf"


def marked(path: Path, text: str) -> Path:
    path.write_bytes(MARK + text.replace("\n", "\r\n").encode())
    return path


def test_machines_and_what_they_include(tmp_path):
    machines = ROOT / "acg/machines"
    marked(tmp_path / "genesys_words.acg", (machines / "genesys_words.acg").read_text())
    machine = marked(tmp_path / "marked.acg", (machines / "genesys.acg").read_text())
    assert covenant.Machine(str(machine)) == covenant.Machine("genesys")


def test_machines_in_json():
    machine = covenant.Machine("genesys")
    assert covenant.Machine.from_json("\ufeff" + machine.to_json()) == machine


def test_the_mark_is_no_column(tmp_path):
    machine = marked(tmp_path / "odd.acg", "acg odd { momery A {} }")
    with pytest.raises(covenant.CovenantError) as caught:
        covenant.Machine(str(machine))
    assert caught.value.where == f"{machine}:1:11"


def test_schedules_and_networks(tmp_path, covenant_command):
    plain, again = tmp_path / "plain.cprog", tmp_path / "again.cprog"
    schedule, network = tmp_path / "digits.schedule", tmp_path / "digits.network"
    compile_it = ("compile", model_of("qdq"), "-m", "genesys:8x8")
    assert covenant_command(*compile_it, "-o", plain, "--save-schedule", schedule).code == 0
    marked(schedule, schedule.read_text())
    assert covenant_command(*compile_it, "-o", again, "--schedule", schedule).code == 0
    assert again.read_bytes() == plain.read_bytes()
    assert covenant_command(*compile_it, "--stop-after", "network", "-o", network).code == 0
    marked(network, network.read_text())
    assert covenant_command("compile", network, "-m", "genesys:8x8", "-o", again).code == 0
    assert again.read_bytes() == plain.read_bytes()


def test_codelets(tmp_path, covenant_command):
    library = tmp_path / "library"
    library.mkdir()
    marked(library / "maximum.cdlt", re.search(r"```cdlt\n(.*?)```", PAGE, re.DOTALL).group(1))
    target = tmp_path / "digits.cprog"
    done = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--library", library, "-o", target)
    assert done.code == 0, done.error
