"""A store of results of synthesis: one file for each content, which several processes may use at once."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from covenant.files import user_cache, write_whole

__all__ = ["AreaCache"]


class AreaCache:
    """A folder of results by the content that they were made of.

    Args:
        folder: None: what COVENANT_AREA_CACHE names, else `covenant/area` below the user's cache.

    Attributes:
        made: results that were computed through this object, not found.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = Path(folder or os.environ.get("COVENANT_AREA_CACHE") or user_cache("area"))
        self.made = 0

    def find(self, content: str) -> Any | None:
        """Result that is kept for a content."""
        path = self._path(content)
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def keep(self, content: str, value: Any) -> None:
        """Writes a result whole or not at all."""
        path = self._path(content)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(value, sort_keys=True))
        self.made += 1

    def get(self, content: str, make: Callable[[], Any]) -> Any:
        """Result that is kept for a content, else the result of `make`."""
        found = self.find(content)
        if found is None:
            found = make()
            self.keep(content, found)
        return found

    def _path(self, content: str) -> Path:
        key = hashlib.sha256(content.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"
