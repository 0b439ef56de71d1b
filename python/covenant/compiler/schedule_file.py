"""Reads schedule files for the core."""

from __future__ import annotations

import os

from covenant.errors import CovenantError, Diagnostic
from covenant.files import read_whole


def schedule_text(schedule: str | os.PathLike[str] | None) -> dict[str, str]:
    """Text of a schedule file for the core, with its name for diagnostics.

    Raises:
        CovenantError: no such file (CLI0009); not UTF-8 text (SCH0001).
    """
    if schedule is None:
        return {}
    name = os.fspath(schedule)
    try:
        return {"schedule": read_whole(schedule).decode(), "schedule_file": name}
    except UnicodeDecodeError as error:
        raise CovenantError(
            Diagnostic("SCH0001", "a schedule is UTF-8 text", name, offending=f"byte {error.start}",
                       fix="write one with `covenant compile --save-schedule`")
        ) from None  # fmt: skip
