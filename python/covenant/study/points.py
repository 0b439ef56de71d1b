"""Points of a study, and the hash by which the result of each is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from covenant._core import version
from covenant.errors import Diagnostic
from covenant.files import read_whole
from covenant.machine.memory_models import memory_model
from covenant.onnx_runtime.sessions import PINNED_ONNXRUNTIME
from covenant.study.data_set import ModelContent
from covenant.study.description import Setting

__all__ = ["SCHEMA", "Plan", "Point", "Resolved", "memory_content", "plan", "point_of"]

SCHEMA = 4
"""Version of the stored results of points. Results of another version are computed anew."""


@dataclass(frozen=True)
class Point:
    """One thing to compute: a model on a machine with a memory, or in ONNX Runtime."""

    key: str
    """SHA-256 of all that its result depends on."""
    group: str
    """Points of equal groups share a program and its outputs: they differ in the memory alone."""
    model: ModelContent
    machine: str
    """Spec of the machine; empty: ONNX Runtime."""
    settings: dict[str, Setting]
    """The parameters that the study sets, resolved to numbers (or names) where the machine holds together."""
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
    """Points on machines, in the order of the table."""
    references: tuple[Point, ...]
    """Points in ONNX Runtime: one for each model of the others."""

    @property
    def by_key(self) -> dict[str, Point]:
        """All of them, the references first; points of equal keys are one."""
        return {point.key: point for point in (*self.references, *self.points)}

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of all points, each once."""
        return tuple(self.by_key)


@dataclass(frozen=True)
class Resolved:
    """One machine of a study."""

    spec: str
    settings: dict[str, Setting]
    """Settings, as numbers where the machine holds together."""
    json: str
    """Empty where it does not hold together."""
    refusal: Diagnostic | None


def plan(points: Sequence[Point]) -> Plan:
    """These points, with each of their models that has data in ONNX Runtime."""
    models = dict.fromkeys(point.model for point in points if point.model.data)
    return Plan(tuple(points), tuple(map(_reference, models)))


def memory_content(memory: str) -> str:
    """Contents of a model of memory: the text of its file, or the figures of a set that comes with the SDK."""
    described = repr(memory_model(memory))
    return read_whole(memory).decode() if Path(memory).is_file() else described


def point_of(model: ModelContent, machine: Resolved, memory: str, content: str) -> Point:
    """A model on a machine with a memory, made of this content."""
    on = machine.json or json.dumps([machine.spec, machine.settings, str(machine.refusal)])
    return Point(
        key=_key("machine", model, on, content),
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
    """Key made of contents, not of names and places, so that a study that moves keeps its results."""
    text = json.dumps([kind, SCHEMA, version, model.identity, *parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
