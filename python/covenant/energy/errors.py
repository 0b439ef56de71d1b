"""Diagnostics of energies (docs/reference/diagnostics/ENG.md)."""

from __future__ import annotations

from collections.abc import Iterable

from covenant.errors import CovenantError, Diagnostic

__all__ = ["user_error"]


def user_error(
    code: str, message: str, subject: str = "", *, file: str = "", offending: object = "", allowed: Iterable[str] = (),
    fix: str,
) -> CovenantError:  # fmt: skip
    """One mistake."""
    return CovenantError(
        Diagnostic(code, message, file=file, subject=subject, offending=str(offending), allowed=tuple(allowed), fix=fix)
    )
