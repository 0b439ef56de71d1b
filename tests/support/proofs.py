"""The long proofs: what each shows, how to run it, and what its last run said.

./dev proofs                    # the table: what ran last, when, on which commit
./dev proofs run lockstep       # runs one or several (`all`), keeps what they say, and writes the page anew
./dev proofs --write            # writes the page from what is kept

The result of a run is kept in docs/reference/proofs, a file of its name; the table of docs/reference/proofs.md shows
its figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from marks import write_between
from rich.console import Console
from rich.table import Table

from covenant.files import write_whole

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/proofs.md"
KEPT = ROOT / "docs/reference/proofs"
MARK = "<!-- ./dev proofs --write -->"
LEFT_OUT = ("runs", "written")  # lists of a summary: machines that were drawn, failures

Summary = dict[str, Any]


@dataclass(frozen=True)
class Proof:
    """One of them."""

    name: str
    shows: str
    command: str  # as a user types it
    read: Callable[[str], Summary]  # what it wrote to standard output
    figures: Callable[[Summary], str]


@dataclass(frozen=True)
class Record:
    """Result of a proof's last run."""

    date: str
    revision: str
    seconds: float
    passed: bool
    summary: Summary


def _tests(_: str) -> Summary:
    return json.loads((ROOT / "build/logs/summary.json").read_text(encoding="utf-8"))


def _counted(numbers: dict[str, float]) -> str:
    return ", ".join(f"{name} {count}" for name, count in numbers.items())


def _lockstep(summary: Summary) -> str:
    drawn = summary["layers"] + summary["refused"]
    codes = f": {_counted(summary['refusals'])}" if summary["refusals"] else ""
    return (
        f"{summary['machines']} machines ({summary['pairs']} with two arrays of a unit), {summary['layers']:,} layers "
        f"({summary['on_both']} on both arrays), {summary['instructions']:,} instructions, {summary['cycles']:,} "
        f"cycles, **{summary['differences']} differences**; {100 * summary['refused'] / drawn:.1f} % of the layers "
        f"that were drawn refused{codes}"
    )


def _memories(summary: Summary) -> str:
    return (
        f"{summary['machines']} machines, {summary['layers']:,} layers, each with {', '.join(summary['memories'])}: "
        f"{summary['instructions']:,} instructions, {summary['cycles']:,} cycles, "
        f"**{summary['differences']} differences**"
    )


def _mutants(summary: Summary) -> str:
    same = len(summary["equivalents"])
    return (
        f"**{summary['killed']} of {summary['mutants']}** killed ({_counted(summary['sides'])}); {same} change nothing "
        f"that a program could tell, each with its reason; {len(summary['survivors'])} survive"
    )


def _drawn(summary: Summary) -> str:
    return (
        f"**{summary['killed']} of {summary['drawn']}** killed, {100 * summary['killed_share']:.1f} % of those not "
        f"equivalent; {len(summary['equivalent'])} equivalent, {len(summary['survivors'])} survive, each with its "
        "reason (`tests/mutation/drawn.toml`)"
    )


def _soak(summary: Summary) -> str:
    compared = summary["points"] - summary["refused"]
    failed = sum(summary[verdict] for verdict in ("wrong", "crash", "timeout"))
    return (
        f"{summary['points']:,} points in {len(summary['styles'])} styles: {summary['equal']:,} of {compared:,} equal "
        f"to ONNX Runtime unfused, {summary['explained']:,} explained layer by layer, at most {summary['most_steps']} "
        f"step(s) in {summary['tensors']:,} tensors, **{failed} unexplained**; "
        f"{100 * summary['refused_models'] / summary['points']:.1f} % of the points refused as models, "
        f"{100 * (summary['refused'] - summary['refused_models']) / summary['points']:.1f} % by what a machine lacks"
    )


def _libfuzzer(summary: Summary) -> str:
    targets = summary["targets"]
    runs = ", ".join(  # a target that ran again, alone, says on which commit
        f"{name} {row['runs']:,}" + (f" at {row['revision']}" if "revision" in row else "")
        for name, row in targets.items()
    )
    seconds = sum(row["seconds"] for row in targets.values())
    return f"{summary['runs_done']:,} runs in {seconds:,.0f} s ({runs}), **{summary['failed']} failures**"


def _hostile(summary: Summary) -> str:
    failed = sum(summary[verdict] for verdict in ("internal", "crash", "slow", "memory", "wrong", "untold"))
    return (
        f"{summary['inputs']:,} inputs of {len(summary['readers'])} readers: {summary['read']:,} read, "
        f"{summary['refused']:,} refused with one of {summary['codes']} diagnostics, **{failed} failures**; at most "
        f"{summary['most_seconds']:.1f} s of a processor and {summary['most_mebibytes']:,.0f} MiB"
    )


