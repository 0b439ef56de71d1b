"""Energy reference tables of Accelergy (Wu, Emer and Sze, ICCAD 2019): YAML with pJ by component and action."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import os
import re
from typing import Any

from covenant.documents import DocumentError, from_yaml
from covenant.energy.errors import user_error
from covenant.energy.table import EnergyTable
from covenant.files import read_whole

__all__ = ["read_reference_table"]

_COUNTS = re.compile(r"\[\d+\.\.\d+\]$")  # of a component that stands several times


def read_reference_table(path: str | os.PathLike[str]) -> EnergyTable:
    """The defaults with what an `ERT` states before them.

    Both forms are read: `tables` as a list of `name` and `actions` (version 0.3 and later), and as a mapping from names
    to actions. The last part of a name such as `system.chip.IBUF[0..15]` counts. If an action is listed with several
    arguments, the largest energy is taken: a run counts actions, not their arguments.

    Args:
        path: a YAML file.

    Raises:
        CovenantError: CLI0009, it cannot be read; ENG0004, it is no such table; ENG0005, YAML cannot be read here.
    """
    content = _parsed(path)
    table = content.get("ERT") if isinstance(content, dict) else None
    tables = table.get("tables") if isinstance(table, dict) else None
    if isinstance(tables, list):
        entries = [(one.get("name"), one.get("actions")) if isinstance(one, dict) else (None, None) for one in tables]
    elif isinstance(tables, dict):
        entries = list(tables.items())
    else:
        raise _wrong(path, "ERT.tables", "there is none, or it is neither a list nor a mapping")
    given: dict[str, dict[str, float]] = {}
    for name, actions in entries:
        component = _COUNTS.sub("", str(name)).rpartition(".")[2]
        if component in given:
            raise _wrong(path, component, "two tables have this name")
        given[component] = _actions(path, component, actions)
    return dataclasses.replace(EnergyTable.defaults(), given=given, source=os.fspath(path))


def _parsed(path: str | os.PathLike[str]) -> Any:
    if importlib.util.find_spec("yaml") is None:
        raise user_error("ENG0005", "reading YAML needs PyYAML", file=os.fspath(path),
                         fix='pip install "covenant[energy]"')  # fmt: skip
    try:
        return from_yaml(read_whole(path))
    except DocumentError as error:
        raise _wrong(path, "", str(error)) from error


def _actions(path: str | os.PathLike[str], component: str, actions: Any) -> dict[str, float]:
    """Energies by action."""
    if isinstance(actions, list):
        pairs = [(one.get("name"), one.get("energy")) if isinstance(one, dict) else (None, None) for one in actions]
    elif isinstance(actions, dict):
        pairs = [(name, _one.get("energy")) for name, listed in actions.items() for _one in _listed(listed)]
    else:
        raise _wrong(path, component, "it has no actions")
    found: dict[str, float] = {}
    for name, energy in pairs:
        number = isinstance(energy, int | float) and not isinstance(energy, bool) and math.isfinite(energy)
        if not (isinstance(name, str) and number and energy >= 0):
            raise _wrong(path, f"{component}.{name}", f"energy: {energy}")
        found[name] = max(found.get(name, 0.0), float(energy))
    return found


def _listed(listed: Any) -> list[dict[str, Any]]:
    entries = listed if isinstance(listed, list) else [listed]
    return [one if isinstance(one, dict) else {"energy": one} for one in entries]


def _wrong(path: str | os.PathLike[str], subject: str, what: str) -> Exception:
    return user_error("ENG0004", "this is no energy reference table", subject, file=os.fspath(path), offending=what,
                      allowed=("ERT: {tables: [{name: IBUF, actions: [{name: read, energy: 1.5}]}]}",),
                      fix="write components by the names of the machine's nodes, and energies in pJ")  # fmt: skip
