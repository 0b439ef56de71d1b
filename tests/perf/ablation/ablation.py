"""Tables of what each optimisation of code for packets gains, measured by `covenant bench ablation`.

./dev bench ablation              # measures and prints the tables
./dev bench ablation --write      # into docs/reference/ablation.md
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
PAGE = ROOT / "docs/reference/ablation.md"
BEGIN = "<!-- ./dev bench ablation --write -->"
MACHINE = "hvx"
PART = "\\*"
"""Marks layers of which a part was simulated without vectors."""


def tables(report: dict[str, Any]) -> str:
    """Tables in Markdown: cycles of every step, then packets of the first and the last, and what all gain together."""
    factors = report["factors"]
    lines = [
        f"Simulated cycles on `{MACHINE}`, and in brackets what the step gains:",
        "",
        "| layer | nothing | " + " | ".join(f"+ {name}" for name in factors) + " |",
        "|---|" + "---:|" * (len(factors) + 1),
    ]
    for row in report["rows"]:
        cycles, gains = row["cycles"], row["gains"]
        first = f"{cycles['none']:,}{PART if row['cropped'] else ''}"
        steps = [f"{cycles[name]:,} ({gains[name]:.2f})" for name in factors]
        lines.append(f"| {row['layer']} | {first} | " + " | ".join(steps) + " |")
    means = " | ".join(f"**{gain:.2f}**" for gain in factors.values())
    lines += [
        f"| **geometric mean** | | {means} |",
        "",
        "| layer | packets with nothing | with all | cycles gained together |",
        "|---|---:|---:|---:|",
    ]
    for row in report["rows"]:
        packets = row["packets"]
        lines.append(f"| {row['layer']} | {packets['none']:,} | {packets['pipeline']:,} | {row['product']:.1f} |")
    lines.append(f"| **geometric mean** | | | **{report['product']:.1f}** |")
    parts = [row for row in report["rows"] if row["cropped"]]
    if parts:
        scales = ", ".join(f"{row['layer']} {row['cropped']['none']['scale']:.1f}" for row in parts)
        lines += ["", f"{PART} a part was simulated, and its cycles and packets multiplied: {scales}."]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows; 1 if a byte differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    command = [sys.executable, "-m", "covenant", "bench", "ablation", "-m", MACHINE, "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        return done.returncode
    text = tables(json.loads(done.stdout))
    print(text)
    if arguments.write:
        write_between(PAGE, {BEGIN: text})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