def _coverage(summary: Summary) -> str:
    rooms = {name: room["percent"] for name, room in summary["rooms"].items()}
    below = f"; below {summary['least']:.0f} %: {_counted({name: rooms[name] for name in summary['below']})}"
    return (
        f"**{summary['percent']:.1f} %** of {summary['lines']:,} lines in {len(rooms)} rooms, at least "
        f"{min(rooms.values()):.1f} % of each{below if summary['below'] else ''}"
    )


def _package(summary: Summary) -> str:
    sizes = summary["mebibytes"]
    return (
        f"Debian {summary['debian']}, Python {summary['python']}, {summary['compiler']}, {summary['cores']} cores: "
        f"**{summary['install_processor_seconds'] / 60:.1f} minutes** of processor time "
        f"({summary['install_seconds'] / 60:.1f} of wall clock, nothing cached); package {sizes['package']} MiB, of "
        f"which the extension {sizes['core']}; with the Python packages that it needs {sizes['environment']}; Debian's "
        f"packages {sizes['debian_packages']}. {len(summary['left'])} files left after it was removed"
    )


def _platforms(summary: Summary) -> str:
    return (
        f"{summary['scenarios']:,} scenarios ({summary['timed']:,} in each cycle), {summary['runs']:,} runs, "
        f"{summary['acts']:,} refills, aborts, errors and starts amid them, {summary['bursts']:,} bursts, "
        f"{summary['cycles']:,} cycles of the RTL, **{summary['failed']} failed**"
    )


DIFFERENCES = "build"  # where files go that reproduce one
LOCKSTEP = "covenant cosim --random-machines 100 --random-layers 20 --seed 77 --rtl-quick"
MEMORIES = "covenant cosim --random-machines 20 --random-layers 20 --seed 78 --memory all --rtl-quick"
PROOFS = (
    Proof(
        "full",
        "every test, and those that take minutes: HVX words equal to LLVM's both ways, single precision of the RTL "
        "equal to the host's, the benchmark layers in lock step, 10,000 drawn streams of commands for each machine "
        "that a host drives on its evaluator, its C++ and its device, `pip install`",
        "./dev test --full",
        _tests,
        lambda summary: f"**{summary['passed']:,} passed, {summary['failed']} failed**, {summary['skipped']} skipped",
    ),
    Proof(
        "lockstep",
        "random machines and layers in lock step",
        f"{LOCKSTEP} --output {DIFFERENCES} --json",
        json.loads,
        _lockstep,
    ),
    Proof(
        "memories",
        "random machines and layers in lock step, before every model of off-chip memory",
        f"{MEMORIES} --output {DIFFERENCES} --json",
        json.loads,
        _memories,
    ),
    Proof(
        "platforms",
        "three accelerators of two families on random foreign platforms, with early and late answers, errors, direct "
        "access that is withdrawn, refills and aborts amid runs: models and RTL leave the same bytes and statuses, and "
        "where their times are comparable ask for the same bursts in the same cycles",
        "build/release/tests/cosim/platforms/platform_scenarios --scenarios 200 --seed 1 --json",
        json.loads,
        _platforms,
    ),
    Proof(
        "broken",
        "broken machines are refused before anything runs",
        f"covenant cosim --broken-machines 2000 --seed 1 --output {DIFFERENCES} --json",
        json.loads,
        lambda summary: (
            f"**{summary['refused']:,} of {summary['machines']:,}**, broken by {len(summary['rules'])} rules, refused "
            "with a diagnostic when they are read or compiled"
        ),
    ),
    Proof(
        "soak",
        "random quantised models on random machines give what ONNX Runtime gives, fused or not",
        "./dev soak --points 20000 --seed 1 --json",
        json.loads,
        _soak,
    ),
    Proof("mutate", "the tests notice written mistakes", "./dev mutate --json", json.loads, _mutants),
    Proof("drawn", "the tests notice drawn mistakes", "./dev mutate --drawn 200 --seed 1 --json", json.loads, _drawn),
    Proof(
        "hostile",
        "hostile inputs of every reader are refused with a diagnostic, or read: no internal error, no crash, nothing "
        "over 10 s or 1 GiB, no wrong byte ([by reader](hostile-inputs.md))",
        "./dev fuzz --inputs 20000 --seed 1 --json",
        json.loads,
        _hostile,
    ),
    Proof(
        "libfuzzer",
        "readers in C++ hold under the sanitizers of addresses and undefined behaviour: no crash, nothing over "
        "10 s or 1 GiB; what they read is the same after it was written",
        "./dev fuzz --libfuzzer --minutes 30 --json",
        json.loads,
        _libfuzzer,
    ),
    Proof(
        "coverage",
        "lines that the ordinary tests run, by room, in C++ and Python",
        "./dev coverage --json",
        json.loads,
        _coverage,
    ),
    Proof(
        "package",
        "`pip install .` in a bare Debian 12 by the steps of the Dockerfile; there, without the checkout, the README's "
        "first example, and a machine in RTL ([install](../guide/install.md))",
        "python tests/docs/bare_debian.py --json",
        json.loads,
        _package,
    ),
    Proof(
        "table2",
        "benchmark layers against their bounds",
        "covenant bench table2 -m dnnweaver --json",
        json.loads,
        lambda summary: (
            f"{sum(row['identical'] for row in summary['rows'])} of {len(summary['rows'])} identical, geometric mean "
            f"{summary['geometric_mean']:.3f} times the bound"
        ),
    ),
)


