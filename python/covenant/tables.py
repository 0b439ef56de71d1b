"""Tables for notebooks: as data frames of pandas, and as small HTML that Jupyter shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from covenant.errors import CovenantError, Diagnostic

if TYPE_CHECKING:  # optional, and slow to import
    from pandas import DataFrame

__all__ = ["MOST_ROWS", "data_frame", "html_table"]

MOST_ROWS = 40
"""Rows of a table in HTML, at most."""


def data_frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """A data frame with a row for each of these, and a column for each name, in the order in which names come.

    Raises:
        CovenantError: CLI0012, pandas is not installed.
    """
    try:
        from pandas import DataFrame  # noqa: PLC0415 (as above)
    except ImportError as error:
        raise CovenantError(
            Diagnostic("CLI0012", "a Python package that this needs cannot be loaded", "to_dataframe",
                       offending=str(error), fix="pip install covenant[tables]")
        ) from error  # fmt: skip
    return DataFrame([dict(row) for row in rows])


def html_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], note: str = "") -> str:
    """A table with a title, every text escaped; of more rows than MOST_ROWS the first, and how many are left out."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows[:MOST_ROWS])
    more = f"and {len(rows) - MOST_ROWS:,} rows more" if len(rows) > MOST_ROWS else ""
    below = "; ".join(filter(None, (more, note)))
    return f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + (
        f"<p>{escape(below)}</p>" if below else ""
    )


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f'<td style="text-align:left">{escape(str(value))}</td>'
    return f"<td>{value:,}</td>" if isinstance(value, int) else f"<td>{value:,.4g}</td>"
