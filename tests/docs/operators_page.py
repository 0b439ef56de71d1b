"""Writes the tables of docs/reference/operators.md: `./dev exec python tests/docs/operators_page.py`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

from marks import write_between  # noqa: E402  (found by the line before)

from covenant.operators import FORMS, machines_of_the_page, rows, table  # noqa: E402

PAGE = ROOT / "docs/reference/operators.md"
MARK = "<!-- tests/docs/operators_page.py writes these tables; tests/docs checks them -->"


def main() -> None:
    """Asks every machine of the page about every operator; a few minutes."""
    machines = machines_of_the_page()
    write_between(PAGE, {MARK: table(list(rows(FORMS, machines)), list(machines))})


if __name__ == "__main__":
    main()
