"""Lines that the tests run, by room: `./dev coverage`.

The tests of a copy of the last commit, in build/coverage, are run there with counters in C++ (gcov) and Python
(coverage.py). A room is a folder of C++ such as compiler/passes, or a package of Python such as python/covenant/study.
Exit code 1 if a room is below --least.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

FOLDERS = ("acg", "compiler", "fuzz", "offchip", "platform", "python/_core", "rtl", "runtime", "sim")
"""C++ of the product."""
SETTINGS = Path(__file__).with_name("coveragerc")


@dataclass(frozen=True)
class File:
    """Lines of a source file that can run, and those of them that did not, by number from 1."""

    path: str
    lines: int
    missed: tuple[int, ...]

    @property
    def room(self) -> str:
        """Its folder, two levels deep, or three below python."""
        folders = Path(self.path).parts[:-1]
        return "/".join(folders[: 3 if folders[0] == "python" else 2])


@dataclass(frozen=True)
class Room:
    """Files of a folder."""

    name: str
    files: tuple[File, ...]

    @property
    def lines(self) -> int:
        """Lines that can run."""
        return sum(file.lines for file in self.files)

    @property
    def missed(self) -> int:
        """Lines of those that did not."""
        return sum(len(file.missed) for file in self.files)

    @property
    def percent(self) -> float:
        """Share of the lines that ran."""
        return 100 * (1 - self.missed / self.lines)


def rooms_of(files: Iterable[File]) -> list[Room]:
    """All rooms, by name."""
    found: dict[str, list[File]] = {}
    for file in files:
        if file.lines > 0:
            found.setdefault(file.room, []).append(file)
    return [Room(name, tuple(found[name])) for name in sorted(found)]


def cpp_files(report: dict[str, Any]) -> list[File]:
    """Files of a report of gcovr. A line of several instances or programs has run if it has in one of them."""
    files = []
    for entry in report["files"]:
        counts: dict[int, int] = {}
        for line in entry["lines"]:
            counts[line["line_number"]] = counts.get(line["line_number"], 0) + line["count"]
        missed = tuple(sorted(number for number, count in counts.items() if count == 0))
        files.append(File(entry["file"], len(counts), missed))
    return files


def python_files(report: dict[str, Any]) -> list[File]:
    """Files of a report of coverage.py."""
    return [
        File(path, entry["summary"]["num_statements"], tuple(entry["missing_lines"]))
        for path, entry in report["files"].items()
    ]


def _run(words: Sequence[str | Path], tree: Path) -> None:
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr[-2000:]}")


def measured(tree: Path, data: Path) -> list[File]:
    """All files of the copy `tree`, whose tests have run; `data`: where Python has left its counts."""
    with tempfile.TemporaryDirectory() as folder:
        cpp, python = Path(folder) / "cpp.json", Path(folder) / "python.json"
        filters = [word for folder in FOLDERS for word in ("--filter", f"{tree}/{folder}/")]
        ignored = ["--gcov-ignore-errors", "all", "--gcov-ignore-parse-errors", "all"]
        gcovr = [sys.executable, "-m", "gcovr", "--root", tree, "--merge-mode-functions", "separate", "-j", "2"]
        _run([*gcovr, *filters, *ignored, "--json", cpp, tree / "build/release"], tree)
        settings = ["--rcfile", SETTINGS, "--data-file", data / "python"]
        _run([sys.executable, "-m", "coverage", "combine", "--keep", *settings, data], tree)
        _run([sys.executable, "-m", "coverage", "json", *settings, "-o", python], tree)
        return [
            *cpp_files(json.loads(cpp.read_text(encoding="utf-8"))),
            *python_files(json.loads(python.read_text(encoding="utf-8"))),
        ]


def show(rooms: Sequence[Room], least: float, most_files: int) -> None:
    """Tables of the rooms, and of the files with the most lines that did not run."""
    table = Table("room", *(f"[right]{name}" for name in ("files", "lines", "missed", "percent")))
    for room in rooms:
        style = "" if room.percent >= least else "bold red"
        cells = (f"{len(room.files)}", f"{room.lines:,}", f"{room.missed:,}", f"{room.percent:.1f}")
        table.add_row(room.name, *cells, style=style)
    Console().print(table)
    worst = sorted((file for room in rooms for file in room.files), key=lambda file: -len(file.missed))[:most_files]
    for file in worst:
        print(f"{file.path}: {len(file.missed)} of {file.lines} lines missed: {_ranges(file.missed)}")


def _ranges(numbers: Sequence[int]) -> str:
    """`3-5, 9`."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges)


def summary_of(rooms: Sequence[Room], least: float) -> dict[str, Any]:
    """For --json, and for the record of the proof."""
    lines, missed = sum(room.lines for room in rooms), sum(room.missed for room in rooms)
    return {
        "lines": lines,
        "percent": round(100 * (1 - missed / lines), 1),
        "least": least,
        "below": [room.name for room in rooms if room.percent < least],
        "rooms": {
            room.name: {"lines": room.lines, "missed": room.missed, "percent": round(room.percent, 1)} for room in rooms
        },
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="./dev coverage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--least", type=float, default=90, metavar="PERCENT", help="of each room (default: 90)")
    parser.add_argument("--files", type=int, default=20, metavar="N", help="files with the most missed lines to name")
    parser.add_argument("--json", action="store_true", help="the figures of all rooms as JSON")
    arguments = parser.parse_args(argv)
    rooms = rooms_of(measured(arguments.tree.resolve(), arguments.data.resolve()))
    summary = summary_of(rooms, arguments.least)
    if arguments.json:
        print(json.dumps(summary, indent=1))
    else:
        show(rooms, arguments.least, arguments.files)
    return 1 if summary["below"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
