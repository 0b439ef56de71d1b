"""Programs of several parts, each for a machine of its own (docs/reference/parts.md)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from covenant import _core
from covenant.files import read_start, read_whole, write_whole
from covenant.model.ends import with_shapes
from covenant.program.boundary import Boundary
from covenant.program.program import Program

_MAGIC_BYTES = 8
"""Bytes by which a file of several parts is known."""


@dataclass(frozen=True)
class Part:
    """One part: a program for one machine, which takes what earlier parts make."""

    name: str
    program: Program


@dataclass(frozen=True)
class Link:
    """An output of a part that is an input of a later one. Parts are numbered from 0."""

    part: int
    """Part that makes it."""
    output: str
    """Its name there."""
    reader: int
    """Part that takes it."""
    input: str
    """Its name there."""


@dataclass(frozen=True, eq=False, repr=False)
class ProgramParts(Boundary):
    """A model compiled in parts. A value, as a `Program`. Made by `covenant.compile_parts` or `ProgramParts.load`."""

    _core: _core.ProgramParts
    _results: Sequence[Sequence[_core.BlockResult]] | None = None
    """Tensors that each part's layers write, and where; None if the program was loaded."""

    def with_host(self, start: bytes, end: bytes) -> ProgramParts:
        """The program, and the host's parts before and after it (`covenant.program.host`)."""
        if not start and not end:
            return self
        shapes = {binding["name"]: tuple(binding["shape"]) for binding in self._core.outputs}
        return ProgramParts(self._core.with_host(start, end and with_shapes(end, shapes)), self._results)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ProgramParts:
        """Reads a file of several parts.

        Raises:
            CovenantError: no such file (CLI0009); one program (PRG0007); not a program, another version, or damaged
                (codes PRGnnnn).
        """
        return cls(_core.read_parts(read_whole(path), os.fspath(path))).checked(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file, whole or not at all; equal programs give equal bytes."""
        write_whole(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Bytes that `save` writes."""
        return self._core.to_bytes()

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts in the order in which they run."""
        results = self._results or [None] * len(self._core.parts)
        return tuple(
            Part(name, Program(program, None, result))
            for (name, program), result in zip(self._core.parts, results, strict=True)
        )

    @property
    def links(self) -> tuple[Link, ...]:
        """Tensors that parts hand to later ones."""
        return tuple(Link(*link) for link in self._core.links)

    def disassemble(self) -> str:
        """The instruction words of each part as text, under its name and machine."""
        return "".join(
            f"# part {part.name}, {part.program.machine.name}\n{part.program.disassemble()}" for part in self.parts
        )

    def __repr__(self) -> str:
        machines = ", ".join(part.program.machine.name for part in self.parts)
        return f"<ProgramParts {self.model} for {machines}>"

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        """Pickles as `to_bytes`, with the limit of `Program`."""
        return _unpickled, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProgramParts) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())


def _unpickled(content: bytes) -> ProgramParts:
    return ProgramParts(_core.read_parts(content, "pickle"))


def is_parts_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file holds a program of several parts; not if it cannot be read."""
    return _core.is_parts_file(read_start(path, _MAGIC_BYTES))
