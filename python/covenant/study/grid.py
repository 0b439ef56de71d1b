"""The grid of a study: every model on every machine with every memory, and the axes along which its points differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from covenant.errors import CovenantError
from covenant.machine import Machine
from covenant.study.data_set import ModelContent, contents_of
from covenant.study.description import Setting, StudyMachine, StudyModel
from covenant.study.mistakes import mistake, placed
from covenant.study.numerics import StudyNumerics
from covenant.study.points import Point, Resolved, memory_content, point_of

__all__ = ["Axis", "Grid"]


@dataclass(frozen=True)
class Axis:
    """One of the choices that make a point."""

    name: str
    """model, machine, memory, or a parameter of a machine, as in `machines[0].M`."""
    values: tuple[Setting, ...]
    """In the order of the study; two or more."""
    machine: int | None = None
    """Place of the only machine that it is a choice of; None: of all points."""

    @property
    def is_ordered(self) -> bool:
        """Whether neighbours are alike: numbers that rise, or fall, from the first to the last."""
        if not all(isinstance(value, int) for value in self.values):
            return False
        steps = [b - a for a, b in zip(self.values, self.values[1:], strict=False)]  # type: ignore[operator]
        return all(step > 0 for step in steps) or all(step < 0 for step in steps)


class Grid:
    """All points that a study may have. A point is made when it is asked for.

    Args:
        models, machines, memory, numerics: of the study. A float model is one for each way to quantise it.

    Raises:
        CovenantError: a file is not there or does not suit (STU0009, STU0010, STU0014); no combination of a machine's
            parameters holds together (codes ACGnnnn); a memory is wrong (codes MEMnnnn); STU0015, two models have one
            name; STU0020, STU0021: a metric in a file, or numerics, do not suit.
    """

    def __init__(
        self, models: Sequence[StudyModel], machines: Sequence[StudyMachine], memory: Sequence[str],
        numerics: Sequence[StudyNumerics] = (),
    ) -> None:  # fmt: skip
        for entry in machines:
            _check_machine(entry)
        self._machines = tuple(machines)
        self._contents = _contents(models, numerics)
        self._memories = [(name, memory_content(name)) for name in memory]
        self._choices = [
            (place, combination) for place, entry in enumerate(machines) for combination in _combinations(entry)
        ]
        self._resolved: dict[int, Resolved] = {}

    def __len__(self) -> int:
        return len(self._contents) * len(self._choices) * len(self._memories)

    def point(self, place: int) -> Point:
        """One of them: models, on each the machines, on each the memories, the last fastest."""
        at_model, rest = divmod(place, len(self._choices) * len(self._memories))
        at_choice, at_memory = divmod(rest, len(self._memories))
        if at_choice not in self._resolved:
            at_machine, settings = self._choices[at_choice]
            self._resolved[at_choice] = _resolved(self._machines[at_machine], settings)
        return point_of(self._contents[at_model], self._resolved[at_choice], *self._memories[at_memory])

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Those with a choice: the model, the machine, then the parameters of each machine, the memory."""
        found = [Axis("model", tuple(content.name for content in self._contents))]
        found += [Axis("machine", tuple(entry.machine for entry in self._machines))]
        for place, entry in enumerate(self._machines):
            found += [
                Axis(f"machines[{place}].{name}", tuple(values), place) for name, values in entry.parameters.items()
            ]
        found += [Axis("memory", tuple(name for name, _ in self._memories))]
        return tuple(axis for axis in found if len(axis.values) > 1)

    def place(self, chosen: Mapping[str, int]) -> int:
        """The place of a point by places in `values` of its axes; of axes without a choice it needs none."""
        at_machine = chosen.get("machine", 0)
        at_choice = 0
        for name, values in self._machines[at_machine].parameters.items():
            at_choice = at_choice * len(values) + chosen.get(f"machines[{at_machine}].{name}", 0)
        at_choice += sum(map(_count, self._machines[:at_machine]))
        at = chosen.get("model", 0) * len(self._choices) + at_choice
        return at * len(self._memories) + chosen.get("memory", 0)

    def chosen(self, place: int) -> dict[str, int]:
        """The places in `values` of the axes of a point: what `place` takes."""
        at_model, rest = divmod(place, len(self._choices) * len(self._memories))
        at_choice, at_memory = divmod(rest, len(self._memories))
        at_machine, _ = self._choices[at_choice]
        found = {"model": at_model, "machine": at_machine, "memory": at_memory}
        rest = at_choice - sum(map(_count, self._machines[:at_machine]))
        for name, values in reversed(self._machines[at_machine].parameters.items()):
            rest, found[f"machines[{at_machine}].{name}"] = divmod(rest, len(values))
        return {axis.name: found[axis.name] for axis in self.axes if axis.name in found}


def _contents(models: Sequence[StudyModel], numerics: Sequence[StudyNumerics]) -> list[ModelContent]:
    found: list[ModelContent] = []
    for place, model in enumerate(models):
        with placed(subject=f"models[{place}]"):
            if model.title in [one.title for one in found]:
                raise mistake("STU0015", "two models have one name", "name", offending=model.title,
                              fix="give one of them another name")  # fmt: skip
            found.extend(contents_of(model, numerics))
    if numerics and all(content.numerics is None for content in found):
        raise mistake("STU0021", "numerics are those of float models, and the study has none", "numerics",
                      offending=", ".join(content.title for content in found),
                      fix="name a float model, and in its calibrate samples from which ranges come")  # fmt: skip
    return found


def _count(entry: StudyMachine) -> int:
    return prod(len(values) for values in entry.parameters.values())


def _combinations(entry: StudyMachine) -> Iterator[dict[str, Setting]]:
    """Of the values of all parameters, the last one fastest."""
    for values in product(*entry.parameters.values()):
        yield dict(zip(entry.parameters, values, strict=True))


def _resolved(entry: StudyMachine, settings: dict[str, Setting]) -> Resolved:
    try:
        machine = Machine(entry.machine, **settings)
    except CovenantError as error:
        return Resolved(entry.machine, settings, "", error.diagnostic)
    values = {name: machine.parameters[name] for name in settings}
    return Resolved(entry.machine, values, machine.to_json(), None)


def _check_machine(entry: StudyMachine) -> None:
    """Raises what is wrong with a machine of which no combination holds together: its name, or all of its ranges."""
    refusal = None
    for settings in _combinations(entry):
        found = _resolved(entry, settings)
        if found.refusal is None:
            return
        refusal = refusal or found.refusal
    if refusal:
        raise CovenantError(refusal)
