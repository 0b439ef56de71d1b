"""Random layers that move elements, choose among them, or reduce them."""

from __future__ import annotations

from typing import Any

import numpy as np
from drawn_layers import Layer, need
from float_network import Network


def transpose(net: Network, x: str, random: np.random.Generator) -> str:
    """The dimensions but the first in another order."""
    rank = len(net.shape(x))
    need(rank >= 3)
    return net.node("Transpose", [x], perm=[0, *(int(d) for d in random.permutation(np.arange(1, rank)))])


def reshape(net: Network, x: str, random: np.random.Generator) -> str:
    """The same elements in another shape."""
    shape = net.shape(x)
    if len(shape) == 4:
        form = random.random()
        if form < 0.4:  # an image as a sequence
            y = net.node("Reshape", [x, net.integers(shape[0], shape[1], -1)])
            return net.node("Transpose", [y], perm=[0, 2, 1])
        if form < 0.7:
            return net.node("Reshape", [x, net.integers(shape[0], shape[1], shape[2] * shape[3])])
    if len(shape) == 3 and random.random() < 0.3:
        return unsqueeze(net, x, -1)
    count = int(np.prod(shape[1:]))
    sizes = []
    for _ in range(int(random.integers(1, 4))):
        size = int(random.choice([d for d in range(1, 13) if count % d == 0]))
        sizes.append(size)
        count //= size
    return net.node("Reshape", [x, net.integers(shape[0], *sizes, -1)])


def unsqueeze(net: Network, x: str, axis: int) -> str:
    """One dimension more, as the opset says it."""
    if net.opset < 13:
        return net.node("Unsqueeze", [x], axes=[axis % (len(net.shape(x)) + 1)])
    return net.node("Unsqueeze", [x, net.integers(axis)])


def blocks(net: Network, x: str, random: np.random.Generator) -> str:
    """DepthToSpace or SpaceToDepth."""
    shape = net.shape(x)
    need(len(shape) == 4)
    if shape[1] % 4 == 0 and random.random() < 0.6:
        return net.node("DepthToSpace", [x], blocksize=2, mode=str(random.choice(["DCR", "CRD"])))
    need(shape[2] % 2 == 0 and shape[3] % 2 == 0)
    return net.node("SpaceToDepth", [x], blocksize=2)


def slices(net: Network, x: str, random: np.random.Generator) -> str:
    """A part of a dimension, with a step that may be negative."""
    shape = net.shape(x)
    axis = int(random.integers(1, len(shape)))
    need(shape[axis] > 1)
    start = int(random.integers(0, shape[axis] - 1))
    step = int(random.choice([1, 1, 1, 2]))
    if random.random() < 0.1:
        bounds = (shape[axis] - 1, -shape[axis] - 1, -1)
    else:
        bounds = (start, int(random.integers(start + 1, shape[axis] + 1)), step)
    axis -= len(shape) if random.random() < 0.3 else 0
    first, last, by = (net.integers(value) for value in bounds)
    return net.node("Slice", [x, first, last, net.integers(axis), by])


def split(net: Network, x: str, random: np.random.Generator) -> str:
    """Two parts, of which one or both go on, turned round."""
    shape = net.shape(x)
    axis = int(random.integers(1, len(shape)))
    need(shape[axis] > 1)
    first = int(random.integers(1, shape[axis]))
    sizes = [first, shape[axis] - first]
    if net.opset < 13:
        parts = net.node("Split", [x], 2, axis=axis, split=sizes)
    else:
        parts = net.node("Split", [x, net.integers(*sizes)], 2, axis=axis)
    if random.random() < 0.3:
        return parts[0]
    return net.node("Concat", [parts[1], parts[0]], axis=axis)


def concat(net: Network, x: str, random: np.random.Generator) -> str:
    """Joins the tensor with an earlier one or with a constant."""
    shape = net.shape(x)
    axis = 1 if random.random() < 0.7 else len(shape) - 1
    fits = [
        name for name in net.history
        if len(net.shape(name)) == len(shape)
        and all(a == b for d, (a, b) in enumerate(zip(net.shape(name), shape, strict=True)) if d != axis)
    ]  # fmt: skip
    if random.random() < 0.15:
        sizes = [2 if d == axis else size for d, size in enumerate(shape)]
        return net.node("Concat", [x, net.constant(random.normal(0, 0.5, sizes))], axis=axis)
    other = str(random.choice(fits)) if fits else x
    return net.node("Concat", [x, other] if random.random() < 0.5 else [other, x], axis=axis)


def gather(net: Network, x: str, random: np.random.Generator) -> str:
    """Elements of one dimension by constant indices."""
    shape = net.shape(x)
    axis = int(random.integers(1, len(shape)))
    count = int(random.integers(1, shape[axis] + 1))
    return net.node("Gather", [x, net.integers(*random.integers(0, shape[axis], count))], axis=axis)


