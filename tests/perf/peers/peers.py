"""Compares other compilers' code for a few kernels on our model of the core with ours: `covenant bench peers`.

./dev bench peers              # a table
./dev bench peers --json
./dev bench peers --write      # into docs/reference/peers.md
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marks import write_between

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/peers.md"
SUMMARY = "<!-- summary: ./dev bench peers --write -->"
ALL = "<!-- ./dev bench peers --write -->"
COMMAND = [sys.executable, "-m", "covenant", "bench", "peers", "-m", "hvx"]
COUNTS = ("packets", "cycles")
Row = dict[str, Any]


def by_kernel(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of each kernel, in the order of the rows."""
    kernels: dict[str, list[Row]] = {}
    for row in rows:
        kernels.setdefault(row["kernel"], []).append(row)
    return kernels


def better(ours: int, theirs: int) -> str:
    """Name of the side that has less."""
    return "ours" if ours < theirs else "equal" if ours == theirs else "peer"


def summary(report: dict[str, Any]) -> str:
    """The best peer of each kernel beside ours, all with prefetch, and in a sentence where ours is not the best."""
    lines = [
        "| kernel | fewest packets of a peer | our packets | fewest | fewest cycles of a peer | our cycles | fewest |",
        "|---|---|---:|---|---|---:|---|",
    ]
    worse: dict[str, list[str]] = {count: [] for count in COUNTS}
    kernels = by_kernel([row for row in report["rows"] if row["prefetch"]])
    for kernel, rows in kernels.items():
        cells = [kernel]
        for count in COUNTS:
            best = min(rows, key=lambda row: row[count])
            ours, theirs = best[f"ours_{count}"], best[count]
            cells += [f"{theirs:,} ({best['peer']}, {best['form']})", f"{ours:,}", better(ours, theirs)]
            if ours >= theirs:
                worse[count].append(f"{kernel} ({ours:,} against {theirs:,})")
        lines.append(f"| {' | '.join(cells)} |")
    said = (
        f"fewest {count} in all" + (f" but {len(names)}: {', '.join(names)}" if names else "")
        for count, names in worse.items()
    )
    return "\n".join([*lines, "", f"Of these {len(kernels)} kernels ours takes the {'; the '.join(said)}."])


def table(report: dict[str, Any]) -> str:
    """All figures, ours first, and who is missing in them."""
    lines = [
        "| kernel | by | form | packets | cycles | packets, prefetching | cycles, prefetching |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for kernel, rows in by_kernel(report["rows"]).items():
        figures: dict[tuple[str, str], dict[tuple[str, bool], int]] = {("ours", ""): {}}
        for row in rows:
            of_form = figures.setdefault((row["peer"], row["form"]), {})
            for count in COUNTS:
                of_form[count, row["prefetch"]] = row[count]
                figures["ours", ""][count, row["prefetch"]] = row[f"ours_{count}"]
        for who, of_form in figures.items():
            cells = [of_form.get((count, prefetch)) for prefetch in (False, True) for count in COUNTS]
            numbers = " | ".join("" if cell is None else f"{cell:,}" for cell in cells)
            lines.append(f"| {kernel} | {' | '.join(who)} | {numbers} |")
    return "\n".join([*lines, *(f"\n{missing}." for missing in report["missing"])])


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev bench peers", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="into docs/reference/peers.md")
    arguments = parser.parse_args()
    if not arguments.write:
        return subprocess.run([*COMMAND, *(["--json"] if arguments.json else [])], check=False).returncode
    done = subprocess.run([*COMMAND, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        report = json.loads(done.stdout)
        write_between(PAGE, {SUMMARY: summary(report), ALL: table(report)})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
