"""The page of a report: one HTML file that needs no network; charts are drawn by Vega-Lite."""

from __future__ import annotations

import html
import json
from functools import cache
from importlib import resources
from typing import Any

from covenant.errors import CovenantError, Diagnostic
from covenant.report.timeline import timeline, tracks_of
from covenant.runtime.result import Result

_NO_TRACE = json.dumps({"traceEvents": []})
"""Traces of packets are for a few thousand of them, not for a page."""


def page(facts: dict[str, Any], result: Result) -> str:
    """The page as text; equal figures give equal pages.

    Raises:
        CovenantError: CLI0012, as `script`.
    """
    trace = result.trace_json if facts["packets"] is None else _NO_TRACE
    data = facts | {
        "tracks": list(dict.fromkeys(event["track"] for event in tracks_of(trace))),
        "timeline": [piece.to_row() for piece in timeline(trace, result.cycles)],
    }
    title = f"{facts['model']} on {facts['machine']}"
    return whole_page(title, resource("page.html"), resource("page.css"), resource("page.js"), data)


def whole_page(title: str, body: str, style: str, program: str, data: dict[str, Any]) -> str:
    """A page with all that it needs.

    Args:
        title: in the head; plain text.
        body: HTML of what stands between the head and the scripts (`frame.html`).
        style: CSS.
        program: JavaScript, which runs after `shared.js`.
        data: what the page shows, as JSON.

    Raises:
        CovenantError: CLI0012, as `script`.
    """
    parts = {
        "title": html.escape(title),
        "body": body,
        "style": style,
        "charts": script(),
        "script": f"const look = {json.dumps(look())};\n{resource('shared.js')}{program}",
        # A script ends at the first "</", whatever it stands in.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    pieces = resource("frame.html").split("@@")
    return "".join(parts[piece] if index % 2 else piece for index, piece in enumerate(pieces))


def look() -> dict[str, Any]:
    """How charts look: a configuration of Vega-Lite with @names of colours in it; pairs of colours, light and dark."""
    return json.loads(resource("look.json"))


@cache
def script() -> str:
    """Vega-Lite with all that it needs, as one script.

    Raises:
        CovenantError: CLI0012, the package that brings it is not installed.
    """
    try:
        import vl_convert  # noqa: PLC0415  (optional, and large)
    except ImportError as error:
        raise CovenantError(
            Diagnostic("CLI0012", "a Python package that this needs cannot be loaded", "--report",
                       offending=str(error), fix="pip install vl-convert-python, or leave the report out")
        ) from error  # fmt: skip
    return vl_convert.javascript_bundle().replace("</script", "<\\/script")


def resource(name: str) -> str:
    """A file that lies beside this one."""
    return resources.files("covenant.report").joinpath(name).read_text(encoding="utf-8")
