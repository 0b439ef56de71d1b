"""Faults of a computer, made for one command at a time: no room, no permission, no network, no tools.

Each happens in namespaces of their own: what is mounted there is seen by the commands of the test, and by nothing else.
Needs root, or users who may make such namespaces.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILLER = "filler"
COVENANT = (sys.executable, "-m", "covenant")


@cache
def has_namespaces() -> bool:
    """Whether faults can be made here."""
    if shutil.which("unshare") is None or shutil.which("nsenter") is None:
        return False
    tried = subprocess.run([*_unshared(()), "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False)
    return tried.returncode == 0


def _unshared(more: tuple[str, ...]) -> list[str]:
    user = () if os.geteuid() == 0 else ("--map-root-user",)
    return ["unshare", "--mount", *more, *user]


@dataclass(frozen=True)
class Told:
    """Words of a command."""

    exit_code: int
    text: str
    """Standard error."""
    result: dict[str, Any]
    """The JSON object on standard output; empty without one."""

    @property
    def code(self) -> str:
        """Code of the diagnostic; empty if it said none."""
        return self.result.get("error", {}).get("code", "")

    @property
    def fix(self) -> str:
        """Its fix."""
        return self.result.get("error", {}).get("fix", "")


class Room:
    """Namespaces in which commands run, until the end of the block.

    Args:
        place: folder that may be mounted over, in which commands run.
        home: of the commands; None: the place.
        network: whether there is one.
    """

    def __init__(self, place: Path, *, home: Path | None = None, network: bool = True) -> None:
        self.place = place
        self._network = network
        self._closing = ExitStack()
        self.environment = {**os.environ, "HOME": str(home or place), "XDG_CACHE_HOME": "", "COVENANT_RTL_CACHE": ""}

    def __enter__(self) -> Room:
        words = [*_unshared(() if self._network else ("--net",)), "sh", "-c", "echo; exec cat"]
        holder = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._closing.enter_context(holder)  # its end of input ends it
        assert holder.stdout is not None
        holder.stdout.readline()
        user = () if os.geteuid() == 0 else ("--user", "--preserve-credentials")
        net = () if self._network else ("--net",)
        self._enter = ("nsenter", f"--target={holder.pid}", "--mount", *net, *user, "--")
        self._holder = holder
        return self

    def __exit__(self, *_: object) -> None:
        assert self._holder.stdin is not None
        self._holder.stdin.close()
        self._closing.close()

    def do(self, *words: object) -> str:
        """Runs a command of the test itself, which must not fail."""
        done = subprocess.run([*self._enter, *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def covenant(self, *words: object, environment: Mapping[str, str] | None = None, under: Sequence[str] = ()) -> Told:
        """Runs a command line with `--json`; `under` another program."""
        command = [*self._enter, "env", f"--chdir={self.place}", *under, *COVENANT, *map(str, words), "--json"]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**self.environment, **(environment or {})}
        )
        return Told(done.returncode, done.stderr, json.loads(done.stdout) if done.stdout.startswith("{") else {})

    def mount(self, options: str) -> None:
        """A file system of its own on the place; or other options for it."""
        self.do("mount", "-t", "tmpfs", "-o", options, "tmpfs", self.place)

    def fill(self) -> None:
        """Leaves no room in the place."""
        self.mount("size=64k")
        self.do("sh", "-c", 'cat /dev/zero 2>/dev/null > "$0" || true', self.place / FILLER)

    def empty(self) -> None:
        """Gives it room again."""
        self.do("rm", self.place / FILLER)
        self.mount("remount,size=1g")

    def files(self) -> list[str]:
        """Files in the place, by their paths."""
        found = self.do("find", self.place, "-type", "f", "-printf", "%P\n")
        return sorted(file for file in found.splitlines() if file != FILLER)


def tools_without(missing: Iterable[str], folder: Path) -> str:
    """A PATH with all tools of this one but these."""
    folder.mkdir(parents=True)
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for tool in sorted(place.iterdir()) if place.is_dir() else ():
            link = folder / tool.name
            if tool.name not in missing and not link.is_symlink():
                link.symlink_to(tool)
    return str(folder)
