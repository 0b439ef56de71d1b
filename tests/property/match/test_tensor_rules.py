"""Rules of tensors keep values: in saturated graphs of drawn terms, all nodes of a class have one value, by numpy."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import pytest
from tensor_values import are_same, value

from covenant import _core

Tree = str | tuple
SEED = int(os.environ.get("COVENANT_SEED", "1"))
ROUNDS = 300 if os.environ.get("COVENANT_FULL") else 40


def nodes_of(tree: Tree) -> list[tuple[str, list[int]]]:
    """A term as nodes after their children, equal ones once."""
    nodes: list[tuple[str, list[int]]] = []
    known: dict[object, int] = {}

    def place(of: Tree) -> int:
        name, *children = (of,) if isinstance(of, str) else of
        key = (name, tuple(place(child) for child in children))
        if key not in known:
            known[key] = len(nodes)
            nodes.append((name, list(key[1])))
        return known[key]

    place(tree)
    return nodes


def word(numbers: object) -> str:
    return f"[{','.join(map(str, numbers))}]"  # type: ignore[call-overload]


def compare_all(tree: Tree, leaves: Mapping[str, np.ndarray]) -> tuple[int, set[str]]:
    """Saturates and compares; how many nodes, and which operations, were compared."""
    graph = _core.MatchGraph(nodes_of(tree), {name: list(one.shape) for name, one in leaves.items()})
    found = graph.saturate([(text, name, 0, 0) for name, text in _core.rule_texts().items()], set(), 300, 50_000)
    assert found["fault"] is None
    assert found["stop"] == "saturated"
    classes = graph.classes()
    values: dict[int, object] = {}
    before = -1
    while before != len(values):
        before = len(values)
        for of, _, nodes in classes:
            ready = [node for node in nodes if of not in values and all(child in values for child in node[1])]
            if ready:
                values[of] = value(ready[0][0], [values[child] for child in ready[0][1]], leaves)
    assert len(values) == len(classes)
    count, operations = 0, set()
    for of, shape, nodes in classes:
        for operation, children in nodes:
            made = value(operation, [values[child] for child in children], leaves)
            assert are_same(made, values[of]), (operation, nodes)
            operations.add(operation)
            count += 1
        if isinstance(values[of], np.ndarray):
            assert shape == list(values[of].shape), nodes
    return count, operations


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_convolutions(seed: int) -> None:
    draw = np.random.default_rng([SEED, seed])
    axes, channels, outputs = int(draw.integers(1, 3)), int(draw.integers(1, 4)), int(draw.integers(1, 5))
    sizes, strides = draw.integers(1, 4, axes), draw.integers(1, 3, axes)
    x = draw.integers(-9, 9, (int(draw.integers(1, 3)), channels, *draw.integers(4, 7, axes)))
    w = draw.integers(-9, 9, (outputs, channels, *sizes))
    tree = ("relu", ("conv", "x", "w", word(strides), word(draw.integers(0, 2, 2 * axes)), "[1]"))
    assert {"dense", "bias_add", "dot"} <= compare_all(tree, {"x": x, "w": w})[1]


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_sums_with_biases(seed: int) -> None:
    draw = np.random.default_rng([SEED, 1000 + seed])
    rows, inputs, outputs = map(int, draw.integers(1, 5, 3))
    shape = ([rows, outputs], [rows, 1, outputs], [1, rows, outputs], [outputs, rows], [rows * outputs])[seed % 5]
    leaves = {
        "x": draw.integers(-9, 9, (rows, inputs)),
        "w": draw.integers(-9, 9, (outputs, inputs)),
        "b": draw.integers(-9, 9, shape[-1]),
    }
    product = ("reshape", ("dense", "x", "w"), word(shape))
    last = word([len(shape) - 1])
    for tree in (("add", product, "b"), ("add", "b", product), ("bias_add", product, "b", last)):
        operations = compare_all(tree, leaves)[1]
        assert "bias_add" in operations


@pytest.mark.parametrize("seed", range(ROUNDS // 4))
def test_products_of_rows(seed: int) -> None:
    draw = np.random.default_rng([SEED, 2000 + seed])
    count = int(draw.integers(0, 3))
    row = list(draw.integers(1, 4, count))
    a = draw.integers(-9, 9, (*draw.integers(1, 4, int(draw.integers(1, 3))), *row))
    b = draw.integers(-9, 9, (*draw.integers(1, 4, int(draw.integers(1, 3))), *row))
    assert "dense" in compare_all(("dot", word([count]), "a", "b"), {"a": a, "b": b})[1]


@pytest.mark.parametrize("seed", range(ROUNDS // 4))
def test_pools(seed: int) -> None:
    draw = np.random.default_rng([SEED, 3000 + seed])
    axes = int(draw.integers(1, 3))
    x = draw.integers(-9, 9, draw.integers(4, 8, int(draw.integers(axes, 4))))
    tree = (
        "reduce_max",
        word([axes]),
        ("windows", "x", word(draw.integers(1, 5, axes)), word(draw.integers(1, 3, axes))),
    )
    assert "reduce_max" in compare_all(tree, {"x": x})[1]


def lstm_of(steps: int, *, is_joined: bool) -> Tree:
    """A layer of so many steps, written out."""
    h: Tree = "h"
    c: Tree = "c"
    states = []
    for step in range(steps):
        x = ("reshape", ("part", "x", word([0, steps, step])), "[1,8]")
        gates: Tree = ("add", ("add", ("dense", ("join", "[1]", x, h), ("join", "[1]", "wx", "wh")), "bx"), "bh")
        if not is_joined:
            gates = ("add", ("add", ("dense", x, "wx"), "bx"), ("add", ("dense", h, "wh"), "bh"))
        taken, kept, new, given = (("part", gates, word([1, 4, index])) for index in range(4))
        c = ("add", ("mul", ("sigmoid", kept), c), ("mul", ("sigmoid", taken), ("tanh", new)))
        h = ("mul", ("sigmoid", given), ("tanh", c))
        states.append(h)
    of: Tree = "nil"
    for state in reversed(states):
        of = ("cons", state, of)
    return ("stack", of)


@pytest.mark.parametrize("is_joined", [True, False])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_steps_of_an_lstm(steps: int, is_joined: bool) -> None:  # noqa: FBT001
    draw = np.random.default_rng(SEED)
    shapes = {"x": (steps, 1, 8), "wx": (16, 8), "wh": (16, 4), "bx": 16, "bh": 16, "h": (1, 4), "c": (1, 4)}
    leaves = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    assert "lstm" in compare_all(lstm_of(steps, is_joined=is_joined), leaves)[1]
