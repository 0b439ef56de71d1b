"""No layer of the benchmarks takes more cycles than it has taken before (tests/perf/cycles).

COVENANT_FULL=1 counts all layers on all machines, without it those of the built-in table on one of each
family.
"""

from __future__ import annotations

import os

import counted_cycles as counting
import pytest

from covenant.bench.layers import benchmark_layers

FULL = os.environ.get("COVENANT_FULL") is not None


def test_all_layers_are_counted():
    known = counting.fewest()
    for machine in counting.MACHINES:
        for layer in counting.layers_of(machine):
            assert known[machine, layer] > 0


@pytest.mark.parametrize("layer", [layer.name for layer in benchmark_layers()])
@pytest.mark.parametrize("machine", counting.MACHINES if FULL else ["genesys:07", "hvx"])
def test_layers_of_the_table(machine, layer):
    assert counting.cycles_of(layer, machine) <= counting.fewest()[machine, layer]


@pytest.mark.parametrize("model", counting.MODELS)
@pytest.mark.parametrize("machine", counting.MACHINES if FULL else ["genesys:07", "hvx"])
def test_models_with_layers_that_may_be_fused(machine, model):
    assert counting.cycles_of(model, machine) <= counting.fewest()[machine, model]


@pytest.mark.skipif(not FULL, reason="COVENANT_FULL=1 counts the cycles of hundreds of layers")
@pytest.mark.parametrize("machine", counting.DEEPBENCH)
def test_layers_of_deepbench(machine):
    known = counting.fewest()
    found = counting.counted(machine, [name for name in counting.layers_of(machine) if name.count("/") == 2])
    assert {key: (cycles, known[key]) for key, cycles in found.items() if cycles > known[key]} == {}
