"""`--explain-schedule` explains what is compiled, whether fusion, a schedule file or a library decides on it."""

from __future__ import annotations

import re

import pytest
from digits import model_of

EDITED = 'layer "conv2" { lowering "plain"; tile oh 2 of 8; }\nlayer "conv1" { lowering "plain"; }\n'


def saved_schedules(covenant_command, path, *options: str) -> dict[str, str]:
    """The block of a saved schedule for every compiled layer, by layer name."""
    done = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--save-schedule", path, *options)
    assert done.code == 0, done.error
    blocks = re.findall(r'^layer ".*?^}\n', path.read_text(), re.DOTALL | re.MULTILINE)
    return {re.match(r'layer "(.*?)"', block).group(1): block for block in blocks}


def explained(covenant_command, layer: str, *options: str) -> dict:
    command = ("compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", layer, "--json")
    done = covenant_command(*command, *options)
    assert done.code == 0, done.error
    return done.object


@pytest.mark.parametrize("fusion", [True, False], ids=["fusion", "apart"])
@pytest.mark.parametrize("edited", [True, False], ids=["edited", "searched"])
def test_the_explained_schedule_is_the_compiled_one(fusion, edited, tmp_path, covenant_command):
    options = [] if fusion else ["--no-fusion"]
    if edited:
        (tmp_path / "edited.schedule").write_text(EDITED)
        options += ["--schedule", str(tmp_path / "edited.schedule")]
    blocks = saved_schedules(covenant_command, tmp_path / "saved.schedule", *options)
    assert ("conv2+add" in blocks) == (fusion and not edited)
    for layer, block in blocks.items():
        assert explained(covenant_command, layer, *options)["schedule"] == block
    if edited:
        assert "tile oh 2 of 8;" in blocks["conv2"]


def test_without_fusion_no_pair_is_looked_at(covenant_command):
    assert explained(covenant_command, "conv2")["fusions"]
    assert explained(covenant_command, "conv2", "--no-fusion")["fusions"] == []
    refused = covenant_command(
        "compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", "conv2+add", "--json", "--no-fusion"
    )
    assert refused.code == 2
    assert refused.object["error"]["code"] == "GEN0041"


@pytest.mark.parametrize(
    "option", [("-o", "x"), ("--save-schedule", "x"), ("--emit", "tile"), ("--stop-after", "tile")]
)
def test_nothing_else_is_made(option, tmp_path, covenant_command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = covenant_command("compile", model_of("qdq"), "-m", "genesys", "--explain-schedule", "conv2", *option)
    assert done.code == 2
    assert re.search(r"CLI000[18]", done.error)
    assert list(tmp_path.iterdir()) == []


def test_a_stage_shows_one_layer(covenant_command):
    command = ("compile", model_of("qdq"), "-m", "genesys", "--emit", "tile")
    whole = covenant_command(*command)
    one = covenant_command(*command, "--layer", "conv3")
    assert (whole.code, one.code) == (0, 0), one.error
    assert one.out in whole.out
    assert one.out.count("cdlt ") == 1
    refused = covenant_command(*command, "--layer", "nobody")
    assert refused.code == 2
    assert "GEN0041" in refused.error
    assert "conv3" in refused.error
