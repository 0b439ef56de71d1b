"""Reports of the points of a study, layer by layer, in a folder beside its page."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from covenant.compiler import compile as compile_model
from covenant.machine import Machine
from covenant.machine.families import family_of
from covenant.onnx_runtime.sessions import PINNED_ONNXRUNTIME
from covenant.program.inputs import random_feeds
from covenant.report import PAGE, write_report
from covenant.report.facts import host_facts, memory_facts
from covenant.report.folder import MARK
from covenant.runtime.session import Session
from covenant.study.pictures.columns import Table

__all__ = ["Reported", "folder_of_reports", "link_of", "target_of", "write_reports"]

_LONGEST = 90
"""Characters of a folder's name, before what tells it from all others."""


class Reported(Table, Protocol):
    """A table whose points are known."""

    @property
    def first_batch(self) -> int:
        """Rows of the first batch of a search; 0 of what is none."""
        ...

    @property
    def found_better(self) -> bool | None:
        """Whether a search has found something better than that."""
        ...

    @property
    def points(self) -> Sequence[Any]:
        """Point of each row, as `covenant.study.points.Point`."""
        ...

    def model_path(self, place: int) -> Path:
        """The int8 model that the machine of a row runs."""
        ...


def folder_of_reports(page: str | os.PathLike[str]) -> Path:
    """The folder beside a page in which the reports of its points are: `study.reports` of `study.html`."""
    return Path(page).with_suffix(".reports")


def target_of(table: Reported, place: int, folder: Path) -> Path | None:
    """The folder of the report of a row; None: it has no result, or its machine has no reports.

    The name ends with a hash of all that the result depends on: a report of another model or machine is another one.
    """
    row, point = table.rows[place], table.points[place]
    if row.cycles is None or not family_of(Machine.from_json(point.machine_json)).has_timeline:
        return None
    name = re.sub(r"[^\w.=+-]+", "-", f"{row.title} {row.label} {row.memory}").strip("-.")
    return folder / f"{name[:_LONGEST]}-{point.key[:8]}"


def link_of(table: Reported, place: int, page: Path) -> str | None:
    """Path from the page to the report of a row, if that has been written."""
    folder = folder_of_reports(page)
    target = target_of(table, place, folder)
    if target is None or not (target / MARK).is_file():
        return None
    return f"{folder.name}/{target.name}/{PAGE}"


def write_reports(
    table: Reported,
    page: str | os.PathLike[str],
    places: Iterable[int],
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Path]:
    """Writes the reports of some rows, and gives their folders; one that is there already is kept.

    Args:
        table: the study.
        page: path of its page, beside which the folder lies.
        places: of the rows; rows without a result, or on machines that issue packets, have no report.
        progress: told how many are done, and of how many.

    Raises:
        CovenantError: CLI0006, the folder cannot be written; CLI0012, vl-convert-python is not installed; as
            `covenant.compile` and `covenant.Session.run`, where a file of the study is not there any more.
    """
    found = [(place, target_of(table, place, folder_of_reports(page))) for place in places]
    wanted = [(place, target) for place, target in found if target is not None]
    for number, (place, target) in enumerate(wanted):
        progress(number, len(wanted))
        if not (target / MARK).is_file():
            _write(table, place, target)
    progress(len(wanted), len(wanted))
    return [target for _, target in wanted]


def _write(table: Reported, place: int, target: Path) -> None:
    point, row, model = table.points[place], table.rows[place], table.model_path(place)
    program = compile_model(model, Machine.from_json(point.machine_json))
    # No cycle depends on a value, so that any image tells; what came of all images is in the row.
    result = Session(program).run(random_feeds(program, 1, 0)[0], values=False, trace=True, memory=point.memory)
    by_onnxruntime = row.expected_from == "onnxruntime"
    run = {
        "images": row.compared_images,
        "identical": None if row.equal_images is None else row.equal_images == row.compared_images,
        "within_a_step": None,
        "oracle": {"version": PINNED_ONNXRUNTIME if by_onnxruntime else None},
        "compared_layers": None,
        "host": host_facts(program, [result]),
        "memory": memory_facts(result.stats),
    }
    write_report(target, program, result, model, run)
