"""Random layers: each follows a tensor, with sizes and weights from its own random generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from float_network import InapplicableError, Network

Layer = Callable[[Network, str, np.random.Generator], str]


def need(condition: object) -> None:
    """Raises InapplicableError unless a condition holds."""
    if not condition:
        raise InapplicableError


def weights(net: Network, random: np.random.Generator, shape: tuple[int, ...], fan_in: int) -> str:
    """Weights that keep the spread of what they multiply, some channels much smaller than others."""
    array = random.normal(0, 1 / np.sqrt(max(1, fan_in)), shape)
    if random.random() < 0.3:
        array *= (2.0 ** -random.integers(0, 5, shape[0])).reshape(-1, *[1] * (len(shape) - 1))
    return net.constant(array)


def convolution(net: Network, x: str, random: np.random.Generator, *, group: int = 1, channels: int = 0) -> str:
    """A Conv of one or two dimensions with kernel, strides, pads and dilations."""
    shape = net.shape(x)
    need(len(shape) in (3, 4))
    rank, inputs = len(shape) - 2, shape[1]
    outputs = channels or int(random.choice([1, 3, 4, 5, 8, 12, 16, 17])) * (group if group > 1 else 1)
    kernel = [int(random.choice([1, 2, 3, 3, 5])) for _ in range(rank)]
    dilations = [int(random.choice([1, 1, 1, 2])) for _ in range(rank)]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    attributes: dict[str, Any] = {"group": group}
    if random.random() < 0.8:
        attributes["kernel_shape"] = kernel
    strides = [int(random.choice([1, 1, 1, 2])) for _ in range(rank)]
    form = random.random()
    if form < 0.15:
        attributes["auto_pad"] = str(random.choice(["SAME_UPPER", "SAME_LOWER", "VALID"]))
        dilations = [1] * rank
    elif form < 0.8:
        attributes["pads"] = [r // 2 for r in reach] * 2
    elif form < 0.9:
        attributes["pads"] = [int(random.integers(0, r)) for r in reach * 2]
    attributes |= {"strides": strides, "dilations": dilations}
    shapes = (outputs, inputs // group, *kernel)
    operands = [x, weights(net, random, shapes, int(np.prod(shapes[1:])))]
    if random.random() < 0.8:
        operands.append(net.constant(random.normal(0, 0.3, outputs)))
    return net.node("Conv", operands, **attributes)


def conv(net: Network, x: str, random: np.random.Generator) -> str:
    """A convolution, alone."""
    return convolution(net, x, random)


def conv_relu(net: Network, x: str, random: np.random.Generator) -> str:
    """A convolution and an activation that clamps."""
    return clamp(net, convolution(net, x, random), random)


def clamp(net: Network, x: str, random: np.random.Generator) -> str:
    """Relu, Relu6, or a Clip."""
    form = random.random()
    if form < 0.6:
        return net.node("Relu", [x])
    low, high = (0.0, 6.0) if form < 0.8 else (-float(random.uniform(0.1, 2)), float(random.uniform(0.1, 2)))
    return net.node("Clip", [x, net.constant(np.float32(low)), net.constant(np.float32(high))])


def depthwise(net: Network, x: str, random: np.random.Generator) -> str:
    """A convolution of each channel by itself."""
    need(len(net.shape(x)) == 4)
    group = net.shape(x)[1]
    y = convolution(net, x, random, group=group, channels=group * int(random.choice([1, 1, 2])))
    return clamp(net, y, random) if random.random() < 0.5 else y


def grouped(net: Network, x: str, random: np.random.Generator) -> str:
    """A convolution in groups."""
    need(len(net.shape(x)) == 4)
    groups = [size for size in (2, 3, 4) if net.shape(x)[1] % size == 0]
    need(bool(groups))
    group = int(random.choice(groups))
    return convolution(net, x, random, group=group, channels=group * int(random.choice([1, 2, 4])))


def normalised_conv(net: Network, x: str, random: np.random.Generator) -> str:
    """A convolution and a BatchNormalization, which a quantiser joins."""
    return batch_normalization(net, convolution(net, x, random), random)


def batch_normalization(net: Network, x: str, random: np.random.Generator) -> str:
    """A BatchNormalization."""
    need(len(net.shape(x)) >= 3)
    count = net.shape(x)[1]
    parts = [random.uniform(0.5, 1.5, count), random.normal(0, 0.3, count)]
    parts += [random.normal(0, 0.3, count), random.uniform(0.5, 1.5, count)]
    return net.node("BatchNormalization", [x, *map(net.constant, parts)])


def transposed_conv(net: Network, x: str, random: np.random.Generator) -> str:
    """A ConvTranspose."""
    shape = net.shape(x)
    need(len(shape) == 4 and np.prod(shape) <= 1000)
    group = int(random.choice([g for g in (1, 1, 2, shape[1]) if shape[1] % g == 0]))
    kernel, stride = int(random.choice([2, 3, 4])), int(random.choice([1, 2, 2]))
    outputs = int(random.choice([1, 2, 4]))
    operands = [x, weights(net, random, (shape[1], outputs, kernel, kernel), shape[1] // group * kernel)]
    if random.random() < 0.7:
        operands.append(net.constant(random.normal(0, 0.3, outputs * group)))
    attributes: dict[str, Any] = {"strides": [stride] * 2, "group": group}
    if random.random() < 0.15:
        attributes["output_shape"] = [size * stride for size in shape[2:]]
    elif random.random() < 0.1:
        attributes["dilations"] = [2, 2]
    elif random.random() < 0.3:
        attributes["auto_pad"] = "SAME_UPPER"
    elif random.random() < 0.5:
        attributes["pads"] = [int(random.integers(0, 2))] * 4
    return net.node("ConvTranspose", operands, kernel_shape=[kernel] * 2, **attributes)


def flatten(net: Network, x: str, random: np.random.Generator) -> str:
    """All but the first dimension in one."""
    shape = net.shape(x)
    need(len(shape) > 2 and np.prod(shape[1:]) <= 1500)
    if random.random() < 0.5:
        return net.node("Flatten", [x])
    return net.node("Reshape", [x, net.integers(shape[0], -1)])


def gemm(net: Network, x: str, random: np.random.Generator) -> str:
    """A Gemm, or a MatMul with an Add after it, of two matrices."""
    if len(net.shape(x)) != 2:
        x = flatten(net, x, random)
    inputs, outputs = net.shape(x)[1], int(random.choice([1, 3, 8, 10, 16, 20]))
    turned, form = bool(random.random() < 0.5), random.random()
    b = weights(net, random, (outputs, inputs) if turned and form < 0.7 else (inputs, outputs), inputs)
    if form < 0.7:
        bias = [net.constant(random.normal(0, 0.3, outputs))] if random.random() < 0.8 else []
        return net.node("Gemm", [x, b, *bias], transB=int(turned))
    return net.node("MatMul", [x, b])


def matmul(net: Network, x: str, random: np.random.Generator) -> str:
    """A product with a constant, of the last dimension; seldom with the constant on the left."""
    shape = net.shape(x)
    need(len(shape) >= 2)
    if random.random() < 0.15 and len(shape) in (3, 4):
        outputs = int(random.choice([2, 5, 8]))
        return net.node("MatMul", [net.constant(random.normal(0, 1 / np.sqrt(shape[-2]), (outputs, shape[-2]))), x])
    outputs = int(random.choice([3, 8, 12, 16]))
    y = net.node("MatMul", [x, weights(net, random, (shape[-1], outputs), shape[-1])])
    if random.random() < 0.3:
        y = net.node("Add", [y, net.constant(random.normal(0, 0.3, outputs))])
    return y


def attention(net: Network, x: str, random: np.random.Generator) -> str:
    """Products of two activations around a Softmax; seldom under a mask."""
    shape = net.shape(x)
    need(len(shape) == 3 and shape[1] <= 24)
    width = int(random.choice([4, 8, 16]))
    q, k, v = (net.node("MatMul", [x, weights(net, random, (shape[2], width), shape[2])]) for _ in range(3))
    scores = net.node("MatMul", [q, net.node("Transpose", [k], perm=[0, 2, 1])])
    if random.random() < 0.7:
        scale = np.float32(1 / np.sqrt(width))
        by = random.random() < 0.5
        scores = net.node("Mul" if by else "Div", [scores, net.constant(scale if by else 1 / scale)])
    if random.random() < 0.3:
        mask = np.triu(np.full((shape[1], shape[1]), float(random.choice([-1e4, -np.inf, -3.4028234e38])), "f4"), 1)
        scores = net.node("Add", [scores, net.constant(mask)])
    return net.node("MatMul", [net.node("Softmax", [scores], axis=-1), v])


def earlier(net: Network, x: str, random: np.random.Generator) -> str:
    """An earlier tensor of the same shape; a convolution of `x`, or `x` itself, where there is none."""
    same = [name for name in net.history if net.shape(name) == net.shape(x) and name != x]
    if same:
        return str(random.choice(same))
    shape = net.shape(x)
    if len(shape) == 4:
        return net.node("Conv", [x, weights(net, random, (shape[1], shape[1], 1, 1), shape[1])])
    return x


def two_operands(net: Network, x: str, random: np.random.Generator) -> str:
    """An elementwise operator of two tensors."""
    operation = str(random.choice(["Add", "Add", "Add", "Mul", "Mul", "Sub", "Max", "Min"]))
    operands = [x, earlier(net, x, random)]
    if random.random() < 0.5:
        operands.reverse()
    y = net.node(operation, operands)
    return net.node("Relu", [y]) if operation == "Add" and random.random() < 0.4 else y


def second_input(net: Network, x: str, random: np.random.Generator) -> str:
    """A sum or product with another input of the network."""
    need(len(net.inputs) == 1)
    shape = net.shape(x)
    sizes = shape if random.random() < 0.7 else (1, shape[1], *[1] * (len(shape) - 2))
    return net.node(str(random.choice(["Add", "Mul"])), [x, net.input(sizes)])


def broadcast(net: Network, x: str, random: np.random.Generator) -> str:
    """Add or Mul of a tensor and its means, or of two vectors that span an image."""
    shape = net.shape(x)
    need(len(shape) == 4)
    operation = str(random.choice(["Add", "Mul"]))
    means = net.node("GlobalAveragePool", [x])
    if random.random() < 0.5:
        return net.node(operation, [x, means])
    one = net.node("Slice", [x, net.integers(0), net.integers(1), net.integers(1)])
    return net.node(operation, [means, one] if random.random() < 0.5 else [one, means])


def with_constant(net: Network, x: str, random: np.random.Generator) -> str:
    """Add, Mul, Sub or Div by a constant: one number, one for each channel, or of the tensor's shape."""
    shape = net.shape(x)
    form = random.choice(["scalar", "one", "channels", "whole", "last"])
    sizes = {
        "scalar": (), "one": (1,) * len(shape), "channels": (1, shape[1], *[1] * (len(shape) - 2)),
        "whole": shape, "last": shape[-1:],
    }[str(form)]  # fmt: skip
    value = net.constant(random.uniform(0.5, 1.5, sizes))
    operation = str(random.choice(["Add", "Mul", "Sub", "Div"]))
    turned = operation in ("Add", "Mul") and random.random() < 0.4
    return net.node(operation, [value, x] if turned else [x, value])


