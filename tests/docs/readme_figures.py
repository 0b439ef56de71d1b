"""The README's table of what was measured, made of what proofs and benchmarks have said."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median

REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference"
MARK = re.compile(r"(<!-- figures -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL)


def said(name: str) -> dict:
    """What a proof has said last."""
    return json.loads((REFERENCE / f"proofs/{name}.json").read_text())["summary"]


def rows_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the table whose heading begins so."""
    _, _, below = (REFERENCE / page).read_text().partition(f"| {heading} |")
    lines = below.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def figures() -> str:
    """The table, one row a figure."""
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
        f"| {what} | {of} |\n"
        for what, of in (
            ("figure", "of"),
            ("---", "---"),
            (
                f"**{lockstep['differences']} differences** between SystemC model and RTL",
                f"every byte and {lockstep['cycles']:,} cycles of {lockstep['layers']:,} random layers on "
                f"{lockstep['machines']} random machines",
            ),
            (
                f"**{soak['wrong']} unexplained differences** from ONNX Runtime",
                f"{run:,} random quantised models in {len(soak['styles'])} styles of quantising, on random machines",
            ),
            (
                f"**{len(exact)} of {len(names)} networks** with every byte of ONNX Runtime",
                "ResNets and the zoo, whole, on three machines",
            ),
            (
                f"**{median(beside)} times** the time of native inference, by the median",
                "a cycle-accurate simulation with all values, beside ONNX Runtime on the same processor",
            ),
            (f"**{min(ratios)} to {max(ratios)} times** the speed of RTL", "the SystemC model beside Verilator"),
        )
    )
