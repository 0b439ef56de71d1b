"""Folders in the navigation of the site: an entry that ends with a slash stands for all pages of that folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_DOCS = Path(__file__).resolve().parents[1]


def expanded(entry: Any) -> Any:
    """An entry of the navigation with folders replaced by their pages: the index first, then the others by name."""
    if isinstance(entry, dict):
        return {title: expanded(one) for title, one in entry.items()}
    if isinstance(entry, list):
        return [expanded(one) for one in entry]
    if not entry.endswith("/"):
        return entry
    pages = sorted((_DOCS / entry).glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
    return [page.relative_to(_DOCS).as_posix() for page in pages]


def on_config(config: Any) -> Any:
    """Called by MkDocs with the configuration that it has read."""
    config["nav"] = expanded(config["nav"])
    return config
