"""Tensors lie in the order in which they are read: inputs, what works lane by lane, and what is joined of parts."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import test_joined_images
from test_packets import check_backends, outputs_in_qemu
from test_windows import expect_equal

import covenant

MACHINES = {
    "square": {"M": 16, "N": 16},
    "uneven": {"M": 12, "N": 8, "vector_depth": 96, "output_depth": 64},
}
Shaped = tuple[str, tuple[int, ...]]


class Layers(test_joined_images.Layers):
    """Layers of sequences and images that read or move them."""

    def wide(self, value: str, inputs: int, outputs: int, rank: int) -> str:
        """A convolution of `rank` dimensions, 3 wide along the last one."""
        kernel = [1] * (rank - 1) + [3]
        weights = self.random.integers(-128, 128, (outputs, inputs, *kernel)).astype(np.int8)
        scales = np.full(outputs, 0.01 / np.sqrt(inputs), np.float32)
        w = self.builder.add("DequantizeLinear", weights, scales, np.zeros(outputs, np.int8), axis=0)
        pads = [0] * (rank - 1) + [1]
        return self.stored(self.builder.add("Conv", value, w, kernel_shape=kernel, pads=pads * 2))

    def transpose(self, value: str, *order: int) -> str:
        """The value with its dimensions in this order."""
        return self.builder.add("Transpose", value, perm=list(order))

    def reshape(self, value: str, *shape: int) -> str:
        """The value in this shape."""
        return self.builder.add("Reshape", value, np.array(shape))


def check(layers: Layers, value: str, machine: str, folder) -> list[str]:
    """Operations of the program, after its outputs have been compared."""
    model = layers.builder.model({value: np.float32})
    program = expect_equal(model, covenant.Machine("genesys", **MACHINES[machine]), folder, images=1)
    return [block.operation for block in program.blocks]


def check_core(layers: Layers, value: str, folder) -> None:
    """The same on the hvx core, which scales in fixed point: its outputs are those of the reference operators."""
    path, image = folder / "core.onnx", layers.random.normal(0, 1, layers.shape).astype(np.float32)
    onnx.save(layers.builder.model({value: np.float32}), path)
    program = check_backends(path, {"x": image})
    in_qemu, on_core = outputs_in_qemu(program, image, folder / "core.elf")
    assert in_qemu == on_core


@pytest.mark.parametrize("machine", MACHINES)
def test_a_sequence_is_not_turned(machine, tmp_path):
    layers = Layers(np.random.default_rng(1), (1, 24, 40))
    operations = check(layers, layers.wide(layers.stored("x"), 24, 8, 1), machine, tmp_path)
    assert not [one for one in operations if "copy" in one or "transpose" in one], operations


@pytest.mark.parametrize("machine", MACHINES)
def test_keys_of_tokens_before(machine, tmp_path):
    """Heads of 8 elements: a query meets 20 keys, all but the last one an input."""
    layers = Layers(np.random.default_rng(2), (1, 4, 20, 8))
    keys = layers.stored("x")
    last = layers.builder.add("Slice", keys, *(np.array([one]) for one in (19, 20, 2, 1)))
    past = layers.builder.add("Slice", keys, *(np.array([one]) for one in (0, 19, 2, 1)))
    query = layers.wide(last, 4, 4, 2)
    whole = layers.stored(layers.builder.add("Concat", past, layers.wide(last, 4, 4, 2), axis=2))
    scores = layers.stored(layers.builder.add("MatMul", query, layers.transpose(whole, 0, 1, 3, 2)))
    check(layers, scores, machine, tmp_path)


@pytest.mark.parametrize("strides", [(2, 1), (1, 2), (2, 2)])
def test_one_row_is_read_by_rows(strides, tmp_path):
    """A sequence is an image of one row, from which there is no step to the next: two lanes, 14 elements at once."""
    layers = Layers(np.random.default_rng(6), (1, 1, 11))
    value, channels = layers.stored("x"), 1
    for outputs, kernel, stride in ((16, 1, strides[0]), (4, 3, strides[1])):
        weights = layers.random.integers(-128, 128, (outputs, channels, kernel)).astype(np.int8)
        scales = np.full(outputs, 0.01, np.float32)
        w = layers.builder.add("DequantizeLinear", weights, scales, np.zeros(outputs, np.int8), axis=0)
        value = layers.stored(layers.builder.add("Conv", value, w, kernel_shape=[kernel], strides=[stride]))
        channels = outputs
    program = expect_equal(
        layers.builder.model({value: np.float32}), covenant.Machine("genesys", M=14, N=2), tmp_path, images=1
    )
    assert any("conv_rows" in block.operation for block in program.blocks)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_sum_is_turned_once(machine, tmp_path):
    """One operand is turned; what is made of the sum is read as the other one lies."""
    layers = Layers(np.random.default_rng(3), (1, 24, 24))
    x = layers.stored("x")
    turned = layers.transpose(layers.wide(x, 24, 24, 1), 0, 2, 1)
    total = layers.stored(layers.builder.add("Add", layers.wide(x, 24, 24, 1), turned))
    made = layers.stored(layers.builder.add("Relu", total))
    ends = [layers.wide(one, 24, 8, 1) for one in (total, made, layers.stored(layers.builder.add("Add", made, total)))]
    both = layers.stored(layers.builder.add("Concat", *ends, axis=1))
    operations = check(layers, both, machine, tmp_path)
    assert len([one for one in operations if one in ("copy", "transpose")]) <= 2, operations


def grown(layers: Layers, values: list[Shaped]) -> None:
    """One more value, drawn: a movement, a sum, an activation, a join, a convolution."""
    random = layers.random
    value, shape = values[int(random.integers(len(values)))]
    rank = len(shape)
    match int(random.integers(0, 7)):
        case 0 | 1:
            order = [0, *(int(one) for one in random.permutation(np.arange(1, rank)))]
            values.append((layers.transpose(value, *order), tuple(shape[one] for one in order)))
        case 2:
            shapes = [(1, shape[1], int(np.prod(shape[2:]))), (1, shape[1], 1, int(np.prod(shape[2:])))]
            shapes += [(1, 2, shape[1] // 2, int(np.prod(shape[2:])))] if shape[1] % 2 == 0 else []
            chosen = shapes[int(random.integers(len(shapes)))]
            values.append((layers.reshape(value, *chosen), chosen))
        case 3:
            alike = [one for one, other in values if other == shape]
            other = alike[int(random.integers(len(alike)))]
            values.append((layers.stored(layers.builder.add("Add", value, other)), shape))
        case 4:
            values.append((layers.stored(layers.builder.add("Relu", value)), shape))
        case 5:
            axis = int(random.integers(1, rank))
            others = [entry for entry in values if len(entry[1]) == rank]
            alike = [entry for entry in others if np.delete(entry[1], axis).tolist() == np.delete(shape, axis).tolist()]
            other, size = alike[int(random.integers(len(alike)))]
            joined = list(shape)
            joined[axis] += size[axis]
            made = layers.stored(layers.builder.add("Concat", value, other, axis=axis))
            values.append((made, tuple(joined)))
        case 6:
            outputs = int(random.integers(1, 20))
            values.append((layers.wide(value, shape[1], outputs, rank - 2), (1, outputs, *shape[2:])))


@pytest.mark.parametrize("seed", range(24))
def test_drawn_orders(seed, tmp_path):
    random = np.random.default_rng(5200 + seed)
    sizes = tuple(int(one) for one in random.integers(2, 13, int(random.integers(2, 4))))
    layers = Layers(random, (1, *sizes))
    values: list[Shaped] = [(layers.stored("x"), (1, *sizes))]
    while len(layers.builder.nodes) < 24:
        grown(layers, values)
    print(f"seed {seed}: {[node.op_type for node in layers.builder.nodes if 'Linear' not in node.op_type]}")
    value, shape = values[-1]
    last = layers.wide(value, shape[1], 5, len(shape) - 2)
    check(layers, last, list(MACHINES)[seed % 2], tmp_path)
    check_core(layers, last, tmp_path)
