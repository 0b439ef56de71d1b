"""Plants every mutant in turn and runs the suite that has to notice it: `./dev mutate`.

A mutant is killed by the first test that fails (or by a crash, or by not coming to an end). Exit code 1 if one survives
or if the suite fails without any.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants import Mutant, load
from rich.console import Console
from rich.progress import track
from rich.table import Table

LIMIT_SECONDS = 300
BUILD_SECONDS = 1800  # of the first run, which builds the Verilated models
FAILED = re.compile(r"^\[  FAILED  \] (\S+) \(", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    name: str
    side: str
    what: str
    file: str
    killed_by: str | None  # None: it survives
    seconds: float


def run(suite: Path, mutant: Mutant | None) -> tuple[str | None, float, str]:
    """The first test that fails (None if none does), how long it took, and what the suite has said."""
    environment = dict(os.environ)
    for side in ("systemc", "rtl"):
        number = mutant.number if mutant is not None and mutant.side == side else 0
        environment[f"COVENANT_{side.upper()}_MUTANT"] = str(number)
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [str(suite), "--gtest_fail_fast", "--gtest_brief=1"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS if mutant is not None else BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end", time.monotonic() - begin, ""
    seconds = time.monotonic() - begin
    if done.returncode == 0:
        return None, seconds, done.stdout
    found = FAILED.search(done.stdout)
    return found.group(1) if found else f"exit code {done.returncode}", seconds, done.stdout + done.stderr


def verdict(suite: Path, mutant: Mutant) -> Verdict:
    killer, seconds, _ = run(suite, mutant)
    return Verdict(mutant.name, mutant.side, mutant.what, mutant.file, killer, round(seconds, 1))


def table_of(verdicts: list[Verdict]) -> Table:
    table = Table("mutant", "side", "what it does", "killed by", "s")
    for entry in verdicts:
        killer = entry.killed_by or "[bold red]SURVIVES[/]"
        table.add_row(entry.name, entry.side, entry.what, killer, f"{entry.seconds:.1f}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--suite", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="NAME", action="append", help="only this mutant (may be given several times)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time (default: processors)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the summary as JSON, too")
    options = parser.parse_args()
    console = Console(stderr=True)
    mutants = load("systemc") + load("rtl")
    names = {mutant.name for mutant in mutants}
    for name in options.only or []:
        if name not in names:
            console.print(f"no mutant is called {name}; there are: {', '.join(sorted(names))}", highlight=False)
            return 2
    if options.only:
        mutants = [mutant for mutant in mutants if mutant.name in options.only]

    console.print("the suite without a mutant ...")
    failed, seconds, output = run(options.suite, None)
    if failed is not None:
        console.print(output, f"the suite fails without any mutant: {failed}", markup=False)
        return 1
    begin = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = list(
            track(
                pool.map(lambda mutant: verdict(options.suite, mutant), mutants),
                description="mutants",
                total=len(mutants),
                console=console,
            )
        )
    survivors = [entry.name for entry in verdicts if entry.killed_by is None]
    summary = {
        "mutants": len(verdicts),
        "systemc": sum(entry.side == "systemc" for entry in verdicts),
        "rtl": sum(entry.side == "rtl" for entry in verdicts),
        "killed": len(verdicts) - len(survivors),
        "survivors": survivors,
        "suite_seconds": round(seconds, 1),
        "seconds": round(time.monotonic() - begin, 1),
        "verdicts": [asdict(entry) for entry in verdicts],
    }
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    if options.json:
        print(text, end="")
    else:
        Console().print(table_of(verdicts))
        print(f"{summary['killed']} of {summary['mutants']} mutants killed in {summary['seconds']:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
