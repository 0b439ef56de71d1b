"""Runs random quantised models on random machines and compares them with ONNX Runtime: `./dev soak`.

A point is a model in one of many styles of quantising, a machine and a backend, all drawn from --seed and the point's
number. It ends equal to ONNX Runtime with its optimisations off; explained, where each layer that is given the
machine's own tensors makes them to within a step; refused, with a code; or as a failure: wrong, crash, timeout.
Failures are made smaller and written as tests into build/soak/failures. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparing import FAILURES, VERDICTS, Outcome
from failures import write_failure
from plans import STYLES, Plan, drawn
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from shrinking import shrunk
from workers import Worker, outcomes

ROOT = Path(__file__).resolve().parents[2]
OF_MODELS = ("QNT", "ONX")
"""Codes that refuse a model on any machine: others say what a machine lacks."""
MOST_FAILURES_OF_A_KIND = 2
"""Failures of a kind that are made smaller and written; others are counted."""


class Soak:
    """Points that have been run, and what became of them."""

    def __init__(self, folder: Path, *, shrinks: bool = True) -> None:
        self.folder, self.shrinks = folder, shrinks
        self.worker = Worker()
        self.is_stopped = False
        self.points: list[tuple[Plan, Outcome]] = []
        self.failures: list[dict[str, Any]] = []
        self._kinds: Counter[str] = Counter()

    def stop(self, *_: object) -> None:
        """Ends the run soon; for a handler of signals."""
        self.is_stopped = True
        self.worker.stop()

    def add(self, plan: Plan, outcome: Outcome) -> None:
        """Keeps a point; a failure is made smaller and written."""
        self.points.append((plan, outcome))
        if outcome.verdict in FAILURES:
            self._kinds[outcome.kind] += 1
            if self._kinds[outcome.kind] <= MOST_FAILURES_OF_A_KIND:
                self._write(plan, outcome)

    def _write(self, plan: Plan, outcome: Outcome) -> None:
        small, said = plan, outcome
        if self.shrinks:
            small, said = shrunk(plan, outcome, self.worker.run, lambda: self.is_stopped)
        place = write_failure(self.folder, small, plan, said)
        self.worker.write(small, place)
        self.failures.append({"point": plan.number, "kind": said.kind, "text": said.text, "folder": str(place)})

    def summary(self) -> dict[str, Any]:
        """Counts, by style and in all."""
        styles: dict[str, Any] = {}
        for style in STYLES:
            of_style = [outcome for plan, outcome in self.points if plan.style == style]
            if of_style:
                styles[style] = counts(of_style)
        return {
            **counts([outcome for _, outcome in self.points]),
            "styles": styles,
            "machines": dict(sorted(Counter((plan.machine.spec or "random") for plan, _ in self.points).items())),
            "failure_kinds": dict(self._kinds.most_common()),
            "written": self.failures,
        }


def counts(outcomes: list[Outcome]) -> dict[str, Any]:
    """How many points ended how; networks that leave nothing to compare are none."""
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    refusals = [outcome for outcome in outcomes if outcome.verdict == "refused"]
    points = len(outcomes) - verdicts["void"]
    return {
        "points": points,
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "equal_fused": sum(outcome.equal_fused for outcome in outcomes),
        "tensors": sum(outcome.compared for outcome in outcomes),
        "most_steps": max((outcome.steps for outcome in outcomes if outcome.verdict == "explained"), default=0),
        "refused_models": sum(outcome.code.startswith(OF_MODELS) for outcome in refusals),
        "refusals": dict(Counter(f"{one.code} {one.operator}".strip() for one in refusals).most_common()),
    }


def numbers_of(arguments: argparse.Namespace) -> Iterator[int]:
    """Numbers of points: those that are asked for, or as many as there is time for."""
    if arguments.only is not None:
        yield from arguments.only
        return
    end = None if arguments.minutes is None else time.monotonic() + 60 * arguments.minutes
    number = arguments.first
    while (arguments.points is None or number < arguments.first + arguments.points) and (
        end is None or time.monotonic() < end
    ):
        yield number
        number += 1


def show(summary: dict[str, Any], console: Console) -> None:
    """The table for people."""
    table = Table("style", "points", "equal", "explained", "refused", "of models", "wrong", "crash", "timeout")
    for style, row in [*summary["styles"].items(), ("all", summary)]:
        cells = [row[key] for key in ("points", "equal", "explained", "refused", "refused_models", *FAILURES)]
        table.add_row(style, *(f"{cell:,}" for cell in cells))
    console.print(table)
    for code, count in list(summary["refusals"].items())[:25]:
        console.print(f"  refused {count:5,}  {code}", highlight=False)
    for failure in summary["written"]:
        console.print(f"  point {failure['point']}: {failure['kind']}: {failure['folder']}", highlight=False)


def parser_of() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="./dev soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, metavar="N", help="draw new points for so long")
    parser.add_argument("--points", type=int, metavar="N", help="draw so many points (default: 1000 without --minutes)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="all points come from it (default: 1)")
    parser.add_argument("--from", type=int, default=0, metavar="K", dest="first", help="number of the first point")
    parser.add_argument("--only", type=int, metavar="K", action="append", help="run this point (several times: these)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="points at once (default: cores)"
    )
    parser.add_argument("--no-shrinking", action="store_true", help="write failures as they were drawn")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/soak", metavar="DIR", help="where files go")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    return parser


def main(argv: list[str] | None = None) -> int:
    arguments = parser_of().parse_args(argv)
    if arguments.minutes is None and arguments.points is None:
        arguments.points = 1000
    soak = Soak(arguments.folder / "failures", shrinks=not arguments.no_shrinking)
    console = Console(stderr=True)
    signal.signal(signal.SIGINT, soak.stop)
    signal.signal(signal.SIGTERM, soak.stop)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    with (arguments.folder / "points.jsonl").open("w", encoding="utf-8") as kept, Progress(console=console) as progress:
        total = arguments.points if arguments.only is None else len(arguments.only)
        task = progress.add_task(f"seed {arguments.seed}", total=total)
        try:
            plans = (drawn(arguments.seed, number) for number in numbers_of(arguments))
            for plan, outcome in outcomes(plans, arguments.jobs, lambda: soak.is_stopped):
                kept.write(json.dumps({"plan": json.loads(plan.to_json()), "outcome": vars(outcome)}) + "\n")
                kept.flush()
                soak.add(plan, outcome)
                failed = sum(soak._kinds.values())
                progress.update(task, advance=1, description=f"{len(soak.points)} points, {failed} failures")
        finally:
            soak.worker.close()
    if soak.is_stopped:
        console.print("stopped; what is done is kept")
    summary = soak.summary() | {"seed": arguments.seed, "seconds": round(time.monotonic() - begin, 1)}
    (arguments.folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(summary, indent=1))
    else:
        show(summary, Console(width=140))
    return 1 if any(summary[verdict] for verdict in FAILURES) else 0


if __name__ == "__main__":
    sys.exit(main())
