"""The README's picture shows the machine as it is today."""

from __future__ import annotations

from overview import PICTURE, picture


def test_the_picture_is_current():
    """Drawn again by `./dev exec python tests/docs/overview.py`."""
    assert PICTURE.read_text() == picture()
