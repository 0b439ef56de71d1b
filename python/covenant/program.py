"""Programs: what the compiler makes of a model, and what every backend runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from covenant import _core
from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole, write_whole
from covenant.machine import Machine

if TYPE_CHECKING:
    from covenant.rtl import Build, Progress

PROGRAM_SUFFIX = ".cprog"


@dataclass(frozen=True)
class Tensor:
    """One input or output of a program, as the caller sees it."""

    name: str
    dtype: np.dtype
    """float32 where the host quantises at the boundary, else the stored integer type."""
    shape: tuple[int, ...]
    """The model's own shape, for example [1, C, H, W]."""
    scale: float
    """real = (stored - zero_point) * scale."""
    zero_point: int
    stored_dtype: np.dtype
    """Element type in the machine's memory."""


@dataclass(frozen=True)
class Block:
    """One layer of a program."""

    layer: str
    """Name of the node in the model; of several that were fused, all of them with `+` between."""
    operation: str
    """Of the node: "conv"; "conv+add"."""
    words: int
    """Instruction words, headers included."""
    macs: int
    """Multiply-accumulates of the layer; padding does not count."""
    elementwise: int
    """Elementwise operations of the layer; padding does not count."""
    fused: tuple[str, ...]
    """Names of the nodes that were fused into this layer, if any."""


