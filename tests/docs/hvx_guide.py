"""The listings of docs/guide/hvx.md: what its commands print.

./dev exec python tests/docs/hvx_guide.py      # makes them anew
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/guide/hvx.md"
# Code, and what it prints if that stands right below it.
STEP = re.compile(r"```(python|sh)\n(.*?)```\n(\n```text\n(.*?)```\n)?", re.DOTALL)
UNSTABLE = re.compile(r"^systemc: .*\n", re.MULTILINE)


def _run(language: str, code: str, folder: Path) -> str:
    """Output of a listing's commands; fails if one of them does."""
    command = [sys.executable, "-c", code] if language == "python" else ["bash", "-euo", "pipefail", "-c", code]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, cwd=folder, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, text=True, check=True
    )
    lines = UNSTABLE.sub("", done.stdout).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines).strip("\n") + "\n"


def refreshed(page: str) -> str:
    """The page with what its commands print today, run in their order in one folder."""
    with tempfile.TemporaryDirectory() as folder:

        def step(match: re.Match[str]) -> str:
            language, code, listing, _ = match.groups()
            printed = _run(language, code, Path(folder))
            before = f"```{language}\n{code}```\n"
            return before if listing is None else f"{before}\n```text\n{printed}```\n"

        return STEP.sub(step, page)


def listings(page: str) -> list[str]:
    """Text below the commands of a listing."""
    return [match.group(4) for match in STEP.finditer(page) if match.group(3)]


def main() -> None:
    """Rewrites the page."""
    PAGE.write_text(refreshed(PAGE.read_text()))


if __name__ == "__main__":
    main()
