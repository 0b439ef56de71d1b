"""Code of the guide is that of the example, which tests/unit/command_device compiles and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/guide/command-machines.md").read_text()


def listings(language: str) -> list[str]:
    return [part.split("```", 1)[0] for part in GUIDE.split(f"```{language}\n")[1:]]


@pytest.mark.parametrize(("language", "file", "count"), [("cpp", "platform.cpp", 2), ("acg", "dot.acg", 1)])
def test_listings_are_of_the_example(language: str, file: str, count: int) -> None:
    text = (ROOT / "examples/10_commands" / file).read_text()
    assert len(listings(language)) == count
    for listing in listings(language):
        assert listing in text
