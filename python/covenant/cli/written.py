"""Paths that a command writes: no two results go to one, and none to what the command reads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.files import is_regular, is_special

__all__ = ["WrittenPath", "check_written"]


class WrittenPath(str):
    """The value of an option that names a file or folder to be written: `type=WrittenPath`."""

    __slots__ = ()


def check_written(options: Mapping[str, Any]) -> None:
    """Checks the paths of a command before it begins.

    Args:
        options: values by name, as argparse read them.

    Raises:
        CovenantError: CLI0025, two results would go to one path; CLI0026, a result would replace what is read.
    """
    results = {name: value for name, value in options.items() if isinstance(value, WrittenPath)}
    if not results:
        return
    written: dict[str, str] = {}
    read = {os.path.realpath(text) for option in options.values() for text in _texts(option)}
    for name, value in results.items():
        if is_special(value):  # devices and pipes take several
            continue
        place = os.path.realpath(value)
        if place in written:
            raise CovenantError(
                Diagnostic("CLI0025", "two results would go to one file", "command line",
                           offending=f"{value}: {written[place]} and {_option(name)}", fix="name two files")
            )  # fmt: skip
        written[place] = _option(name)
        if place in read and is_regular(place):
            raise CovenantError(
                Diagnostic("CLI0026", "the result would replace a file that the command reads", "command line",
                           offending=f"{_option(name)} {value}", fix="name another file")
            )  # fmt: skip


def _texts(option: Any) -> Iterator[str]:
    """The texts of an option that is not written."""
    for one in option if isinstance(option, list | tuple) else (option,):
        if isinstance(one, str) and not isinstance(one, WrittenPath) and "\0" not in one:
            yield one


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
