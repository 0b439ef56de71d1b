"""Reads studies from TOML files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covenant.documents import DocumentError, from_toml
from covenant.errors import CovenantError, Diagnostic
from covenant.evaluation.metrics import parts_of
from covenant.files import read_whole
from covenant.machine.memory_models import memories
from covenant.study.description import Objective, StudyMachine, StudyModel, StudySearch
from covenant.study.errors import placed, unknown, user_error
from covenant.study.numerics import StudyNumerics
from covenant.zoo import PREFIX

__all__ = ["read_study"]

_STUDY = {
    "name": str, "models": list, "numerics": list, "machines": list, "memory": list, "search": dict, "objectives": dict,
}  # fmt: skip
_MODEL = {
    "model": str, "data": str, "metric": str, "output": str, "images": int, "name": str, "calibrate": str,
    "shapes": dict, "keep_float": list,
}  # fmt: skip
_NUMERICS: dict[str, tuple[type, ...]] = {
    "weight_bits": (int, str), "activation_bits": (int, str), "bits": (int, str), "granularity": (str,),
    "method": (str,), "bias_correction": (bool,), "equalize": (bool,), "activations": (str,),
    "elements": (int,),
}  # fmt: skip
_MACHINE = {"machine": str, "parameters": dict}
_SEARCH = {"method": str, "points": int, "seed": int, "sampler": str, "batch": int}
_KINDS = {str: "a text", int: "a whole number", bool: "true or false", list: "a list", dict: "a table"}


def read_study(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `Study` that a file gives; paths in it are relative to its folder.

    Raises:
        CovenantError: CLI0009, it cannot be read; STU0001, it is not TOML; STU0002, an unknown key; STU0003, a value of
            another type; STU0004, a key is missing; and as `covenant.study.description` does.
    """
    content = _parsed(path)
    folder = Path(path).parent
    with placed(file=os.fspath(path)):
        _check(content, _STUDY, "", ("name", "models", "machines"))
        given: dict[str, Any] = {"name": content["name"]}
        given["models"] = tuple(_model(one, f"models[{i}]", folder) for i, one in enumerate(content["models"]))
        if "numerics" in content:
            given["numerics"] = tuple(_numerics(one, f"numerics[{i}]") for i, one in enumerate(content["numerics"]))
        given["machines"] = tuple(_machine(one, f"machines[{i}]", folder) for i, one in enumerate(content["machines"]))
        if "memory" in content:
            given["memory"] = tuple(_memory(one, f"memory[{i}]", folder) for i, one in enumerate(content["memory"]))
        if "search" in content:
            _check(content["search"], _SEARCH, "search", ())
            with placed(subject="search"):
                given["search"] = StudySearch(**content["search"])
        if "objectives" in content:
            given["objectives"] = tuple(_objective(*one) for one in content["objectives"].items())
    return given


def _parsed(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        return from_toml(read_whole(path))
    except DocumentError as error:
        raise CovenantError(
            Diagnostic("STU0001", f"this is no study: {error}", os.fspath(path), error.line, error.column,
                       fix="docs/guide/studies.md shows a study")
        ) from error  # fmt: skip


def _check(table: Any, kinds: Mapping[str, type], subject: str, required: tuple[str, ...]) -> dict[str, Any]:
    """The table, if it has no other keys than these, of these types, and those that are required."""
    if not isinstance(table, dict):
        raise _wrong_kind(subject, table, dict)
    for key, value in table.items():
        place = f"{subject}.{key}" if subject else key
        if key not in kinds:
            raise unknown("STU0002", "a study has no such key here", place, key, kinds)
        if not isinstance(value, kinds[key]) or (isinstance(value, bool) and kinds[key] is not object):
            raise _wrong_kind(place, value, kinds[key])
    for key in required:
        if key not in table:
            raise user_error("STU0004", "a key is missing", subject, offending=", ".join(table) or "nothing",
                             allowed=(key,), fix=f"add {key}")  # fmt: skip
    return table


def _wrong_kind(subject: str, value: object, *kinds: type) -> CovenantError:
    allowed = tuple(_KINDS[kind] for kind in kinds)
    return user_error("STU0003", "a value of another type", subject, offending=repr(value), allowed=allowed,
                      fix=f"write {' or '.join(allowed)}")  # fmt: skip


def _model(table: Any, subject: str, folder: Path) -> StudyModel:
    given = _check(table, _MODEL, subject, ("model",))
    is_here = not given["model"].startswith(PREFIX)
    names = [key for key in ("model", "data", "calibrate") if key in given and (key != "model" or is_here)]
    given |= {key: os.fspath(folder / given[key]) for key in names}
    if parts_of(given.get("metric", ""))[0]:
        given["metric"] = os.fspath(folder / given["metric"])
    given["shapes"] = {
        name: _range(one, f"{subject}.shapes.{name}", (int,)) for name, one in given.get("shapes", {}).items()
    }
    given["keep_float"] = _range(given.get("keep_float", []), f"{subject}.keep_float", (str,))
    with placed(subject=subject):
        return StudyModel(**given)


def _numerics(table: Any, subject: str) -> StudyNumerics:
    _check(table, dict.fromkeys(_NUMERICS, object), subject, ())
    given = {key: _range(value, f"{subject}.{key}", _NUMERICS[key]) for key, value in table.items()}
    with placed(subject=subject):
        return StudyNumerics(**given)


def _machine(table: Any, subject: str, folder: Path) -> StudyMachine:
    given = _check(table, _MACHINE, subject, ("machine",))
    ranges = {name: _range(one, f"{subject}.parameters.{name}") for name, one in given.get("parameters", {}).items()}
    spec = given["machine"]
    if spec.endswith(".acg"):
        spec = os.fspath(folder / spec)
    with placed(subject=subject):
        return StudyMachine(spec, ranges)


def _range(value: Any, subject: str, kinds: tuple[type, ...] = (int, str)) -> tuple[Any, ...]:
    """Values of a list, or the single value."""
    values = value if isinstance(value, list) else [value]
    for one in values:
        if type(one) not in kinds:  # true is no number
            raise _wrong_kind(subject, one, *kinds)
    return tuple(values)


def _memory(value: Any, subject: str, folder: Path) -> str:
    if not isinstance(value, str):
        raise _wrong_kind(subject, value, str)
    is_file = value not in memories() and (folder / value).is_file()
    return os.fspath(folder / value) if is_file else value


def _objective(column: str, sense: Any) -> Objective:
    if not isinstance(sense, str):
        raise _wrong_kind(f"objectives.{column}", sense, str)
    return Objective(column, sense)
