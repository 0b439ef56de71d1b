"""`covenant bench commands`: every set of command vectors on machines that a host drives."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from covenant.cli.arguments import (
    add_json,
    add_machine_settings,
    add_subcommand,
    device_of,
    machine_request,
    mistake,
    settings_in,
)
from covenant.cli.output import Output
from covenant.cli.replay_command import ENGINES
from covenant.machine.spec import with_preset

if TYPE_CHECKING:  # only the command itself pays
    from collections.abc import Sequence

    from covenant.bench.commands import VectorSet

EXAMPLES = """  covenant bench commands                      # in a checkout: all sets of the project
  covenant bench commands --only 'vta_*' --json
  covenant bench commands -m mine/vta.acg      # sets of the machine that this text names
  covenant bench commands streams -m flexasr   # your own streams, with what their reads should give"""
_COLUMNS = ("set", "machine", "beside", "streams", "commands", "bytes", "differ", "cycles", "expected", "seconds",
            "cycles/s", "MAC/s")  # fmt: skip
_KEYS = ("set", "machine", "witness", "streams", "commands", "bytes", "differ", "cycles", "cycles_expected", "seconds",
         "cycles_per_second", "macs_per_second")  # fmt: skip


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_subcommand(
        measures, "commands", "replay sets of command vectors: bytes and cycles beside those expected, and speed",
        EXAMPLES,
    )  # fmt: skip
    parser.add_argument(
        "folder", nargs="?", metavar="FOLDER",
        help="streams as .json or .json.gz, or a vector_sets.py (default: those of the checkout covenant lies in)",
    )  # fmt: skip
    parser.add_argument("-m", "--machine", help="only sets of this machine, on it: its name, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="only these sets, * standing for any characters; repeatable"
    )
    parser.add_argument("--engine", choices=ENGINES, help="what runs the machines (default: what a set says)")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints a row for each set; exit code 1 if a byte or a cycle differs, or nothing is compared."""
    return show(*measured_sets(arguments, output), output)


def show(rows: Sequence[dict[str, Any]], left_out: Sequence[dict[str, str]], output: Output) -> int:
    """Prints rows and what is left out; the exit code."""
    from covenant.bench.commands import is_right
    from covenant.cli import DIFFERS, OK

    right = [is_right(row) for row in rows]
    if output.json:
        output.object({"rows": rows, "left_out": left_out, "right": all(right)})
    else:
        output.table("Command vectors", _COLUMNS, [[_cell(row[key]) for key in _KEYS] for row in rows])
        for row in rows:
            if not row["bytes"]:
                output.line(f"{row['set']}: its streams do not say what their reads should give")
    for one in left_out:
        output.note(f"left out: {one['set']}: {one['missing']}")
    return OK if all(right) else DIFFERS


def measured_sets(arguments: argparse.Namespace, output: Output) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of the sets that are asked for, and those that are left out with what they lack."""
    from covenant.bench.commands import Driven, measured
    from covenant.bench.vector_sets import vector_sets

    request = machine_request(arguments)
    if request.is_given and not request.spec:
        raise mistake("--set and --preset are about a machine", "name it: --machine MACHINE")
    machine = device_of(request).name if request.spec else None
    spec, settings = with_preset(str(request.spec), request.preset), settings_in(request)
    chosen = _chosen(vector_sets(arguments.folder, machine), machine, arguments.only)
    rows = []
    with output.activity("commands") as progress:
        for one in chosen:
            driven = Driven(spec if machine else one.machine, settings, arguments.engine)
            rows += [] if one.missing else [measured(one, driven, progress)]
    return rows, [{"set": one.name, "missing": one.missing} for one in chosen if one.missing]


def _chosen(sets: Sequence[VectorSet], machine: str | None, patterns: Sequence[str] | None) -> list[VectorSet]:
    """Sets of these names and of this machine. Raises CLI0008 if there are none."""
    for pattern in patterns or ():
        if not any(fnmatchcase(one.name, pattern) for one in sets):
            raise mistake(f"no set is named {pattern}", f"choose of {', '.join(one.name for one in sets)}")
    chosen = [
        one
        for one in sets
        if machine in (None, one.machine) and (not patterns or any(fnmatchcase(one.name, name) for name in patterns))
    ]
    if not chosen:
        known = ", ".join(dict.fromkeys(one.machine for one in sets))
        raise mistake("no set is chosen", f"leave out --only, or name one of these machines: {known}")
    return chosen


def _cell(value: Any) -> Any:
    return "" if value is None else f"{value:,.0f}" if isinstance(value, float) and value >= 1000 else value
