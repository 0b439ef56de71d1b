"""The digits models on many machines: every output byte is as expected, for the whole test split."""

from __future__ import annotations

import numpy as np
import pytest
from digits import STYLES, model_of
from expectation import expected_here

import covenant
from covenant.verify.comparison import compare

SHAPES = [(16, 16), (8, 8), (32, 32), (8, 24), (20, 12)]
BUSES = [64, 128, 512]
MACHINES = [{"M": rows, "N": columns, "axi": bus} for rows, columns in SHAPES for bus in BUSES]


def name_of(settings: dict[str, int]) -> str:
    return "-".join(f"{name}{value}" for name, value in settings.items())


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("settings", MACHINES, ids=name_of)
def test_whole_split(style, settings, images, expected):
    program = covenant.compile(model_of(style), covenant.Machine("genesys", **settings))
    ours = [covenant.run(program, image[None]).outputs for image in images]
    comparison = compare(ours, expected[style])
    assert comparison.images == len(images) == 360
    assert comparison.equal_images == comparison.images, comparison


@pytest.mark.parametrize("style", STYLES)
def test_the_codelets_say_the_same(style, images, expected):
    """The interpreter knows nothing of words, engines and cycles: an independent way to the same bytes."""
    program = covenant.compile(model_of(style), "genesys")
    ours = [covenant.run(program, image[None], backend="interpret").outputs for image in images[:20]]
    assert compare(ours, expected[style][:20]).identical


@pytest.mark.parametrize("style", STYLES)
def test_the_comparison_can_fail(style, images, expected):
    """Images against the oracle's answers to other images: equal only where two images happen to agree."""
    program = covenant.compile(model_of(style), "genesys")
    ours = [covenant.run(program, image[None]).outputs for image in images[:8]]
    comparison = compare(ours, expected[style][1:9])
    assert not comparison.identical
    assert comparison.largest_difference > 0


@pytest.mark.parametrize("style", STYLES)
def test_random_inputs_saturate_alike(style):
    from covenant.program.inputs import random_feeds

    program = covenant.compile(model_of(style), covenant.Machine("genesys", M=20, N=12))
    feeds = random_feeds(program, images=20, seed=7)
    extreme = [{"image": np.full((1, 1, 8, 8), value, np.float32)} for value in (-1e30, -1.0, 0.0, 1.0, 1e30)]
    ours = [covenant.run(program, feed).outputs for feed in feeds + extreme]
    assert compare(ours, expected_here(model_of(style), feeds + extreme).outputs).identical
