"""The table of a study: a row for each point, which rows are on the front, and the table as JSON, CSV and a picture."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from covenant.study.description import Objective, Setting
from covenant.study.front import front_of
from covenant.study.hardware import AREA, COUNTED, HARDWARE, hardware_of
from covenant.study.measure import INTERNAL, Outcome
from covenant.study.numerics import label_of, table_of
from covenant.study.points import Plan, Point
from covenant.study.quantized import stored

__all__ = ["MISSING", "StudyResult", "StudyRow", "cost_of", "rows_of"]

DONE, FAILED, BROKEN, MISSING = "done", "failed", "internal error", "missing"


@dataclass(frozen=True)
class StudyRow:
    """A point and its result. Figures are None where there is no result."""

    model: str
    """Name of the machine in the study."""
    machine: str
    """Spec of the machine."""
    parameters: dict[str, Setting]
    """Parameters that the study sets, as numbers where the machine holds together."""
    memory: str
    status: str
    """done; failed, by a diagnostic; internal error, a mistake of ours; missing: not computed yet."""
    numerics: dict[str, Any] = field(default_factory=dict)
    """How a float model is quantised, by the names that a study has for it; empty of others."""
    cycles: int | None = None
    """Cycles of one image."""
    seconds_of_machine: float | None = None
    """`cycles` at the machine's clock."""
    accuracy: float | None = None
    """Accuracy by the metric of the model: 0..1, or dB for sqnr."""
    onnxruntime_accuracy: float | None = None
    """Accuracy of ONNX Runtime on the same images."""
    float_accuracy: float | None = None
    """Accuracy of the float model in ONNX Runtime on the same images; None for models that were quantised already, as
    are the next three."""
    mean_layer_error: float | None = None
    """Mean error of all layers, each by itself against float on the calibration data: norm of the difference over that
    of the result (`covenant.quantization.LayerError`)."""
    largest_layer_error: float | None = None
    layer_errors: dict[str, float] | None = None
    """Errors by the name of the layer."""
    images: int | None = None
    compared_images: int | None = None
    """Images whose outputs were compared with those expected."""
    equal_images: int | None = None
    """Images of which every output byte is the one expected."""
    expected_from: str | None = None
    """Source of the expected outputs: `covenant.verify.expected.Source`."""
    simulated_images: int | None = None
    """Images of which the SystemC model has made the same bytes: always the first and the last."""
    utilisation: float | None = None
    """Utilisation of the main engine of each layer, weighted by the cycles of layers; 0..1."""
    utilisation_of: dict[str, float] | None = None
    """Utilisation by main engine: its real work over what it could do in all cycles; 0..1."""
    stalls: int | None = None
    """Cycles in which the main engine of the layer did not work."""
    stalls_by_cause: dict[str, int] | None = None
    bytes_offchip: int | None = None
    """Asked for, instructions included; None of machines that do not count them."""
    energy_proxy: float | None = None
    """Energy of one image, pJ (docs/reference/energy.md); None where `bytes_offchip` is."""
    energy_by_component: dict[str, float] | None = None
    """Summands of `energy_proxy`, by node of the machine."""
    area_proxy: float | None = None
    """Area of the machine, um2 (docs/reference/area.md); None unless an objective names it."""
    pe_count: int | None = None
    """Multipliers of all systolic arrays; None where the machine does not hold together, as are the next two."""
    buffer_bits: int | None = None
    """Bits of all buffers of all scratchpads."""
    bus_bits: int | None = None
    """Bits of all edges of off-chip memory."""
    row_hits: int | None = None
    """Accesses of a memory that has rows; else None, as are the next two."""
    row_misses: int | None = None
    row_conflicts: int | None = None
    code: str = ""
    """Code of the diagnostic of a point that failed; INTERNAL for an internal error."""
    text: str = ""
    """Text of the diagnostic."""
    seconds: float = field(default=0.0, compare=False)
    """Wall-clock time of computing it; no part of the table, for no two runs share it."""

    @property
    def title(self) -> str:
        """The model and how it is quantised, for people."""
        return ": ".join(filter(None, (self.model, label_of(self.numerics))))

    @property
    def label(self) -> str:
        """The machine with its parameters, for people."""
        return " ".join([self.machine, *(f"{name}={value}" for name, value in self.parameters.items())])

    def to_dict(self, *, seconds: bool = False) -> dict[str, Any]:
        """Values by the names of the fields."""
        names = [one.name for one in fields(self) if seconds or one.name != "seconds"]
        return {name: getattr(self, name) for name in names}


def cost_of(row: StudyRow, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    """Costs of a row by the objectives, all to be low; None: it lacks one."""
    values = [getattr(row, one.column) for one in objectives]
    if any(value is None for value in values):
        return None
    return tuple(-v if one.sense == "max" else v for one, v in zip(objectives, values, strict=True))


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
            "failed": self.failed,
            "missing": self.missing,
            "reference_failures": self.reference_failures,
        }

    def to_json(self, *, seconds: bool = False) -> str:
        """`to_dict` as text: equal tables give equal bytes."""
        return json.dumps(self.to_dict(seconds=seconds), indent=2) + "\n"

    def to_csv(self, *, seconds: bool = False) -> str:
        """One line for each row; parameters, utilisations and stalls have a column for each name: `parameters.M`."""
        flat = [_flat(row.to_dict(seconds=seconds)) for row in self.rows]
        order = [one.name for one in fields(StudyRow)]
        names = sorted({name for row in flat for name in row}, key=lambda name: (order.index(name.split(".")[0]), name))
        text = io.StringIO()
        writer = csv.DictWriter(text, [*names, "front"], lineterminator="\n")
        writer.writeheader()
        for place, row in enumerate(flat):
            writer.writerow(row | {"front": int(place in self.front_places)})
        return text.getvalue()

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
    return tuple(
        _row(point, outcomes.get(point.key), references.get(point.model), hardware_of(point.machine_json, columns))
        for point in plan.points
    )


def _row(point: Point, outcome: Outcome | None, reference: Outcome | None, hardware: dict[str, Any]) -> StudyRow:
    what: dict[str, Any] = {
        "model": point.model.title,
        "machine": point.machine,
        "parameters": point.settings,
        "memory": point.memory,
        "numerics": table_of(point.model.numerics),
    }
    what |= hardware
    beside = reference.values if reference and reference.values else {}
    if outcome is None:
        return StudyRow(**what, status=MISSING, **beside)
    if outcome.values is None:
        status = BROKEN if outcome.code == INTERNAL else FAILED
        return StudyRow(**what, status=status, code=outcome.code, text=outcome.text, seconds=outcome.seconds, **beside)
    return StudyRow(**what, status=DONE, seconds=outcome.seconds, **outcome.values, **beside)


_DICTIONARIES = (
    "parameters", "numerics", "layer_errors", "utilisation_of", "stalls_by_cause", "energy_by_component",
)  # fmt: skip


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if name in _DICTIONARIES:
            found |= {f"{name}.{inner}": one for inner, one in (value or {}).items()}
        else:
            found[name] = value
    return found
