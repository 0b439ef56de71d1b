"""Images normalised by groups of channels: every byte as expected, and no element moved."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import test_joined_images
from test_joined_images import MACHINES, grown

import covenant
from covenant.cli import main

CHOICES = [1, 2, 3, 4, 6]


class Layers(test_joined_images.Layers):
    """Layers that join, cut and normalise images."""

    def normalised(self, value: str, shape: tuple[int, ...], groups: int) -> str:
        """As PyTorch exports a GroupNorm: groups as channels of a longer image, gains of all channels after it."""
        add, random = self.builder.add, self.random
        rows = self.stored(add("Reshape", value, np.array([0, groups, -1])))
        units = np.ones(groups, np.float32), np.zeros(groups, np.float32)
        even = self.stored(add("InstanceNormalization", rows, *units, epsilon=1e-3))
        image = self.stored(add("Reshape", even, np.array([1, *shape])))
        gains = random.normal(1, 0.3, (shape[0], 1, 1)).astype(np.float32)
        return self.stored(add("Mul", image, gains)) if random.integers(2) else image


def check(layers: Layers, values: list[str], machine: str, folder) -> list[str]:
    """Operations of the program, after its outputs have been compared with both expectations."""
    path = str(folder / "model.onnx")
    onnx.save(layers.model(*values), path)
    settings = [f"--set={name}={value}" for name, value in MACHINES[machine].items()]
    for expected in ("reference", "onnxruntime"):
        assert main(["run", path, "-m", "genesys", *settings, "--compare", expected]) == 0, expected
    program = covenant.compile(path, covenant.Machine("genesys", **MACHINES[machine]))
    return [block.operation for block in program.blocks]


def groups_of(layers: Layers, channels: int) -> int:
    """Groups that divide the channels, drawn."""
    return int(layers.random.choice([one for one in [*CHOICES, channels] if channels % one == 0]))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("groups", [1, 4, 24])
def test_nothing_is_moved(machine, groups, tmp_path):
    layers = Layers(np.random.default_rng(groups), (1, 5, 9, 11))
    shape = (24, 9, 11)
    first = layers.normalised(layers.conv(layers.stored("x"), 5, 24, 3, pad=1), shape, groups)
    second = layers.normalised(layers.conv(first, 24, 24, 3, pad=1), shape, groups)
    both = layers.stored(layers.builder.add("Add", first, second))
    operations = check(layers, [layers.conv(both, 24, 3, 1)], machine, tmp_path)
    assert not [one for one in operations if "copy" in one or "transpose" in one], operations
    assert len([one for one in operations if "channel_sums" in one]) == 6, operations


@pytest.mark.parametrize("seed", range(16))
def test_drawn_norms(seed, tmp_path):
    """Images lie within others, densely or in rows with pads, and may have several readers."""
    random = np.random.default_rng(5200 + seed)
    shape = tuple(int(random.integers(*limits)) for limits in ((2, 20), (4, 12), (4, 12)))
    layers = Layers(random, (1, *shape))
    values = [(layers.stored("x"), shape)]
    for _ in range(5):
        grown(layers, values)
        value, size = values[int(random.integers(len(values)))]
        if min(size) > 0:
            values.append((layers.normalised(value, size, groups_of(layers, size[0])), size))
    print(f"seed {seed}: {[node.op_type for node in layers.builder.nodes if 'Linear' not in node.op_type]}")
    read = {name for node in layers.builder.nodes for name in node.input}
    ends = [
        layers.conv(value, size[0], 3, 3, pad=1) for value, size in values if value not in read and min(size[1:]) > 0
    ]
    check(layers, ends, ("genesys", "uneven")[seed % 2], tmp_path)
