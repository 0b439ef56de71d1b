"""Runs the targets of libFuzzer: `./dev fuzz --libfuzzer`.

Each reader that is written in C++ has one, compiled with the sanitizers of addresses and undefined behaviour. It is
given mutations of good files, and keeps those that reach something new: by `--runs`, so many inputs of each target; by
`--minutes`, as many as there is time for. No input may take more than 10 seconds of a processor, the process no
more than 1 GiB. What
was reached is where the next run starts; inputs that fail are kept in build/fuzz/libfuzzer/TARGET. Exit code 1 if
one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))

from good_files import make_good_files  # noqa: E402  (of the folder above)
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

PROGRAMS = ROOT / "build/release/tests/fuzz/libfuzzer"
LIMITS = ("-rss_limit_mb=1024", "-timeout=300")
"""Of the process, and of an input that waits; `target.h` has the limit of what an input computes."""


@dataclass(frozen=True)
class Target:
    """A target, called as the reader that it tries."""

    name: str
    readers: tuple[str, ...]
    """Their good files are where it starts, beside those of `corpus`, if they are not longer than `most_bytes`."""
    most_bytes: int
    """Of an input: the shorter, the more of them."""

    @property
    def program(self) -> Path:
        """Made by the target `fuzz_targets` of the build."""
        return PROGRAMS / f"fuzz_{self.name}"


TARGETS = (
    Target("machine", ("machine", "machine-json"), 2**14),
    Target("behaviour", ("behaviour",), 2**15),
    Target("program", ("program",), 2**15),
    Target("parts", ("parts",), 2**16),
    Target("executable", ("executable",), 2**16),
    Target("network", ("network",), 2**16),
    Target("schedule", ("schedule",), 2**12),
    Target("onnx", ("onnx", "float"), 2**16),
)
BY_NAME = {target.name: target for target in TARGETS}


@dataclass(frozen=True)
class Tried:
    """End of a target's run."""

    target: str
    runs: int
    seconds: float
    most_seconds: int
    """Of one input."""
    most_mebibytes: int
    """Of the process."""
    inputs: int
    """That reach something which no smaller one reaches."""
    failures: tuple[str, ...]
    """Files of inputs that failed."""
    said: str
    """The end of what it wrote."""


def command_of(target: Target, arguments: argparse.Namespace, folder: Path) -> list[str]:
    """The command that runs a target, at low priority."""
    budget = f"-max_total_time={60 * arguments.minutes:.0f}" if arguments.minutes else f"-runs={arguments.runs}"
    words = ["nice", str(target.program), budget, *LIMITS, f"-seed={arguments.seed}", f"-max_len={target.most_bytes}"]
    words += ["-print_final_stats=1", f"-artifact_prefix={folder}/"]
    dictionary = HERE / f"{target.name}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    corpora = (folder / "grown", HERE / "corpus" / target.name, folder / "seeds")
    return [*words, *(str(corpus) for corpus in corpora if corpus.exists())]


def choose_seeds(target: Target, files: Path, to: Path) -> None:
    """Copies the good files that a target starts with: libFuzzer would cut long ones off."""
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    for reader in target.readers:
        for path in (files / reader).iterdir():
            if path.stat().st_size <= target.most_bytes:
                shutil.copy(path, to / f"{reader}-{path.name}")


def tried(target: Target, arguments: argparse.Namespace, running: list[subprocess.Popen[str]]) -> Tried:
    """Runs a target to the end of its budget, to an interrupt, or to the first failure."""
    folder = arguments.folder / "libfuzzer" / target.name
    (folder / "grown").mkdir(parents=True, exist_ok=True)
    choose_seeds(target, arguments.folder / "files", folder / "seeds")
    before, begin = set(folder.iterdir()), time.monotonic()
    with subprocess.Popen(
        command_of(target, arguments, folder), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        running.append(process)
        said, _ = process.communicate()
    failures = tuple(sorted(str(path) for path in set(folder.iterdir()) - before))
    if process.returncode != 0 and not failures:
        failures = (f"exit code {process.returncode}",)
    told = {name: int(value) for name, value in re.findall(r"^stat::(\w+): +(\d+)$", said, re.MULTILINE)}
    return Tried(
        target.name,
        told.get("number_of_executed_units", 0),
        round(time.monotonic() - begin, 1),
        told.get("slowest_unit_time_sec", 0),
        told.get("peak_rss_mb", 0),
        len(list((folder / "grown").iterdir())),
        failures,
        said[-6000:],
    )


def all_tried(targets: list[Target], arguments: argparse.Namespace) -> Iterator[Tried]:
    """Each target's end, in their order; after an interrupt, of those that have begun."""
    running: list[subprocess.Popen[str]] = []
    pool = ThreadPoolExecutor(arguments.jobs)
    waiting = [pool.submit(tried, target, arguments, running) for target in targets]
    while waiting:
        try:
            yield waiting[0].result()
            waiting.pop(0)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            waiting = [one for one in waiting if not one.cancelled()]
            for process in running:
                process.send_signal(signal.SIGINT)  # it says how far it is, and ends


def summary_of(results: list[Tried]) -> dict[str, Any]:
    """Counts and failures of each target, and of all."""
    names = ("runs", "seconds", "most_seconds", "most_mebibytes", "inputs", "failures")
    targets = {one.target: {name: getattr(one, name) for name in names} for one in results}
    return {
        "runs_done": sum(one.runs for one in results),
        "failed": sum(len(one.failures) for one in results),
        "targets": targets,
    }


def show(summary: dict[str, Any], console: Console) -> None:
    """The table for people."""
    table = Table("target", "runs", "seconds", "most seconds", "most MiB", "inputs kept", "failures")
    for name, row in summary["targets"].items():
        numbers = ("runs", "seconds", "most_seconds", "most_mebibytes", "inputs")
        table.add_row(name, *(f"{row[number]:,}" for number in numbers), str(len(row["failures"])))
    console.print(table)
    for row in summary["targets"].values():
        for failure in row["failures"]:
            console.print(f"  {failure}", highlight=False, markup=False)


def parser_of() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="./dev fuzz --libfuzzer", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--libfuzzer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=10_000, metavar="N", help="inputs of each target (default: 10000)")
    parser.add_argument("--minutes", type=float, metavar="N", help="run each target so long instead")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the mutations (default: 1)")
    parser.add_argument(
        "--target", nargs="+", choices=list(BY_NAME), metavar="NAME", help=f"only these: {', '.join(BY_NAME)}"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="targets at once (default: cores)"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build/fuzz", metavar="DIR", help="where files go")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    return parser


def main(argv: list[str] | None = None) -> int:
    arguments = parser_of().parse_args(argv)
    arguments.folder = arguments.folder.resolve()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells turn it off in the background
    console = Console(stderr=True)
    targets = [BY_NAME[name] for name in arguments.target or BY_NAME]
    missing = [target.name for target in targets if not target.program.exists()]
    if missing:
        console.print(f"no programs for {', '.join(missing)}: they need clang++ with libFuzzer (./dev doctor)")
        return 2
    make_good_files(arguments.folder / "files")
    results: list[Tried] = []
    begin = time.monotonic()
    for one in all_tried(targets, arguments):
        results.append(one)
        console.print(f"{one.target}: {one.runs:,} runs in {one.seconds} s", highlight=False)
        if one.failures:
            console.print(one.said, highlight=False, markup=False)
    summary = summary_of(results) | {"seed": arguments.seed, "seconds": round(time.monotonic() - begin, 1)}
    if arguments.json:
        print(json.dumps(summary, indent=1))
    else:
        show(summary, Console())
    return 1 if summary["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
