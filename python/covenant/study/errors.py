"""Diagnostics of studies (docs/reference/diagnostics/STU.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from covenant.errors import CovenantError
from covenant.evaluation.errors import unknown, user_error

__all__ = ["as_of_study", "placed", "unknown", "user_error"]

_DATA, _METRIC = "STU0010", "STU0021"
_CODES = {
    "ACC0001": _DATA, "ACC0002": "STU0006", "ACC0003": "STU0014", "ACC0004": _DATA, "ACC0009": "STU0020",
    "ACC0010": _METRIC, "CLI0002": _DATA, "CLI0003": _DATA,
}  # fmt: skip
"""Codes of a study for mistakes that evaluations and studies have in common."""


@contextmanager
def as_of_study(subject: str = "") -> Iterator[None]:
    """Tells mistakes of data and metrics within by the codes of a study, below this key of it."""
    try:
        yield
    except CovenantError as error:
        known = error.diagnostic
        if known.code not in _CODES:
            raise
        message = ": ".join(filter(None, (known.message, known.file)))
        below = ": ".join(filter(None, (subject, known.subject)))
        raise CovenantError(
            replace(known, code=_CODES[known.code], message=message, file="", line=0, column=0, subject=below)
        ) from error


@contextmanager
def placed(*, file: str = "", subject: str = "") -> Iterator[None]:
    """Tells mistakes within where they are: in which file, if they do not say, and below which table of it."""
    try:
        yield
    except CovenantError as error:
        known = error.diagnostic
        if not known.code.startswith(("STU", "QNT")):
            raise
        below = ".".join(filter(None, (subject, known.subject)))
        raise CovenantError(replace(known, file=known.file or file, subject=below)) from error