def pad(net: Network, x: str, random: np.random.Generator) -> str:
    """A Pad: by a number, or by elements of the tensor."""
    shape = net.shape(x)
    need(len(shape) >= 3)
    mode = str(random.choice(["constant", "constant", "constant", "reflect", "edge"]))
    room = [0, 0] + [int(random.integers(0, 2 if size < 3 else 3)) for size in shape[2:]]
    room += [0, 0] + [int(random.integers(0, 2 if size < 3 else 3)) for size in shape[2:]]
    if mode == "reflect":
        need(all(size > 2 for size in shape[2:]))
    value = []
    if mode == "constant" and random.random() < 0.7:
        value = [net.constant(np.float32(random.choice([0, 1, -1.5, 0.3])))]
    return net.node("Pad", [x, net.integers(*room), *value], mode=mode)


def resize(net: Network, x: str, random: np.random.Generator) -> str:
    """Larger or smaller, by nearest neighbours or between them."""
    shape = net.shape(x)
    need(len(shape) == 4 and np.prod(shape) <= 800)
    form = random.random()
    if form < 0.5:
        attributes: dict[str, Any] = {
            "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor",
        }  # fmt: skip
        factors = [int(random.choice([1, 2, 3])), int(random.choice([1, 2, 2]))]
    elif form < 0.75:
        way = str(random.choice(["asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"]))
        rounding = str(random.choice(["floor", "round_prefer_floor", "ceil"]))
        attributes = {"mode": "nearest", "coordinate_transformation_mode": way, "nearest_mode": rounding}
        factors = [float(random.choice([0.5, 1.5, 2.0])), float(random.choice([1.5, 2.0]))]
    else:
        attributes = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
        factors = [2, 2]
    region = net.constant(np.zeros(0)) if net.opset < 13 else ""
    if net.opset >= 18 and random.random() < 0.3:
        attributes["axes"] = [2, 3]
        factors = factors if random.random() < 0.5 else [factors[0], 2 * factors[1]]
        return net.node("Resize", [x, region, net.constant(np.array(factors))], **attributes)
    scales = net.constant(np.array([1, 1, *factors]))
    return net.node("Resize", [x, region, scales], **attributes)


def repeat(net: Network, x: str, random: np.random.Generator) -> str:
    """A Tile, or an Expand of the means of channels."""
    shape = net.shape(x)
    need(np.prod(shape) <= 800)
    if random.random() < 0.5 or len(shape) != 4:
        counts = [1, *(int(random.choice([1, 1, 2])) for _ in shape[1:])]
        return net.node("Tile", [x, net.integers(*counts)])
    return net.node("Expand", [net.node("GlobalAveragePool", [x]), net.integers(*shape)])


def window(net: Network, x: str, random: np.random.Generator, *, is_max: bool) -> str:
    """A pool of windows."""
    shape = net.shape(x)
    rank = len(shape) - 2
    need(rank in (1, 2))
    kernel = [min(int(random.choice([2, 2, 3])), size) for size in shape[2:]]
    attributes: dict[str, Any] = {"kernel_shape": kernel}
    attributes["strides"] = [int(random.choice([1, 2, 2])) for _ in range(rank)]
    if random.random() < 0.4:
        attributes["pads"] = [int(random.integers(0, k)) for k in kernel * 2]
    elif random.random() < 0.15:
        attributes["auto_pad"] = str(random.choice(["SAME_UPPER", "SAME_LOWER"]))
    if random.random() < 0.2:
        attributes["ceil_mode"] = 1
    if not is_max and random.random() < 0.3:
        attributes["count_include_pad"] = 1
    if is_max and "auto_pad" not in attributes and random.random() < 0.15:
        attributes["dilations"] = [2 if 2 * k - 1 <= size else 1 for k, size in zip(kernel, shape[2:], strict=True)]
    return net.node("MaxPool" if is_max else "AveragePool", [x], **attributes)


def max_pool(net: Network, x: str, random: np.random.Generator) -> str:
    """The largest of each window."""
    return window(net, x, random, is_max=True)


def average_pool(net: Network, x: str, random: np.random.Generator) -> str:
    """The mean of each window."""
    return window(net, x, random, is_max=False)


def whole_image(net: Network, x: str, random: np.random.Generator) -> str:
    """One number for each channel."""
    need(len(net.shape(x)) in (3, 4))
    return net.node(str(random.choice(["GlobalAveragePool", "GlobalAveragePool", "GlobalMaxPool"])), [x])


