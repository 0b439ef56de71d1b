"""The published JSON schema of machines takes what the library writes, and refuses what it would refuse."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/acg.schema.json").read_text())
# Written by the library: a golden test compares it with what the library writes today.
MACHINE = json.loads((ROOT / "tests/golden/acg/small.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def has_type(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def fits_object(value, schema):
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    if any(key not in value for key in schema.get("required", [])):
        return False
    rules = {key: known.get(key, others) for key in value}
    return all(rule is not False and (rule is True or fits(value[key], rule)) for key, rule in rules.items())


def fits(value, schema):
    """Checks the part of JSON Schema that the published schema uses."""
    if "enum" in schema:
        return value in schema["enum"]
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(has_type(value, name) for name in names):
        return False
    if isinstance(value, dict):
        return fits_object(value, schema)
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {"type": list(TYPES)})) for item in value)
    return value >= schema.get("minimum", value)


def test_a_written_machine_fits():
    assert fits(MACHINE, SCHEMA)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["name"], 3),
        (["memories", 0, "kind"], "core"),
        (["memories", 0, "banks"], -1),
        (["memories", 0, "bank"], 1),
        (["computes", 0, "attributes", "rows"], 1.5),
        (["edges", 0, "bandwidth"], "64"),
        (["mnemonics", 0, "fields", 0, "signed"], 1),
    ],
)
def test_another_document_does_not(path, value):
    changed = copy.deepcopy(MACHINE)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not fits(changed, SCHEMA)


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_required_keys(key):
    assert not fits({name: value for name, value in MACHINE.items() if name != key}, SCHEMA)
