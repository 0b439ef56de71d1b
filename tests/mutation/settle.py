"""Shared by runs of written and of drawn mutants: many run at a time, each suite's verdict, the report at the end."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rich.console import Console
from rich.progress import track

Mutant = TypeVar("Mutant")
Verdict = TypeVar("Verdict")
FAILED = re.compile(r"^\[  FAILED  \] (\S+) \(", re.MULTILINE)


def first_failure(exit_code: int, said: str) -> str | None:
    """The test of a suite that failed first, or how the suite ended without one; None: all passed."""
    if exit_code == 0:
        return None
    found = FAILED.search(said)
    return found[1] if found else f"exit code {exit_code}"


def settle(
    decide: Callable[[Mutant], Verdict], mutants: Sequence[Mutant], jobs: int, console: Console
) -> list[Verdict]:
    """The verdict of each, in their order, `jobs` at a time, with progress."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(track(pool.map(decide, mutants), description="mutants", total=len(mutants), console=console))


def tell(summary: dict[str, object], options: argparse.Namespace, show: Callable[[], None]) -> None:
    """The summary as JSON where `--output` and `--json` ask for it; `show` is for people."""
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    if options.json:
        print(text, end="")
    else:
        show()
