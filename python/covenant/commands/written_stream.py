"""Streams of commands as texts of the forms that `CommandStream.load` reads."""

from __future__ import annotations

import json

from covenant.commands.stream import CommandStream, HostCommand


def stream_lines(stream: CommandStream) -> str:
    """Lines `W ADDRESS DATA`; what reads should give has no place in them."""
    return "".join(f"{' '.join(_words(command))}\n" for command in stream.commands)


def stream_csv(stream: CommandStream) -> str:
    """CSV with the columns `mode`, `address`, `data`; what reads should give has no place in it."""
    rows = (",".join((*_words(command), "", "")[:3]) for command in stream.commands)
    return "".join(f"{row}\n" for row in ("mode,address,data", *rows))


def stream_object(stream: CommandStream) -> dict[str, object]:
    """JSON with `commands` and, if the stream says what reads should give, `reads`."""
    reads = None if stream.reads is None else [[hex(address), hex(data)] for address, data in stream.reads]
    return {"commands": [_words(command) for command in stream.commands]} | ({} if reads is None else {"reads": reads})


def stream_json(stream: CommandStream) -> str:
    """The text of `stream_object`."""
    return json.dumps(stream_object(stream), indent=1) + "\n"


def _words(command: HostCommand) -> list[str]:
    if command.mode == "W" or command.data:
        return [command.mode, hex(command.address), hex(command.data)]
    return [command.mode, hex(command.address)] if command.mode == "R" or command.address else [command.mode]
