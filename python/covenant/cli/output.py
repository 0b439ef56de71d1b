"""Output of commands: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from covenant.files import STANDARD_OUTPUT

if TYPE_CHECKING:  # imported only if something is shown
    from rich.console import Console

Item = TypeVar("Item")
SECONDS_OF_A_LINE = 10.0
"""Time between two lines about a long computation where standard error is no terminal."""


class Output:
    """Output of one command, for people (tables) or for programs (`--json`: exactly one JSON object)."""

    def __init__(self, *, json: bool) -> None:
        self.json = json

    @cached_property
    def _out(self) -> Console:
        from rich.console import Console

        return Console(highlight=False, width=_width(sys.stdout))

    @cached_property
    def _error(self) -> Console:
        from rich.console import Console

        return Console(stderr=True, highlight=False, width=_width(sys.stderr))

    def note(self, text: str) -> None:
        """Prints a message on progress, which is never part of the result."""
        self._error.print(text, markup=False, soft_wrap=True)

    def text(self, text: str) -> None:
        """A result that is text already."""
        with _standard_output():
            sys.stdout.write(text if text.endswith("\n") else text + "\n")
            sys.stdout.flush()

    def line(self, text: str) -> None:
        """A line of a result for people."""
        with _standard_output():
            self._out.print(text, markup=False, soft_wrap=True)

    def object(self, content: dict[str, Any]) -> None:
        """The one JSON object of `--json`."""
        self.text(json.dumps(content, indent=2))

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table for people; numbers are right-aligned."""
        from rich.markup import escape
        from rich.table import Table

        rows = [list(row) for row in rows]
        table = Table(title=escape(title), title_justify="left")
        for index, column in enumerate(columns):
            numeric = bool(rows) and all(isinstance(row[index], int | float) for row in rows)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
        for row in rows:
            table.add_row(*(escape(_cell(value)) for value in row))
        with _standard_output():
            self._out.print(table)

    def progress(self, items: Sequence[Item], what: str) -> Iterator[Item]:
        """The items, with a bar on standard error if that is a terminal."""
        from rich.progress import Progress

        with Progress(console=self._error, transient=True, disable=not self._error.is_terminal) as bar:
            yield from bar.track(items, description=what)

    @contextmanager
    def activity(self, what: str) -> Iterator[Callable[[str, int, int], None]]:
        """A bar for one long call; yields a function that takes the step, its progress and its total.

        Without a terminal, it prints a line for each step, and one now and then.
        """
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        )  # fmt: skip
        shown = self._error.is_terminal
        with Progress(*columns, console=self._error, transient=True, disable=not shown) as bar:
            task = bar.add_task(what, total=None)
            said, at = "", time.monotonic()

            def tell(step: str, done: int, total: int) -> None:
                nonlocal said, at
                if step != said:  # the remaining time is that of this step
                    bar.reset(task, total=total)
                bar.update(task, description=f"{what}: {step}", completed=done, total=total)
                if not shown and (step != said or time.monotonic() - at >= SECONDS_OF_A_LINE):
                    self.note(f"{what}: {step}" + (f", {done:,} of {total:,}" if step == said else ""))
                    at = time.monotonic()
                said = step

            yield tell

    @contextmanager
    def points(self, what: str) -> Iterator[Callable[[int, int, int], None]]:
        """A bar for many points; yields a function that takes the numbers of those done, failed, and of all.

        Without a terminal, it prints a line now and then.
        """
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}"), TimeRemainingColumn(),
        )  # fmt: skip
        shown = self._error.is_terminal
        with Progress(*columns, console=self._error, transient=True, disable=not shown) as bar:
            task = bar.add_task(what, total=None, failed="")
            said = time.monotonic()

            def tell(done: int, failed: int, total: int) -> None:
                nonlocal said
                failures = f"{failed} failed" if failed else ""
                bar.update(task, completed=done, total=total, failed=failures)
                if not shown and time.monotonic() - said >= SECONDS_OF_A_LINE:
                    self.note(f"{what}: {done} of {total} points{failures and f', {failures}'}")
                    said = time.monotonic()

            yield tell

    def failure(self, content: dict[str, Any], text: str) -> None:
        """Reports an error: text for people always, and the object as well with `--json`."""
        self.note(text)
        if self.json:
            self.object(content)


@contextmanager
def _standard_output() -> Iterator[None]:
    """Names the place in errors of the system while the body writes there."""
    try:
        yield
    except OSError as error:
        error.filename = STANDARD_OUTPUT
        raise


def _width(stream: TextIO) -> int | None:
    """None for a terminal, which knows its width; files and pipes have room for long lines."""
    return None if stream.isatty() else 160


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
