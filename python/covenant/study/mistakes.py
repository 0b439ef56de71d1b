"""What is wrong with a study, as diagnostics (docs/reference/diagnostics/STU.md)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from covenant.errors import CovenantError, Diagnostic

__all__ = ["mistake", "placed", "unknown"]


def mistake(
    code: str, message: str, subject: str = "", *, offending: object = "", allowed: Iterable[str] = (), fix: str
) -> CovenantError:
    """One mistake; `subject` is the place in the study, as in `models[0].metric`."""
    return CovenantError(
        Diagnostic(code, message, subject=subject, offending=str(offending), allowed=tuple(allowed), fix=fix)
    )


def unknown(code: str, message: str, subject: str, word: str, allowed: Iterable[str]) -> CovenantError:
    """A word that is none of those allowed; the fix is the nearest of them, if one is near."""
    words = tuple(allowed)
    near = difflib.get_close_matches(word, words, 1)
    fix = f'did you mean "{near[0]}"?' if near else "use one of the allowed words"
    return mistake(code, message, subject, offending=word, allowed=words, fix=fix)


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
