"""Message to a Dask worker: the points of one group, and the content of every file that they name."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from covenant._core import version
from covenant.study.errors import user_error
from covenant.study.measure import Outcome, measure
from covenant.study.points import Point

__all__ = ["Sent", "compute", "files_of"]

# A process runs one simulation at a time, and a worker may have several threads.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Sent:
    """Points of one group, as they leave for a worker."""

    points: tuple[Point, ...]
    version: str
    """Version of the SDK that names the points: another one would give other results."""


def files_of(points: Sequence[Point]) -> tuple[str, ...]:
    """Paths of the files that points are computed from."""
    named = {path for point in points for path in point.model.files}
    return tuple(sorted(named | {point.memory for point in points if Path(point.memory).is_file()}))


def compute(sent: Sent, contents: Mapping[str, bytes]) -> list[Outcome]:
    """The outcomes of points, computed where it is called; nothing of the caller's file system is needed.

    Args:
        sent: the points.
        contents: of each file that they name, by its path.

    Raises:
        CovenantError: STU0019, this worker has another version of the SDK.
    """
    if sent.version != version:
        raise user_error("STU0019", "a worker has another version of the SDK", "dask", offending=version,
                         allowed=(sent.version,), fix="install the same version on all workers")  # fmt: skip
    with _ONE_AT_A_TIME:
        here = {path: _written(path, content) for path, content in contents.items()}
        points = [
            replace(
                point,
                model=point.model.moved(here),
                memory=here.get(point.memory, point.memory),
            )
            for point in sent.points
        ]
        return list(measure(points))


@cache
def _folder() -> Path:
    """Removed when this process ends."""
    path = tempfile.mkdtemp(prefix="covenant-study-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return Path(path)


def _written(path: str, content: bytes) -> str:
    """The file of this content, with the name that it has elsewhere: programs are named after their models."""
    copy = _folder() / hashlib.sha256(content).hexdigest() / Path(path).name
    if not copy.exists():
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(content)
    return str(copy)
