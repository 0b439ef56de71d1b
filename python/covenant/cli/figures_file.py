"""File in which a long benchmark keeps its figures, so that an interrupted one continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.files import write_whole

__all__ = ["FiguresFile"]


class FiguresFile:
    """Rows of figures by their keys, and what all of them are about.

    Args:
        path: of the file; None: rows are kept nowhere.
        subject: what they are about, as JSON; figures of something else are refused.
        keys: the cells of a row that tell it from others.

    Raises:
        CovenantError: CLI0006, the file has something else in it.
    """

    def __init__(self, path: Path | None, subject: dict[str, Any], *keys: str) -> None:
        self._path = path
        self._subject = subject
        self._keys = keys
        self._rows: dict[tuple[Any, ...], dict[str, Any]] = {}
        if path is None or not path.exists():
            return
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            is_same = {name: content[name] for name in subject} == subject
            for row in content["rows"]:
                self._rows[tuple(row[key] for key in keys)] = row
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise _other(path, f"no figures of this command: {error}") from error
        if not is_same:
            raise _other(path, f"figures of another {', '.join(subject)}")

    def get(self, *key: Any) -> dict[str, Any] | None:
        """The row of this key, if it is there."""
        return self._rows.get(key)

    def add(self, row: dict[str, Any]) -> dict[str, Any]:
        """Keeps a row, and gives it back."""
        self._rows[tuple(row[key] for key in self._keys)] = row
        if self._path:
            text = json.dumps(self._subject | {"rows": list(self._rows.values())}, indent=1) + "\n"
            write_whole(self._path, text.encode())
        return row


def _other(path: Path, offending: str) -> CovenantError:
    return CovenantError(
        Diagnostic("CLI0006", "the output has something else in it already", str(path), offending=offending,
                   fix="name another file, or remove this one")
    )  # fmt: skip
