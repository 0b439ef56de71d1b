"""Files of commands and of words, and their listings."""

from __future__ import annotations

import os

from covenant.commands.device import CommandDevice
from covenant.commands.disassembly import AssemblyLine, disassembled, disassembled_words
from covenant.commands.layout import PortLayout, port_layouts
from covenant.commands.stream import CommandStream
from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole


def port_of(device: CommandDevice, name: str | None) -> PortLayout:
    """A port or a stream of a machine; the only port if none is named.

    Raises:
        CovenantError: BEH0031, there is no such port, or none is named and there are several.
    """
    layouts = port_layouts(device.describe())
    driven = [port for port in layouts.values() if not port.is_stream]
    if name is None and len(driven) == 1:
        return driven[0]
    if name in layouts:
        return layouts[name]
    raise CovenantError(
        Diagnostic("BEH0031", "no such port", subject=device.name, offending=name or "none", allowed=tuple(layouts),
                   fix="name one of the machine's ports or streams")
    )  # fmt: skip


def listing_of(path: str | os.PathLike[str], port: PortLayout) -> list[AssemblyLine]:
    """Lines of a file: a stream of commands, or the words of a stream port, each with its lowest byte first.

    Raises:
        CovenantError: those of `CommandStream.load`; BEH0040, the bytes of the file are no whole words.
    """
    if not port.is_stream:
        return disassembled(CommandStream.load(path), port)
    content, width = read_whole(path), port.data_bits // 8
    if len(content) % width:
        raise CovenantError(
            Diagnostic("BEH0040", "the file ends within a word", os.fspath(path), offending=f"{len(content):,} bytes",
                       allowed=(f"words of {width} bytes",), fix="give whole words of the stream")
        )  # fmt: skip
    words = [int.from_bytes(content[at : at + width], "little") for at in range(0, len(content), width)]
    return disassembled_words(words, port)


def text_of(path: str | os.PathLike[str]) -> str:
    """The text of a file. Raises CLI0009, or BEH0042: its bytes are no text."""
    try:
        return read_whole(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CovenantError(
            Diagnostic("BEH0042", "not a text in UTF-8", os.fspath(path), offending=f"byte {error.start}",
                       fix="give lines as `covenant disasm` prints them")
        ) from None  # fmt: skip
