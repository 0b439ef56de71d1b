"""Attempts: an action in a process of its own, within limits of time and memory, and what became of it.

The process is forked from the one that asks, so that an attempt costs milliseconds and no import; whatever it does, the
one that asks goes on.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import interrupts

from covenant.cli import DIFFERS, INTERNAL, MISTAKE, OK

WRONG, UNCAUGHT = 70, 71
"""Exit codes of attempts alone: a witness disagrees; an exception has passed all of the command line."""
FAILURES = ("internal", "crash", "slow", "memory", "wrong", "untold")
"""Verdicts that are mistakes of ours; untold: a mistake of the user without a diagnostic."""
VERDICTS = ("read", "refused", *FAILURES)
GIB = 2**30

_DIAGNOSTIC = re.compile(r"^(?:[^\n]*: )?error\[(?P<code>[A-Z]{3}\d{4})\] ", re.MULTILINE)
_PLACE = re.compile(r'File "(?P<file>[^"]*)", line \d+, in (?P<function>\w+)')
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


@dataclass(frozen=True)
class Limits:
    """Time and memory that one attempt may take."""

    seconds: int = 10
    """Of a processor: what else the computer does plays no part."""
    waiting_seconds: int = 300
    """By the clock, for one that waits for something that does not come."""
    memory_bytes: int = GIB
    """Resident at most. Twice as much address space is given, so that what goes over it is seen, and harms nothing."""


@dataclass(frozen=True)
class Outcome:
    """End of an attempt."""

    verdict: str
    kind: str = ""
    """For failures: the place that they come from; two of one kind are the same mistake."""
    code: str = ""
    """Of the diagnostic."""
    seconds: float = 0
    mebibytes: float = 0
    text: str = ""
    """The end of what it wrote to standard error."""

    @property
    def failed(self) -> bool:
        """Whether it is a mistake of ours."""
        return self.verdict in FAILURES


def attempt(action: Callable[[], int], folder: Path, limits: Limits, stdin: Path | None = None) -> Outcome:
    """Runs the action in the folder and says how it ended.

    Args:
        action: gives an exit code of the command line, or WRONG.
        folder: the working folder of the action; what it writes stays there.
        limits: what it may take.
        stdin: the standard input; None: there is none.
    """
    with tempfile.TemporaryFile() as errors:
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            _act(action, folder, limits, stdin, errors.fileno())
        _, status, usage = os.wait4(process, 0)
        with contextlib.suppress(OSError):
            os.killpg(process, signal.SIGKILL)  # processes that it has started and left
        said = _ends_of(errors)
    seconds, used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
    verdict, kind, code = _verdict(status, said)
    if verdict not in FAILURES and seconds > limits.seconds:
        verdict, kind = "slow", "several processes"
    elif verdict not in FAILURES and used > limits.memory_bytes:
        verdict, kind = "memory", f"{used / GIB:.1f} GiB"
    text = said.decode(errors="backslashreplace")[-4000:]
    return Outcome(verdict, kind, code, round(seconds, 3), round(used / 2**20, 1), text)


def _ends_of(errors: BinaryIO) -> bytes:
    """Its beginning, where the diagnostic is, and its end, where an exception is."""
    size, most = errors.seek(0, os.SEEK_END), 20_000
    errors.seek(0)
    first = errors.read(most)
    if size <= 2 * most:
        return first + errors.read()
    errors.seek(size - most)
    return first.decode(errors="ignore").encode() + b"\n...\n" + errors.read().lstrip(bytes(range(0x80, 0xC0)))


def _act(action: Callable[[], int], folder: Path, limits: Limits, stdin: Path | None, errors: int) -> NoReturn:
    """The life of the process of an attempt."""
    code = UNCAUGHT
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        os.chdir(folder)
        os.dup2(os.open(stdin or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(errors, 2)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (until the process ends)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        for name in (signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
            signal.signal(name, signal.SIG_DFL)
        interrupts.let_through()
        _limit(limits)
        code = action()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # noqa: BLE001 (the point of it)
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _limit(limits: Limits) -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    space = pages * resource.getpagesize() + 2 * limits.memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (GIB, GIB))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(limits.waiting_seconds)


def _verdict(status: int, said: bytes) -> tuple[str, str, str]:
    """The verdict, the kind of a failure, and the code of a diagnostic."""
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status))
        if name in (signal.SIGXCPU, signal.SIGALRM):
            return "slow", "waits" if name is signal.SIGALRM else "computes", ""
        return "crash", name.name, ""
    code = os.WEXITSTATUS(status)
    if code == WRONG:
        return "wrong", _last_line(said), ""
    if code in (INTERNAL, UNCAUGHT):
        return "internal", _origin(said.decode(errors="replace")), ""
    return ("read", "", "") if code in (OK, DIFFERS) else _refusal(code, said)


def _refusal(code: int, said: bytes) -> tuple[str, str, str]:
    try:
        told = _DIAGNOSTIC.search(said.decode())
    except UnicodeDecodeError:
        return "untold", "not UTF-8", ""
    if code == MISTAKE and told:
        return "refused", "", told["code"]
    return "untold", f"exit code {code}", ""


def _origin(text: str) -> str:
    """The innermost line of ours in a traceback, and the exception."""
    places = [place for place in _PLACE.finditer(text) if "covenant" in place["file"]]
    where = f"{Path(places[-1]['file']).name} {places[-1]['function']}" if places else ""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith((" ", "internal error"))]
    what = re.sub(r"\d+", "N", lines[-1])[:100] if lines else ""
    return f"{where}: {what}"


def _last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return re.sub(r"\d+", "N", lines[-1])[:100] if lines else ""
