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
from pathlib import Path
from typing import Any

from marks import write_between

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/peers.md"
BEGIN = "<!-- ./dev bench peers --write -->"
COMMAND = [sys.executable, "-m", "covenant", "bench", "peers", "-m", "hvx"]


def page(report: dict[str, Any]) -> str:
    """The table in Markdown, and who is missing in it."""
    lines = [
        "| kernel | peer | form | packets | cycles | our packets | our cycles |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for row in report["rows"]:
        numbers = (row["packets"], row["cycles"], row["ours_packets"], row["ours_cycles"])
        lines.append(
            f"| {row['kernel']} | {row['peer']} | {row['form']} | {' | '.join(f'{number:,}' for number in numbers)} |"
        )
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
        write_between(PAGE, {BEGIN: page(json.loads(done.stdout))})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
