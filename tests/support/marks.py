"""Rewrites the parts of pages that commands write: everything between a command's mark and the next end."""

from __future__ import annotations

from pathlib import Path

from covenant.files import write_whole

END = "<!-- end -->"


def between(text: str, mark: str, new: str) -> str:
    """The text with `new` between `mark` and the next end. Raises ValueError if it lacks the mark."""
    before, found, rest = text.partition(mark)
    if not found:
        raise ValueError(f"no mark {mark}")
    return f"{before}{mark}\n\n{new}\n\n{END}{rest.partition(END)[2]}"


def write_between(page: Path, parts: dict[str, str]) -> None:
    """Rewrites parts of a page, by their marks."""
    text = page.read_text(encoding="utf-8")
    for mark, new in parts.items():
        text = between(text, mark, new)
    write_whole(page, text)
