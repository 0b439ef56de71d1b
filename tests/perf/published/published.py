"""Compares the published GeneSys designs with ones that a search finds with no more of anything, on ResNet-50.

./dev bench published                       # all designs: searches, prints the table (results are kept in build)
./dev bench published 03 09 --points 100    # these, longer
./dev bench published --write               # into docs/reference/published-designs.md and .json, and benchmarks.md

A search starts from each design (`covenant explore --within`) and may take no more elements, buffer bits and bus bits
at the same precision. Among the designs with fewer cycles, the best one counts whose area proxy is not larger, either.
Every design is compiled and simulated here; cycles do not depend on values. Designs of 8 bits run the network of
`./dev bench networks`, those of 4 bits the same one quantised with elements of 4 bits.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from marks import write_between

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/perf/networks"))

from covenant import quantize, zoo  # noqa: E402
from covenant.area import area_of  # noqa: E402
from covenant.errors import CovenantError  # noqa: E402
from covenant.explore import Constraint, Exploration, default_ranges, explore  # noqa: E402
from covenant.files import write_whole  # noqa: E402
from covenant.machine import Machine, machines  # noqa: E402
from covenant.study import State, StudyRow  # noqa: E402
from covenant.study.hardware import COUNTED, hardware_of  # noqa: E402

PAGE = ROOT / "docs/reference/published-designs.md"
FRONT_PAGE = ROOT / "docs/reference/benchmarks.md"
FIGURES = ROOT / "docs/reference/published-designs.json"
BEGIN = "<!-- ./dev bench published --write -->"
MODEL = ROOT / "build/networks/resnet50_seeded.onnx"
NARROW = ROOT / "build/networks/resnet50_seeded_int4.onnx"
RESULTS = ROOT / "build/published.sqlite"
DESIGNS = tuple(name for name in machines()["genesys"] if name.isdigit())
POINTS = 48
RESOURCES = (
    ("pe_count", 1, ",.0f"),
    ("buffer_bits", 1024, ",.0f"),
    ("bus_bits", 1, ",.0f"),
    ("area_proxy", 1e6, ".1f"),
)
"""Columns of the table, with what they are divided by."""
CAUSES = 3
"""Stalls that are named, those that have changed most."""


def searched(design: str, points: int, seed: int) -> Exploration:
    """The search of one design."""
    spec = f"genesys:{design}"
    own = hardware_of(Machine(spec).to_json(), COUNTED)
    limits = [Constraint(column, at_most=True, value=value) for column, value in own.items()]

    def told(state: State) -> None:
        print(f"\r  design {design}: {state.done} of {points} points", end="", file=sys.stderr, flush=True)

    found = explore(model_of(Machine(spec)), spec, constraints=limits, ranges=default_ranges(spec), points=points,
                    seed=seed, results=RESULTS, jobs=1, progress=told)  # fmt: skip
    print(file=sys.stderr)
    return found


def entry_of(design: str, points: int, seed: int, *, with_area: bool) -> dict[str, Any]:
    """The figures of one design: as published, and the best that the search has found; or why there are none."""
    spec = f"genesys:{design}"
    first = searched(design, 1, seed).rows[0]
    if first.cycles is None:
        return {"design": design, "refused": first.text.splitlines()[0]}
    found = searched(design, points, seed)
    area = area_of(spec).um2 if with_area else None
    better = sorted((row for row in found.rows if row.cycles and row.cycles < first.cycles), key=lambda row: row.cycles)
    best, best_area = None, None
    for row in better:
        best_area = area_of(Machine(spec, **row.parameters)).um2 if with_area else None
        if area is None or best_area <= area:
            best = row
            break
    return {
        "design": design,
        "points": len(found.rows),
        "failed": sum(bool(row.code) for row in found.rows),
        "faster": len(better),
        "published": figures_of(first, area),
        "found": figures_of(best, best_area) if best else None,
        "changes": changes(first, best) if best else {},
        "stalls": stalls(first, best) if best else {},
    }


def figures_of(row: StudyRow, area: float | None) -> dict[str, Any]:
    """Figures of one machine."""
    return {
        "cycles": row.cycles, "energy_proxy": row.energy_proxy, "area_proxy": area, "pe_count": row.pe_count,
        "buffer_bits": row.buffer_bits, "bus_bits": row.bus_bits, "parameters": row.parameters,
    }  # fmt: skip


def changes(first: StudyRow, best: StudyRow) -> dict[str, list[Any]]:
    """Parameters that differ: before and after."""
    return {
        name: [first.parameters[name], value]
        for name, value in best.parameters.items()
        if first.parameters[name] != value
    }


def stalls(first: StudyRow, best: StudyRow) -> dict[str, list[int]]:
    """Stall cycles of the causes that have changed most, and those in which the main engine worked."""
    before, after = ({"work": row.cycles - row.stalls} | row.stalls_by_cause for row in (first, best))
    names = sorted({*before, *after}, key=lambda name: (-abs(after.get(name, 0) - before.get(name, 0)), name))
    return {name: [before.get(name, 0), after.get(name, 0)] for name in names[:CAUSES]}


def table(entries: Sequence[dict[str, Any]]) -> str:
    """One line for each design, in Markdown."""
    lines = [
        "| design | cycles | found | cycles | fewer | PEs | buffer Kibit | bus bits | area proxy, mm2 | points |",
        "|---|---:|---|---:|---:|---|---|---|---|---:|",
    ]
    for entry in entries:
        if "refused" in entry:
            lines.append(f"| {entry['design']} | not yet: {entry['refused']} | | | | | | | | |")
            continue
        before, after = entry["published"], entry["found"]
        if after is None:
            shown = [_shown(before[column], unit, form) for column, unit, form in RESOURCES]
            lines.append(
                f"| {entry['design']} | {before['cycles']:,} | none | | | {' | '.join(shown)} | {entry['points']} |"
            )
            continue
        shown = [
            f"{_shown(before[name], unit, form)} → {_shown(after[name], unit, form)}" for name, unit, form in RESOURCES
        ]
        lines.append(
            f"| {entry['design']} | {before['cycles']:,} | yes | {after['cycles']:,} | "
            f"{1 - after['cycles'] / before['cycles']:.1%} | {' | '.join(shown)} | {entry['points']} |"
        )
    return "\n".join([*lines, "", conclusion(entries)])


def front(entries: Sequence[dict[str, Any]]) -> str:
    """Cycles and area alone, in Markdown: each design, and what was found."""
    lines = [
        "| design | cycles | area proxy, mm2 | found: cycles | area proxy, mm2 | fewer |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for entry in entries:
        cells = ["", "", "", "", ""]
        for place, one in ((0, entry.get("published")), (2, entry.get("found"))):
            if one:
                cells[place : place + 2] = f"{one['cycles']:,}", _shown(one["area_proxy"], *RESOURCES[-1][1:])
        if cells[2]:
            cells[4] = f"{1 - entry['found']['cycles'] / entry['published']['cycles']:.1%}"
        lines.append(f"| {' | '.join([entry['design'], *cells])} |")
    return "\n".join([*lines, "", conclusion(entries)])


def conclusion(entries: Sequence[dict[str, Any]]) -> str:
    """How many searches have found something, and which designs have had none yet."""
    done = [entry for entry in entries if "refused" not in entry]
    won = [entry for entry in done if entry["found"]]
    unknown = [entry["design"] for entry in won if entry["found"]["area_proxy"] is None]
    text = f"Fewer cycles with no more of anything: for {len(won) - len(unknown)} of the {len(done)} searched from."
    if unknown:
        text += f" With no more elements, buffer bits and bus bits, area not compared yet: {', '.join(unknown)}."
    left = [design for design in DESIGNS if design not in {entry["design"] for entry in entries}]
    return f"{text} Not searched from yet: {', '.join(left)}." if left else text


def _shown(value: float | None, unit: int, form: str) -> str:
    return "not computed" if value is None else f"{value / unit:{form}}"


def explanations(entries: Sequence[dict[str, Any]]) -> str:
    """Explanation of what was moved where, and which cycles that saves."""
    lines = []
    for entry in entries:
        if not entry.get("found"):
            continue
        lines.append(f"- **{entry['design']}**: {moved(entry)}. Cycles: " + "; ".join(
            f"{_cause(name)} {before:,} → {after:,}" for name, (before, after) in entry["stalls"].items()
        ) + ".")  # fmt: skip
    return "\n".join(lines) or "None."


def moved(entry: dict[str, Any]) -> str:
    """Parameters that have grown, and those that have shrunk for it."""
    grown = [f"`{name}` {a:,} → {b:,}" for name, (a, b) in entry["changes"].items() if b > a]
    shrunk = [f"`{name}` {a:,} → {b:,}" for name, (a, b) in entry["changes"].items() if b < a]
    parts = [f"more {', '.join(grown)}" if grown else "", f"less {', '.join(shrunk)}" if shrunk else ""]
    return "; ".join(filter(None, parts))


def _cause(name: str) -> str:
    return "main engine at work" if name == "work" else f"stalls for {name}"


def main(argv: Sequence[str] | None = None) -> int:
    """Searches and shows."""
    parser = argparse.ArgumentParser(
        prog="./dev bench published", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("designs", nargs="*", metavar="DESIGN", help=f"of {', '.join(DESIGNS)} (default: all)")
    parser.add_argument("--points", type=int, default=POINTS, help=f"of each search (default: {POINTS})")
    parser.add_argument("--seed", type=int, default=0, help="of each search (default: 0)")
    parser.add_argument("--search-only", action="store_true", help="fill the results, and stop before areas")
    parser.add_argument("--no-area", action="store_false", dest="area", help="leave areas out, which take minutes")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}; other designs stay")
    arguments = parser.parse_args(argv)
    prepare()
    designs = arguments.designs or DESIGNS
    if arguments.search_only:
        for design in designs:
            searched(design, arguments.points, arguments.seed)
        return 0
    kept = {one["design"]: one for one in json.loads(FIGURES.read_text())["designs"]} if FIGURES.exists() else {}
    for design in designs:
        try:
            kept[design] = entry_of(design, arguments.points, arguments.seed, with_area=arguments.area)
        except CovenantError as error:
            print(error, file=sys.stderr)
            return 2
        if arguments.write:  # a search takes minutes: what is done stays
            write(kept, arguments.seed)
    entries = [kept[design] for design in DESIGNS if design in kept]
    print(json.dumps({"seed": arguments.seed, "designs": entries}, indent=1) if arguments.json else table(entries))
    return 0


def model_of(machine: Machine) -> Path:
    """The network with elements as wide as the machine's."""
    return NARROW if machine.parameters["bits"] == 4 else MODEL


def prepare() -> None:
    """Makes the network in both widths, if it is not there."""
    from resnet import image
    from resnet import write as write_network

    MODEL.parent.mkdir(parents=True, exist_ok=True)
    if not MODEL.exists():
        write_network("resnet50", MODEL)
    if not NARROW.exists():
        with tempfile.TemporaryDirectory() as scratch:
            quantize(zoo.get_float("resnet50", scratch), NARROW, {"image": image()}, elements=4)


def write(kept: dict[str, dict[str, Any]], seed: int) -> None:
    """Figures and page."""
    entries = [kept[design] for design in DESIGNS if design in kept]
    write_whole(FIGURES, json.dumps({"seed": seed, "designs": entries}, indent=1) + "\n")
    write_between(FRONT_PAGE, {BEGIN: front(entries)})
    write_between(PAGE, {BEGIN: f"{table(entries)}\n\n### What was moved\n\n{explanations(entries)}"})


if __name__ == "__main__":
    sys.exit(main())
