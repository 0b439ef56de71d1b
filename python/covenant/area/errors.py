"""Diagnostics of the tools of the area proxy (docs/reference/diagnostics/ARE.md)."""

from __future__ import annotations

from covenant.errors import CovenantError, Diagnostic

__all__ = ["user_error"]


def user_error(code: str, message: str, *, file: str = "", offending: object = "", fix: str) -> CovenantError:
    """One mistake."""
    return CovenantError(Diagnostic(code, message, file=file, offending=str(offending), fix=fix))
