"""The pages of the command line name every command, option and key; each command's help has examples that parse."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from covenant.cli import main
from covenant.cli.parser import build_parser

ROOT = Path(__file__).resolve().parents[2]
PAGE = "".join(
    (ROOT / f"docs/reference/{name}.md").read_text()
    for name in ("cli", "cli-bench", "cli-accuracy", "cli-replay", "embeddings", "operators")
)
GUIDE = (ROOT / "docs/guide/getting-started.md").read_text()
DATA = ROOT / "examples/01_digits/digits_test.npz"
QDQ = ROOT / "examples/01_digits/digits_qdq.onnx"


def commands(parser: argparse.ArgumentParser | None = None) -> dict[str, argparse.ArgumentParser]:
    """Commands by name; a subcommand has the name of the one above it as well, as in "bench table2"."""
    found = {}
    for action in (parser or build_parser())._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                found[name] = command
                found |= {f"{name} {inner}": below for inner, below in commands(command).items()}
    return found


@pytest.mark.parametrize("name", commands())
def test_documented_with_every_option(name):
    assert f"## covenant {name}" in PAGE
    for action in commands()[name]._actions:
        for option in action.option_strings:
            if option.startswith("--") and option != "--help":
                assert option in PAGE, f"{name} {option}"


def examples_of(name: str) -> list[str]:
    lines = (commands()[name].epilog or "").splitlines()
    return [line.split("#")[0].strip() for line in lines if line.strip().startswith("covenant ")]


@pytest.mark.parametrize("name", commands())
def test_examples_parse(name):
    examples = examples_of(name)
    assert examples, "every --help has examples"
    for example in examples:
        command = re.match(r'(?:"[^"]*"|[^|>"])*', example)[0]  # without what the shell does with its output
        build_parser().parse_args(shlex.split(command)[1:])


def test_commands_of_the_guide_parse():
    lines = re.findall(r"^    (covenant .*)$", GUIDE, re.MULTILINE)
    assert len(lines) > 5
    for line in lines:
        if "PASS" not in line:
            build_parser().parse_args(shlex.split(line.split("|")[0])[1:])


def keys_of(command: str) -> set[str]:
    section = PAGE.split(f"## covenant {command}")[1].split("\n## ")[0]
    return set(re.findall(r"`([a-z_]+)`", section))


@pytest.mark.parametrize(
    "arguments",
    [
        ["machines"],
        ["compile", str(QDQ), "-m", "genesys", "-o", "{tmp}/x.cprog"],
        ["run", str(QDQ), "-m", "genesys", "--compare", "onnxruntime"],
        ["cosim", str(QDQ), "-m", "genesys", "--set", "M=3", "--set", "N=4", "--rtl-quick"],
        ["accuracy", str(QDQ), "--data", str(DATA), "-m", "genesys"],
        ["sensitivity", str(QDQ), "--data", str(DATA), "--images", "3", "--errors-only"],
        ["bench table2", "-m", "genesys:8x8", "--layer", "DLRM/FC4"],
        ["bench multitarget", "-m", "genesys:8x8", "--layer", "DLRM/FC4", "--repeats", "1"],
        ["doctor"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_keys_are_those_documented(arguments, tmp_path, capfd):
    import json

    command, *options = arguments
    main(command.split() + [option.format(tmp=tmp_path) for option in options] + ["--json"])
    content = json.loads(capfd.readouterr().out)
    documented = keys_of(command)
    assert content.keys() <= documented
    for value in content.values():
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict) and value is not content.get("parameters"):
            assert first.keys() <= documented


def test_keys_that_are_promised(capfd):
    """Every promised key is named here, so that renaming one fails."""
    import json

    code = main(
        ["run", str(QDQ), "-m", "genesys", "--set", "M=20", "--set", "N=12", "--compare", "onnxruntime", "--json"]
    )
    content = json.loads(capfd.readouterr().out)
    assert code == 0
    assert content["identical"] is True
    assert content["machine"] == "genesys"
    assert content["backend"] == "systemc"
    assert content["cycles"] == content["total_cycles"] > 0
    assert content["seconds"] > 0
    assert (content["parameters"]["M"], content["parameters"]["N"]) == (20, 12)
    assert len(content["layers"]) >= 7
    for layer in content["layers"]:
        assert layer.keys() >= {"name", "cycles", "compute", "stalls", "utilisation"}
        assert layer["cycles"] == layer["compute"] + layer["stalls"]
        assert 0 <= layer["utilisation"] <= 1
    assert sum(layer["cycles"] for layer in content["layers"]) <= content["cycles"]
