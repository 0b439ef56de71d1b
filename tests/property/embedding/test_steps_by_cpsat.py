"""The fewest steps of the axis solver are those that OR-Tools CP-SAT proves for a model written apart.

The 108 convolutions of DeepBench into four instructions, under strict rules and with all relaxations, and small
operators that are drawn. COVENANT_SEED chooses them; COVENANT_FULL=1 takes all convolutions, and more that are drawn.
"""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ortools", reason="OR-Tools is not installed (tests/property/embedding/requirements.txt)")

from cpsat_cases import RELAXATIONS, ask_product, convolution_model, draw, gemm, machine_with
from cpsat_model import fewest_steps
from cpsat_operators import Convolution, Instruction, convolutions, matrices

from covenant.machine import Machine

SEED = int(os.environ.get("COVENANT_SEED", "1"))
FULL = os.environ.get("COVENANT_FULL") is not None
DRAWN = 2000 if FULL else 100
SAMPLE = 8


@dataclass(frozen=True)
class Target:
    """An instruction of a machine."""

    machine: str
    """Empty: the test describes one that has nothing else."""
    instruction: str
    """As the product prints it."""
    shape: Instruction
    embedded: int
    """Convolutions of DeepBench that strict rules embed."""

    def steps(self, model: bytes, relaxations: tuple[str, ...], folder: Path) -> int | None:
        """Fewest steps that the product finds."""
        machine = Machine(self.machine) if self.machine else machine_with([gemm(1, 16, 16)], folder)
        (found,) = (row for row in ask_product(model, machine, relaxations) if row.instruction == self.instruction)
        assert found.shape == self.shape
        return found.steps


ARRAY = "GEMM rows 1 columns 16 inner 16"
TARGETS = {
    "VTA": Target("", ARRAY, matrices(1, 16, 16), embedded=96),
    "16x16": Target("genesys:16x16", ARRAY, matrices(1, 16, 16), embedded=96),
    "32x32": Target("genesys:32x32", "GEMM rows 1 columns 32 inner 32", matrices(1, 32, 32), embedded=93),
    "vrmpy": Target("hvx", "GEMM rows 32 columns 1 inner 4", matrices(32, 1, 4), embedded=0),
}


@cache
def deepbench() -> tuple[Convolution, ...]:
    with resources.as_file(resources.files("covenant.bench.deepbench") / "convolutions.csv") as table:
        return tuple(convolutions(table))


def sample() -> list[Convolution]:
    every = list(deepbench())
    return every if FULL else [every[i] for i in np.random.default_rng(SEED).permutation(len(every))[:SAMPLE]]


proved = cache(fewest_steps)


@pytest.mark.parametrize("name", TARGETS)
def test_deepbench_under_strict_rules(name, tmp_path):
    target, embedded = TARGETS[name], 0
    for one in deepbench():
        fewest = proved(one.operator, target.shape, ())
        assert target.steps(convolution_model(one), (), tmp_path) == fewest, one
        embedded += fewest is not None
    assert (len(deepbench()), embedded) == (108, target.embedded)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", TARGETS)
def test_deepbench_with_all_relaxations(name, tmp_path):
    target = TARGETS[name]
    for one in sample():
        fewest = proved(one.operator, target.shape, RELAXATIONS)
        assert fewest is not None
        assert target.steps(convolution_model(one), RELAXATIONS, tmp_path) == fewest, f"seed {SEED}: {one}"


@pytest.mark.timeout(1800)
def test_drawn_operators_under_drawn_rules(tmp_path):
    answers = []
    for seed in range(SEED * 100_000, SEED * 100_000 + DRAWN):
        case = draw(seed)
        for found in ask_product(case.model, machine_with(case.capabilities, tmp_path), case.relaxations):
            fewest = fewest_steps(case.operator, found.shape, case.relaxations)
            assert found.steps == fewest, f"seed {seed}: {case.operator}, {case.relaxations}: {found}"
            answers.append(fewest)
    print(f"{len(answers)} questions, {answers.count(None)} of them without an embedding")
    assert len(answers) > 2 * DRAWN
    assert DRAWN // 2 < answers.count(None) < 2 * DRAWN


@pytest.mark.parametrize("file", ["cpsat_model.py", "cpsat_operators.py"])
def test_the_model_knows_nothing_of_the_product(file):
    nodes = list(ast.walk(ast.parse(Path(__file__).with_name(file).read_text())))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert names
    assert [name for name in names if name.split(".")[0] in ("covenant", "cpsat_cases")] == []