def function(net: Network, x: str, random: np.random.Generator) -> str:
    """A function of one element, or a chain of them."""
    names = ["Sigmoid", "Tanh", "HardSigmoid", "LeakyRelu", "Elu", "Exp", "Abs", "Neg", "Softplus", "Erf"]
    names += ["HardSwish"] if net.opset >= 14 else []
    names += ["Gelu", "Mish"] if net.opset >= 20 else []
    form = random.random()
    if form < 0.6:
        return net.node(str(random.choice(names)), [x])
    if form < 0.75:
        return net.node("Mul", [x, net.node("Sigmoid", [x])])
    if form < 0.9:  # Gelu, written out
        y = net.node("Erf", [net.node("Div", [x, net.constant(np.float32(np.sqrt(2)))])])
        y = net.node("Mul", [x, net.node("Add", [y, net.constant(np.float32(1))])])
        return net.node("Mul", [y, net.constant(np.float32(0.5))])
    y = net.node("Add", [x, net.constant(np.full((1,) * len(net.shape(x)), 3.0))])
    y = net.node("Clip", [y, net.constant(np.float32(0)), net.constant(np.float32(6))])
    return net.node("Mul", [net.node("Div", [y, net.constant(np.float32(6))]), x])


def parametric(net: Network, x: str, random: np.random.Generator) -> str:
    """A PRelu, one slope for each channel or one for all."""
    shape = net.shape(x)
    need(len(shape) >= 3)
    count = shape[1] if random.random() < 0.7 else 1
    return net.node("PRelu", [x, net.constant(random.uniform(0, 0.5, (count, *[1] * (len(shape) - 2))))])


def squeeze_and_excite(net: Network, x: str, random: np.random.Generator) -> str:
    """Channels weighted by what their means say."""
    shape = net.shape(x)
    need(len(shape) == 4)
    y = net.node("GlobalAveragePool", [x])
    y = net.node("Relu", [net.node("Conv", [y, weights(net, random, (4, shape[1], 1, 1), shape[1])])])
    y = net.node("Conv", [y, weights(net, random, (shape[1], 4, 1, 1), 4)])
    return net.node("Mul", [x, net.node(str(random.choice(["Sigmoid", "HardSigmoid"])), [y])])


LAYERS: dict[str, Layer] = {
    "conv": conv, "conv_relu": conv_relu, "depthwise": depthwise, "grouped": grouped,
    "normalised_conv": normalised_conv, "batch_normalization": batch_normalization,
    "transposed_conv": transposed_conv, "flatten": flatten, "gemm": gemm, "matmul": matmul, "attention": attention,
    "two_operands": two_operands, "second_input": second_input, "broadcast": broadcast,
    "with_constant": with_constant, "function": function,
    "parametric": parametric, "squeeze_and_excite": squeeze_and_excite,
}  # fmt: skip