def reduction(net: Network, x: str, random: np.random.Generator) -> str:
    """A mean, a sum or the largest along some dimensions."""
    rank = len(net.shape(x))
    need(rank >= 3)
    operation = str(random.choice(["ReduceMean", "ReduceMean", "ReduceMax", "ReduceSum", "ReduceL2"]))
    axes = [2, 3] if rank == 4 and random.random() < 0.6 else [int(random.integers(1, rank))]
    axes = [axis - rank for axis in axes] if random.random() < 0.5 else axes
    kept = int(random.random() < 0.5)
    if net.opset >= 18 or (operation == "ReduceSum" and net.opset >= 13):
        return net.node(operation, [x, net.integers(*axes)], keepdims=kept)
    return net.node(operation, [x], axes=axes, keepdims=kept)


def softmax(net: Network, x: str, random: np.random.Generator) -> str:
    """A Softmax, mostly along the last dimension."""
    rank = len(net.shape(x))
    axis = rank - 1 if net.opset < 13 or random.random() < 0.8 else 1
    return net.node("Softmax", [x], axis=axis)


def layer_normalization(net: Network, x: str, random: np.random.Generator) -> str:
    """A LayerNormalization of rows; before opset 17, and now and then after it, written out."""
    shape = net.shape(x)
    need(len(shape) in (2, 3))
    gain, offset = net.constant(random.uniform(0.5, 1.5, shape[-1:])), net.constant(random.normal(0, 0.3, shape[-1:]))
    need(net.opset >= 17)
    return net.node("LayerNormalization", [x, gain, offset], axis=-1, epsilon=1e-5)


def instance_normalization(net: Network, x: str, random: np.random.Generator) -> str:
    """Each channel by its own mean and variance."""
    shape = net.shape(x)
    need(len(shape) == 4 and shape[2] * shape[3] > 1)
    parts = [net.constant(random.uniform(0.5, 1.5, shape[1])), net.constant(random.normal(0, 0.3, shape[1]))]
    return net.node("InstanceNormalization", [x, *parts])


def group_normalization(net: Network, x: str, random: np.random.Generator) -> str:
    """A GroupNormalization, from opset 21."""
    shape = net.shape(x)
    need(net.opset >= 21 and len(shape) == 4 and shape[1] % 2 == 0 and shape[2] * shape[3] > 1)
    parts = [net.constant(random.uniform(0.5, 1.5, shape[1])), net.constant(random.normal(0, 0.3, shape[1]))]
    return net.node("GroupNormalization", [x, *parts], num_groups=2)


def root_mean_square(net: Network, x: str, random: np.random.Generator) -> str:
    """A normalisation by the root of the mean square, written out; as one operator from opset 23."""
    shape = net.shape(x)
    need(len(shape) == 3)
    gain = net.constant(random.uniform(0.5, 1.5, shape[-1:]))
    if net.opset >= 23:
        return net.node("RMSNormalization", [x, gain], axis=-1)
    square = net.node("Mul", [x, x])
    if net.opset >= 18:
        mean = net.node("ReduceMean", [square, net.integers(-1)])
    else:
        mean = net.node("ReduceMean", [square], axes=[-1])
    root = net.node("Sqrt", [net.node("Add", [mean, net.constant(np.float32(1e-5))])])
    return net.node("Mul", [net.node("Div", [x, root]), gain])


def choice(net: Network, x: str, random: np.random.Generator) -> str:
    """A Where by a constant mask, beside one number."""
    shape = net.shape(x)
    mask = net.constant(random.random(shape[-1:]) < 0.6, np.bool_)
    return net.node("Where", [mask, x, net.constant(np.float32(random.choice([0, -1, 0.5])))])


def nothing(net: Network, x: str, random: np.random.Generator) -> str:
    """An operator that changes nothing."""
    form = random.random()
    if form < 0.4:
        return net.node("Identity", [x])
    if form < 0.7:
        return net.node("Dropout", [x])
    return net.node("Cast", [x], to=1)


def clamp_alone(net: Network, x: str, random: np.random.Generator) -> str:
    """A Relu."""
    del random
    return net.node("Relu", [x])


REARRANGING: dict[str, Layer] = {
    "transpose": transpose, "reshape": reshape, "blocks": blocks, "slices": slices, "split": split, "concat": concat,
    "gather": gather, "pad": pad, "resize": resize, "repeat": repeat, "max_pool": max_pool,
    "average_pool": average_pool, "whole_image": whole_image, "reduction": reduction, "softmax": softmax,
    "layer_normalization": layer_normalization, "instance_normalization": instance_normalization,
    "group_normalization": group_normalization, "root_mean_square": root_mean_square,
    "choice": choice, "nothing": nothing, "relu": clamp_alone,
}  # fmt: skip
