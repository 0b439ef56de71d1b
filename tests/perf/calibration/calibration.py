"""Compares products and ResNet-50 on arrays of three sizes with the cycles that other simulators report.

./dev bench calibration              # measures, and prints the tables
./dev bench calibration --write      # into docs/reference/calibration.md

Figures of others are in peers.csv, each with its source; SCALE-Sim's figures are its formula
(`covenant.bench.scale_sim`).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marks import write_between

import covenant
from covenant.bench.deepbench import DeepBenchLayer
from covenant.bench.deepbench import measure as measure_product
from covenant.bench.scale_sim import Dataflow, Product, estimated_cycles, products_of
from covenant.program.inputs import random_feeds

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/calibration.md"
BEGIN = "<!-- ./dev bench calibration --write -->"
PRODUCTS = ((64, 64, 64), (256, 256, 256), (512, 512, 512), (100, 37, 65))
"""Rows, columns and inner size."""
MACHINES = {16: "genesys:03", 32: "genesys:07", 64: "genesys:09"}
"""Machines by rows and columns of the array."""
ESTIMATES = {"SCALE-Sim OS": Dataflow.OUTPUT_STATIONARY, "SCALE-Sim WS": Dataflow.WEIGHT_STATIONARY}


def peers() -> list[dict[str, str]]:
    """Rows of cycles that other simulators report."""
    with Path(__file__).with_name("peers.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def said(workload: str, side: int) -> dict[str, int]:
    """Cycles that other tools report, by tool."""
    array = f"{side}x{side}"
    return {row["tool"]: int(row["cycles"]) for row in peers() if (row["workload"], row["array"]) == (workload, array)}


def product_row(rows: int, columns: int, inner: int, side: int) -> dict[str, Any]:
    """One product on the machine with an array of this side, its values compared with ONNX Runtime's."""
    name = f"{rows}x{columns}x{inner}"
    layer = DeepBenchLayer("calibration", "gemm", (rows, inner), (inner, columns))
    figures = measure_product(layer, covenant.Machine(MACHINES[side]))
    product = Product(name, rows, inner, columns)
    others = {tool: estimated_cycles(product, side, side, flow) for tool, flow in ESTIMATES.items()}
    return {
        "workload": name, "array": side, "ideal": -(-product.macs // side**2), "cycles": figures.cycles,
        "bound": figures.bound, "identical": figures.identical, "others": others | said(name, side),
    }  # fmt: skip


def network_row(model: Path, side: int) -> dict[str, Any]:
    """ResNet-50, one image; cycles do not depend on values."""
    program = covenant.compile(model, MACHINES[side])
    (feed,) = random_feeds(program, 1, 0)
    products = products_of(model)
    others = {
        tool: sum(estimated_cycles(one, side, side, flow) for one in products) for tool, flow in ESTIMATES.items()
    }
    return {
        "workload": "resnet50", "array": side, "ideal": -(-sum(one.macs for one in products) // side**2),
        "cycles": covenant.Session(program).run(feed, values=False).cycles, "others": others | said("resnet50", side),
    }  # fmt: skip


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Table in Markdown; ratios are over the cycles of the machine."""
    tools = list(dict.fromkeys(tool for row in rows for tool in row["others"]))
    lines = ["| workload | array | MACs / cells | GeneSys here | " + " | ".join(tools) + " |"]
    lines.append("|---|---|---:|---:|" + "---:|" * len(tools))
    for row in rows:
        others = (row["others"].get(tool) for tool in tools)
        cells = (f"{one:,} ({one / row['cycles']:.2f})" if one else "" for one in others)
        ours = f"{row['cycles']:,} ({row['cycles'] / row['ideal']:.2f})"
        side = row["array"]
        lines.append(f"| {row['workload']} | {side}x{side} | {row['ideal']:,} | {ours} | {' | '.join(cells)} |")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows; 1 if a value differs."""
    parser = argparse.ArgumentParser(
        prog="./dev bench calibration", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    model = ROOT / "build/networks/resnet50_seeded.onnx"
    model.parent.mkdir(parents=True, exist_ok=True)
    if not model.exists():
        subprocess.run([sys.executable, ROOT / "tests/perf/networks/resnet.py", model.parent], check=True)
    products = [product_row(*size, 16) for size in PRODUCTS]
    networks = [network_row(model, side) for side in MACHINES]
    text = "\n".join([*table(products), "", *table(networks)])
    if arguments.write:
        write_between(PAGE, {BEGIN: text})
    print(json.dumps(products + networks, indent=1) if arguments.json else text)
    return 0 if all(row["identical"] for row in products) else 1


if __name__ == "__main__":
    sys.exit(main())
