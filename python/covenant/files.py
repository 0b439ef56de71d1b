"""Reads whole files, and writes them atomically: a file is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from covenant.errors import CovenantError, Diagnostic

MOST_BYTES = 2**28
"""Most bytes of a pipe or device that is read whole: some have no end."""
STANDARD_OUTPUT = "standard output"
"""Its name in the place of a path."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_PROCESS = Path("/proc/self/fd")
"""Open files of this process."""
_ROOM = 1 << 16
"""Bytes that a folder must have room for before something is computed for it."""
_TRIES = 1000
"""Of a process that waits for another one to rename a file, a millisecond each."""
_unfinished: set[Path] = set()
"""Temporary files of writes that are under way."""


def read_whole(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The content of a file, or of a pipe until its end.

    Args:
        path: of the file.
        most: bytes that a pipe or device may give.

    Raises:
        CovenantError: CLI0009, the file cannot be read, or is a pipe that gives more.
    """
    try:
        with Path(path).open("rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            content = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: the path has a byte 0
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from error
    if len(content) > most:
        raise _unreadable(path, f"more than {most:,} bytes")
    return content


def read_start(path: str | os.PathLike[str], most: int) -> bytes:
    """The first bytes of a file; none of one that is no regular file, or cannot be read: its reader says why."""
    try:
        with Path(path).open("rb") as file:
            return file.read(most) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except (OSError, ValueError):
        return b""


def _unreadable(path: str | os.PathLike[str], why: str) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0009", "cannot read this file", os.fspath(path), offending=why,
                   fix="name a file that exists, that you may read, and that ends")
    )  # fmt: skip


def of_the_system(error: OSError) -> Diagnostic:
    """The diagnostic for an error of the operating system: CLI0006, CLI0009 or CLI0027."""
    reason = error.strerror or str(error)
    if error.filename == STANDARD_OUTPUT:
        return Diagnostic("CLI0006", "cannot write the result", STANDARD_OUTPUT, offending=reason,
                          fix="write it to a place that is open and has room")  # fmt: skip
    place = "" if error.filename is None else os.fspath(error.filename)
    if error.errno in _NO_ROOM:
        return Diagnostic("CLI0006", "cannot write a file", place, offending=reason,
                          fix="make room, or name another folder: TMPDIR, for temporary files")  # fmt: skip
    if not place:
        return Diagnostic("CLI0027", "the system does not give what the command needs", offending=reason,
                          fix="give it memory, processes, or by TMPDIR a folder for temporary files")  # fmt: skip
    return Diagnostic("CLI0009", "cannot use this file", place, offending=reason,
                      fix="name a file that the system takes")  # fmt: skip


def user_cache(name: str) -> Path:
    """A folder below the user's caches (XDG Base Directory Specification); it need not be there yet.

    Args:
        name: of what is kept there.

    Raises:
        CovenantError: CLI0006, the user has no home, and no other folder is named.
    """
    try:
        caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError as error:  # no HOME, and no entry in the list of users
        raise CovenantError(
            Diagnostic("CLI0006", "there is no folder for caches", offending=str(error),
                       fix="set HOME, or XDG_CACHE_HOME")
        ) from error  # fmt: skip
    return caches / "covenant" / name


def make_cache(folder: Path, variable: str = "XDG_CACHE_HOME") -> None:
    """Makes a folder of a cache, and those that it lies in; before what takes long and is to be kept there.

    Args:
        folder: need not be missing.
        variable: of the environment, by which another place can be named.

    Raises:
        CovenantError: CLI0006, it cannot be made or written, or has no room for a small file.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            _check_room(folder)
            return
        why = "you may not write there"
    except OSError as error:
        why = error.strerror or str(error)
    raise CovenantError(
        Diagnostic("CLI0006", "nothing can be kept in this folder", str(folder), offending=why,
                   fix=f"make it a folder with room that you may write to, or name another one: {variable}=FOLDER")
    )  # fmt: skip


def _check_room(folder: Path) -> None:
    """Raises OSError where a small file does not fit; as far as files without a name can be made there."""
    unnamed = _open_unnamed(folder, 0o600)
    if unnamed is not None:
        with os.fdopen(unnamed, "wb") as file:
            file.write(bytes(_ROOM))


def check_writable(path: str | os.PathLike[str]) -> None:
    """Checks that a file can be made at `path`, or that what is there takes bytes.

    Raises:
        CovenantError: CLI0006, it cannot.
    """
    target = _target(path)
    there, around = _mode(target), _mode(target.parent)
    if there is not None and stat.S_ISDIR(there):
        raise _unwritable(path, "it is a folder")
    if around is None or not stat.S_ISDIR(around):
        raise _unwritable(path, "its folder does not exist")
    if len(os.fsencode(target.name)) > os.pathconf(target.parent, "PC_NAME_MAX"):
        raise _unwritable(path, "the name is too long")
    if not os.access(target if is_special(target) else target.parent, os.W_OK):
        raise _unwritable(path, "you may not write there")


def write_whole(path: str | os.PathLike[str], content: bytes | str, *, may_run: bool = False) -> None:
    """Writes into a temporary file beside `path` and renames it: readers never see half of it.

    The temporary file has no name until it is whole, where the file system has such files. If this process is killed
    just before it renames that, `.NAME.new` is left until the next time `path` is written. A link stays, and the file
    that it names is replaced. A device or pipe stays, too, and gets the bytes. Permissions are those that the file had,
    or what the process gives new files (umask).

    Args:
        path: of the file.
        content: bytes, or text for UTF-8.
        may_run: it is an executable.

    Raises:
        CovenantError: CLI0006, the place cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_whole(Path(folder) / "a.txt", "all of it")
        ...     (Path(folder) / "a.txt").read_text()
        'all of it'
    """
    target = _target(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        if is_special(target):
            target.write_bytes(data)
        else:
            _replace(target, data, 0o111 if may_run else 0)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _replace(target: Path, data: bytes, run_bits: int) -> None:
    """Puts a new file into the place of `target`."""
    beside = target.parent / f".{target.name[:100]}"
    unnamed = _open_unnamed(target.parent, 0o666 | run_bits)
    if unnamed is not None:
        with os.fdopen(unnamed, "wb") as file:
            _fill(file, data, target, run_bits)
            _name(unnamed, beside.with_name(f"{beside.name}.new"), target)
        return
    with _unfinished_file(beside.with_name(f"{beside.name}.{os.urandom(4).hex()}")) as temporary:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 | run_bits)
        with os.fdopen(handle, "wb") as file:
            _fill(file, data, target, run_bits)
        temporary.replace(target)


def _fill(file: BinaryIO, data: bytes, target: Path, run_bits: int) -> None:
    """Writes the content, and gives the file the permissions of the one that it replaces."""
    file.write(data)
    file.flush()
    if (mode := _mode(target)) is not None:
        os.fchmod(file.fileno(), mode & 0o777 | run_bits)


@contextlib.contextmanager
def _unfinished_file(path: Path) -> Iterator[Path]:
    """A name in the file system that goes unless the body renames it."""
    _unfinished.add(path)
    try:
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(path)


def _name(unnamed: int, temporary: Path, target: Path) -> None:
    """Gives a file without a name that of `target`, which goes. Other processes may do the same at the same time."""
    with contextlib.suppress(OSError):  # there are no locks here: the file is not taken for one that was left then
        fcntl.flock(unnamed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    for turn in range(_TRIES + 1):
        if turn == _TRIES:
            temporary = temporary.with_suffix(f".{os.urandom(4).hex()}")
        try:
            _link(unnamed, temporary)
            break
        except FileExistsError:
            if not _was_left(temporary):
                time.sleep(0.001)
    with _unfinished_file(temporary):
        temporary.replace(target)


def _link(unnamed: int, path: Path) -> None:
    # Given a folder, which an absolute path does not need, Python follows the link in /proc.
    os.link(_PROCESS / str(unnamed), path, src_dir_fd=unnamed)


def _was_left(temporary: Path) -> bool:
    """Whether a process that is gone has named this file and not renamed it; it is removed then."""
    with contextlib.suppress(OSError), temporary.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # which its process has, as long as it lives
        if os.path.samestat(os.fstat(file.fileno()), temporary.stat()):
            temporary.unlink()
            return True
    return False


def _open_unnamed(folder: Path, mode: int) -> int | None:
    """A new file that goes with this process unless it gets a name; None: there are none here."""
    if not _PROCESS.is_dir():
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE, mode)
    except OSError:  # if the folder cannot be written at all, a file with a name says so
        return None


def remove_unfinished() -> None:
    """Removes the temporary files of writes that are under way, because the process ends now."""
    for temporary in tuple(_unfinished):
        with contextlib.suppress(OSError):
            temporary.unlink()


def _target(path: str | os.PathLike[str]) -> Path:
    """Where the bytes go: the file that a link names."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise _unwritable(path, str(error)) from error


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether a file is there, behind a link too."""
    mode = _mode(Path(path))
    return mode is not None and stat.S_ISREG(mode)


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether something other than a file or folder is there: a device, a pipe, a socket."""
    mode = _mode(Path(path))
    return mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _mode(path: Path) -> int | None:
    """Kind and permissions of what is at a path; None: nothing that can be seen."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _unwritable(path: str | os.PathLike[str], why: str) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0006", "cannot write this file", os.fspath(path), offending=why,
                   fix="name a folder that exists and that you may write to")
    )  # fmt: skip
