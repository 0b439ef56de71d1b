"""Plants every mutant in turn and runs the suite that has to notice it: `./dev mutate`.

A mutant is killed by the first test that fails (or by a crash, or by not coming to an end). One that is called
equivalent must survive. Exit code 1 if one survives that is not, or if a suite fails without any.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from mutants import BENCHES, BUILT, ROOT, SUITES, UNFUSED, Mutant, load_all, rewrite
from mutated_benches import bench_program
from mutated_package import unfused_program
from relink import Relinker
from rich.console import Console
from rich.table import Table
from settle import first_failure, settle, tell

LIMIT_SECONDS = 300  # of a suite, at least
BUILD_SECONDS = 1800  # of the first run, which builds the Verilated models
FILTERS = {
    "unit_rtl": "AxiMasters.*:Identifiers.*:Comments.*",  # what follows is of the built suites
    # What is left out compiles a network, or asks for rates.
    "unit_platform": "-*ValuesInTime.*:SharedMemory.*:Host.*",
    "unit_offchip": "-*Bandwidth.*:Parameters.*",
    "cosim_device": "*Outstanding*:StopNearTheEnd.*",
}


@dataclass(frozen=True)
class Verdict:
    """Outcome of a mutant."""

    name: str
    side: str
    what: str
    file: str
    killed_by: str | None  # None: it survives
    seconds: float
    equivalent: str = ""  # why it has to

    @property
    def is_wrong(self) -> bool:
        """Whether it survives but should not, or is killed though it is called equivalent."""
        return (self.killed_by is None) != bool(self.equivalent)


def programs_of(release: Path, mutants: list[Mutant], jobs: int) -> dict[str, Path]:
    """The suites of some mutants; test programs are linked again, with all of those mutants in them."""
    programs = {
        suite: release / "tests/mutation/suite" / suite
        for mutant in mutants
        for suite in mutant.suites
        if mutant.side in BUILT
    }
    benches = {suite for mutant in mutants for suite in mutant.suites if suite in BENCHES}
    for bench in sorted(benches):
        own = [mutant for mutant in mutants if bench in mutant.suites]
        programs[bench] = bench_program(bench, own, release / "tests/mutation/linked/benches")
    rest = [mutant for mutant in mutants if mutant.side not in BUILT and not benches.intersection(mutant.suites)]
    if not rest:
        return programs
    relinker = Relinker(release, release / "tests/mutation/linked")
    linked = [mutant for mutant in rest if not mutant.is_python]
    sources = {}
    for name in sorted({mutant.file for mutant in linked}):
        text = rewrite((ROOT / name).read_text(encoding="utf-8"), [one for one in linked if one.file == name])
        sources[name] = f'#include "tests/mutation/active.h"\n#line 1 "{name}"\n{text}'
    if said := relinker.compile(sources, jobs):
        raise SystemExit("\n".join(said.values()))
    for suite in dict.fromkeys(suite for mutant in rest for suite in mutant.suites):
        if suite == UNFUSED:
            programs[suite] = unfused_program(relinker, sources, [mutant for mutant in rest if mutant.is_python])
        else:
            programs[suite] = relinker.link(suite, sources)
    return programs


def run(suite: Path, mutant: Mutant | None, limit: float = BUILD_SECONDS) -> tuple[str | None, float, str]:
    """The first test that fails (None if none does), how long it took, and what the suite has said."""
    environment = dict(os.environ, COVENANT_MUTANT=str(mutant.number if mutant is not None else 0))
    begin = time.monotonic()
    try:
        done = subprocess.run(
            [str(suite), "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={FILTERS.get(suite.name, '*')}"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end", time.monotonic() - begin, ""
    failed = first_failure(done.returncode, done.stdout)
    return failed, time.monotonic() - begin, done.stdout + (done.stderr if failed else "")


def verdict(programs: dict[str, Path], plain: dict[str, float], mutant: Mutant) -> Verdict:
    """Runs the mutant's suites until one notices it. `plain`: seconds that each takes without a mutant."""
    total = 0.0
    for suite in mutant.suites:
        killer, seconds, _ = run(programs[suite], mutant, max(LIMIT_SECONDS, 10 * plain[suite]))
        total += seconds
        if killer is not None:
            break
    return Verdict(mutant.name, mutant.side, mutant.what, mutant.file, killer, round(total, 1), mutant.equivalent)


def table_of(verdicts: list[Verdict]) -> Table:
    table = Table("mutant", "side", "what it does", "killed by", "s")
    for entry in verdicts:
        killer = entry.killed_by or (f"equivalent: {entry.equivalent}" if entry.equivalent else "SURVIVES")
        if entry.is_wrong:
            killer = f"[bold red]{killer}[/]" + (", called equivalent" if entry.equivalent else "")
        table.add_row(entry.name, entry.side, entry.what, killer, f"{entry.seconds:.1f}")
    return table


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--release", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="NAME", action="append", help="only this mutant (may be given several times)")
    parser.add_argument(
        "--side", metavar="SIDE", action="append", choices=list(SUITES), help="only mutants of this side"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time (default: processors)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the summary as JSON, too")
    options = parser.parse_args()
    console = Console(stderr=True)
    mutants = load_all()
    names = {mutant.name for mutant in mutants}
    for name in options.only or []:
        if name not in names:
            console.print(f"no mutant is called {name}; there are: {', '.join(sorted(names))}", highlight=False)
            return 2
    if options.only:
        mutants = [mutant for mutant in mutants if mutant.name in options.only]
    if options.side:
        mutants = [mutant for mutant in mutants if mutant.side in options.side]
    flags = re.findall(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    features = set(" ".join(flags).split())
    unreached = [mutant.name for mutant in mutants if mutant.needs and mutant.needs not in features]
    mutants = [mutant for mutant in mutants if mutant.name not in unreached]
    if unreached:
        console.print(f"without instructions of this processor, so not tried: {', '.join(unreached)}")
    programs = programs_of(options.release, mutants, options.jobs)

    suite_seconds: dict[str, float] = {}
    for suite, program in sorted(programs.items()):
        console.print(f"{suite} without a mutant ...")
        failed, seconds, output = run(program, None)
        if failed is not None:
            console.print(output, f"{suite} fails without any mutant: {failed}", markup=False)
            return 1
        suite_seconds[suite] = round(seconds, 1)
    begin = time.monotonic()
    verdicts = settle(lambda mutant: verdict(programs, suite_seconds, mutant), mutants, options.jobs, console)
    survivors = [entry.name for entry in verdicts if entry.killed_by is None and not entry.equivalent]
    equivalents = {entry.name: entry.equivalent for entry in verdicts if entry.equivalent}
    killed = sum(entry.killed_by is not None for entry in verdicts)
    summary = {
        "mutants": len(verdicts),
        "sides": dict(Counter(entry.side for entry in verdicts)),
        "killed": killed,
        "survivors": survivors,
        "equivalents": equivalents,
        "unreached": unreached,
        "suite_seconds": suite_seconds,
        "seconds": round(time.monotonic() - begin, 1),
        "verdicts": [asdict(entry) for entry in verdicts],
    }

    def show() -> None:
        Console().print(table_of(verdicts))
        print(
            f"{killed} of {len(verdicts)} mutants killed in {summary['seconds']:.0f} s, "
            f"{len(equivalents)} equivalent, {len(survivors)} survive"
            + (f"; {len(unreached)} not tried, for want of instructions" if unreached else "")
        )

    tell(summary, options, show)
    return 1 if any(entry.is_wrong for entry in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
