"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

Item = TypeVar("Item")


class Output:
    """One command's output, for people (tables) or for programs (`--json`: exactly one JSON object)."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        self._out = Console(highlight=False, width=_width(sys.stdout))
        self._error = Console(stderr=True, highlight=False, width=_width(sys.stderr))

    def note(self, text: str) -> None:
        """What is going on; never part of the result."""
        self._error.print(text, markup=False, soft_wrap=True)

    def text(self, text: str) -> None:
        """A result that is text already."""
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()

    def line(self, text: str) -> None:
        """A line of a result for people."""
        self._out.print(text, markup=False, soft_wrap=True)

    def object(self, content: dict[str, Any]) -> None:
        """The one JSON object of `--json`."""
        self.text(json.dumps(content, indent=2))

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table for people; numbers stand right."""
        rows = [list(row) for row in rows]
        table = Table(title=title, title_justify="left")
        for index, column in enumerate(columns):
            numeric = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
        for row in rows:
            table.add_row(*(_cell(value) for value in row))
        self._out.print(table)

    def progress(self, items: Sequence[Item], what: str) -> Iterator[Item]:
        """The items, with a bar on standard error if somebody is looking at it."""
        with Progress(console=self._error, transient=True, disable=not self._error.is_terminal) as bar:
            yield from bar.track(items, description=what)

    @contextmanager
    def activity(self, what: str) -> Iterator[Callable[[str, int, int], None]]:
        """A bar for one long call: the function given is told the step, how much of it is done, and of how much.

        Where nobody is looking, each step is one line.
        """
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        shown = self._error.is_terminal
        with Progress(*columns, console=self._error, transient=True, disable=not shown) as bar:
            task = bar.add_task(what, total=None)
            said = ""

            def tell(step: str, done: int, total: int) -> None:
                nonlocal said
                bar.update(task, description=f"{what}: {step}", completed=done, total=total)
                if step != said and not shown:
                    self.note(f"{what}: {step}")
                said = step

            yield tell

    def failure(self, content: dict[str, Any], text: str) -> None:
        """What went wrong: text for people always, and the object as well with `--json`."""
        self.note(text)
        if self.json:
            self.object(content)


def _width(stream: TextIO) -> int | None:
    """Columns of a terminal are its own affair; files and pipes have room."""
    return None if stream.isatty() else 160


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
