"""Sets of command vectors in folders: streams as files, and Python that makes streams."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from covenant.bench.commands import Vector, VectorSet
from covenant.commands import CommandStream
from covenant.commands.stream import expected_cycles
from covenant.errors import CovenantError, Diagnostic, InternalError

FILE = "vector_sets.py"
"""File of a folder that makes its sets: `SETS`, a sequence of `VectorSet`."""
_CHECKOUT = Path(__file__).parents[3] / "tests/e2e/commands"
_ENDINGS = (".json", ".json.gz")
"""Of files of streams that can say what their reads should give."""


def vector_sets(folder: str | os.PathLike[str] | None, machine: str | None) -> Sequence[VectorSet]:
    """Sets of a folder.

    Args:
        folder: with a file `vector_sets.py`, whose `SETS` are returned, or with streams as JSON, which are one set.
            None: that of the checkout that this package lies in.
        machine: name of that of a set of streams; not needed for `vector_sets.py`.

    Raises:
        CovenantError: BEH0045, no folder is named and there is no checkout, the folder has neither, or its Python does
            not say what it should; CLI0008, streams without a machine.
    """
    if folder is None and not (_CHECKOUT / FILE).is_file():
        _refuse("no folder of command vectors is named, and the package lies in no checkout", "", "")
    place = _CHECKOUT if folder is None else Path(folder)
    try:
        is_python = (place / FILE).is_file()
        files = sorted(path for path in place.iterdir() if path.name.endswith(_ENDINGS))
    except (OSError, ValueError) as error:  # ValueError: the path has a byte 0
        _refuse("this folder of command vectors cannot be read", str(place), str(error))
    if is_python:
        return _from_python(place / FILE)
    if not files:
        _refuse("a folder without command vectors", str(place), "neither")
    if machine is None:
        raise CovenantError(
            Diagnostic("CLI0008", "streams do not say which machine they are for", str(place),
                       fix="name it: --machine MACHINE")
        )  # fmt: skip
    name = place.resolve().name
    return (VectorSet(name, machine, "the streams' own", lambda: stream_vectors(files)),)


def stream_vectors(files: Sequence[Path]) -> Iterator[Vector]:
    """Files of streams with what their reads should give, and, as `cycles_start_to_interrupt`, cycles of each wait."""
    for path in files:
        yield Vector(CommandStream.load(path), cycles=expected_cycles(path), name=path.name)


def _from_python(path: Path) -> Sequence[VectorSet]:
    """Sets that a file of Python makes; it may import what lies beside it."""
    spec = importlib.util.spec_from_file_location("covenant_vector_sets", path)
    if spec is None or spec.loader is None:
        raise InternalError("a name that ends in .py has no loader")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except CovenantError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever the user's Python raises)
        _refuse("the Python of a folder of command vectors fails", str(path), f"{type(error).__name__}: {error}")
    finally:
        sys.path.remove(str(path.parent))
    found = getattr(module, "SETS", None)
    if not isinstance(found, Sequence) or not all(isinstance(one, VectorSet) for one in found):
        _refuse("the Python of a folder of command vectors has no SETS of VectorSet", str(path), type(found).__name__)
    return found


def _refuse(message: str, file: str, offending: str) -> NoReturn:
    raise CovenantError(
        Diagnostic("BEH0045", message, file, offending=offending,
                   allowed=(f"a folder of streams as {' or '.join(_ENDINGS)}", f"a folder with {FILE}"),
                   fix="name a folder: covenant bench commands FOLDER --machine MACHINE")
    )  # fmt: skip
