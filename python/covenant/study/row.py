"""A row of a study's table: a point and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from covenant.evaluation.hits import Hits, Interval
from covenant.study.description import Objective, Setting
from covenant.study.numerics import label_of
from covenant.tables import html_table

__all__ = [
    "ACCURACY", "BROKEN", "DONE", "FAILED", "INTERVALS", "MISSING", "StudyRow", "cost_of", "flat_row", "html_of",
    "shown_accuracy",
]  # fmt: skip

DONE, FAILED, BROKEN, MISSING = "done", "failed", "internal error", "missing"
ACCURACY = "accuracy"
"""The column that chance is in: images are a sample."""
INTERVALS = {
    "hits": "accuracy_interval",
    "onnxruntime_hits": "onnxruntime_accuracy_interval",
    "float_hits": "float_accuracy_interval",
}
"""Intervals by the hits that they are of, as the store keeps these."""
_DICTIONARIES = (
    "parameters", "numerics", "layer_errors", "utilisation_of", "stalls_by_cause", "energy_by_component",
)  # fmt: skip
_KEPT_APART = ("seconds", "hits")
"""Fields that are no columns."""


@dataclass(frozen=True)
class StudyRow:
    """A point and its result. Figures are None where there is no result."""

    model: str
    """Name of the model in the study."""
    machine: str
    """Spec of the machine; of a file its name."""
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
    accuracy_interval: Interval | None = None
    """Its 95 % confidence interval (`covenant.evaluation.wilson_interval`); None of a metric that is no share of rows,
    as are the next two."""
    onnxruntime_accuracy: float | None = None
    """Accuracy of ONNX Runtime on the same images."""
    onnxruntime_accuracy_interval: Interval | None = None
    float_accuracy: float | None = None
    """Accuracy of the float model in ONNX Runtime on the same images; None for models that were quantised already, as
    are the next four."""
    float_accuracy_interval: Interval | None = None
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
    """Asked for, instructions included; of a core lines that were fetched and written back."""
    energy_proxy: float | None = None
    """Energy of one image, pJ (docs/reference/energy.md)."""
    energy_by_component: dict[str, float] | None = None
    """Summands of `energy_proxy`, by node of the machine."""
    area_proxy: float | None = None
    """Area of the machine, um2 (docs/reference/area.md); None unless an objective names it."""
    pe_count: int | None = None
    """Multipliers of all systolic arrays; None where the machine does not hold together, as are the next two."""
    buffer_bits: int | None = None
    """Bits of all buffers of all scratchpads, and of the caches of a core."""
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
    hits: Hits | None = field(default=None, repr=False)
    """Rows of the outputs that are right, by which accuracies are told apart; no column of the table."""

    @property
    def title(self) -> str:
        """The model and how it is quantised, for people."""
        return ": ".join(filter(None, (self.model, label_of(self.numerics))))

    @property
    def label(self) -> str:
        """The machine with its parameters, for people."""
        return " ".join([self.machine, *(f"{name}={value}" for name, value in self.parameters.items())])

    def shown(self, column: str) -> Any:
        """Value of a column for people: of an accuracy with its interval."""
        value = getattr(self, column)
        if column != ACCURACY or value is None or self.accuracy_interval is None:
            return value
        return shown_accuracy(value, self.accuracy_interval)

    def to_dict(self, *, seconds: bool = False) -> dict[str, Any]:
        """Values by the names of the fields."""
        names = [one.name for one in fields(self) if one.name not in _KEPT_APART or (seconds and one.name == "seconds")]
        return {name: getattr(self, name) for name in names}


def shown_accuracy(accuracy: float | None, interval: Interval | None) -> str | None:
    """An accuracy with four digits, and its interval with three, if it has one."""
    if accuracy is None or interval is None:
        return None if accuracy is None else f"{accuracy:.4f}"
    return f"{accuracy:.4f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def cost_of(row: StudyRow, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
    """Costs of a row by the objectives, all to be low; None: it lacks one."""
    values = [getattr(row, one.column) for one in objectives]
    if any(value is None for value in values):
        return None
    return tuple(-v if one.sense == "max" else v for one, v in zip(objectives, values, strict=True))


def flat_row(row: StudyRow, *, seconds: bool = False) -> dict[str, Any]:
    """Values of a row, with a column for each name that a field has values by, and for the ends of intervals."""
    found: dict[str, Any] = {}
    for name, value in row.to_dict(seconds=seconds).items():
        if name in _DICTIONARIES:
            found |= {f"{name}.{inner}": one for inner, one in (value or {}).items()}
        elif name in INTERVALS.values():
            found |= dict(zip((f"{name}.low", f"{name}.high"), value or (None, None), strict=True))
        else:
            found[name] = value
    return found


def html_of(
    title: str, rows: Sequence[StudyRow], ties: Mapping[int, Sequence[int]], objectives: Sequence[Objective]
) -> str:
    """A table of points as small HTML: the front, marked by a star, first; then what is tied with it, then the rest."""
    tied = {place for places in ties.values() for place in places} - ties.keys()
    order = [*ties, *sorted(tied), *(place for place in range(len(rows)) if place not in ties and place not in tied)]
    named = [one.column for one in objectives]
    shown = [
        (
            "*" if place in ties else "=" if place in tied else "", rows[place].title, rows[place].label,
            rows[place].memory, *(rows[place].shown(column) for column in named),
            rows[place].code or rows[place].status,
        )
        for place in order
    ]  # fmt: skip
    columns = ("", "model", "machine", "memory", *(column.replace("_", " ") for column in named), "status")
    note = "* front, = tied with it; [] 95% confidence intervals" if any(row.hits for row in rows) else "* front"
    return html_table(title, columns, shown, note)
