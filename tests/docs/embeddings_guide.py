"""The listings of docs/guide/embeddings.md: what its commands print, diagnostics included.

./dev exec python tests/docs/embeddings_guide.py      # makes them anew
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/guide/embeddings.md"
# Commands, and what they print.
STEP = re.compile(r"```sh\n(.*?)```\n\n```text\n(.*?)```\n", re.DOTALL)
MACHINE = re.compile(r"```acg\n(.*?)```", re.DOTALL)
SUCCESS, MISTAKE = 0, 2


def commands(listing: str) -> list[str]:
    """Commands of a listing; one that ends with a backslash goes on in the next line."""
    return listing.replace("\\\n", " ").splitlines()


def _printed(line: str, folder: Path) -> str:
    """Output and diagnostics of one command; fails if it ends with neither success nor a mistake of the user."""
    program, *arguments = shlex.split(line)
    assert program == "covenant"
    done = subprocess.run(
        [sys.executable, "-m", "covenant", *arguments], cwd=folder, env=os.environ, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (SUCCESS, MISTAKE), done.stdout
    return "".join(f"{text.rstrip()}\n" for text in done.stdout.splitlines())


def refreshed(page: str) -> str:
    """The page with what its commands print today, run in a folder that has the machine of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (machine,) = MACHINE.findall(page)
        (folder / "mine.acg").write_text(machine)

        def step(match: re.Match[str]) -> str:
            outputs = "\n".join(_printed(line, folder) for line in commands(match[1]))
            return f"```sh\n{match[1]}```\n\n```text\n{outputs}```\n"

        return STEP.sub(step, page)


def listings(page: str) -> list[str]:
    """Texts below the commands."""
    return [match[2] for match in STEP.finditer(page)]


def main() -> None:
    """Rewrites the page."""
    PAGE.write_text(refreshed(PAGE.read_text()))


if __name__ == "__main__":
    main()
