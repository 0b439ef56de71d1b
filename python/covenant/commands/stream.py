"""Streams of commands as files: JSON of two forms, CSV, and plain lines."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from covenant.commands.given import path_text, refuse, whole
from covenant.documents import DocumentError, from_json
from covenant.errors import CovenantError, Diagnostic
from covenant.files import MOST_BYTES, read_whole

Mode = Literal["W", "R", "Q"]
MODES: tuple[Mode, ...] = ("W", "R", "Q")
_FORMS = "W ADDRESS DATA, R ADDRESS, Q"


@dataclass(frozen=True)
class HostCommand:
    """A write, a read, or waiting until the machine asks for its host."""

    mode: Mode
    address: int = 0
    data: int = 0
    """Of a write: a number, whose lowest byte comes first."""
    line: int = 0
    """Where it stands: a line of a text, or its number among the commands of JSON; both count from 1."""

    def __post_init__(self) -> None:
        """Refuses, with BEH0046, what is no command."""
        if not isinstance(self.mode, str) or self.mode not in MODES:
            refuse("the mode of a command", self.mode, MODES, f"command {self.line}" if self.line else "")
        if type(self.address) is int is type(self.data) and self.address >= 0 and self.data >= 0:
            return  # nearly all: a stream may have many
        object.__setattr__(self, "address", whole("the address of a command", self.address))
        object.__setattr__(self, "data", whole("the data of a command", self.data))


@dataclass(frozen=True)
class CommandStream:
    r"""Commands in their order, and what reads are expected to give.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "some.txt"
        ...     _ = path.write_text("W 0x80000000 0x1234  # a word\nR 0x80000000\n")
        ...     stream = CommandStream.load(path)
        >>> [(command.mode, command.data) for command in stream.commands]
        [('W', 4660), ('R', 0)]
    """

    commands: tuple[HostCommand, ...]
    reads: tuple[tuple[int, int], ...] | None = None
    """Address and data of each read in its order; None if the file does not say."""

    def __post_init__(self) -> None:
        """Refuses, with BEH0046, what are no commands or no reads."""
        if not isinstance(self.commands, Sequence) or not all(isinstance(one, HostCommand) for one in self.commands):
            refuse("commands", self.commands, ("a tuple of HostCommand",))
        object.__setattr__(self, "commands", tuple(self.commands))
        if self.reads is not None:
            object.__setattr__(self, "reads", pairs_of("reads", self.reads))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CommandStream:
        """Reads a file; one that is compressed by gzip, too.

        Forms, told by what the file begins with: a JSON object with `commands`, a list of `["W", ADDRESS, DATA]`, and
        `reads`, a list of `[ADDRESS, DATA]`; a JSON object with `program fragment`, a list of objects with `mode`,
        `addr` and `data` (the artifact of Huang, Lyubomirsky et al.); CSV with the columns `mode`, `address` and
        `data`; lines `W ADDRESS DATA`, `R ADDRESS`, `Q`. Numbers are decimal, or hexadecimal after 0x.

        Raises:
            CovenantError: CLI0009, the file cannot be read; BEH0040, it is no stream of commands, with the place;
                BEH0046, no path.
        """
        reader = _Reader(path_text("the path of a stream", path))
        content = reader.content()
        if content.lstrip()[:1] == b"{":
            return reader.json(content)
        return cls(tuple(reader.lines(content)))


def pairs_of(what: str, given: object) -> tuple[tuple[int, int], ...]:
    """Pairs of an address and its data. Raises BEH0046."""
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        refuse(what, given, ("pairs of address and data",))
    for one in given:
        if not isinstance(one, Sequence) or isinstance(one, str | bytes) or len(one) != 2:
            refuse(what, one, ("pairs of address and data",))
    return tuple((whole(f"an address of {what}", at), whole(f"data of {what}", data)) for at, data in given)


def expected_reads(path: str | os.PathLike[str]) -> dict[int, int] | tuple[tuple[int, int], ...]:
    """Reads what reads should give from a file: `reads` of a stream, or an object of data by address.

    Raises:
        CovenantError: CLI0009; BEH0040, the file has neither.
    """
    reader = _Reader(os.fspath(path))
    said = reader.object(reader.content())
    if "reads" in said:
        return reader.reads(said["reads"])
    pairs = said.items()
    return {reader.number(address, 0): reader.number(data, 0) for address, data in pairs}


def expected_cycles(path: str | os.PathLike[str]) -> tuple[int, ...] | None:
    """Reads from a stream as JSON how many cycles each wait should take; None if it does not say.

    Raises:
        CovenantError: CLI0009; BEH0040, the file has no such list.
    """
    reader = _Reader(os.fspath(path))
    said = reader.object(reader.content()).get("cycles_start_to_interrupt")
    if not isinstance(said, list | None):
        reader.wrong("cycles of waits that are no list", type(said).__name__)
    return None if said is None else tuple(reader.number(one, at) for at, one in _counted(said))


class _Reader:
    """Reads one file, and says where it is wrong."""

    def __init__(self, path: str) -> None:
        self._path = path

    def wrong(self, message: str, offending: object, line: int = 0, allowed: tuple[str, ...] = ()) -> NoReturn:
        raise CovenantError(
            Diagnostic("BEH0040", message, self._path, line=line, column=1 if line else 0, offending=str(offending),
                       allowed=allowed, fix="write commands as docs/guide/command-machines.md says")
        )  # fmt: skip

    def content(self) -> bytes:
        """The bytes of the file, unpacked, without the mark with which some programs begin texts."""
        return self._unpacked(read_whole(self._path)).removeprefix(codecs.BOM_UTF8)

    def _unpacked(self, content: bytes) -> bytes:
        if content[:2] != b"\x1f\x8b":
            return content
        try:
            with gzip.open(io.BytesIO(content)) as file:
                unpacked = file.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            self.wrong("compressed data that cannot be unpacked", error)
        if len(unpacked) > MOST_BYTES:
            self.wrong("more bytes than are read", f"more than {MOST_BYTES:,}")
        return unpacked

    def object(self, content: bytes) -> dict[str, Any]:
        try:
            said = from_json(content)
        except DocumentError as error:
            self.wrong("not JSON", error, error.line)
        if not isinstance(said, dict):
            self.wrong("no JSON object", type(said).__name__)
        return said

    def json(self, content: bytes) -> CommandStream:
        said = self.object(content)
        if isinstance(listed := said.get("commands"), list):
            rows = [row if isinstance(row, list) else self.wrong("no command", row, at) for at, row in _counted(listed)]
            reads = self.reads(said["reads"]) if "reads" in said else None
        elif isinstance(listed := said.get("program fragment"), list):
            rows = [
                [row.get("mode"), row.get("addr"), row.get("data", 0)]
                if isinstance(row, dict)
                else self.wrong("no command", row, at)
                for at, row in _counted(listed)
            ]
            reads = None
        else:
            self.wrong(
                "an object without a list of commands", ", ".join(said), allowed=("commands", "program fragment")
            )
        return CommandStream(tuple(self.command(row, at) for at, row in _counted(rows)), reads)

    def reads(self, said: object) -> tuple[tuple[int, int], ...]:
        if not isinstance(said, list):
            self.wrong("reads that are no list", type(said).__name__)
        pairs = []
        for at, pair in _counted(said):
            if not isinstance(pair, list) or len(pair) != 2:
                self.wrong("a read that is no pair of address and data", pair, at)
            pairs.append((self.number(pair[0], at), self.number(pair[1], at)))
        return tuple(pairs)

    def lines(self, content: bytes) -> Iterator[HostCommand]:
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            self.wrong("not a text in UTF-8", f"byte {error.start}")
        lines = text.splitlines()
        header = [word.strip() for word in lines[0].split(",")] if lines else []
        if header[:2] == ["mode", "address"]:
            numbered = list(self.rows(lines))
        else:
            numbered = [(number, line.partition("#")[0].split()) for number, line in enumerate(lines, 1)]
        for number, words in numbered:
            if any(words):
                yield self.command(words, number)

    def rows(self, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(lines)
        try:
            next(reader)
            for row in reader:
                yield reader.line_num, [word.strip() for word in row]
        except csv.Error as error:
            self.wrong("not CSV", error, reader.line_num)

    def command(self, words: list[Any], line: int) -> HostCommand:
        while words and words[-1] == "":  # columns of CSV that a command does not need
            words = words[:-1]
        mode = words[0] if words else None
        if mode not in MODES:
            self.wrong("no command", " ".join(map(str, words)), line, (_FORMS,))
        if len(words) > 3 or (mode == "W" and len(words) < 3) or (mode == "R" and len(words) < 2):
            self.wrong("a command of another number of words", " ".join(map(str, words)), line, (_FORMS,))
        values = [self.number(word, line) for word in words[1:]]
        address, data = (*values, 0, 0)[:2]
        return HostCommand(mode, address, data, line)

    def number(self, said: object, line: int) -> int:
        if isinstance(said, int) and not isinstance(said, bool) and said >= 0:
            return said
        if isinstance(said, str) and len(said) <= 100 and said.isascii():
            word = said.lower()
            digits, base = (word[2:], 16) if word.startswith("0x") else (word, 10)
            if digits and set(digits) <= set("0123456789abcdef"[:base]):
                return int(digits, base)
        return self.wrong("no number", said, line, ("decimal digits", "0x and hexadecimal digits"))


def _counted(items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    return enumerate(items, 1)
