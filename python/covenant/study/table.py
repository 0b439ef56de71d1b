"""The table of a study: a row for each point, which rows are on the front, and the table as JSON, CSV and a picture."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covenant.evaluation.hits import Hits
from covenant.study.description import Objective
from covenant.study.front import front_of
from covenant.study.hardware import AREA, COUNTED, HARDWARE, hardware_of
from covenant.study.measure import INTERNAL, Outcome
from covenant.study.names import names_of_files
from covenant.study.numerics import table_of
from covenant.study.points import Plan, Point
from covenant.study.quantized import stored
from covenant.study.row import BROKEN, DONE, FAILED, INTERVALS, MISSING, StudyRow, cost_of, flat_row, html_of
from covenant.study.ties import ties_of
from covenant.tables import data_frame

if TYPE_CHECKING:  # optional, and slow to import
    from pandas import DataFrame

__all__ = ["StudyResult", "rows_of"]


@dataclass(frozen=True)
class StudyResult:
    """Table of a study. Equal studies give equal tables, in whatever order and however often they ran."""

    name: str
    objectives: tuple[Objective, ...]
    rows: tuple[StudyRow, ...]
    """Rows in the order of the study."""
    failed: int
    """Points without values, those of ONNX Runtime included, that are not merely missing."""
    reference_failures: dict[str, str] = field(default_factory=dict)
    """Reasons why there is no accuracy of ONNX Runtime, by model."""
    unnamed: int = 0
    """Points that the search has not named yet, for they depend on results that are missing; they have no rows."""
    first_batch: int = 0
    """Rows of the first batch of a search, which it named without any result; 0 where all points are named at once."""
    points: tuple[Point, ...] = field(default=(), compare=False, repr=False)
    """Point of each row."""
    computed: int = field(default=0, compare=False)
    """Points that the call that gave this has computed."""
    run_seconds: float = field(default=0.0, compare=False)
    """Wall-clock time of that call."""

    @property
    def missing(self) -> int:
        """Points that are not computed yet."""
        return sum(row.status == MISSING for row in self.rows) + self.unnamed

    @property
    def points_per_minute(self) -> float:
        """Computed by the call that gave this; 0 if it had nothing to compute."""
        return 60 * self.computed / self.run_seconds if self.computed else 0.0

    @cached_property
    def front_places(self) -> tuple[int, ...]:
        """Places of the rows on the Pareto front of the objectives."""
        return tuple(front_of([cost_of(row, self.objectives) for row in self.rows]))

    @cached_property
    def ties(self) -> dict[int, tuple[int, ...]]:
        """By place of a row on the front, the rows that are tied with it (`covenant.study.ties.ties_of`)."""
        return ties_of(self.rows, self.front_places, self.objectives)

    @property
    def tied_places(self) -> tuple[int, ...]:
        """Places of the rows that are tied with one of the front, and not on it themselves."""
        return tuple(sorted({place for tied in self.ties.values() for place in tied} - {*self.front_places}))

    @property
    def found_better(self) -> bool | None:
        """Whether a search has found a row of the front after its first batch, one that is tied with no row of that.

        None of what is no search, or has not come further.
        """
        first = self.first_batch
        if not 0 < first < len(self.rows):
            return None
        return any(place >= first and not any(one < first for one in tied) for place, tied in self.ties.items())

    def model_path(self, place: int) -> Path:
        """The int8 model that the machine of a row runs.

        Raises:
            CovenantError: as `covenant.study.quantized.stored`.
        """
        return stored(self.points[place].model).path

    def front(self) -> tuple[StudyRow, ...]:
        """Rows that no other one is as good as in every objective and better in one."""
        return tuple(self.rows[place] for place in self.front_places)

    def to_dict(self, *, seconds: bool = False) -> dict[str, Any]:
        """Plain values; keys: docs/reference/cli.md. `seconds`: with the time that each row took."""
        return {
            "study": self.name,
            "objectives": {one.column: one.sense for one in self.objectives},
            "rows": [row.to_dict(seconds=seconds) for row in self.rows],
            "front": list(self.front_places),
            "ties": [list(self.ties[place]) for place in self.front_places],
            "first_batch": self.first_batch,
            "found_better": self.found_better,
            "failed": self.failed,
            "missing": self.missing,
            "reference_failures": self.reference_failures,
        }

    def to_json(self, *, seconds: bool = False) -> str:
        """`to_dict` as text: equal tables give equal bytes."""
        return json.dumps(self.to_dict(seconds=seconds), indent=2) + "\n"

    def to_csv(self, *, seconds: bool = False) -> str:
        """One line for each row; parameters, utilisations and stalls have a column for each name: `parameters.M`.

        `tied_with` has the places of the rows on the front that the row is tied with, with blanks between.
        """
        flat = self._flat(seconds=seconds)
        order = [*(one.name for one in fields(StudyRow)), "front", "tied_with"]
        names = sorted({name for row in flat for name in row}, key=lambda name: (order.index(name.split(".")[0]), name))
        text = io.StringIO()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)
        return text.getvalue()

    def _flat(self, *, seconds: bool = False) -> list[dict[str, Any]]:
        """Rows as `to_csv` has them."""
        return [
            flat_row(row, seconds=seconds)
            | {
                "front": int(place in self.front_places),
                "tied_with": " ".join(str(best) for best, places in self.ties.items() if place in places),
            }
            for place, row in enumerate(self.rows)
        ]

    def to_dataframe(self) -> DataFrame:
        """The table as a data frame of pandas, with the columns of `to_csv`.

        Raises:
            CovenantError: CLI0012, pandas is not installed.
        """
        return data_frame(self._flat())

    def _repr_html_(self) -> str:
        return html_of(self.name, self.rows, self.ties, self.objectives)

    def plot(self, path: str | os.PathLike[str], name: str | None = None) -> None:
        """Draws a picture, with the names of the rows on the front; SVG or PNG by the name of the file.

        Args:
            path: of the file.
            name: one of `covenant.study.pictures.picture_names`; None: the first, the front of the first objective.

        Raises:
            CovenantError: as `covenant.study.pictures.write_picture`.
        """
        from covenant.study.pictures import write_picture  # noqa: PLC0415 (a study without pictures does not pay)

        write_picture(self, path, name)

    def write_page(self, path: str | os.PathLike[str], reports: Iterable[int] = ()) -> None:
        """Writes a page that opens offline, with all pictures and the table; equal tables give equal pages.

        Args:
            path: of the HTML file.
            reports: places of rows whose reports are written first, into the folder beside it that ends with .reports;
                reports that are there are kept. Every point that has a report gets a link to it.

        Raises:
            CovenantError: as `covenant.study.page.write_page` and `write_reports`.
        """
        from covenant.study.page import check_page, write_page, write_reports  # noqa: PLC0415 (as above)

        check_page(path)
        write_reports(self, path, reports)
        write_page(self, path)


def rows_of(plan: Plan, outcomes: dict[str, Outcome], objectives: Sequence[Objective] = ()) -> tuple[StudyRow, ...]:
    """The table of a plan, as far as there are outcomes; with areas if an objective names them."""
    references = {point.model: outcomes.get(point.key) for point in plan.references}
    columns = HARDWARE if any(one.column == AREA for one in objectives) else COUNTED
    machines = names_of_files(point.machine for point in plan.points)
    memories = names_of_files(point.memory for point in plan.points)
    rows = []
    for point in plan.points:
        what = {
            "model": point.model.title,
            "machine": machines[point.machine],
            "parameters": point.settings,
            "memory": memories[point.memory],
            "numerics": table_of(point.model.numerics),
        }
        what |= hardware_of(point.machine_json, columns)
        rows.append(_row(point, outcomes.get(point.key), references.get(point.model), what))
    return tuple(rows)


def _row(point: Point, outcome: Outcome | None, reference: Outcome | None, what: dict[str, Any]) -> StudyRow:
    beside = _rated(reference.values) if reference and reference.values else {}
    if outcome is None:
        return StudyRow(**what, status=MISSING, **beside)
    if outcome.values is None:
        status = BROKEN if outcome.code == INTERNAL else FAILED
        return StudyRow(**what, status=status, code=outcome.code, text=outcome.text, seconds=outcome.seconds, **beside)
    values = _rated(outcome.values)
    if "hits" in values:  # rows of equal data and metric are paired
        values["hits"] = values["hits"].on(f"{point.model.data_digest} {point.model.metric}")
    return StudyRow(**what, status=DONE, seconds=outcome.seconds, **values, **beside)


def _rated(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as they are kept, with an interval for each accuracy of which the hits are kept."""
    found = {name: value for name, value in values.items() if name not in INTERVALS}
    for name in INTERVALS.keys() & values.keys():
        hits = Hits.parsed(values[name])
        found[INTERVALS[name]] = hits.interval
        found |= {"hits": hits} if name == "hits" else {}
    return found
