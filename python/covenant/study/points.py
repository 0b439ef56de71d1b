"""The points of a study: which there are, in which order, and the hash by which the result of each is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from covenant._core import version
from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole
from covenant.machine import Machine
from covenant.memory_models import memory_model
from covenant.oracle import PINNED_ONNXRUNTIME
from covenant.study.data_set import ModelContent, content_of
from covenant.study.description import Setting, StudyMachine, StudyModel, StudySearch
from covenant.study.mistakes import mistake, placed

__all__ = ["SCHEMA", "Plan", "Point", "plan"]

SCHEMA = 1
"""Of what is kept of a point. Another one: results that are there are computed anew."""


@dataclass(frozen=True)
class Point:
    """One thing to compute: a model on a machine with a memory, or in ONNX Runtime."""

    key: str
    """SHA-256 of all that its result depends on."""
    group: str
    """Points of equal groups share a program and its outputs: they differ in the memory alone."""
    model: ModelContent
    machine: str
    """Its spec; empty: ONNX Runtime."""
    settings: dict[str, Setting]
    """The parameters that the study sets, resolved to numbers where the machine holds together."""
    machine_json: str
    """The resolved machine; empty where it does not hold together, and of ONNX Runtime."""
    memory: str
    refusal: Diagnostic | None = None
    """Why the machine does not hold together."""

    @property
    def is_reference(self) -> bool:
        """Whether it is the accuracy of ONNX Runtime."""
        return not self.machine


@dataclass(frozen=True)
class Plan:
    """All points of a study."""

    points: tuple[Point, ...]
    """On machines, in the order of the table."""
    references: tuple[Point, ...]
    """In ONNX Runtime: one for each model that a point has."""

    def reference_of(self, point: Point) -> Point:
        """The model of a point in ONNX Runtime."""
        return next(one for one in self.references if one.model == point.model)


@dataclass(frozen=True)
class _Resolved:
    """One machine of a study."""

    spec: str
    settings: dict[str, Setting]
    json: str
    refusal: Diagnostic | None


def plan(
    models: Sequence[StudyModel], machines: Sequence[StudyMachine], memory: Sequence[str], search: StudySearch
) -> Plan:
    """The points in the order of the study: models, on each the machines, on each the memories; or as they are drawn.

    Raises:
        CovenantError: a file is not there or does not suit (STU0009, STU0010, STU0014); no combination of a machine's
            parameters holds together (codes ACGnnnn); a memory is wrong (codes MEMnnnn); STU0011, more points are to be
            drawn than there are; STU0015, two models have one name.
    """
    for entry in machines:
        _check_machine(entry)
    contents = _contents(models)
    memories = [(name, _memory_content(name)) for name in memory]
    choices = [(entry, combination) for entry in machines for combination in _combinations(entry)]
    total = len(contents) * len(choices) * len(memories)
    known: dict[int, _Resolved] = {}
    points = []
    for index in _chosen(total, search):
        at_model, rest = divmod(index, len(choices) * len(memories))
        at_machine, at_memory = divmod(rest, len(memories))
        if at_machine not in known:
            known[at_machine] = _resolved(*choices[at_machine])
        points.append(_point(contents[at_model], known[at_machine], *memories[at_memory]))
    used = [content for content in contents if any(point.model == content for point in points)]
    return Plan(tuple(points), tuple(_reference(content) for content in used))


def _contents(models: Sequence[StudyModel]) -> list[ModelContent]:
    found: list[ModelContent] = []
    for place, model in enumerate(models):
        with placed(subject=f"models[{place}]"):
            if model.title in [one.title for one in found]:
                raise mistake("STU0015", "two models have one name", "name", offending=model.title,
                              fix="give one of them another name")  # fmt: skip
            found.append(content_of(model))
    return found


def _combinations(entry: StudyMachine) -> Iterator[dict[str, Setting]]:
    """Of the values of all parameters, the last one fastest."""
    for values in product(*entry.parameters.values()):
        yield dict(zip(entry.parameters, values, strict=True))


def _chosen(total: int, search: StudySearch) -> Iterator[int]:
    """Places in the grid. Of a random search the first draws of a shuffle, which are made of seed and place alone."""
    if search.points is None:
        yield from range(total)
        return
    if search.points > total:
        raise mistake("STU0011", "more points are to be drawn than the grid has", "search.points",
                      offending=search.points, allowed=(f"1..{total}",),
                      fix='write method = "grid" for all of them')  # fmt: skip
    moved: dict[int, int] = {}
    for place in range(search.points):
        drawn = int.from_bytes(hashlib.sha256(f"{search.seed} {place}".encode()).digest())
        other = place + drawn % (total - place)
        yield moved.get(other, other)
        moved[other] = moved.get(place, place)


def _resolved(entry: StudyMachine, settings: dict[str, Setting]) -> _Resolved:
    try:
        machine = Machine(entry.machine, **settings)
    except CovenantError as error:
        return _Resolved(entry.machine, settings, "", error.diagnostic)
    values = {name: machine.parameters[name] for name in settings}
    return _Resolved(entry.machine, values, machine.to_json(), None)


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


def _memory_content(memory: str) -> str:
    """What a model of memory is made of: the text of its file, or the figures of a set that comes with the SDK."""
    described = repr(memory_model(memory))
    return read_whole(memory).decode() if Path(memory).is_file() else described


def _point(model: ModelContent, machine: _Resolved, memory: str, memory_content: str) -> Point:
    on = machine.json or json.dumps([machine.spec, machine.settings, str(machine.refusal)])
    return Point(
        key=_key("machine", model, on, memory_content),
        group=_key("machine", model, on),
        model=model,
        machine=machine.spec,
        settings=machine.settings,
        machine_json=machine.json,
        memory=memory,
        refusal=machine.refusal,
    )


def _reference(model: ModelContent) -> Point:
    key = _key("onnxruntime", model, PINNED_ONNXRUNTIME)
    return Point(key=key, group=key, model=model, machine="", settings={}, machine_json="", memory="")


def _key(kind: str, model: ModelContent, *parts: str) -> str:
    """Of contents, not of names and places: a study that moves keeps its results."""
    content = {key: value for key, value in asdict(model).items() if key not in ("title", "model", "data")}
    text = json.dumps([kind, SCHEMA, version, content, *parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
