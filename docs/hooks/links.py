"""Links of a page that lead out of docs/, to sources: a site has no page of these, and names them instead."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_DOCS = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by MkDocs with each page's text."""
    folder = (_DOCS / page.file.src_uri).parent

    def replaced(link: re.Match[str]) -> str:
        text, target = link[1], link[2]
        place = (folder / target).resolve()
        if "://" in target or place.is_relative_to(_DOCS):
            return link[0]
        return f"`{place.relative_to(_DOCS.parent)}`" if text.strip("`") == place.name else text

    return _LINK.sub(replaced, markdown)
