"""Gives hostile inputs to everything that `covenant` reads: `./dev fuzz`.

Inputs are good files of every reader after steps that break them: bits, blocks, numbers, strings, nesting, fields, all
drawn from --seed and the number of the input. Each is tried through the command line, in a process of its own, and has
to be read, its bytes confirmed where there is a witness, or refused with a diagnostic, within 10 seconds of a processor
and 1 GiB. The same seed and number give the same input whatever the time: --inputs is the budget, --minutes only a
stop. Failures are made smaller and kept in build/fuzz/failures. Exit code 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shlex
import shutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import interrupts
import trials
from ahead import in_order
from attempts import FAILURES, VERDICTS, Limits
from good_files import make_good_files
from marks import write_between
from readers import BY_NAME, READERS
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from trials import Trial, Tried

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/hostile-inputs.md"
MARK = "<!-- ./dev fuzz --write -->"
MOST_FAILURES_OF_A_KIND = 2
"""Failures of a kind that are kept; others are counted."""


class Fuzz:
    """Inputs that have been tried, and what became of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_stopped = False
        self.written: list[dict[str, Any]] = []
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._codes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._most: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._kinds: Counter[str] = Counter()

    def stop(self, *_: object) -> None:
        """Ends the run soon; for a handler of signals."""
        self.is_stopped = True

    @property
    def failures(self) -> int:
        """Number of inputs that found a mistake of ours."""
        return sum(self._kinds.values())

    def add(self, tried: Tried) -> None:
        """Counts an input; a failure is kept as files."""
        reader, outcome = tried.trial.reader, tried.outcome
        self._counts[reader][outcome.verdict] += 1
        if outcome.code:
            self._codes[reader][outcome.code] += 1
        most = self._most[reader]
        most[:] = max(most[0], outcome.seconds), max(most[1], outcome.mebibytes)
        if outcome.failed:
            kind = f"{outcome.verdict}: {reader}: {outcome.kind}"
            self._kinds[kind] += 1
            if self._kinds[kind] <= MOST_FAILURES_OF_A_KIND:
                self._write(tried, kind)

    def _write(self, tried: Tried, kind: str) -> None:
        trial = tried.trial
        place = self.folder / f"{tried.outcome.verdict}_{trial.reader}_{trial.number}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"input{tried.suffix}").write_bytes(tried.input)
        again = f"./dev fuzz --seed {trial.seed} --only {trial.reader}:{trial.number}"
        words = ["covenant", *(word.encode(errors="backslashreplace").decode() for word in tried.words)]
        (place / "command.txt").write_text(f"{shlex.join(words)}\n{again}\n", encoding="utf-8")
        (place / "said.txt").write_text(tried.outcome.text, encoding="utf-8", errors="backslashreplace")
        said = {"input": f"{trial.reader}:{trial.number}", "kind": kind, "folder": str(place)}
        self.written.append(said)

    def summary(self) -> dict[str, Any]:
        """Counts, by reader and in all."""
        readers = {reader.name: self._row(reader.name) for reader in READERS if reader.name in self._counts}
        totals = sum(self._counts.values(), Counter())
        return {
            "inputs": totals.total(),
            **{verdict: totals[verdict] for verdict in VERDICTS},
            "codes": len({code for codes in self._codes.values() for code in codes}),
            "most_seconds": max((row["most_seconds"] for row in readers.values()), default=0),
            "most_mebibytes": max((row["most_mebibytes"] for row in readers.values()), default=0),
            "readers": readers,
            "failure_kinds": dict(self._kinds.most_common()),
            "written": self.written,
        }

    def _row(self, reader: str) -> dict[str, Any]:
        counts, (seconds, mebibytes) = self._counts[reader], self._most[reader]
        return {
            "inputs": counts.total(),
            **{verdict: counts[verdict] for verdict in VERDICTS},
            "most_seconds": seconds,
            "most_mebibytes": mebibytes,
            "refusals": dict(self._codes[reader].most_common()),
        }


def trials_of(arguments: argparse.Namespace) -> Iterator[Trial]:
    """Inputs that are asked for, or as many as there is time for: readers take turns."""
    if arguments.only:
        for reader, number in arguments.only:
            yield Trial(arguments.seed, reader, number)
        return
    end = None if arguments.minutes is None else time.monotonic() + 60 * arguments.minutes
    readers = arguments.reader or list(BY_NAME)
    count = 0
    while (arguments.inputs is None or count < arguments.inputs) and (end is None or time.monotonic() < end):
        yield Trial(arguments.seed, readers[count % len(readers)], arguments.first + count // len(readers))
        count += 1


def _begin() -> None:
    os.nice(10)
    trials.warm_up()


def tried(arguments: argparse.Namespace, files: Path, stopped: Callable[[], bool]) -> Iterator[Tried]:
    """Each input with what became of it, in their order, until `stopped` says so; a few more are tried ahead."""
    pool = ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("spawn"), _begin)

    def submit(trial: Trial) -> Future[Tried]:
        with interrupts.held_back():  # this process decides when to stop
            return pool.submit(trials.run, trial, files, Limits())

    try:
        items = in_order(
            trials_of(arguments),
            submit,
            ahead=8 * arguments.jobs,
            stopped=stopped,
        )
        for _, result in items:
            yield result
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()  # attempts end with it
        pool.shutdown(wait=False, cancel_futures=True)


