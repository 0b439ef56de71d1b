"""Writes folders atomically, and never over anything else."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from covenant.errors import CovenantError, Diagnostic


def check_folder(folder: str | os.PathLike[str], mark: str, what: str) -> None:
    """Checks that `write_folder` may write this folder: it is not there, empty, or one of the same kind.

    Args:
        folder: to be written.
        mark: the file by which a folder of this kind is known; such a folder is replaced.
        what: the kind, in words.

    Raises:
        CovenantError: CLI0011, it has other files; CLI0006, it cannot be written.
    """
    target = Path(folder).resolve()
    try:
        others = target.exists() and (not target.is_dir() or any(target.iterdir())) and not (target / mark).is_file()
    except OSError as error:
        raise _unwritable(target, error) from error
    if others:
        raise CovenantError(
            Diagnostic(
                "CLI0011", f"this is not a folder of {what}, and not empty", os.fspath(folder),
                fix="name a folder that is not there yet",
            )
        )  # fmt: skip


def write_folder(files: Mapping[str, str | bytes], folder: str | os.PathLike[str], mark: str, what: str) -> None:
    """Writes the folder, files by their path in it; one of the same kind that is there already is replaced.

    Raises:
        CovenantError: as `check_folder`.
    """
    check_folder(folder, mark, what)
    target = Path(folder).resolve()
    made = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        for name, content in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            (made / name).write_bytes(content.encode() if isinstance(content, str) else content)
        made.chmod(0o755)
        if target.exists():
            shutil.rmtree(target)
        made.replace(target)
    except OSError as error:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> CovenantError:
    return CovenantError(
        Diagnostic(
            "CLI0006", "cannot write this folder", str(target), offending=error.strerror or str(error),
            fix="name a place that you may write to",
        )
    )  # fmt: skip
