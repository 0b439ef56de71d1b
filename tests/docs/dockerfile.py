"""The Dockerfile as data, so that it can be followed without Docker."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
KNOWN = ("FROM", "RUN", "COPY", "ENV", "WORKDIR", "ENTRYPOINT")


@dataclass(frozen=True)
class Instruction:
    """One instruction; its lines are joined."""

    name: str
    text: str


def instructions(text: str) -> list[Instruction]:
    """Instructions of a Dockerfile, in their order.

    Raises:
        ValueError: an instruction that nothing here follows.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    found = []
    for line in re.sub(r"\s*\\\n\s*", " ", "\n".join(lines)).splitlines():
        name, _, rest = line.partition(" ")
        if name not in KNOWN:
            raise ValueError(f"no rule for {line!r}")
        found.append(Instruction(name, rest.strip()))
    return found


def debian_packages(steps: list[Instruction]) -> set[str]:
    """Packages that the instructions install."""
    found: set[str] = set()
    for step in steps:
        for command in re.split(r"&&", step.text):
            words = command.split()
            if step.name == "RUN" and words[:2] == ["apt-get", "install"]:
                found |= {word for word in words[2:] if not word.startswith("-")}
    return found


def context() -> list[Path]:
    """Files that `COPY .` takes, from the checkout: those that git knows, without what .dockerignore names."""
    patterns = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [PurePosixPath(name) for name in listed.stdout.split("\0") if name]
    return [Path(path) for path in paths if not any(_is_ignored(path, pattern) for pattern in patterns)]


def _is_ignored(path: PurePosixPath, pattern: str) -> bool:
    parts = pattern.removeprefix("**/")
    if parts != pattern:
        return any(fnmatch(part, parts) for part in path.parts)
    return path.parts[0] == pattern
