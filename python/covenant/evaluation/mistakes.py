"""What is wrong with an evaluation, as diagnostics (docs/reference/diagnostics/ACC.md)."""

from __future__ import annotations

from collections.abc import Iterable

from covenant.errors import CovenantError, Diagnostic

__all__ = ["mistake"]


def mistake(
    code: str, message: str, subject: str = "", *, offending: object = "", allowed: Iterable[str] = (), fix: str
) -> CovenantError:
    """One mistake."""
    return CovenantError(
        Diagnostic(code, message, subject=subject, offending=str(offending), allowed=tuple(allowed), fix=fix)
    )
