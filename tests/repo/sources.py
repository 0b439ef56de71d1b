"""Finds the files that the repository tests look at."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("acg", "offchip", "compiler", "platform", "sim", "rtl", "runtime", "fuzz", "python")
CODE = re.compile(
    r"\b(?:ACG|ISA|PRG|ONX|NET|CDL|EMB|GEN|SIM|RUN|CLI|RTL|SCH|QNT|ZOO|MEM|DRV|STU|ACC|ARE|ENG|EXP|TCH|BEH|MAT)\d{4}\b"
)


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository, also those not committed yet, that match one of the glob patterns; in order."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted({ROOT / name for name in names if (ROOT / name).is_file()})


def name_of(path: Path) -> str:
    """Path from the root of the repository."""
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    """First folder of the path."""
    return name_of(path).split("/", maxsplit=1)[0]
