"""The notebook about studies runs from top to bottom, and prints what is in it."""

from __future__ import annotations

import pytest
from notebooks import NOTEBOOKS, executed, pictures, texts

pytest.importorskip("nbclient", reason="nbclient is not installed (requirements-dev.txt)")

REWRITE = "./dev exec python tests/support/notebooks.py writes what it prints now into it"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    import nbformat

    committed = nbformat.read(path, as_version=4)
    nbformat.validate(committed)
    done = executed(path, tmp_path)
    assert texts(done) == texts(committed), REWRITE
    # Where text ends depends on the fonts of a computer, what it says does not.
    assert [names(one) for one in pictures(done)] == [names(one) for one in pictures(committed)], REWRITE
    assert any(pictures(committed))


def names(svg: str) -> list[str]:
    """Texts of a picture."""
    return [part.partition("<")[0] for part in svg.split(">") if part.partition("<")[0].strip()]
