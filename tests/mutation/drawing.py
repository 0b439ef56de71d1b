"""Decides which mistakes are drawn: rooms take turns, operators take turns in each, and a hash picks the site.

So a mistake stays drawn while its line stays as it is, whatever changes around it.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from dataclasses import dataclass

from mutants import ROOT
from operators import OPERATORS, Site, sites
from scan import scan

# Sources of each room. Headers are left out: what includes them would all have to be compiled again.
ROOMS = {
    "sim": "sim/**/*.cpp",
    "rtl/src": "rtl/src/**/*.sv",
    "rtl/gen": "rtl/gen/**/*.cpp",
    "acg/isa": "acg/[eiop][nspr]*/**/*.cpp",  # encoding, isa, operations, program
    "compiler": "compiler/**/*.cpp",
}
FIRST_NUMBER = 100_001  # past those of written mutants


@dataclass(frozen=True)
class Drawn:
    """A mistake that was drawn."""

    name: str  # of its source, its operator and a hash of its line: as long-lived as those
    room: str
    file: str
    line: int
    line_text: str
    site: Site
    rank: str  # the hash that decides
    is_verilog: bool


@functools.cache
def candidates(room: str, seed: int) -> dict[str, list[Drawn]]:
    """All mistakes that could be made in a room, by operator, in the order in which they are drawn."""
    found: dict[str, list[Drawn]] = {operator: [] for operator in OPERATORS}
    for path in sorted(ROOT.glob(ROOMS[room])):
        if path.stem.endswith("_main"):
            continue
        name = str(path.relative_to(ROOT))
        source = scan(name, path.read_text(encoding="utf-8"))
        lines = source.text.splitlines()
        times: Counter[tuple[str, str, str]] = Counter()
        for site in sites(source):
            line = source.line_of(site.start)
            text = lines[line - 1].strip()
            times[key := (site.operator, text, site.what)] += 1
            said = "\n".join((str(seed), name, *key, str(times[key])))
            rank = hashlib.sha256(said.encode()).hexdigest()
            label = f"{path.stem}-{site.operator}-{rank[:6]}"
            found[site.operator].append(Drawn(label, room, name, line, text, site, rank, source.is_verilog))
    return {operator: sorted(drawn, key=lambda one: one.rank) for operator, drawn in found.items()}


def draw(count: int, seed: int, refused: set[str]) -> list[Drawn]:
    """`count` mistakes. None of `refused`, by name, and no two at one place."""
    left = {room: {operator: list(one) for operator, one in candidates(room, seed).items()} for room in ROOMS}
    turns: Counter[str] = Counter()
    chosen: list[Drawn] = []
    for index in range(count):
        room = list(ROOMS)[index % len(ROOMS)]
        for _ in OPERATORS:
            operator = OPERATORS[turns[room] % len(OPERATORS)]
            turns[room] += 1
            one = _next(left[room][operator], chosen, refused)
            if one is not None:
                chosen.append(one)
                break
    return chosen


def _next(waiting: list[Drawn], chosen: list[Drawn], refused: set[str]) -> Drawn | None:
    while waiting:
        one = waiting.pop(0)
        if one.name in refused:
            continue
        if not any(_overlap(one, other) for other in chosen if other.file == one.file):
            return one
    return None


def _overlap(one: Drawn, other: Drawn) -> bool:
    return one.site.start < other.site.end and other.site.start < one.site.end


def written(name: str, numbered: list[tuple[int, Drawn]]) -> str:
    """The source `name` with all of its mistakes, each asked for by its number. Lines keep their numbers."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for number, one in sorted(numbered, key=lambda pair: -pair[1].site.start):
        old = text[one.site.start : one.site.end]
        new = " ".join(one.site.write(str(number)).split("\n")) + "\n" * old.count("\n")
        text = text[: one.site.start] + new + text[one.site.end :]
    if name.endswith(".sv"):
        return text
    return f'#include "tests/mutation/drawn.h"\n#line 1 "{name}"\n{text}'
