"""Tables of whole networks on several machines, by `covenant bench networks`, and of the cycles above their bounds.

./dev bench networks              # measures what build/networks.json has not yet, and prints the tables
./dev bench networks --write      # into docs/reference/benchmarks.md and network-layers.csv

The networks are two ResNets (resnet.py), made first, and all of the zoo that can be made here. Other lines stay.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marks import write_between
from measured_networks import measured
from resnet import NETWORKS, write

from covenant import zoo
from covenant.bench.baseline import processor_name
from covenant.errors import CovenantError

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
LAYERS = ROOT / "docs/reference/network-layers.csv"
MACHINES = ("genesys:03", "genesys:07", "genesys:09")
BEGIN = "<!-- ./dev bench networks --write -->"
MIB = 1024**2
COLUMNS = ("layer", "operation", "cycles", "bound", "ratio", "limited_by", "cause")
MUCH = 1.3
"""Ratio to the bound above which a layer is listed."""
CAUSES = 3
"""Number of largest causes that are listed for each network."""

Key = tuple[str, ...]
"""A network and a machine, as a line begins with them."""


def models() -> list[str]:
    """Names of the models, as the command takes them."""
    folder = ROOT / "build/networks"
    folder.mkdir(parents=True, exist_ok=True)
    for network in NETWORKS:
        path = folder / f"{network}_seeded.onnx"
        if not path.exists():
            write(network, path)
    made = [str(folder / f"{network}_seeded.onnx") for network in NETWORKS]
    return made + [f"{zoo.PREFIX}{entry}" for entry in zoo.ENTRIES if can_be_made(entry)]


def can_be_made(entry: str) -> bool:
    """Whether a network of the zoo is here, or can be fetched and exported with the packages that are here."""
    try:
        zoo.get(entry)
    except CovenantError as error:
        if error.code != "ZOO0002":
            raise
        print(f"left out: {entry}: {error.message}: {error.diagnostic.offending}", file=sys.stderr)
        return False
    return True


def verdict(row: dict[str, Any]) -> str:
    """How outputs compare with ONNX Runtime's."""
    if row["expected_from"] != "onnxruntime":
        return "not on this processor"
    if row["identical"]:
        return "every byte"
    apart = f" ({row['largest_steps']:.0f}, {row['mean_steps']:.2f} in the mean)" if row["largest_steps"] else ""
    return f"each layer within a step{apart}" if row["within_a_step"] else "**no**"


def figures(rows: Sequence[dict[str, Any]]) -> list[str]:
    """One line for each network on each machine."""
    lines = [
        "| network | machine | cycles | / bound | outputs | compiled in, s | MiB | simulated in, s | / ONNX Runtime | "
        "cycles only, / ONNX Runtime |",
        "|---|---|---:|---:|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        ratio = f"{row['ratio']:.3f}" if row["ratio"] else ""
        lines.append(
            f"| {row['model']} | {row['machine']} | {row['cycles']:,} | {ratio} | {verdict(row)} | "
            f"{row['compile_seconds']:.1f} | {row['peak_memory_bytes'] / MIB:,.0f} | {row['simulate_seconds']:.2f} | "
            f"{row['ratio_to_onnxruntime']:.1f} | {row['timing_ratio_to_onnxruntime']:.1f} |"
        )
    return lines


def above(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Layers that are listed."""
    return [layer for layer in row["layers"] if layer["ratio"] and layer["ratio"] > MUCH]


def causes(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Table of what the cycles above the bound are spent on."""
    lines = [
        f"| network | machine | layers | above {MUCH} | their share of cycles | cycles above the bound, and what was "
        "waited for |",
        "|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        listed = above(row)
        lost: Counter[str] = Counter()
        for layer in listed:
            lost[f"{layer['operation']}: {layer['cause']}"] += layer["cycles"] - layer["bound"]
        share = sum(layer["cycles"] for layer in listed) / row["cycles"]
        largest = "; ".join(f"{cause} {cycles:,}" for cause, cycles in lost.most_common(CAUSES))
        lines.append(
            f"| {row['model']} | {row['machine']} | {len(row['layers'])} | {len(listed)} | {share:.0%} | {largest} |"
        )
    return lines


def with_others(before: Sequence[list[str]], measured: Sequence[Key], lines: Sequence[list[str]]) -> list[list[str]]:
    """Lines, as cells: those of networks that were measured in the place of the ones before, those of others kept.

    `measured`: networks and machines, of which `lines` may have any number of lines.
    """
    keys = list(dict.fromkeys([*(tuple(line[:2]) for line in before), *measured]))
    by_key: dict[Key, list[list[str]]] = {key: [] for key in keys}
    for line in before:
        if tuple(line[:2]) not in measured:
            by_key[tuple(line[:2])].append(line)
    for line in lines:
        by_key[tuple(line[:2])].append(line)
    return [line for key in keys for line in by_key[key]]


def table_with_others(page: str, table: Sequence[str], measured: Sequence[Key]) -> list[str]:
    """A table of the page, which begins with the same two lines."""

    def cells(line: str) -> list[str]:
        return [cell.strip() for cell in line.strip("|").split("|")]

    _, found, rest = page.partition("\n".join(table[:2]) + "\n")
    before = [cells(line) for line in rest.partition("\n\n")[0].splitlines()] if found else []
    lines = with_others(before, measured, [cells(line) for line in table[2:]])
    return [*table[:2], *(f"| {' | '.join(line)} |" for line in lines)]


def layer_lines(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """All layers above the ratio, one line each."""
    return [
        [row["model"], row["machine"], *(str((layer | {"ratio": f"{layer['ratio']:.3f}"})[name]) for name in COLUMNS)]
        for row in rows
        for layer in above(row)
    ]


def write_layers(rows: Sequence[dict[str, Any]], measured: Sequence[Key]) -> None:
    """Layers above the ratio, in their file."""
    with LAYERS.open(encoding="utf-8", newline="") as file:
        before = list(csv.reader(file))[1:]
    with LAYERS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([["model", "machine", *COLUMNS], *with_others(before, measured, layer_lines(rows))])


def text_of(tables: Sequence[list[str]]) -> str:
    """Figures and causes as they stand on the page."""
    place = f"On {processor_name()}, {os.cpu_count()} cores:"
    return "\n".join([place, "", *tables[0], "", "Where the cycles above the bound go:", "", *tables[1]])


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows; 1 if outputs are not what they should be."""
    parser = argparse.ArgumentParser(
        prog="./dev bench networks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", help=f"repeatable (default: {', '.join(MACHINES)})")
    parser.add_argument("--model", action="append", help="a path or zoo:NAME; repeatable (default: all)")
    parser.add_argument("--figures", type=Path, default=ROOT / "build/networks.json", help="kept between runs")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name} and {LAYERS.name}")
    arguments = parser.parse_args(argv)
    code, rows = measured(arguments.model or models(), arguments.machine or MACHINES, arguments.figures)
    if code not in (0, 1):
        return code
    tables = figures(rows), causes(rows)
    if arguments.write:
        keys = [(row["model"], row["machine"]) for row in rows]
        page = PAGE.read_text(encoding="utf-8")
        write_between(PAGE, {BEGIN: text_of([table_with_others(page, table, keys) for table in tables])})
        write_layers(rows, keys)
    print(json.dumps(rows, indent=1) if arguments.json else text_of(tables))
    return code


if __name__ == "__main__":
    sys.exit(main())
