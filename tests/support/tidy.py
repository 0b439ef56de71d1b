"""clang-tidy on C++ files, several at a time: every finding once (a header's repeat in each source), and how far it is.

Files that the build does not compile by itself (they need a Verilated model) are left out, by name. The exit code is 1
if anything was found.

    python tests/support/tidy.py --build build/release --jobs 2 acg/isa/encode.cpp acg/isa/encode.h
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory

from compilation import compile_commands
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

FILES_BETWEEN_LINES = 20
"""Files for each line of progress, without a terminal."""
KEYS = ("directory", "command", "file", "output")
"""Of a command; clang-tidy takes no list with others."""
START_OF_A_FINDING = re.compile(r"^(?=\S[^\n]*: (?:error|warning): )", re.MULTILINE)


def sources_of(commands: list[dict[str, str]]) -> set[Path]:
    """The sources that these commands compile."""
    return {Path(command["directory"], command["file"]).resolve() for command in commands}


def findings_of(file: Path, build: Path) -> list[str]:
    """clang-tidy's findings in one file, each with its notes."""
    command = ["clang-tidy", "--quiet", "-p", str(build), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    blocks = [block.rstrip() for block in START_OF_A_FINDING.split(done.stdout)]
    found = [block for block in blocks if START_OF_A_FINDING.match(block)]
    if done.returncode != 0 and not found:
        return [f"{file}: clang-tidy failed with {done.returncode}: {done.stdout}{done.stderr}".rstrip()]
    return found


def each_file(files: list[Path], build: Path, jobs: int) -> Iterator[list[str]]:
    """The findings of each file as soon as they are known."""
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(findings_of, file, build) for file in files]):
            yield done.result()


def tidy(files: list[Path], build: Path, jobs: int) -> int:
    """Prints the findings and returns how many there are."""
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("  clang-tidy"), MofNCompleteColumn(), TextColumn("files"), TimeElapsedColumn())
    seen: set[str] = set()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=len(files))
        for count, found in enumerate(each_file(files, build, jobs), start=1):
            for finding in (finding for finding in found if finding not in seen):
                seen.add(finding)
                bar.console.print(finding, markup=False, soft_wrap=True)
            bar.advance(task)
            if not console.is_terminal and (count % FILES_BETWEEN_LINES == 0 or count == len(files)):
                console.print(f"  {count} of {len(files)} files, {len(seen)} findings")
    return len(seen)


def main() -> int:
    """Returns 1 if clang-tidy found anything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="folder of compile_commands.json")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time (default: %(default)s)")
    parser.add_argument("files", nargs="+", type=Path, help="sources and headers")
    arguments = parser.parse_args()
    commands = compile_commands(arguments.build)
    compiled = sources_of(commands)
    left_out = [file for file in arguments.files if file.suffix == ".cpp" and file.resolve() not in compiled]
    if left_out:
        print(f"  left out, not compiled by the build: {' '.join(map(str, left_out))}", file=sys.stderr)
    files = [file for file in arguments.files if file not in left_out]
    with TemporaryDirectory() as folder:
        known = [{key: command[key] for key in KEYS} for command in commands]
        (Path(folder) / "compile_commands.json").write_text(json.dumps(known))
        return 1 if tidy(files, Path(folder), arguments.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
