"""`covenant cosim --broken-machines`: machines broken on purpose, each of which must be refused."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from covenant.cli.arguments import mistake
from covenant.cli.cosim_request import DrawnRequest
from covenant.cli.output import Output
from covenant.files import check_writable
from covenant.verify.broken_machines import REFUSED, BrokenResult, run_broken


def execute_broken(request: DrawnRequest, output: Output) -> int:
    """Reads them all and compiles small networks for them; 1 if one is not refused with a diagnostic."""
    if request.names_what_is_drawn:
        raise mistake(
            "broken machines draw what is broken, and nothing runs on them",
            "leave out model, machine, schedule, input and wave",
        )
    check_writable(Path(request.output) / "x")
    start = time.perf_counter()
    count = request.machines
    indices = range(request.first_machine, request.first_machine + count)
    with output.activity(f"seed {request.seed}") as tell:
        result = run_broken(request.seed, indices, request.output, lambda done: tell("broken machines", done, count))
    report = _report(request, result) | {"seconds": time.perf_counter() - start}
    if output.json:
        output.object(report)
    else:
        _show(report, output)
    return 0 if report["refused"] == count else 1


def _report(request: DrawnRequest, result: BrokenResult) -> dict[str, Any]:
    fates: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for rule in result.rules:
        fates.update(rule.fates)
        codes.update(rule.codes)
    return {
        "seed": request.seed,
        "first_machine": request.first_machine,
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
