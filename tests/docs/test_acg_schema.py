"""The published JSON schema of machines takes every machine as the library writes it, and refuses broken ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest

import covenant

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/acg.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# Written by the library: a golden test compares it with what the library writes today.
MACHINE = json.loads((ROOT / "tests/golden/acg/small.json").read_text())
NAMES = [
    name for machine, presets in covenant.machines().items() for name in (machine, *(f"{machine}:{p}" for p in presets))
]


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_written_machine_fits():
    VALIDATOR.validate(MACHINE)


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_and_preset_fits(name):
    VALIDATOR.validate(covenant.Machine(name).to_dict())


def changed(path, value):
    """The machine with one value replaced or added."""
    machine = copy.deepcopy(MACHINE)
    place = machine
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return machine


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["name"], 3),
        (["memories"], {}),
        (["memories", 0, "kind"], "core"),
        (["memories", 0, "banks"], -1),
        (["memories", 0, "bank"], 1),
        (["computes", 0, "attributes", "rows"], 1.5),
        (["edges", 0, "bandwidth"], "64"),
        (["mnemonics", 0, "fields", 0, "signed"], 1),
    ],
)
def test_another_document_does_not(path, value):
    errors = list(VALIDATOR.iter_errors(changed(path, value)))
    assert [list(error.absolute_path) for error in errors] in ([path], [path[:-1]])


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_required_keys(key):
    machine = {name: value for name, value in MACHINE.items() if name != key}
    assert [error.validator for error in VALIDATOR.iter_errors(machine)] == ["required"]
