"""The README's table of figures, read from the results of proofs and the pages of benchmarks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference"
MARK = re.compile(r"(<!-- figures -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)


def said(name: str) -> dict:
    """Summary of a proof's last run."""
    return json.loads((REFERENCE / f"proofs/{name}.json").read_text())["summary"]


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Cells of the table whose heading begins with these words."""
    _, _, below = (REFERENCE / page).read_text().partition(f"| {heading} |")
    lines = below.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def figures() -> str:
    """The table in Markdown: one row for each figure, with its source."""
    lockstep, soak = said("lockstep"), said("soak")
    networks = rows_of("benchmarks.md", "network | machine")
    names = {row[0] for row in networks}
    exact = names - {row[0] for row in networks if row[4] != "every byte"}
    beside = [float(row[8]) for row in networks if re.fullmatch(r"[\d.]+", row[8])]
    ratios = [
        int(number)
        for row in rows_of("rtl.md", "machine | cycles | SystemC, cycles/s")
        for number in row[4].split(" to ")
    ]
    run = soak["equal"] + soak["explained"]
    return "".join(
        f"| {what} | {of} | {source} |\n"
        for what, of, source in (
            ("figure", "measured on", "source"),
            ("---", "---", "---"),
            (
                f"**{lockstep['differences']} differences** between SystemC model and RTL",
                f"every command and byte of {lockstep['layers']:,} random layers on {lockstep['machines']} random "
                f"machines: {lockstep['cycles']:,} cycles",
                "[proofs](docs/reference/proofs.md)",
            ),
            (
                f"**{soak['wrong']} unexplained differences** from ONNX Runtime",
                f"{run:,} random models, quantised in {len(soak['styles'])} styles, on random machines",
                "[proofs](docs/reference/proofs.md)",
            ),
            (
                f"**{len(exact)} of {len(names)} networks** equal to ONNX Runtime in every byte",
                "ResNets and all networks of the zoo, each on three machines",
                "[benchmarks](docs/reference/benchmarks.md#whole-networks-covenant-bench-networks)",
            ),
            (
                f"**{median(beside)} times** the time of native inference (median)",
                "cycle-accurate simulation with all values; native is ONNX Runtime on the same processor",
                "[benchmarks](docs/reference/benchmarks.md#whole-networks-covenant-bench-networks)",
            ),
            (
                f"**{min(ratios)} to {max(ratios)} times** the speed of RTL",
                "the SystemC model and Verilator on the same program",
                "[RTL](docs/reference/rtl.md#simulation-speed)",
            ),
        )
    )
