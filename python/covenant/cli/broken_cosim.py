"""`covenant cosim --broken-machines`: machines broken on purpose, each of which must be refused."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from covenant.cli.output import Output
from covenant.cli.source import mistake, positive
from covenant.files import check_writable
from covenant.verify.broken_machines import REFUSED, BrokenResult, run_broken


def add_broken(parser: argparse.ArgumentParser) -> None:
    """The option of broken machines."""
    parser.add_argument(
        "--broken-machines", type=positive, metavar="N", help="break N random machines of --seed: each must be refused"
    )


def execute_broken(arguments: argparse.Namespace, output: Output) -> int:
    """Reads them all and compiles small networks for them; 1 if one is not refused with a diagnostic."""
    if any((arguments.model, arguments.layer, arguments.machine, arguments.input, arguments.wave, arguments.schedule)):
        raise mistake(
            "broken machines draw what is broken, and nothing runs on them",
            "leave out model, machine, schedule, input and wave",
        )
    check_writable(Path(arguments.output) / "x")
    start = time.perf_counter()
    count = arguments.broken_machines
    indices = range(arguments.first_machine, arguments.first_machine + count)
    with output.activity(f"seed {arguments.seed}") as tell:
        result = run_broken(
            arguments.seed, indices, arguments.output, lambda done: tell("broken machines", done, count)
        )
    report = _report(arguments, result) | {"seconds": time.perf_counter() - start}
    if output.json:
        output.object(report)
    else:
        _show(report, output)
    return 0 if report["refused"] == count else 1


def _report(arguments: argparse.Namespace, result: BrokenResult) -> dict[str, Any]:
    fates: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for rule in result.rules:
        fates.update(rule.fates)
        codes.update(rule.codes)
    return {
        "seed": arguments.seed,
        "first_machine": arguments.first_machine,
        "machines": sum(fates.values()),
        "refused": sum(fates[fate] for fate in REFUSED),
        "fates": dict(sorted(fates.items())),
        "codes": dict(sorted(codes.items())),
        "rules": [
            {"rule": rule.rule, "machines": rule.machines, "fates": rule.fates, "codes": rule.codes}
            for rule in result.rules
        ],
        "escapes": [asdict(escape) for escape in result.escapes],
    }


def _show(report: dict[str, Any], output: Output) -> None:
    output.table(
        "Broken machines",
        ("what is broken", "machines", "read", "compiled", "not refused", "codes"),
        [
            (
                rule["rule"],
                rule["machines"],
                rule["fates"].get("read", 0),
                rule["fates"].get("compiled", 0),
                sum(times for fate, times in rule["fates"].items() if fate not in REFUSED),
                ", ".join(f"{code} {times}" for code, times in rule["codes"].items()),
            )
            for rule in report["rules"]
        ],
    )
    for escape in report["escapes"]:
        output.line(f"machine {escape['machine']} ({escape['rule']}): {escape['fate']} {escape['text']}")
        output.line(f"the machine: {escape['file']}")
    output.line(
        f"{report['refused']:,} of {report['machines']:,} broken machines refused with a diagnostic "
        f"({report['fates'].get('read', 0):,} when read, {report['fates'].get('compiled', 0):,} when a network was "
        f"compiled), by {len(report['rules'])} rules and {len(report['codes'])} codes; "
        f"seed {report['seed']}, {report['seconds']:.0f} s"
    )
