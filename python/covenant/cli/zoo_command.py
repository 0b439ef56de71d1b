"""`covenant zoo`: published networks to run on machines."""

from __future__ import annotations

import argparse
from typing import Any

from covenant.cli.arguments import add_command, add_json, add_subcommand
from covenant.cli.output import Output
from covenant.cli.written import WrittenPath
from covenant.files import write_whole

EXAMPLES = """  covenant zoo list
  covenant zoo get squeezenet -o squeezenet.onnx
  covenant run zoo:squeezenet -m genesys:09 --compare onnxruntime"""


def add(commands: Any) -> None:
    """Adds the command and its two actions."""
    parser = add_command(commands, "zoo", EXAMPLES)
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listed = add_subcommand(actions, "list", "show what there is, with sources and licences", EXAMPLES)
    add_json(listed)
    listed.set_defaults(execute=list_all)
    got = add_subcommand(actions, "get", "make the int8 model, or find it where it is kept", EXAMPLES)
    got.add_argument("name", metavar="NAME", help="one of the list")
    got.add_argument("-o", "--output", type=WrittenPath, metavar="FILE", help="copy it here")
    add_json(got)
    got.set_defaults(execute=get_one)


def list_all(_: argparse.Namespace, output: Output) -> int:
    """Prints one row for each network."""
    from covenant.zoo import ENTRIES

    rows = [(one.name, one.what, one.source.text, one.licence) for one in ENTRIES.values()]
    if output.json:
        keys = ("name", "what", "source", "licence")
        output.object({"models": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        output.table("Zoo", ["name", "what", "source", "licence"], rows)
    return 0


def get_one(arguments: argparse.Namespace, output: Output) -> int:
    """Prints where it is."""
    from covenant.zoo import get

    with output.activity(arguments.name) as tell:
        path = get(arguments.name, progress=tell)
    if arguments.output:
        write_whole(arguments.output, path.read_bytes())
    place = str(arguments.output or path)
    if output.json:
        output.object({"name": arguments.name, "path": place})
    else:
        output.line(place)
    return 0
