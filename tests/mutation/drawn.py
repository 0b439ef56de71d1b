"""Draws mistakes, plants each in turn and runs the tests until one notices it: `./dev mutate --drawn 200 --seed 1`.

All of them are built at once, each asleep until its number is asked for (COVENANT_MUTANT). What the compiler or
Verilator refuses is drawn again. A mutant is killed by the first test that fails, by a crash, or by not coming to an
end. Those that survive stand in drawn.toml, with what they are: equivalent (no program can tell them from the
original), or not noticed. A run that was broken off goes on where it was. Exit code 1 if fewer than 95 % of those not
called equivalent are killed, or if one survives that drawn.toml does not know.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drawing import FIRST_NUMBER, Drawn, draw, written
from mutants import FOLDER
from relink import TEXTS, Relinker
from rich.console import Console
from rich.table import Table
from settle import first_failure, settle, tell

KILLED_SHARE = 0.95
LEAST_SECONDS = 60  # of a suite that may be slow for once
MEMORY_BYTES = 12 << 30
# The test programs that have to notice mutants of a room, the likely and quick ones first.
ROOM_SUITES = {
    "sim": (
        "timing_sim", "timing_vliw", "unit_sim", "error_sim", "models", "property_hvx", "unit_runtime",
        "property_runtime", "property_pipeline",
    ),
    "rtl/src": ("models", "cosim_rtl"),
    "rtl/gen": ("error_rtl", "unit_rtl", "models", "cosim_rtl"),
    "acg/isa": (
        "unit_acg", "error_acg", "unit_stream", "golden_acg", "property_hvx", "property_acg", "unit_runtime",
        "timing_sim", "timing_vliw", "property_runtime",
    ),
    "compiler": (
        "unit_vliw", "error_vliw", "property_vliw",
        "unit_network", "golden_pipeline", "golden_figures", "error_stream", "error_runtime", "error_schedule",
        "pass_valid_tiling", "pass_pipeline", "pass_passes", "property_codelet", "property_pipeline",
        "property_benchmarks",
    ),
}  # fmt: skip
# Suites of the compiler's rooms, which run before the others.
COMPILER_SUITES = {
    "benchmarks": ("unit_benchmarks",),
    "codelet": ("unit_codelet", "error_codelet"),
    "frontends": ("pass_frontend", "error_frontend"),
    "library": ("unit_codelet",),
    "storage": ("unit_storage",),
    "network": ("unit_network",),
    "binding": ("unit_binding", "unit_network"),
    "layers": ("unit_layers",),
    "emission": ("unit_emission",),
    "passes": ("golden_figures", "error_codelet"),
    "reference": ("unit_reference",),
    "schedule": ("unit_schedule", "error_schedule", "pass_valid_tiling"),
    "srdfg": ("unit_srdfg", "error_srdfg", "unit_reference"),
    "operators": ("unit_srdfg", "error_srdfg", "unit_reference"),
    "families": ("unit_stream", "error_stream"),
    "embedding": (
        "unit_embedding",
        "unit_embedding_scalar",
        "error_embedding",
        "property_embedding",
        "property_embedding_scalar",
    ),
    "lowerings": ("property_lowerings",),
    "meaning": ("property_lowerings",),
    "values": ("property_values",),
}
SUITES = tuple(
    dict.fromkeys(suite for lists in (COMPILER_SUITES, ROOM_SUITES) for own in lists.values() for suite in own)
)
# The tests that are run: no benches of single modules, whose sources are not these; no lint, which finds the mutants;
# only the small ones of the machines that are built as RTL; none of the long searches.
FILTERS = {
    "unit_rtl": "-Bench.*:Generated.*",
    "cosim_rtl": "Blocks.*:Copy.*:Directed.*:RtlFault.*:Formula.*:LongRuns.*",
    "property_benchmarks": "-CostModel.FollowsThe*:CostModel.*ShareBuses:SearchedSchedules.*:*.WholeLayers*",
}
ALONE = ("unit_rtl", "cosim_rtl")  # they write folders by name: one mutant at a time
MODELS = ("tests/mutation/suite/layers_test.cpp", "tests/mutation/suite/programs_test.cpp")  # linked as cosim_rtl is


@dataclass(frozen=True)
class Verdict:
    """Outcome of a mutant."""

    mutant: Drawn
    killed_by: str | None  # suite and test; None: it survives
    seconds: float


def build(options: argparse.Namespace, say: Console) -> tuple[Relinker, list[Drawn]]:
    """The mutants, and their sources compiled: those that do not compile are drawn again."""
    relinker = Relinker(options.release, options.release / "tests/mutation/drawn")
    refused: set[str] = set()
    while True:
        drawn = draw(options.drawn, options.seed, refused)
        numbered = list(enumerate(drawn, FIRST_NUMBER))
        files = sorted({one.file for one in drawn})
        texts = {file: written(file, [pair for pair in numbered if pair[1].file == file]) for file in files}
        verilog = {file: text for file, text in texts.items() if file.endswith(".sv")}
        sources = {file: text for file, text in texts.items() if file not in verilog}
        said = relinker.compile(sources, options.jobs) | _lint(relinker, verilog)
        again = {one.name for file, text in said.items() for one in _blamed(file, text, drawn)}
        if not again:
            break
        say.print(f"{len(again)} of {len(drawn)} drawn mutants do not compile; others are drawn for them")
        refused |= again
    if said := relinker.compile(relinker.texts_with(verilog), options.jobs):
        raise SystemExit("\n".join(said.values()))
    return relinker, drawn


def _blamed(file: str, said: str, drawn: list[Drawn]) -> list[Drawn]:
    """The mutants on whose lines the compiler found something; all of the file if it is none of theirs."""
    own = [one for one in drawn if one.file == file]
    lines = {int(line) for line in re.findall(rf"{re.escape(Path(file).name)}:(\d+):", said)}
    blamed = [one for one in own if lines & set(range(one.line, one.line + one.site.original.count(chr(10)) + 1))]
    return blamed or own


def _lint(relinker: Relinker, verilog: dict[str, str]) -> dict[str, str]:
    """Verilator's messages about the mutated modules, by file."""
    folder = relinker.output / "rtl"
    machine = ["-m", "genesys", "--set", "M=3", "--set", "N=4"]
    subprocess.run([sys.executable, "-m", "covenant", "rtl", *machine, "-o", folder], check=True, capture_output=True)
    texts = relinker.texts_with(verilog)[TEXTS[0]]
    for name, text in re.findall(r'\{"([\w.]+)", R"source_text\((.*?)\)source_text"', texts, re.S):
        (folder / name).write_text(text, encoding="utf-8")
    command = ["verilator", "--cc", "-O3", "--assert", "--x-assign", "unique", "--x-initial", "unique", "--Mdir", "obj"]
    command += ["--top-module", "covenant_top", "-f", "covenant.f", "covenant_observer.sv"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if made.returncode == 0:
        return {}
    found = {file: made.stderr for file in verilog if re.search(rf"^%.*{Path(file).name}:\d+:", made.stderr, re.M)}
    if not found:
        raise SystemExit(made.stderr)
    return {file: "\n".join(re.findall(rf"^%.*{Path(file).name}:.*$", text, re.M)) for file, text in found.items()}


def link(relinker: Relinker, drawn: list[Drawn]) -> dict[str, Path]:
    """All suites, each with the mutants of what it is linked with."""
    names = [*sorted({one.file for one in drawn if not one.is_verilog}), *TEXTS]
    programs = {}
    for suite in SUITES:
        if suite == "models":
            programs[suite] = relinker.link("cosim_rtl", names, MODELS)
        else:
            programs[suite] = relinker.link(suite, names)
    return programs


def suites_for(relinker: Relinker, one: Drawn) -> list[str]:
    """Suites of the mutant's room that are linked with the archive that the mutant is in."""
    own = COMPILER_SUITES.get(Path(one.file).parts[1], ()) if one.room == "compiler" else ()
    home = "rtl/libcovenant_rtl_gen.a" if one.is_verilog else relinker.archive_of(one.file)
    return [
        suite
        for suite in dict.fromkeys(own + ROOM_SUITES[one.room])
        if home in relinker.archives_of("cosim_rtl" if suite == "models" else suite)
    ]


@contextmanager
def _alone(suite: str, folder: Path) -> Iterator[None]:
    if suite not in ALONE:
        yield
        return
    with (folder / f"{suite}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(program: Path, suite: str, number: int, limit: float) -> tuple[str | None, float]:
    """The first test that fails (None if none does), and how long it took."""
    words = [str(program), "--gtest_fail_fast", "--gtest_brief=1", f"--gtest_filter={FILTERS.get(suite, '*')}"]
    environment = dict(os.environ, COVENANT_MUTANT=str(number))
    begin = time.monotonic()
    with _alone(suite, program.parent), tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                words, env=environment, stdout=output, stderr=subprocess.STDOUT, timeout=limit, check=False,
                cwd=program.parent, preexec_fn=_bounded,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"{suite}: no end", time.monotonic() - begin
        seconds = time.monotonic() - begin
        output.seek(0)
        failed = first_failure(done.returncode, output.read().decode(errors="replace"))
    return failed and f"{suite}: {failed}", seconds


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def plain_seconds(programs: dict[str, Path], say: Console) -> dict[str, float]:
    """How long each suite takes without a mutant. Stops if one fails."""
    result: dict[str, float] = {}
    for suite, program in programs.items():
        known = program.with_suffix(".seconds")  # of this very program: it has run before
        if known.exists() and known.stat().st_mtime > program.stat().st_mtime:
            result[suite] = float(known.read_text(encoding="utf-8"))
            continue
        failed, result[suite] = run(program, suite, 0, 3600)  # the first run builds Verilated models
        if failed is not None:
            raise SystemExit(f"{failed} fails without any mutant")
        known.write_text(f"{result[suite]:.1f}\n", encoding="utf-8")
    say.print(f"all suites without a mutant: {sum(result.values()):.0f} s")
    return result


def verdict(
    relinker: Relinker, programs: dict[str, Path], seconds: dict[str, float], number: int, one: Drawn
) -> Verdict:
    """Runs suite after suite until one notices."""
    total = 0.0
    for suite in suites_for(relinker, one):
        killer, took = run(programs[suite], suite, number, max(LEAST_SECONDS, 10 * seconds[suite]))
        total += took
        if killer is not None:
            return Verdict(one, killer, round(total, 1))
    return Verdict(one, None, round(total, 1))


class Memory:
    """Verdicts of a run that was broken off, as long as the programs are the same."""

    def __init__(self, path: Path, programs: dict[str, Path]) -> None:
        contents = (program.read_bytes() for _, program in sorted(programs.items()))
        stamp = hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()
        self._path, self._lock = path, threading.Lock()
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._kept = kept if kept.get("stamp") == stamp else {"stamp": stamp, "verdicts": {}}

    def of(self, one: Drawn) -> Verdict | None:
        """Outcome of a mutant; None: it has not had its turn."""
        kept = self._kept["verdicts"].get(one.name)
        return Verdict(one, kept["killed_by"], kept["seconds"]) if kept else None

    def keep(self, one: Verdict) -> Verdict:
        """Writes it down."""
        with self._lock:
            self._kept["verdicts"][one.mutant.name] = {"killed_by": one.killed_by, "seconds": one.seconds}
            self._path.write_text(json.dumps(self._kept), encoding="utf-8")
        return one


def _told(one: Verdict, say: Console) -> Verdict:
    where = f"{one.mutant.file}:{one.mutant.line}"
    say.print(f"{one.mutant.name} ({where}, {one.mutant.site.what}): {one.killed_by or 'SURVIVES'}", markup=False)
    return one


def known() -> dict[str, dict[str, str]]:
    """Mutants that have survived, and why, by name."""
    path = FOLDER / "drawn.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", []) if path.exists() else []
    return {entry["name"]: entry for entry in entries}


def summary_of(verdicts: list[Verdict], options: argparse.Namespace) -> dict[str, object]:
    """Summary as data, whatever is drawn. Seconds are those of all suites together."""
    reasons = known()
    survivors = [one for one in verdicts if one.killed_by is None]
    equivalent = [one.mutant.name for one in survivors if reasons.get(one.mutant.name, {}).get("is") == "equivalent"]
    killed = len(verdicts) - len(survivors)
    rows = []
    for one in verdicts:
        mutant = one.mutant
        row = {"name": mutant.name, "file": mutant.file, "line": mutant.line, "text": mutant.line_text}
        row |= {"operator": mutant.site.operator, "what": mutant.site.what, "killed_by": one.killed_by}
        if one.killed_by is None:
            row |= {key: reasons.get(mutant.name, {}).get(key, "") for key in ("is", "reason")}
        rows.append(row | {"seconds": one.seconds})
    return {
        "seed": options.seed,
        "drawn": len(verdicts),
        "rooms": dict(Counter(one.mutant.room for one in verdicts)),
        "operators": dict(Counter(one.mutant.site.operator for one in verdicts)),
        "killed": killed,
        "equivalent": equivalent,
        "survivors": [one.mutant.name for one in survivors if one.mutant.name not in equivalent],
        "unknown": [one.mutant.name for one in survivors if one.mutant.name not in reasons],
        "killed_share": round(killed / max(1, len(verdicts) - len(equivalent)), 4),
        "seconds": round(sum(one.seconds for one in verdicts), 1),
        "verdicts": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--release", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--drawn", type=int, required=True, metavar="N", help="how many mutants are drawn")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the draws (default: 1)")
    parser.add_argument("--only", metavar="NAME", action="append", help="only this mutant (may be given several times)")
    parser.add_argument("--room", metavar="ROOM", action="append", help="only mutants of this room")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants at a time (default: processors)")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the summary as JSON, too")
    options = parser.parse_args()
    say = Console(stderr=True, highlight=False)
    relinker, drawn = build(options, say)
    programs = link(relinker, drawn)
    seconds = plain_seconds(programs, say)
    wanted = [
        (number, one)
        for number, one in enumerate(drawn, FIRST_NUMBER)
        if (not options.only or one.name in options.only) and (not options.room or one.room in options.room)
    ]
    memory = Memory(relinker.output / "verdicts.json", programs)

    def settled(pair: tuple[int, Drawn]) -> Verdict:
        kept = memory.of(pair[1])
        return kept or _told(memory.keep(verdict(relinker, programs, seconds, *pair)), say)

    verdicts = settle(settled, wanted, options.jobs, say)
    summary = summary_of(verdicts, options)
    tell(summary, options, lambda: _show(verdicts, summary))
    return 1 if summary["unknown"] or summary["killed_share"] < KILLED_SHARE else 0


def _show(verdicts: list[Verdict], summary: dict[str, object]) -> None:
    table = Table("mutant", "where", "what it does", "killed by", "s")
    for one in verdicts:
        mutant = one.mutant
        entry = known().get(mutant.name, {})
        killer = one.killed_by or f"{entry.get('is', '[bold red]SURVIVES[/]')} {entry.get('reason', '')}"
        table.add_row(mutant.name, f"{mutant.file}:{mutant.line}", mutant.site.what, killer, f"{one.seconds:.1f}")
    Console().print(table)
    print(
        f"{summary['killed']} of {summary['drawn']} mutants killed ({100 * summary['killed_share']:.1f} % of those not "
        f"equivalent) in {summary['seconds']:.0f} s, {len(summary['equivalent'])} equivalent, "
        f"{len(summary['survivors'])} survive"
    )


if __name__ == "__main__":
    sys.exit(main())
