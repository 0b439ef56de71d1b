"""Counts the cycles of known layers on machines, without values, and compares them with the fewest so far.

./dev bench cycles              # prints layers that take other cycles than in tests/perf/cycles/fewest.csv
./dev bench cycles --write      # keeps the fewest of both there, and layers that it has not yet

The layers: those of the built-in table, the smaller inference layers of DeepBench, and models with layers that may be
fused (tests/support/counted_cycles.py). A layer that takes more cycles than before makes the tests fail
(tests/e2e/bench/test_fewest_cycles.py).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from counted_cycles import FEWEST, MACHINES, counted, fewest, layers_of


def main(argv: Sequence[str] | None = None) -> int:
    """Prints what differs; 1 if a layer takes more cycles than before."""
    parser = argparse.ArgumentParser(
        prog="./dev bench cycles", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machine", action="append", choices=MACHINES, help="repeatable (default: all)")
    parser.add_argument("--write", action="store_true", help="keep the fewest cycles of each layer")
    arguments = parser.parse_args(argv)
    known = fewest() if FEWEST.exists() else {}
    found: dict[tuple[str, str], int] = {}
    for machine in arguments.machine or MACHINES:
        print(f"  {machine}", file=sys.stderr)
        found |= counted(machine, list(layers_of(machine)))
    for key, cycles in found.items():
        before = known.get(key, cycles)
        if cycles != before:
            print(f"{key[1]} on {key[0]}: {cycles:,} cycles, {before:,} before")
    if arguments.write:
        kept = known | {key: min(cycles, known.get(key, cycles)) for key, cycles in found.items()}
        lines = [f"{machine},{layer},{cycles}" for (machine, layer), cycles in sorted(kept.items())]
        FEWEST.write_text("\n".join(["machine,layer,cycles", *lines]) + "\n")
    return int(any(cycles > known.get(key, cycles) for key, cycles in found.items()))


if __name__ == "__main__":
    sys.exit(main())
