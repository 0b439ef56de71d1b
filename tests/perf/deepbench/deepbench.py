"""Tables of DeepBench's inference layers on a machine, measured by `covenant bench deepbench`, by suite and kind.

./dev bench deepbench              # measures what build/deepbench.json has not yet, and prints the tables
./dev bench deepbench --write      # into docs/reference/deepbench.md
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from marks import write_between

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/deepbench.md"
BEGIN = "<!-- ./dev bench deepbench --write -->"
MACHINE = "genesys:07"
MUCH = 1.3
"""Ratio to the bound above which a layer is listed."""


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """Tables in Markdown."""
    lines = ["", "| layers | number | all values equal | first rows equal | cycles / bound, geometric mean | largest |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    kinds = list(dict.fromkeys("/".join(row["layer"].split("/")[:2]) for row in rows))
    for kind in (*kinds, ""):
        some = [row for row in rows if row["layer"].startswith(kind)]
        ratios = [row["ratio"] for row in some]
        equal = [row["compared"] == "all" for row in some if row["identical"]]
        means = f"{geometric_mean(ratios):.3f}", f"{max(ratios):.3f}"
        cells = (len(some), sum(equal), len(equal) - sum(equal), *means)
        lines.append(f"| {kind or '**all**'} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", f"Above {MUCH}:", "", "| layer | cycles | cycles / bound |", "|---|---:|---:|"]
    for row in sorted(rows, key=lambda row: (-row["ratio"], row["layer"])):
        if row["ratio"] > MUCH:
            lines.append(f"| {row['layer']} | {row['cycles']:,} | {row['ratio']:.3f} |")
    return "\n".join([f"On `{MACHINE}`:", *lines])


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", type=Path, default=ROOT / "build/deepbench.json", help="kept between runs")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    command = [sys.executable, "-m", "covenant", "bench", "deepbench", "-m", MACHINE, "-o", str(arguments.figures)]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in (0, 1):
        return status
    text = tables(json.loads(arguments.figures.read_text())["rows"])
    print(text)
    if arguments.write:
        write_between(PAGE, {BEGIN: text})
    return status


if __name__ == "__main__":
    sys.exit(main())