def kept(proof: Proof) -> Record | None:
    """Result of the proof's last run; None: it has not run."""
    path = KEPT / f"{proof.name}.json"
    return Record(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def keep(proof: Proof, record: Record) -> None:
    """Keeps what a run said."""
    KEPT.mkdir(parents=True, exist_ok=True)
    summary = {
        name: value for name, value in record.summary.items() if name not in LEFT_OUT or not isinstance(value, list)
    }
    text = json.dumps(vars(record) | {"summary": summary}, indent=1, ensure_ascii=False)
    write_whole(KEPT / f"{proof.name}.json", text + "\n")


def page() -> str:
    """The table in Markdown."""
    lines = ["| proof | command | last figures | ran |", "|---|---|---|---|"]
    for proof in PROOFS:
        record = kept(proof)
        figures = proof.figures(record.summary) if record else "not run yet"
        ran = f"{record.date}, {record.seconds:,.0f} s, at {record.revision}" if record else ""
        command = proof.command.removesuffix(" --json").removesuffix(f" --output {DIFFERENCES}")
        lines.append(f"| {proof.shows} | `{command}` | {figures} | {ran} |")
    return "\n".join(lines)


def revision() -> str:
    """The commit, and whether files differ from it."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return said.stdout.strip()


def run(proof: Proof) -> bool:
    """Runs it and keeps what it said. False if it failed; then what was kept before stays."""
    words = proof.command.split()
    if words[0] != "./dev":
        words = ["./dev", "exec", *words]
    at, begin = revision(), time.monotonic()
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace", check=False)
    seconds = round(time.monotonic() - begin, 1)
    try:
        summary = proof.read(done.stdout)
    except (OSError, ValueError) as error:
        print(f"{proof.name}: no summary ({error}), exit code {done.returncode}", file=sys.stderr)
        return False
    keep(proof, Record(datetime.now(UTC).date().isoformat(), at, seconds, done.returncode == 0, summary))
    return done.returncode == 0


def show() -> None:
    """The table for people."""
    table = Table("proof", "shows", "last figures", "ran")
    for proof in PROOFS:
        record = kept(proof)
        verdict = "" if record is None or record.passed else "[bold red]FAILED[/] "
        figures = verdict + proof.figures(record.summary).replace("**", "") if record else "not run yet"
        table.add_row(proof.name, proof.shows, figures, f"{record.date} {record.revision}" if record else "")
    Console().print(table)


def chosen(names: Iterable[str]) -> list[Proof]:
    """The proofs that are asked for."""
    wanted = set(names)
    return [proof for proof in PROOFS if proof.name in wanted or "all" in wanted]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev proofs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [proof.name for proof in PROOFS]
    parser.add_argument("what", nargs="?", choices=["run"], help="run proofs; without it the table is shown")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of: {', '.join(names)}")
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.relative_to(ROOT)}")
    parser.add_argument("--json", action="store_true", help="what the last runs said as JSON")
    arguments = parser.parse_args(argv)
    if unknown := set(arguments.names) - {*names, "all"}:
        parser.error(f"no proof is called {', '.join(sorted(unknown))}; there are: {', '.join(names)}")
    passed = [run(proof) for proof in chosen(arguments.names)] if arguments.what else []
    if arguments.write or passed:
        write_between(PAGE, {MARK: page()})
    if arguments.json:
        records = {proof.name: record for proof in PROOFS if (record := kept(proof))}
        print(json.dumps({name: vars(record) for name, record in records.items()}, indent=1))
    elif not passed:
        show()
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
