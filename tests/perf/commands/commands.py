"""Replays every set of command vectors of the project: `covenant bench commands`, whose options it takes, and --write.

./dev bench commands              # replays, and prints the table
./dev bench commands --write      # into docs/reference/benchmarks.md

The exit code is 1 if a byte or a cycle differs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from marks import write_between

from covenant.bench.commands import markdown
from covenant.cli.output import Output
from covenant.cli.parser import build_parser
from covenant.cli.vectors_command import measured_sets, show

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
BEGIN = "<!-- ./dev bench commands --write -->"
WRITE = "--write"


def main(argv: Sequence[str]) -> int:
    """Replays and shows; with --write, the rows become those of the page."""
    words = [word for word in argv if word != WRITE]
    arguments = build_parser("bench").parse_args(["bench", "commands", *words])
    output = Output(json=arguments.json)
    rows, left_out = measured_sets(arguments, output)
    if WRITE in argv:
        write_between(PAGE, {BEGIN: markdown(rows)})
    return show(rows, left_out, output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
