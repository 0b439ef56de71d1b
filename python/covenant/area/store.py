"""A store of results of synthesis: one file for each content, which several processes and threads may use at once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from covenant.files import make_cache, user_cache, write_whole

__all__ = ["AreaCache"]

_VARIABLE = "COVENANT_AREA_CACHE"


class AreaCache:
    """A folder of results by the content that they were made of.

    Args:
        folder: None: what COVENANT_AREA_CACHE names, else `covenant/area` below the user's cache.

    Attributes:
        made: results that were computed through this object, not found.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = Path(folder or os.environ.get(_VARIABLE) or user_cache("area"))
        self.made = 0
        self._guard = threading.Lock()
        self._making: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def find(self, content: str) -> Any | None:
        """Result that is kept for a content; None: there is none that can be read."""
        try:
            return json.loads(self._path(content).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def keep(self, content: str, value: Any) -> None:
        """Writes a result whole or not at all.

        Raises:
            CovenantError: CLI0006, it cannot be kept.
        """
        path = self._path(content)
        make_cache(path.parent, _VARIABLE)
        write_whole(path, json.dumps(value, sort_keys=True))
        with self._guard:
            self.made += 1

    def get(self, content: str, make: Callable[[], Any]) -> Any:
        """Result that is kept for a content, else the result of `make`, which one of several threads calls.

        Raises:
            CovenantError: CLI0006, it cannot be kept; before `make` is called, where that is known before.
        """
        with self._guard:
            making = self._making[content]
        with making:
            found = self.find(content)
            if found is None:
                make_cache(self._path(content).parent, _VARIABLE)
                found = make()
                self.keep(content, found)
            return found

    def _path(self, content: str) -> Path:
        key = hashlib.sha256(content.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"
