"""Writes folders atomically, and never over anything else."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
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
        while (others := _has_others(target, mark)) is None:
            pass
    except OSError as error:
        raise _unwritable(target, error) from error
    if others:
        raise CovenantError(
            Diagnostic(
                "CLI0011", f"this is not a folder of {what}, and not empty", os.fspath(folder),
                fix="name a folder that is not there yet",
            )
        )  # fmt: skip


def _has_others(target: Path, mark: str) -> bool | None:
    """Whether there is something else than a folder with the mark; None: another process has moved it meanwhile."""
    try:
        handle = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        return True
    try:
        if _is_file(mark, handle) or not os.listdir(handle):  # noqa: PTH208 (pathlib takes no handle)
            return False
        return True if os.path.samestat(target.stat(), os.fstat(handle)) else None
    except FileNotFoundError:
        return None
    finally:
        os.close(handle)


def _is_file(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder).st_mode)
    except FileNotFoundError:
        return False


def write_folder(files: Mapping[str, str | bytes], folder: str | os.PathLike[str], mark: str, what: str) -> None:
    """Writes the folder, files by their path in it; one of the same kind that is there already is replaced.

    What a killed process has left of such a folder, hidden beside it, is removed.

    Raises:
        CovenantError: as `check_folder`.
    """
    check_folder(folder, mark, what)
    target = Path(folder).resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_left(target)
        with _working_folder(target) as work:
            made = work / "new"
            made.mkdir()
            for name, content in files.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_bytes(content.encode() if isinstance(content, str) else content)
            _put(made, target, work / "old")
    except OSError as error:
        raise _unwritable(target, error) from error


@contextlib.contextmanager
def _working_folder(target: Path) -> Iterator[Path]:
    """A new folder beside `target`, removed after the body. It is locked for as long as this process lives."""
    work, lock = _locked_folder(target)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(lock)


def _locked_folder(target: Path) -> tuple[Path, int]:
    while True:
        work = Path(tempfile.mkdtemp(dir=target.parent, prefix=_prefix(target)))
        with contextlib.suppress(FileNotFoundError):  # another process took it for one that was left
            lock = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
            if _is_taken(lock) and work.exists():
                return work, lock
            os.close(lock)


def _is_taken(lock: int) -> bool:
    """False if another process has the lock: it is about to remove the folder."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # there are no locks here: then no folder is taken for one that was left
    return True


def _remove_left(target: Path) -> None:
    """Removes the working folders of processes that are gone."""
    for one in target.parent.iterdir():
        if not one.name.startswith(_prefix(target)):
            continue
        with contextlib.suppress(OSError):  # another process has it
            lock = os.open(one, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(one, ignore_errors=True)
            finally:
                os.close(lock)


def _prefix(target: Path) -> str:
    return f".{target.name[:100]}.covenant-"


def _put(made: Path, target: Path, aside: Path) -> None:
    """Moves a folder to where one may be, which goes aside; other processes may do the same."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            target.rename(aside)
        try:
            made.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                with contextlib.suppress(OSError):
                    aside.rename(target)
                raise
            shutil.rmtree(aside, ignore_errors=True)  # of another process, which has put the next one there meanwhile
        else:
            return


def _unwritable(target: Path, error: OSError) -> CovenantError:
    return CovenantError(
        Diagnostic(
            "CLI0006", "cannot write this folder", str(target), offending=error.strerror or str(error),
            fix="name a place that you may write to",
        )
    )  # fmt: skip
