"""Programs are values; each session loads one and keeps its own state."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from digits import model_of

import covenant
from covenant.program.inputs import random_feeds


@pytest.fixture(scope="module")
def program() -> covenant.Program:
    return covenant.compile(model_of("qdq"), "genesys:8x8")


def same(one: covenant.Result, other: covenant.Result) -> bool:
    arrays = all(array.tobytes() == other.outputs[name].tobytes() for name, array in one.outputs.items())
    return arrays and one.stats_json == other.stats_json and one.outputs.keys() == other.outputs.keys()


@pytest.mark.parametrize("backend", ["systemc", "interpret"])
def test_runs_of_a_session_do_not_see_each_other(program, backend):
    session = covenant.Session(program, backend)
    feeds = random_feeds(program, 3, 11)
    results = [session.run(feed) for feed in feeds]
    again = [session.run(feed) for feed in reversed(feeds)]
    alone = [covenant.run(program, feed, backend=backend) for feed in feeds]
    assert len({result.outputs["logits"].tobytes() for result in results}) == 3
    for result, second, single in zip(results, reversed(again), alone, strict=True):
        assert same(result, second)
        assert same(result, single)


def test_an_array_that_the_package_should_have_refused_is_an_error_of_its_own(program):
    """The package checks element types: the extension says so where one gets past it, and does not crash."""
    session = covenant.Session(program)
    feed = {name: array.astype(np.complex64) for name, array in random_feeds(program, 1, 0)[0].items()}
    with pytest.raises(covenant.InternalError, match="element type"):
        session._core.run_blocks(feed, [], [])


def test_a_session_outlives_the_program(program):
    feed = random_feeds(program, 1, 0)[0]
    session = covenant.Session(covenant.compile(model_of("qdq"), "genesys:8x8"))
    assert same(session.run(feed), covenant.run(program, feed))


def test_running_leaves_a_program_as_it_was(program):
    before, fields = program.to_bytes(), dict(vars(program))
    covenant.run(program, random_feeds(program, 1, 0)[0])
    assert program.to_bytes() == before
    assert vars(program) == fields
    with pytest.raises(dataclasses.FrozenInstanceError):
        program.schedule = ""


def test_equal_programs_are_equal(program):
    again = covenant.compile(model_of("qdq"), "genesys:8x8")
    other = covenant.compile(model_of("qdq"), "genesys:8x8", fusion=False)
    assert program == again
    assert hash(program) == hash(again)
    assert program != other
    assert len({program, again, other}) == 2


def test_an_unknown_backend_is_refused_when_the_session_is_opened(program):
    with pytest.raises(covenant.CovenantError, match="RUN0005"):
        covenant.Session(program, "paper")


def test_what_a_backend_has_not_is_refused(program):
    image = np.zeros((1, 1, 8, 8), np.float32)
    with pytest.raises(covenant.CovenantError, match="RUN0009"):
        covenant.Session(program, "interpret").run(image, trace=True)
