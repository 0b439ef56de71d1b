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
from covenant.study.errors import placed, user_error
from covenant.study.numerics import StudyNumerics
from covenant.study.points import Point, Resolved, memory_content, point_of

__all__ = ["Axis", "Grid"]


@dataclass(frozen=True)
class Axis:
    """One of the choices that make a point."""

    name: str
    """model, numerics, machine, memory; or a choice of numerics or a machine, as in `machines[0].M`."""
    values: tuple[Setting, ...]
    """Values in the order of the study; two or more."""
    of: tuple[str, int] | None = None
    """Another axis, and the only place in its values for which this one is a choice; None: it always is one."""

    def matters(self, chosen: Mapping[str, int]) -> bool:
        """Whether it is a choice beside those that are made, by places in the values of their axes."""
        return self.of is None or chosen.get(self.of[0], 0) == self.of[1]

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
        self._numerics = tuple(numerics)
        self._titles = tuple(dict.fromkeys(content.title for content in self._contents))
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
        """Axes with a choice: the model, its numerics, the machine and its parameters, the memory."""
        found = [Axis("model", self._titles)]
        found += _alternatives(
            "numerics", "numerics", [(f"numerics[{i}]", one.ranges) for i, one in enumerate(self._numerics)]
        )
        found += _alternatives("machine", "machines", [(entry.machine, entry.parameters) for entry in self._machines])
        found += [Axis("memory", tuple(name for name, _ in self._memories))]
        return tuple(axis for axis in found if len(axis.values) > 1)

    def place(self, chosen: Mapping[str, int]) -> int:
        """The place of a point by places in `values` of its axes; of axes without a choice it needs none."""
        at_machine = chosen.get("machine", 0)
        at_choice = 0
        for name, values in self._machines[at_machine].parameters.items():
            at_choice = at_choice * len(values) + chosen.get(f"machines[{at_machine}].{name}", 0)
        at_choice += sum(map(_count, self._machines[:at_machine]))
        at = self._at_content(chosen) * len(self._choices) + at_choice
        return at * len(self._memories) + chosen.get("memory", 0)

    def _at_content(self, chosen: Mapping[str, int]) -> int:
        """The place of a model, which is quantised already or has the numerics that are chosen."""
        title = self._titles[chosen.get("model", 0)]
        places = {one.numerics: place for place, one in enumerate(self._contents) if one.title == title}
        if len(places) == 1:
            return next(iter(places.values()))
        at = chosen.get("numerics", 0)
        ranges = self._numerics[at].ranges.items()
        values = {name: values[chosen.get(f"numerics[{at}].{name}", 0)] for name, values in ranges}
        return places[self._numerics[at].choice(values)]

    def _numerics_of(self, content: ModelContent) -> dict[str, int]:
        """Numerics as choices, in the form that `_at_content` takes."""
        for at, table in enumerate(self._numerics if content.numerics else ()):
            for places in product(*(range(len(values)) for values in table.ranges.values())):
                chosen = dict(zip(table.ranges, places, strict=True))
                values = {name: table.ranges[name][place] for name, place in chosen.items()}
                if table.choice(values) == content.numerics:
                    return {"numerics": at} | {f"numerics[{at}].{name}": place for name, place in chosen.items()}
        return {}

    def chosen(self, place: int) -> dict[str, int]:
        """The places in `values` of the axes of a point: what `place` takes."""
        at_model, rest = divmod(place, len(self._choices) * len(self._memories))
        at_choice, at_memory = divmod(rest, len(self._memories))
        at_machine, _ = self._choices[at_choice]
        content = self._contents[at_model]
        found = {"model": self._titles.index(content.title), "machine": at_machine, "memory": at_memory}
        rest = at_choice - sum(map(_count, self._machines[:at_machine]))
        for name, values in reversed(self._machines[at_machine].parameters.items()):
            rest, found[f"machines[{at_machine}].{name}"] = divmod(rest, len(values))
        found |= self._numerics_of(content)
        return {axis.name: found[axis.name] for axis in self.axes if axis.name in found}


def _alternatives(
    name: str, table: str, entries: Sequence[tuple[str, Mapping[str, Sequence[Setting]]]]
) -> list[Axis]:  # fmt: skip
    """The axis of the entries of a list of the study, and those of the ranges of each."""
    found = [Axis(name, tuple(title for title, _ in entries))]
    for place, (_, ranges) in enumerate(entries):
        found += [Axis(f"{table}[{place}].{key}", tuple(values), (name, place)) for key, values in ranges.items()]
    return found


def _contents(models: Sequence[StudyModel], numerics: Sequence[StudyNumerics]) -> list[ModelContent]:
    found: list[ModelContent] = []
    for place, model in enumerate(models):
        with placed(subject=f"models[{place}]"):
            if model.title in [one.title for one in found]:
                raise user_error("STU0015", "two models have one name", "name", offending=model.title,
                                 fix="give one of them another name")  # fmt: skip
            found.extend(contents_of(model, numerics))
    if numerics and all(content.numerics is None for content in found):
        raise user_error("STU0021", "numerics are those of float models, and the study has none", "numerics",
                         offending=", ".join(content.title for content in found),
                         fix="name a float model, and in its calibrate samples from which ranges come")  # fmt: skip
    return found


def _count(entry: StudyMachine) -> int:
    return prod(len(values) for values in entry.parameters.values())


def _combinations(entry: StudyMachine) -> Iterator[dict[str, Setting]]:
    """Combinations of the values of all parameters, the last one varying fastest."""
    for values in product(*entry.parameters.values()):
        yield dict(zip(entry.parameters, values, strict=True))


def _resolved(entry: StudyMachine, settings: dict[str, Setting]) -> Resolved:
    try:
        machine = Machine(entry.machine, **settings)
    except CovenantError as error:
        return Resolved(entry.machine, settings, "", error.diagnostic)
    # Machines list neither names nor options at their defaults.
    values = {name: machine.parameters.get(name, said) for name, said in settings.items()}
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
