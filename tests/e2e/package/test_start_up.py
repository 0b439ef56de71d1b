"""Commands import what they need, and no more: `covenant --help` answers at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from covenant.cli.commands import BY_NAME, sentence
from covenant.cli.parser import build_parser

HEAVY = (
    "numpy",
    "onnx",
    "onnxruntime",
    "google",
    "matplotlib",
    "yaml",
    "optuna",
    "distributed",
    "xml",
    "multiprocessing",
)
"""Packages that take longer to import than the command line itself."""
FOR_TABLES = "rich"


def imported(*words: str) -> set[str]:
    """Top-level packages that a command has imported."""
    code = (
        "import sys\nfrom covenant.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_no_command_and_nothing_heavy(option):
    found = imported(option)
    assert not found & {*HEAVY, FOR_TABLES}, found


@pytest.mark.parametrize("command", BY_NAME)
def test_help_of_a_command_imports_nothing_that_its_work_needs(command):
    found = imported(command, "--help")
    assert not found & {*HEAVY, FOR_TABLES}, found


@pytest.mark.parametrize("words", [("machines",), ("memories",), ("show", "genesys"), ("show", "genesys", "--json")])
def test_what_shows_machines_imports_nothing_heavy(words):
    found = imported(*words)
    assert not found & set(HEAVY), found


def test_one_object_needs_no_tables():
    assert FOR_TABLES not in imported("machines", "--json")


def test_help_lists_every_command_with_what_it_says_of_itself():
    parser = build_parser()
    commands = parser._subparsers._group_actions[0].choices
    assert {name: command.description for name, command in commands.items()} == {
        name: sentence(command.summary) for name, command in BY_NAME.items()
    }
