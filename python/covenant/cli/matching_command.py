"""`covenant bench matching`: what machines that a host drives take of networks, by exact and by flexible matching."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_json, add_subcommand, mistake
from covenant.cli.output import Output

EXAMPLES = """  covenant bench matching                        # Table 1 of Huang, Lyubomirsky et al.
  covenant bench matching -m vta --only resmlp --json
  covenant bench matching -m mine/npu.acg        # intrinsics of your own machine, on the same networks"""
_MACHINES = ("flexasr", "hlscnn", "vta")
_COLUMNS = ("network", "machine", "exact", "flexible", "published", "nodes", "iterations", "seconds")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "matching",
        "count the operators of six networks that machines take as they stand, and up to equality", EXAMPLES,
    )  # fmt: skip
    parser.add_argument(
        "-m", "--machine", action="append", metavar="MACHINE",
        help=f"a machine that a host drives, or path of its text; repeatable (default: {', '.join(_MACHINES)})",
    )  # fmt: skip
    parser.add_argument("--only", action="append", metavar="NETWORK", help="only this network; repeatable")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints a row for each network and machine; exit code 1 if a number is not the published one."""
    from covenant.bench.matching import NETWORKS, network
    from covenant.bench.matching.measure import measured
    from covenant.cli import DIFFERS, OK
    from covenant.matching import terms_of

    names = arguments.only or list(NETWORKS)
    for name in names:
        if name not in NETWORKS:
            raise mistake(f"no network is named {name}", f"choose of {', '.join(NETWORKS)}")
    machines, rows = arguments.machine or _MACHINES, []
    with output.activity("matching") as progress:
        for name in names:
            progress(name, len(rows), len(names) * len(machines))
            terms = terms_of(network(name))
            rows += [measured(name, terms, machine) for machine in machines]
    right = all(row["expected"] in (None, [row["exact"], row["flexible"]]) for row in rows)
    if output.json:
        output.object({"rows": rows, "right": right})
    else:
        output.table("Invocations by exact and by flexible matching", _COLUMNS, [_cells(row) for row in rows])
    return OK if right else DIFFERS


def _cells(row: dict[str, Any]) -> list[Any]:
    published = "" if row["expected"] is None else " / ".join(map(str, row["expected"]))
    return [*(row[key] for key in _COLUMNS[:4]), published, *(row[key] for key in _COLUMNS[5:])]
