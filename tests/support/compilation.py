"""The build's compile_commands.json, for tools that compile sources in another way than the build does."""

from __future__ import annotations

import json
import shlex
from pathlib import Path


def compile_commands(build: Path) -> list[dict[str, str]]:
    """How each source is compiled, without precompiled headers: they suit only the options that they were made with."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return [{**entry, "command": _without_precompiled(entry["command"])} for entry in entries]


def _without_precompiled(command: str) -> str:
    words = shlex.split(command)
    while "-include" in words:
        place = words.index("-include")
        assert words[place + 1].endswith("/cmake_pch.hxx")
        del words[place : place + 2]
    return shlex.join(word for word in words if word != "-Winvalid-pch")
