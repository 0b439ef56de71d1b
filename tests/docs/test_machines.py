"""The pages of the machines are what the machines say today."""

from __future__ import annotations

from machines import FOLDER, pages


def test_every_page_is_fresh():
    """Rewritten by `./dev exec python tests/docs/machines.py`."""
    made = pages()
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(made)
    assert [name for name, content in made.items() if (FOLDER / name).read_text() != content] == []
