"""Fixtures of these tests: the digits example, its test split, expected outputs, and the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from digits import DIGITS, STYLES, model_of
from expectation import expected_here

from covenant.cli import main


@pytest.fixture(scope="session")
def images() -> np.ndarray:
    """The whole test split: float32[360, 1, 8, 8]."""
    with np.load(DIGITS / "digits_test.npz") as split:
        return split["images"]


@pytest.fixture(scope="session")
def expected(images) -> dict[str, list[dict[str, np.ndarray]]]:
    """Style -> the expected outputs, image by image."""
    feeds = [{"image": image[None]} for image in images]
    return {style: list(expected_here(model_of(style), feeds).outputs) for style in STYLES}


@dataclass
class Done:
    """Result of a command line."""

    code: int
    out: str
    error: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        return json.loads(self.out)


@pytest.fixture
def covenant_command(capfd):
    """Runs the command line in this process, as its entry point does."""

    def call(*arguments: object) -> Done:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call
