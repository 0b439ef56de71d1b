"""Measures ResNet-50 on the published designs with each model of off-chip memory: cycles, bandwidth, stalls.

./dev bench memories              # measures, and prints the table
./dev bench memories --write      # into docs/reference/benchmarks.md

The network is that of `./dev bench networks` (tests/perf/networks/resnet.py); cycles do not depend on values.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from marks import write_between

import covenant
from covenant.program.inputs import random_feeds

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/reference/benchmarks.md"
BEGIN = "<!-- ./dev bench memories --write -->"
MODEL = ROOT / "build/networks/resnet50_seeded.onnx"
MACHINES = ("genesys:03", "genesys:07", "genesys:09")
GIGA = 1e9


def rows_of(machine: str, memories: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One for each memory, the first of which is fixed."""
    program = covenant.compile(MODEL, machine)
    (feed,) = random_feeds(program, 1, 0)
    session = covenant.Session(program)
    fixed = session.run(feed, values=False).cycles
    for memory in memories:
        result = session.run(feed, values=False, memory=memory)
        model, counted = covenant.memory_model(memory), result.memory
        waiting = {"memory": 0, "bus": 0}
        for engine in result.stats["engines"]:
            for cause in waiting:
                waiting[cause] += engine["stalls"].get(cause, 0)
        yield {
            "machine": machine,
            "memory": memory,
            "cycles": result.cycles,
            "ratio": result.cycles / fixed,
            "stall_share": sum(layer.stalls for layer in result.layers) / result.cycles,
            "waiting_for_memory": waiting["memory"],
            "waiting_for_bus": waiting["bus"],
            "bandwidth_bytes_per_second": counted.bandwidth_bytes_per_second if counted else None,
            "peak_bytes_per_second": model.peak_bytes_per_second if model else None,
            "row_hit_share": counted.row_hits / (counted.reads + counted.writes) if counted else None,
            "refreshes": counted.refreshes if counted else None,
        }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Table in Markdown."""
    lines = [
        "| machine | memory | cycles | / fixed | GB/s reached | of its peak | row hits | refreshes | array stalled | "
        "transfers waited for a place, cycles |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        reached, peak = row["bandwidth_bytes_per_second"], row["peak_bytes_per_second"]
        counted = [""] * 4
        if reached:
            counted = [f"{reached / GIGA:.1f}", f"{reached / peak:.0%}", f"{row['row_hit_share']:.1%}",
                       f"{row['refreshes']:,}"]  # fmt: skip
        lines.append(
            f"| {row['machine']} | {row['memory']} | {row['cycles']:,} | {row['ratio']:.3f} | {' | '.join(counted)} | "
            f"{row['stall_share']:.1%} | {row['waiting_for_memory']:,} |"
        )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and shows."""
    parser = argparse.ArgumentParser(
        prog="./dev bench memories", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memory", action="append", help="a name or a file; repeatable (default: all names)")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    arguments = parser.parse_args(argv)
    MODEL.parent.mkdir(parents=True, exist_ok=True)
    if not MODEL.exists():
        subprocess.run([sys.executable, ROOT / "tests/perf/networks/resnet.py", MODEL.parent], check=True)
    memories = arguments.memory or covenant.memories()
    rows = [row for machine in MACHINES for row in rows_of(machine, memories)]
    if arguments.write:
        write_between(PAGE, {BEGIN: table(rows)})
    print(json.dumps(rows, indent=1) if arguments.json else table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
