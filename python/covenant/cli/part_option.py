"""`--part TENSOR=MACHINE`: where a model is cut, and the machine of what comes after."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from covenant.cli.arguments import mistake


def add_part(parser: argparse.ArgumentParser) -> None:
    """Adds the option."""
    parser.add_argument(
        "--part", metavar="TENSOR=MACHINE", action="append", default=[],
        help="all that comes after this tensor, or after the layer of this name, is for this machine: the program has "
        "several parts (docs/reference/parts.md); may be said several times, in the order of computation",
    )  # fmt: skip


def parts_of(texts: Sequence[str]) -> dict[str, str]:
    """Machines by the tensors after which they compute.

    Raises:
        CovenantError: CLI0008, a text is no pair, or a tensor is named twice.
    """
    parts: dict[str, str] = {}
    for text in texts:
        tensor, equals, machine = text.rpartition("=")
        if not (tensor and equals and machine):
            raise mistake(f"--part {text} is no tensor and machine", "say TENSOR=MACHINE, for example pool=hvx")
        if tensor in parts:
            raise mistake(f"--part names {tensor} twice", "name each tensor once")
        parts[tensor] = machine
    return parts
