"""The build's compile_commands.json, for tools that compile sources in another way than the build does."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

INCLUDED = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def compile_commands(build: Path) -> list[dict[str, str]]:
    """How each source is compiled, without precompiled headers: they suit only the options that they were made with.

    Sources that are compiled as one (`members_of` its "unit") have an entry each, as if compiled alone.
    """
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return [alone for entry in entries for alone in _each_alone(entry)]


def members_of(unit: Path) -> list[str]:
    """The sources that are compiled as one."""
    return INCLUDED.findall(unit.read_text(encoding="utf-8"))


def _each_alone(entry: dict[str, str]) -> list[dict[str, str]]:
    file, command = entry["file"], _without_precompiled(entry["command"])
    if "/Unity/unity_" not in file:
        return [{**entry, "command": command}]
    return [
        {**entry, "unit": file, "file": member, "command": command.replace(f"-c {file}", f"-c {member}")}
        for member in members_of(Path(file))
    ]


def _without_precompiled(command: str) -> str:
    words = shlex.split(command)
    while "-include" in words:
        place = words.index("-include")
        assert words[place + 1].endswith("/cmake_pch.hxx")
        del words[place : place + 2]
    return shlex.join(word for word in words if word != "-Winvalid-pch")