def table(summary: dict[str, Any]) -> str:
    """The table in Markdown."""
    lines = [
        "| reader | inputs | read | refused | codes | failures | most seconds | most MiB |",
        "|" + "---|" * 8,
    ]
    for name, row in summary["readers"].items():
        failed = sum(row[verdict] for verdict in FAILURES)
        figures = f"{row['inputs']:,} | {row['read']:,} | {row['refused']:,} | {len(row['refusals'])} | {failed}"
        lines.append(
            f"| {BY_NAME[name].reads} | {figures} | {row['most_seconds']:.1f} | {row['most_mebibytes']:,.0f} |"
        )
    failed = sum(summary[verdict] for verdict in FAILURES)
    figures = f"{summary['inputs']:,} | {summary['read']:,} | {summary['refused']:,} | {summary['codes']} | {failed}"
    lines.append(f"| all | {figures} | {summary['most_seconds']:.1f} | {summary['most_mebibytes']:,.0f} |")
    return "\n".join(lines)


def show(summary: dict[str, Any], console: Console) -> None:
    """The table for people."""
    shown = Table("reader", "inputs", "read", "refused", *FAILURES, "most seconds", "most MiB")
    for name, row in [*summary["readers"].items(), ("all", summary)]:
        cells = (row[key] for key in ("inputs", "read", "refused", *FAILURES))
        largest = f"{row['most_seconds']:.1f}", f"{row['most_mebibytes']:,.0f}"
        shown.add_row(name, *(f"{cell:,}" for cell in cells), *largest)
    console.print(shown)
    for kind, count in summary["failure_kinds"].items():
        console.print(f"  {count:5,}  {kind}", highlight=False, markup=False)
    for failure in summary["written"]:
        console.print(f"  {failure['input']}: {failure['folder']}", highlight=False, markup=False)


def _one_input(text: str) -> tuple[str, int]:
    reader, colon, number = text.rpartition(":")
    if not (colon and reader in BY_NAME and number.isdecimal()):
        raise argparse.ArgumentTypeError("READER:NUMBER, for example onnx:17")
    return reader, int(number)


def parser_of() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="./dev fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, metavar="N", help="draw so many (default: 2000 without --minutes)")
    parser.add_argument("--minutes", type=float, metavar="N", help="draw no new ones after so long")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="all inputs come from it (default: 1)")
    parser.add_argument("--from", type=int, default=0, metavar="K", dest="first", help="number of each reader's first")
    parser.add_argument(
        "--reader", nargs="+", choices=list(BY_NAME), metavar="NAME", help=f"only these: {', '.join(BY_NAME)}"
    )
    parser.add_argument(
        "--only", type=_one_input, metavar="READER:NUMBER", action="append", help="try this input; repeatable"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="inputs at once (default: cores)"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build/fuzz", metavar="DIR", help="where files go")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    return parser


def main(argv: list[str] | None = None) -> int:
    arguments = parser_of().parse_args(argv)
    if arguments.minutes is None and arguments.inputs is None:
        arguments.inputs = 2000
    console = Console(stderr=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells turn it off in the background
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = arguments.folder.resolve()
    shutil.rmtree(folder / "failures", ignore_errors=True)
    fuzz = Fuzz(folder / "failures")
    begin = time.monotonic()
    try:
        make_good_files(folder / "files")
        signal.signal(signal.SIGINT, fuzz.stop)
        signal.signal(signal.SIGTERM, fuzz.stop)
        with Progress(console=console) as progress:
            task = progress.add_task(f"seed {arguments.seed}", total=len(arguments.only or ()) or arguments.inputs)
            for one in tried(arguments, folder / "files", lambda: fuzz.is_stopped):
                fuzz.add(one)
                done = sum(counts.total() for counts in fuzz._counts.values())
                progress.update(task, advance=1, description=f"{done:,} inputs, {fuzz.failures} failures")
    except KeyboardInterrupt:
        fuzz.stop()
    if fuzz.is_stopped:
        console.print("stopped; what is done is kept")
    summary = fuzz.summary() | {"seed": arguments.seed, "seconds": round(time.monotonic() - begin, 1)}
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    if arguments.write:
        write_between(PAGE, {MARK: table(summary)})
    if arguments.json:
        print(json.dumps(summary, indent=1))
    else:
        show(summary, Console(width=160))
    return 1 if fuzz.failures else 0


if __name__ == "__main__":
    sys.exit(main())
