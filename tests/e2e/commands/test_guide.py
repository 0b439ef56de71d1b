"""Code of the guide is that of the example, which tests/unit/command_device compiles and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GUIDE = (ROOT / "docs/guide/command-machines.md").read_text()


def listings(language: str) -> list[str]:
    return [part.split("```", 1)[0] for part in GUIDE.split(f"```{language}\n")[1:]]


@pytest.mark.parametrize(
    ("language", "files", "count"), [("cpp", ("platform.cpp", "memory_platform.cpp"), 3), ("acg", ("dot.acg",), 1)]
)
def test_listings_are_of_the_example(language: str, files: tuple[str, ...], count: int) -> None:
    text = "".join((ROOT / "examples/10_commands" / file).read_text() for file in files)
    assert len(listings(language)) == count
    for listing in listings(language):
        assert listing in text
