"""Programs: the compiler's output, which every backend runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from covenant import _core
from covenant.files import read_whole, write_whole
from covenant.machine import Machine
from covenant.model.ends import with_shapes
from covenant.program.boundary import Boundary
from covenant.tables import data_frame, html_table

if TYPE_CHECKING:  # optional, and slow to import
    from pandas import DataFrame

PROGRAM_SUFFIX = ".cprog"


@dataclass(frozen=True)
class Block:
    """One layer of a program."""

    layer: str
    """Name of the node in the model; of several that were fused, all of them with `+` between."""
    operation: str
    """Operation of the node: "conv"; "conv+add"."""
    words: int
    """Instruction words, headers included."""
    macs: int
    """Multiply-accumulates of the layer; padding does not count."""
    elementwise: int
    """Elementwise operations of the layer; padding does not count."""
    fused: tuple[str, ...]
    """Names of the nodes that were fused into this layer, if any."""


@dataclass(frozen=True, eq=False, repr=False)
class Program(Boundary):
    """A compiled model: instruction words, constants, memory map, tensors, and the machine it is for.

    A value: programs of equal bytes are equal, and running one leaves nothing in it. Made by `covenant.compile` or
    `Program.load`.
    """

    _core: _core.Program
    schedule: str | None = None
    """Tiling of each layer, as the text of a schedule file; None if the program was loaded."""
    _results: Sequence[_core.BlockResult] | None = None
    """Tensors that each layer writes, and where; None if the program was loaded."""

    def with_host(self, start: bytes, end: bytes) -> Program:
        """The program, and the host's parts before and after it (`covenant.program.host`)."""
        if not start and not end:
            return self
        shapes = {binding["name"]: tuple(binding["shape"]) for binding in self._core.outputs}
        core = self._core.with_host(start, end and with_shapes(end, shapes))
        return Program(core, self.schedule, self._results)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Program:
        """Reads a program file.

        Raises:
            CovenantError: no such file (CLI0009); a program of several parts (PRG0007: `ProgramParts.load`); not a
                program, another version, or damaged (codes PRGnnnn).
        """
        return cls(_core.read_program(read_whole(path), os.fspath(path))).checked(path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes one file, whole or not at all; equal programs give equal bytes.

        A path that ends in `.elf` gets the program as an executable.

        Raises:
            CovenantError: as `executable`.
        """
        if os.fspath(path).endswith(".elf"):
            write_whole(path, self.executable(), may_run=True)
        else:
            write_whole(path, self.to_bytes())

    def executable(self) -> bytes:
        """An ELF file of the Hexagon for a machine that issues packets, for `qemu-hexagon` or `covenant run`.

        It reads the bytes of all inputs as they lie in memory from the standard input, one after the other, and writes
        those of the outputs to the standard output (`covenant.Tensor` says how elements lie).

        Raises:
            CovenantError: ISA0023, the program's machine issues no packets.
        """
        return _core.elf_of(self._core)

    def to_bytes(self) -> bytes:
        """Bytes that `save` writes."""
        return self._core.to_bytes()

    @property
    def machine(self) -> Machine:
        """The machine that the program is for."""
        return Machine._wrap(self._core.machine)

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
        """The instruction stream, blocks padded to whole words that are whole beats of the fetch port.

        uint32[words]; of machines with wider words uint64, or past 64 bits Python's integers (dtype object).
        """
        bits = self._core.word_bits
        dtype = np.uint32 if bits <= 32 else np.uint64 if bits <= 64 else object
        return np.array(self._core.words, dtype=dtype)

    def disassemble(self) -> str:
        """The instruction words as text, block by block, engine by engine."""
        return self._core.disassemble()

    def __repr__(self) -> str:
        return f"<Program {self.model} for {self.machine.name}: {len(self.blocks)} layers, {len(self.words)} words>"

    def to_dataframe(self) -> DataFrame:
        """The layers (`Block`) as a data frame of pandas.

        Raises:
            CovenantError: CLI0012, pandas is not installed.
        """
        return data_frame(asdict(block) for block in self.blocks)

    def _repr_html_(self) -> str:
        rows = [(block.layer, block.operation, block.words, block.macs, block.elementwise) for block in self.blocks]
        columns = ("layer", "operation", "words", "MACs", "elementwise")
        note = f"{self.memory_bytes:,} bytes of off-chip memory"
        return html_table(f"{self.model} for {self.machine.name}", columns, rows, note)

    def __reduce__(self) -> tuple[Any, tuple[bytes, str | None]]:
        """Pickles as `to_bytes`, and the schedule.

        As of a program that was loaded it is then unknown where the tensors of its layers lie (CLI0016,
        `Session.layer_tensors`).
        """
        return _unpickled, (self.to_bytes(), self.schedule)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())


def _unpickled(content: bytes, schedule: str | None) -> Program:
    return Program(_core.read_program(content, "pickle"), schedule)


def is_program_file(path: str | os.PathLike[str]) -> bool:
    """True if the path is named like a program, not like a model."""
    return Path(path).suffix == PROGRAM_SUFFIX