class Program:
    """A compiled model: instruction words, constants, memory map, tensors, and the machine it is for. Immutable.

    Made by `covenant.compile` or `Program.load`.
    """

    __slots__ = ("_core", "_models", "_schedule", "_sessions")

    def __init__(self, core: _core.Program, schedule: str | None = None) -> None:
        self._core = core
        self._schedule = schedule
        self._sessions: dict[object, _core.Session] = {}
        self._models: dict[object, _core.RtlModel] = {}

    def _session(
        self, backend: str, build: Build, *, wave: bool, progress: Progress | None
    ) -> tuple[_core.Session, float]:
        """The program, loaded on a backend: once. And the seconds that building a Verilated model has taken now."""
        rtl = backend == "rtl"
        key = (backend, build, wave) if rtl else backend
        seconds = 0.0
        if key not in self._sessions:
            if rtl:  # the session finds in the cache what is built here
                seconds = self._rtl(build, wave=wave, progress=progress).build_seconds
            core_build = build.to_core(wave=wave, progress=None) if rtl else {}
            self._sessions[key] = _core.Session(self._core, backend, core_build)
        return self._sessions[key], seconds

    def _rtl(self, build: Build, *, wave: bool, progress: Progress | None) -> _core.RtlModel:
        """The Verilated model of the machine: built or loaded once."""
        key = (build, wave)
        if key not in self._models:
            self._models[key] = _core.RtlModel(self._core.machine, build.to_core(wave=wave, progress=progress))
        return self._models[key]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Program:
        """Reads a program file.

        Raises:
            CovenantError: no such file (CLI0009); not a program, another version, or damaged (codes PRGnnnn).
        """
        return cls(_core.read_program(read_whole(path), os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file, whole or not at all; equal programs give equal bytes."""
        write_whole(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return self._core.to_bytes()

    @property
    def machine(self) -> Machine:
        """The machine that the program is for."""
        return Machine._wrap(self._core.machine)

    @property
    def model(self) -> str:
        """File name of the model, without its folder."""
        return self._core.model

    @property
    def schedule(self) -> str | None:
        """How each layer is tiled, as the text of a schedule file; None if the program was loaded."""
        return self._schedule

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """What `covenant.run` wants."""
        return tuple(_tensor(binding) for binding in self._core.inputs)

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """What `covenant.run` gives."""
        return tuple(_tensor(binding) for binding in self._core.outputs)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Layers in the order in which they run."""
        return tuple(Block(**block) for block in self._core.blocks)

    @property
    def memory_bytes(self) -> int:
        """Bytes of off-chip memory that the program uses."""
        return self._core.memory_bytes

    @property
    def words(self) -> np.ndarray:
        """The instruction stream: uint32[words], blocks padded to a beat of the fetch port."""
        return np.array(self._core.words, dtype=np.uint32)

    def disassemble(self) -> str:
        """The instruction words as text, block by block, engine by engine."""
        return self._core.disassemble()

    def __repr__(self) -> str:
        return f"<Program {self.model} for {self.machine.name}: {len(self.blocks)} layers, {len(self.words)} words>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())


def compile(  # noqa: A001 (the verb of the field)
    model: str | os.PathLike[str],
    machine: Machine | str,
    library: str | os.PathLike[str] | None = None,
    schedule: str | os.PathLike[str] | None = None,
    *,
    fusion: bool = True,
) -> Program:
    """Compiles a quantised ONNX model for a machine.

    Args:
        model: path of an ONNX file, int8, in QOperator or QDQ style.
        machine: a Machine, or the spec of one ("genesys:8x8").
        library: a folder of codelets for operators beside the compiler's own (docs/guide/add-an-operator.md).
        schedule: a schedule file: what it says of a layer is taken, the rest is searched (docs/reference/schedules.md).
        fusion: layers whose result another one alone reads become one with it where that is predicted to be faster.

    Raises:
        CovenantError: the file is missing or damaged, the model is not quantised, an operator is not supported (names
            it and its layer), a tile does not fit the machine (codes ONXnnnn, CDLnnnn, GENnnnn), or the schedule does
            not suit the model (CLI0009, SCHnnnn).
    """
    options = {"library": _folder(library), "fusion": fusion, **schedule_text(schedule)}
    return Program(*_core.compile(os.fspath(model), _machine(machine)._core, **options))


def emit(
    model: str | os.PathLike[str],
    machine: Machine | str,
    after: str,
    library: str | os.PathLike[str] | None = None,
    schedule: str | os.PathLike[str] | None = None,
    *,
    fusion: bool = True,
) -> str:
    """The compiler's intermediate form after a pass, as text.

    Args:
        model: path of an ONNX file.
        machine: a Machine, or the spec of one.
        after: one of `passes()`, or the verb of one: `tile` for `tiled`, `asm` for `assembly`.
        library: as for `compile`.
        schedule: as for `compile`.
        fusion: as for `compile`.

    Raises:
        CovenantError: as `compile`; or there is no such pass (lists them).
    """
    options = {"library": _folder(library), "fusion": fusion, **schedule_text(schedule)}
    return _core.emit(os.fspath(model), _machine(machine)._core, after, **options)


def passes() -> tuple[str, ...]:
    """Names of the compiler's passes, in their order."""
    return tuple(_core.pass_names())


def is_program_file(path: str | os.PathLike[str]) -> bool:
    """True if the path is named like a program, not like a model."""
    return Path(path).suffix == PROGRAM_SUFFIX


def schedule_text(schedule: str | os.PathLike[str] | None) -> dict[str, str]:
    """What the core wants of a schedule file: its text, and its name for diagnostics.

    Raises:
        CovenantError: no such file (CLI0009); not UTF-8 text (SCH0001).
    """
    if schedule is None:
        return {}
    name = os.fspath(schedule)
    try:
        return {"schedule": read_whole(schedule).decode(), "schedule_file": name}
    except UnicodeDecodeError as error:
        raise CovenantError(
            Diagnostic("SCH0001", "a schedule is UTF-8 text", name, offending=f"byte {error.start}",
                       fix="write one with `covenant compile --save-schedule`")
        ) from None  # fmt: skip


def _folder(library: str | os.PathLike[str] | None) -> str:
    return "" if library is None else os.fspath(library)


def _machine(machine: Machine | str) -> Machine:
    return machine if isinstance(machine, Machine) else Machine(machine)


def _tensor(binding: dict[str, object]) -> Tensor:
    stored = np.dtype(binding["stored_dtype"])
    return Tensor(
        name=binding["name"],
        dtype=np.dtype(np.float32) if binding["host_quantizes"] else stored,
        shape=tuple(binding["shape"]),
        scale=binding["scale"],
        zero_point=binding["zero_point"],
        stored_dtype=stored,
    )
