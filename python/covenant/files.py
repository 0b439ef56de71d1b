"""Reads whole files, and writes them atomically: a file is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from covenant.errors import CovenantError, Diagnostic


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The content of a file.

    Raises:
        CovenantError: CLI0009, the file cannot be read.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CovenantError(
            Diagnostic(
                "CLI0009",
                "cannot read this file",
                os.fspath(path),
                offending=error.strerror or str(error),
                fix="name a file that exists and that you may read",
            )
        ) from error


def user_cache(name: str) -> Path:
    """A folder below the user's caches (XDG Base Directory Specification); it need not be there yet.

    Args:
        name: of what is kept there.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "covenant" / name


def check_writable(path: str | os.PathLike[str]) -> None:
    """Checks that a file can be made in the folder of `path`.

    Raises:
        CovenantError: CLI0006, it cannot.
    """
    folder = Path(path).parent
    if Path(path).is_dir() or not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise CovenantError(
            Diagnostic(
                "CLI0006",
                "cannot write this file",
                os.fspath(path),
                fix="name a folder that exists and that you may write to",
            )
        )


def write_whole(path: str | os.PathLike[str], content: bytes | str, *, may_run: bool = False) -> None:
    """Writes into a temporary file beside `path` and renames it: readers never see half of it.

    `may_run`: it is an executable.

    Raises:
        CovenantError: CLI0006, the place cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "a.txt", "all of it")
        ...     (Path(folder) / "a.txt").read_text()
        'all of it'
    """
    target = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o755 if may_run else 0o644)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise CovenantError(
            Diagnostic(
                "CLI0006",
                "cannot write this file",
                str(target),
                offending=error.strerror or str(error),
                fix="name a folder that exists and that you may write to",
            )
        ) from error
