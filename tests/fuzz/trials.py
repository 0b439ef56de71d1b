"""Trials: one input of one reader, drawn from a seed and its number, tried by one command."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from attempts import WRONG, Limits, Outcome, attempt
from good_files import DIGITS
from readers import BY_NAME, Reader
from structures import mutated, steps_of

import covenant
from covenant.cli import DIFFERS, OK, main

COSTLY = ("covenant.bench", "covenant.explore", "covenant.__main__")
"""Modules that no reader needs."""
MOST_TRIES = 60
"""Attempts to make a failure smaller."""


@dataclass(frozen=True)
class Trial:
    """An input, by what it is drawn from."""

    seed: int
    reader: str
    number: int
    """Of the input among those of its reader."""
    left_out: frozenset[int] = frozenset()
    """Steps that are not taken."""

    @property
    def key(self) -> str:
        """All that is drawn comes from it."""
        return f"{self.seed} {self.reader} {self.number}"


@dataclass(frozen=True)
class Tried:
    """A trial, its command and its end; a failure with its input, as small as it could be made."""

    trial: Trial
    words: tuple[str, ...]
    suffix: str
    outcome: Outcome
    input: bytes = b""


@lru_cache(maxsize=64)
def good_files_of(folder: Path, reader: str) -> tuple[tuple[str, bytes], ...]:
    """Endings and contents of the good files of a reader."""
    return tuple((path.suffix, path.read_bytes()) for path in sorted((folder / reader).iterdir()))


def warm_up() -> None:
    """Imports what commands import, once for all trials that are forked from here."""
    for module in pkgutil.walk_packages(covenant.__path__, "covenant."):
        if not module.name.startswith(COSTLY):
            try:
                importlib.import_module(module.name)
            except ImportError as error:  # of an optional package
                print(f"{module.name}: {error}", file=sys.stderr)


def input_of(trial: Trial, folder: Path) -> tuple[str, bytes]:
    """The ending and the content of the input."""
    files = good_files_of(folder, trial.reader)
    at = Random(f"{trial.key} file").randrange(len(files))  # noqa: S311
    suffix, data = files[at]
    others = [content for _, content in files]
    form = BY_NAME[trial.reader].form
    return suffix, mutated(form, trial.key, data, others, lambda number: number not in trial.left_out)


def command_of(trial: Trial) -> str:
    """The command of the reader that is drawn."""
    return Random(f"{trial.key} command").choice(BY_NAME[trial.reader].commands)  # noqa: S311


def words_of(trial: Trial, path: Path, folder: Path) -> list[str]:
    """The command line that reads the input."""
    command = command_of(trial)
    if not command:
        return path.read_bytes().decode(errors="surrogateescape").split("\0")
    places = {
        "{input}": str(path), "{folder}": str(path.parent), "{kit}": str(folder / "kit"),
        "{digits}": str(DIGITS / "digits_qdq.onnx"), "{float}": str(DIGITS / "digits_float.onnx"),
    }  # fmt: skip
    words = command.split()
    for place, value in places.items():
        words = [word.replace(place, value) for word in words]
    return words


def run(trial: Trial, folder: Path, limits: Limits) -> Tried:
    """Tries an input; a failure is made smaller."""
    suffix, data = input_of(trial, folder)
    tried = run_bytes(trial, folder, limits, suffix, data)
    return _smaller(tried, folder, limits, data) if tried.outcome.failed else tried


def run_bytes(trial: Trial, folder: Path, limits: Limits, suffix: str, data: bytes) -> Tried:
    """Tries these bytes in the place of the input."""
    reader = BY_NAME[trial.reader]
    with tempfile.TemporaryDirectory(prefix="fuzz") as place:
        path = Path(place) / "in" / f"input{suffix}"
        path.parent.mkdir()
        path.write_bytes(data)
        words = words_of(trial, path, folder)
        outcome = attempt(_action(reader, words, path), Path(place), limits, path if reader.stdin else None)
        shown = tuple(word.replace(place + "/in/", "").replace(str(folder), "FILES") for word in words)
    return Tried(trial, shown, suffix, outcome, data if outcome.failed else b"")


def _action(reader: Reader, words: list[str], path: Path) -> Callable[[], int]:
    def action() -> int:
        os.environ |= {
            "XDG_CACHE_HOME": str(path.parent), "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"
        }  # fmt: skip
        code = main(words)
        if code == DIFFERS and "--compare" in words:
            sys.stderr.write("\nthe machine's bytes are not those of the reference\n")
            return WRONG
        if code == OK and reader.witness and (complaint := reader.witness(path)):
            sys.stderr.write(f"\n{complaint}\n")
            return WRONG
        return code

    return action


def _smaller(tried: Tried, folder: Path, limits: Limits, data: bytes) -> Tried:
    """The same failure with fewer steps, then with fewer bytes."""
    best, tries = tried, 0
    for number in range(steps_of(tried.trial.key)):
        trial = Trial(tried.trial.seed, tried.trial.reader, tried.trial.number, best.trial.left_out | {number})
        again = run_bytes(trial, folder, limits, *input_of(trial, folder))
        if again.outcome.kind == tried.outcome.kind and again.outcome.verdict == tried.outcome.verdict:
            best = again
    data = best.input
    size = len(data) // 2
    while size >= max(1, len(best.input) // 64) and tries < MOST_TRIES:
        at = 0
        while at < len(data) and tries < MOST_TRIES:
            shorter = data[:at] + data[at + size :]
            again = run_bytes(best.trial, folder, limits, tried.suffix, shorter)
            tries += 1
            if again.outcome.kind == tried.outcome.kind and again.outcome.verdict == tried.outcome.verdict:
                best, data = again, shorter
            else:
                at += size
        size //= 2
    return best


def remove(folder: Path) -> None:
    """Removes what was written, if anything was."""
    shutil.rmtree(folder, ignore_errors=True)
