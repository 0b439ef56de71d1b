"""Work of `covenant bench embedding --footprints`: Tables 1 to 3 of Rieber, Acosta and Fröning, printed and ours."""

from __future__ import annotations

from dataclasses import asdict
from statistics import geometric_mean
from typing import Any

from covenant.bench.embedding import PRINTED_MEANS, Footprint, choice_of, footprint_of, least_weights, printed_rows
from covenant.cli.output import Output


def compare(output: Output) -> int:
    """Prints each row; exit code 1 if a figure is not the printed one."""
    rows = [_row(row) for row in printed_rows()]
    means = [_mean(table, [row for row in rows if row["table"] == table]) for table in PRINTED_MEANS]
    equal = all(one["equal"] for one in (*rows, *means))
    if output.json:
        output.object({"rows": rows, "means": means, "equal": equal})
    else:
        columns = ["table", "layer", "embedding", "data", "weights", "total", "ours", "equal"]
        output.table("memory relative to padded channels", columns, [_cells(row) for row in rows])
        for mean in means:
            output.line(
                f"table {mean['table']}, geometric means: {_words(mean['printed'])} printed, "
                f"{_words(mean['ours'])} ours; least weights {mean['least_weights']:.3f}"
            )
    return 0 if equal else 1


def _row(row: Any) -> dict[str, Any]:
    choice = choice_of(row)
    return {
        "table": row.table,
        "layer": row.layer,
        "embedding": choice.text if choice else None,
        "printed": asdict(row.printed),
        "ours": asdict(footprint_of(row, choice)) if choice else None,
        "equal": choice is not None,
        "least_weights": least_weights(row),
    }


def _mean(table: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    known = [row["ours"] for row in rows if row["ours"]]
    ours = Footprint(*(geometric_mean(one[key] for one in known) for key in ("data", "weights", "total")))
    printed = PRINTED_MEANS[table]
    return {
        "table": table,
        "printed": asdict(printed),
        "ours": asdict(ours),
        "equal": len(known) == len(rows) and ours.printed() == printed.printed(),
        "least_weights": geometric_mean(row["least_weights"] for row in rows),
    }


def _words(figures: dict[str, float]) -> str:
    return " / ".join(f"{figures[key]:.3f}" for key in ("data", "weights", "total"))


def _cells(row: dict[str, Any]) -> list[Any]:
    printed = [f"{row['printed'][key]:.3f}" for key in ("data", "weights", "total")]
    ours = _words(row["ours"]) if row["ours"] else ""
    return [row["table"], row["layer"], row["embedding"] or "", *printed, ours, "yes" if row["equal"] else "no"]
