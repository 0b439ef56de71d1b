"""`covenant compile MODEL --emit network`, and back in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from digits import STYLES, model_of

COMPILE = [sys.executable, "-m", "covenant", "compile"]


def compiled(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMPILE, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("style", STYLES)
def test_the_text_of_a_network_gives_the_same_program(style: str, tmp_path: Path) -> None:
    model, text = model_of(style), tmp_path / "digits.network"
    direct, again = tmp_path / "direct.cprog", tmp_path / "again.cprog"
    shown = compiled(model, "-m", "genesys:16x16", "--stop-after", "network", "-o", text)
    assert shown.returncode == 0, shown.stderr
    for source, program in ((model, direct), (text, again)):
        made = compiled(source, "-m", "genesys:16x16", "-o", program)
        assert made.returncode == 0, made.stderr
    assert direct.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("layer", ["DLRM/FC2", "ResNet50/CONV2"])
def test_the_text_of_a_layer_with_others_in_front_of_it(layer: str, tmp_path: Path) -> None:
    text, direct, again = tmp_path / "layer.network", tmp_path / "direct.elf", tmp_path / "again.elf"
    for made in (
        compiled("--layer", layer, "-m", "hvx", "--stop-after", "network", "-o", text),
        compiled("--layer", layer, "-m", "hvx", "-o", direct),
        compiled(text, "-m", "hvx", "-o", again),
    ):
        assert made.returncode == 0, made.stderr
    assert f"{layer}/sums" in text.read_text()
    assert direct.read_bytes() == again.read_bytes()


def test_the_schedule_of_a_layer_with_others_in_front_of_it(tmp_path: Path) -> None:
    schedule, direct, again = tmp_path / "layer.schedule", tmp_path / "direct.elf", tmp_path / "again.elf"
    layer = ("--layer", "DLRM/FC2", "-m", "hvx")
    for made in (
        compiled(*layer, "--save-schedule", schedule, "-o", direct),
        compiled(*layer, "--schedule", schedule, "-o", again),
    ):
        assert made.returncode == 0, made.stderr
    assert 'layer "DLRM/FC2/sums"' in schedule.read_text()
    assert direct.read_bytes() == again.read_bytes()


def test_a_broken_text_is_refused_at_its_place(tmp_path: Path) -> None:
    text = tmp_path / "broken.network"
    text.write_text('network "a" of "b" {\n  tensor 7\n}\n')
    made = compiled(text, "-m", "genesys", "-o", tmp_path / "no.cprog")
    assert made.returncode != 0
    assert "NET0001" in made.stderr
    assert f"{text}:2:" in made.stderr
