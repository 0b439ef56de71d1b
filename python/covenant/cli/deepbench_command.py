"""`covenant bench deepbench`: DeepBench's inference layers on a machine."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, machine_of
from covenant.cli.layer_choice import chosen_layers
from covenant.cli.output import Output
from covenant.deepbench import layers, measure
from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole
from covenant.machine import Machine

EXAMPLES = """  covenant bench deepbench -m genesys:07 --layer 'device/*'
  covenant bench deepbench -m genesys:07 -o deepbench.json"""
_COLUMNS = ["layer", "cycles", "bound", "ratio", "compared", "identical", "compile s", "simulate s"]
_KEYS = ("layer", "cycles", "bound", "ratio", "compared", "identical", "compile_seconds", "simulate_seconds")


def add(measures: Any) -> None:
    """Adds the measure to those of `bench`."""
    parser = add_command(measures, "deepbench", "compile and simulate DeepBench's inference layers", EXAMPLES)
    parser.add_argument("-m", "--machine", required=True, help="machine, MACHINE:PRESET, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument(
        "--layer", action="append", metavar="NAME", help="only these, * standing for any characters; repeatable"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="figures as JSON; what it has already is not measured again"
    )
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """One row for each layer; exit code 1 if a byte differs from ONNX Runtime's."""
    machine = machine_of(arguments.machine, arguments)
    rows, some = _known(arguments.output, machine), chosen_layers(layers(), arguments.layer)
    for layer in output.progress(some, f"deepbench on {machine.name}"):
        if layer.name not in rows:
            rows[layer.name] = asdict(measure(layer, machine))
            if arguments.output:
                write_whole(arguments.output, _text(machine, rows).encode())
    chosen = [rows[layer.name] for layer in some]
    ratios = [row["ratio"] for row in chosen if row["ratio"]]
    mean = geometric_mean(ratios) if ratios else None
    identical = all(row["identical"] for row in chosen)
    if output.json:
        output.object(
            {"machine": machine.name, "preset": machine.preset, "parameters": machine.parameters, "rows": chosen,
             "geometric_mean": mean, "identical": identical}
        )  # fmt: skip
    else:
        output.table(
            f"deepbench on {arguments.machine}", _COLUMNS, [[_cell(row[key]) for key in _KEYS] for row in chosen]
        )
        output.line(f"geometric mean of cycles / bound: {mean:.3f}" if mean else "no bound is known")
    return 0 if identical else 1


def _cell(value: Any) -> Any:
    return f"{value:,}" if type(value) is int else "" if value is None else value


def _text(machine: Machine, rows: dict[str, dict[str, Any]]) -> str:
    return json.dumps({"machine": machine.to_json(), "rows": list(rows.values())}, indent=1) + "\n"


def _known(path: Path | None, machine: Machine) -> dict[str, dict[str, Any]]:
    """Rows that the file has, if it is of this machine."""
    if path is None or not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        is_same, rows = content["machine"] == machine.to_json(), {row["layer"]: row for row in content["rows"]}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _other(path, f"no figures of this command: {error}") from error
    if not is_same:
        raise _other(path, "figures of another machine")
    return rows


def _other(path: Path, offending: str) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0006", "the output has something else in it already", str(path), offending=offending,
                   fix="name another file, or remove this one")
    )  # fmt: skip
