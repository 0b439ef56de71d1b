"""`covenant memories`: the models of off-chip memory that `--memory` knows."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from covenant.cli.arguments import add_command, add_json
from covenant.cli.output import Output
from covenant.machine.memory_models import MemoryModel, memories, memory_model

EXAMPLES = """  covenant memories
  covenant memories mine.json --json      # a file of your own: what its figures come to"""
COLUMNS = ("name", "peak GB/s", "channels", "banks", "bytes of a row", "bytes of an access", "what it is")


def add(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(commands, "memories", EXAMPLES)
    parser.add_argument("names", nargs="*", metavar="NAME|FILE", help="only these; a file of parameters is one, too")
    add_json(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace, output: Output) -> int:
    """Prints what each is made of, and where its figures are from."""
    found = {name: memory_model(name) for name in arguments.names or memories()}
    if output.json:
        output.object({"memories": [asdict(model) if model else _fixed(name) for name, model in found.items()]})
        return 0
    output.table("Models of off-chip memory", COLUMNS, [_row(name, model) for name, model in found.items()])
    for model in filter(None, found.values()):
        for source in model.sources.values():
            output.line(f"{model.name}: {source}")
    return 0


def _row(name: str, model: MemoryModel | None) -> list[object]:
    if model is None:
        return [name, *[""] * (len(COLUMNS) - 2), "the latency that the machine states"]
    sizes = [model.channels, model.banks, model.row_bytes, model.access_bytes]
    return [name, f"{model.peak_bytes_per_second / 1e9:.1f}", *sizes, model.about]


def _fixed(name: str) -> dict[str, object]:
    """Row of the fixed model, which has no parameters."""
    return dict.fromkeys(MemoryModel.__dataclass_fields__) | {
        "name": name,
        "about": "the latency that the machine states",
    }
