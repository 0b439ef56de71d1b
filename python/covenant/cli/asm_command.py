"""`covenant asm`: assembly of commands, as a stream that a machine takes."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_machine_settings, device_of, machine_request, mistake
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath

EXAMPLES = """  covenant asm program.asm -m vta > program.txt
  covenant asm program.asm -m vta -o program.json      # a stream as JSON, by its name; .csv, or lines
  covenant asm program.asm -m vta --json | covenant replay /dev/stdin -m vta
  covenant asm words.asm -m vta --port words -o words.bin   # words of a stream, the lowest byte first"""


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "asm", EXAMPLES)
    parser.add_argument("assembly", metavar="FILE", help="lines as `covenant disasm FILE -m MACHINE` prints them")
    parser.add_argument("-m", "--machine", required=True, help="machine that commands drive, or path of an .acg file")
    add_machine_settings(parser)
    parser.add_argument("--port", metavar="NAME", help="port or stream of the commands (default: its only port)")
    parser.add_argument(
        "-o", "--output", type=WrittenPath, metavar="FILE",
        help="write the stream here: JSON if it ends in .json, CSV if in .csv, otherwise lines; words as bytes",
    )  # fmt: skip
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints or writes the stream."""
    from covenant.commands.assembly import assembled, assembled_words
    from covenant.commands.listing import port_of, text_of
    from covenant.commands.written_stream import stream_object
    from covenant.files import write_whole

    text = text_of(arguments.assembly)
    device = device_of(machine_request(arguments))
    port = port_of(device, arguments.port)
    known = {"machine": device.name, "port": port.name}
    if port.is_stream:
        words = assembled_words(text, port, arguments.assembly)
        if not (arguments.output or output.json):
            raise mistake("words are bytes, which are not printed", "name a file: -o words.bin")
        if arguments.output:
            width = port.data_bits // 8
            write_whole(arguments.output, b"".join(word.to_bytes(width, "little") for word in words))
        if output.json:
            output.object(known | {"words": [hex(word) for word in words]})
        return 0
    stream = assembled(text, port, arguments.assembly)
    written = _written(arguments, stream, is_json=output.json)
    if arguments.output:
        write_whole(arguments.output, written)
    if output.json:
        output.object(known | stream_object(stream))
    elif not arguments.output:
        output.text(written)
    return 0


def _written(arguments: argparse.Namespace, stream: Any, *, is_json: bool) -> str:
    """The stream in the form that the name of its file says. Raises CLI0008 if it cannot hold all of it."""
    from covenant.commands.written_stream import stream_csv, stream_json, stream_lines

    name = str(arguments.output or "")
    if name.endswith(".json"):
        return stream_json(stream)
    if stream.reads is not None and (name or not is_json):
        raise mistake("only JSON holds what reads should give", "use --json, or -o with a name that ends in .json")
    return stream_csv(stream) if name.endswith(".csv") else stream_lines(stream)
