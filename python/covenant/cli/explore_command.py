"""`covenant explore`: machines proposed within limits, every one compiled and simulated, the best ones shown."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_memory, mistake, not_negative, positive
from covenant.cli.output import Output

EXAMPLES = """  covenant explore model.onnx --family genesys --objective cycles --constraint 'pe_count<=256'
  covenant explore model.onnx --family genesys:03 --within --objective cycles --objective energy_proxy --points 100
  covenant explore resnet18 --family genesys --range M=8,16 --range N=8..32:8 --constraint 'area_proxy<=2e7' --json"""
SENSES = {"accuracy": "max", "utilisation": "max"}
"""Columns that are better high than low."""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "explore", EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="an .onnx model, or one of the zoo: zoo:NAME")
    parser.add_argument("--data", metavar="FILE", help=".npz with inputs and labels: also measure accuracy")
    parser.add_argument(
        "--family", required=True, metavar="MACHINE", help="a machine with parameters: where the search starts"
    )
    parser.add_argument(
        "--objective", action="append", default=[], metavar="COLUMN", dest="objectives",
        help="what is to be low (accuracy, utilisation: high); repeatable (default: cycles)",
    )  # fmt: skip
    parser.add_argument(
        "--constraint", action="append", default=[], metavar="'COLUMN<=NUMBER'", dest="constraints",
        help="what every machine holds; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--within", action="store_true",
        help="no more elements, buffer bits and bus bits than the machine where the search starts",
    )  # fmt: skip
    parser.add_argument(
        "--range", action="append", default=[], metavar="NAME=VALUES", dest="ranges",
        help="values of a parameter: 8,16,32 or 8..32 or 8..32:4; repeatable (default: steps around the family's own)",
    )  # fmt: skip
    add_memory(parser)
    parser.add_argument("--points", type=positive, default=64, metavar="N", help="to compile at most (default: 64)")
    parser.add_argument("--seed", type=not_negative, default=0, metavar="N", help="of what is drawn (default: 0)")
    parser.add_argument(
        "--results", metavar="FILE", help="where results are kept (default: MODEL.explore.sqlite, here)"
    )
    parser.add_argument("--jobs", type=positive, metavar="N", help="points at a time (default: one for each core)")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Searches, and shows the front; exit code 1 if no machine holds the constraints."""
    from covenant.explore import Constraint, explore, parse_constraint
    from covenant.explore.space import parse_range
    from covenant.machine import Machine
    from covenant.study import Objective, State, StudyModel
    from covenant.study.hardware import COUNTED, hardware_of

    columns = arguments.objectives or ["cycles"]
    if len(set(columns)) < len(columns):
        raise mistake("an objective is named twice", "name each once")
    objectives = [Objective(column, SENSES.get(column, "min")) for column in columns]
    constraints = [parse_constraint(text) for text in arguments.constraints]
    if arguments.within:
        own = hardware_of(Machine(arguments.family).to_json(), COUNTED)
        constraints += [Constraint(column, at_most=True, value=value) for column, value in own.items()]
    ranges = dict(parse_range(text) for text in arguments.ranges) or None
    with output.points(f"machines for {Path(arguments.model).stem}") as tell:

        def told(state: State) -> None:
            tell(state.done, state.failed, state.total)

        found = explore(
            StudyModel(arguments.model, arguments.data or ""), arguments.family, objectives=objectives,
            constraints=constraints, ranges=ranges, memory=arguments.memory, points=arguments.points,
            seed=arguments.seed, results=arguments.results or f"{Path(arguments.model).stem}.explore.sqlite",
            jobs=arguments.jobs, progress=told,
        )  # fmt: skip
    if output.json:
        output.object(
            found.to_dict(seconds=True)
            | {"seed": arguments.seed, "computed": found.computed, "seconds": found.run_seconds}
        )  # fmt: skip
    else:
        _show(found, columns, output)
    return 0 if found.front_places else 1


def _show(found: Any, columns: list[str], output: Output) -> None:
    first = found.rows[0].parameters if found.rows else {}
    shown = list(dict.fromkeys([*columns, "pe_count", "buffer_bits", "bus_bits"]))
    rows = [
        (place, *(row.shown(column) for column in shown), _changes(first, row.parameters))
        for place, row in zip(found.front_places, found.front(), strict=True)
    ]
    output.table(f"front of {len(found.rows)} machines", ("point", *shown, "parameters"), rows)
    for place, tied in found.ties.items():
        if tied:
            others = ", ".join(map(str, tied))
            output.line(f"point {place} is tied with {others}: as good, and of an accuracy that these images do not "
                        "tell from it (exact McNemar test, p >= 0.05)")  # fmt: skip
    if found.found_better is False:
        others = "; the others of the front give up one objective for another" if len(found.front_places) > 1 else ""
        output.line(f"nothing better than the start was found, which is point {found.start}{others}")
    volumes = found.hypervolumes
    if len(volumes) >= 4:
        grew = ", ".join(f"{volumes[len(volumes) * part // 4 - 1]:.3f}" for part in (1, 2, 3, 4))
        output.line(f"hypervolume after each quarter of the points: {grew}")
    output.line(f"{found.refused} machines considered and not compiled: out of limits, or they do not hold together")
    failed = [row for row in found.rows if row.code]
    for row in failed[:3]:
        output.line(f"{row.label}: {row.text.splitlines()[0]}")
    if failed:
        output.line(f"{len(failed)} points failed")
    if found.computed:
        output.line(f"{found.computed} points computed, {60 * found.computed / found.run_seconds:.1f} a minute")


def _changes(first: dict[str, Any], values: dict[str, Any]) -> str:
    """Parameters; of the first point all, of others those that differ from it."""
    differ = {name: value for name, value in values.items() if first.get(name) != value}
    return " ".join(f"{name}={value}" for name, value in (differ or values).items())
