"""Diagnostics of evaluations (docs/reference/diagnostics/ACC.md)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from covenant.errors import CovenantError, Diagnostic

__all__ = ["unknown", "user_error"]


def user_error(
    code: str, message: str, subject: str = "", *, offending: object = "", allowed: Iterable[str] = (), fix: str
) -> CovenantError:
    """One mistake; `subject` is what it is about: a part of the data, an output, the place in a study."""
    return CovenantError(
        Diagnostic(code, message, subject=subject, offending=str(offending), allowed=tuple(allowed), fix=fix)
    )


def unknown(code: str, message: str, subject: str, word: str, allowed: Iterable[str]) -> CovenantError:
    """A word that is none of those allowed; the fix is the nearest of them, if one is near."""
    words = tuple(allowed)
    near = difflib.get_close_matches(word, words, 1)
    fix = f'did you mean "{near[0]}"?' if near else "use one of the allowed words"
    return user_error(code, message, subject, offending=word, allowed=words, fix=fix)
