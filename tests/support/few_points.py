"""A small study, as TOML text, which tests run or change line by line."""

from __future__ import annotations

from pathlib import Path

from digits import DIGITS, model_of

DATA = DIGITS / "digits_test.npz"
TEXT = f"""
name = "few"
memory = ["fixed", "ddr4_2400"]
[[models]]
model = "{model_of("qdq")}"
data = "{DATA}"
images = 12
[[machines]]
machine = "genesys"
parameters = {{ M = [4, 8, 16], N = "M", axi = [64, 256] }}
[objectives]
cycles = "min"
utilisation = "max"
"""


def written(folder: Path) -> Path:
    """The study as a file of a folder."""
    path = folder / "few.toml"
    path.write_text(TEXT)
    return path
