"""Layers of float networks, one a call, with weights drawn from a seed."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt

import numpy as np
from float_network import Network

OPSET = 17
ACTIVATIONS = {"relu": "Relu", "leaky": "LeakyRelu", "sigmoid": "Sigmoid", "tanh": "Tanh", "hardswish": "HardSwish"}
"""Operators of one node, by the name that layers take."""


class Layers(Network):
    """A network whose layers are methods: images are [N, C, H, W], sequences [N, C, L], tokens [N, T, D].

    Weights are normal, of the deviation that keeps the size of what goes through ReLU (He et al., "Delving Deep into
    Rectifiers", section 2.2), so that every layer's numbers fill their range.
    """

    def __init__(self, *shape: int, seed: int = 1) -> None:
        super().__init__(OPSET, shape)
        self._random = np.random.default_rng(seed)

    def weights(self, *shape: int, fan_in: int) -> str:
        """A constant of products with so many operands each."""
        return self.constant(self._random.normal(0.0, sqrt(2.0 / fan_in), shape))

    def small(self, *shape: int) -> str:
        """Biases, shifts of normalisations, positions of tokens."""
        return self.constant(self._random.normal(0.0, 0.1, shape))

    def width(self, x: str) -> int:
        """Channels of an image."""
        return self.shape(x)[1]

    # ---- products ----------------------------------------------------------------------------------------------------

    def conv(
        self,
        x: str,
        channels: int,
        kernel: int = 1,
        stride: int = 1,
        *,
        groups: int = 1,
        dilation: int = 1,
        pad: int | None = None,
        act: str = "",
    ) -> str:
        """A convolution of 1 or 2 dimensions, padded to keep its size unless `pad` says otherwise."""
        rank, per_group = len(self.shape(x)) - 2, self.width(x) // groups
        before = (kernel - 1) * dilation // 2 if pad is None else pad
        w = self.weights(channels, per_group, *[kernel] * rank, fan_in=per_group * kernel**rank)
        attributes = {"strides": [stride] * rank, "dilations": [dilation] * rank, "pads": [before] * 2 * rank}
        return self.act(self.node("Conv", [x, w, self.small(channels)], group=groups, **attributes), act)

    def depthwise(self, x: str, kernel: int = 3, stride: int = 1, *, act: str = "") -> str:
        """A convolution of each channel by itself."""
        return self.conv(x, self.width(x), kernel, stride, groups=self.width(x), act=act)

    def conv_transpose(self, x: str, channels: int, kernel: int, stride: int, pad: int, *, act: str = "") -> str:
        """A transposed convolution."""
        w = self.weights(self.width(x), channels, kernel, kernel, fan_in=self.width(x) * (kernel // stride) ** 2)
        made = self.node("ConvTranspose", [x, w, self.small(channels)], strides=[stride] * 2, pads=[pad] * 4)
        return self.act(made, act)

    def linear(self, x: str, width: int, *, act: str = "") -> str:
        """[..., D] to [..., width]: Gemm of rows, MatMul of tokens."""
        size = self.shape(x)[-1]
        w, b = self.weights(size, width, fan_in=size), self.small(width)
        if len(self.shape(x)) == 2:
            return self.act(self.node("Gemm", [x, w, b]), act)
        return self.act(self.add(self.node("MatMul", [x, w]), b), act)

    def attention(self, x: str, heads: int, past: tuple[str, str] | None = None) -> str:
        """Attention of tokens [B, T, D] to themselves and to past keys and values, [B, heads, S, D/heads] each."""
        batch, tokens, width = self.shape(x)

        def of_heads(y: str) -> str:
            return self.transpose(self.reshape(y, batch, tokens, heads, width // heads), 0, 2, 1, 3)

        q, k, v = (of_heads(self.linear(x, width)) for _ in range(3))
        if past:
            k, v = self.concat([past[0], k], axis=2), self.concat([past[1], v], axis=2)
        scores = self.node("MatMul", [q, self.transpose(k, 0, 1, 3, 2)])
        scaled = self.node("Mul", [scores, self.constant(1 / sqrt(width // heads))])
        mixed = self.node("MatMul", [self.node("Softmax", [scaled], axis=-1), v])
        return self.linear(self.reshape(self.transpose(mixed, 0, 2, 1, 3), batch, tokens, width), width)

    # ---- element by element ------------------------------------------------------------------------------------------

    def act(self, x: str, name: str) -> str:
        """An activation: one of ACTIVATIONS, `relu6`, `silu`, `gelu`; none if empty."""
        if not name:
            return x
        if name == "relu6":
            return self.node("Clip", [x, self.constant(0.0), self.constant(6.0)])
        if name == "silu":
            return self.node("Mul", [x, self.act(x, "sigmoid")])
        if name == "gelu":
            bell = self.node("Erf", [self.node("Mul", [x, self.constant(sqrt(0.5))])])
            return self.node("Mul", [self.node("Mul", [x, self.add(bell, self.constant(1.0))]), self.constant(0.5)])
        return self.node(ACTIVATIONS[name], [x], **({"alpha": 0.1} if name == "leaky" else {}))

    def add(self, a: str, b: str, *, act: str = "") -> str:
        """The sum."""
        return self.act(self.node("Add", [a, b]), act)

    def squeeze_excite(self, x: str, width: int) -> str:
        """The image times a factor for each channel, made of its means."""
        gate = self.conv(self.conv(self.global_pool(x), width, act="relu"), self.width(x), act="sigmoid")
        return self.node("Mul", [x, gate])

    def layer_norm(self, x: str) -> str:
        """Along the last axis."""
        size = self.shape(x)[-1]
        return self.node("LayerNormalization", [x, self.constant(np.ones(size)), self.small(size)], axis=-1)

    def instance_norm(self, x: str, *, act: str = "") -> str:
        """Each channel normalised over its pixels."""
        scale = self.constant(np.ones(self.width(x)))
        return self.act(self.node("InstanceNormalization", [x, scale, self.small(self.width(x))]), act)

    def group_norm(self, x: str, groups: int, *, act: str = "") -> str:
        """As PyTorch exports it: groups as channels of an instance normalisation, then gains of channels."""
        n, c, h, w = self.shape(x)
        cut = self.reshape(x, n, groups, c // groups * h * w)
        even = self.node(
            "InstanceNormalization", [cut, self.constant(np.ones(groups)), self.constant(np.zeros(groups))]
        )
        gain = self.constant(self._random.normal(1.0, 0.1, (c, 1, 1)))
        scaled = self.node("Mul", [self.reshape(even, n, c, h, w), gain])
        return self.act(self.add(scaled, self.small(c, 1, 1)), act)

    # ---- windows -----------------------------------------------------------------------------------------------------

    def pool(self, x: str, kernel: int, stride: int, pad: int = 0, operator: str = "MaxPool") -> str:
        """Windows of 1 or 2 dimensions."""
        rank = len(self.shape(x)) - 2
        sizes = {"kernel_shape": [kernel] * rank, "strides": [stride] * rank, "pads": [pad] * 2 * rank}
        return self.node(operator, [x], **sizes)

    def global_pool(self, x: str) -> str:
        """The mean of each channel."""
        return self.node("GlobalAveragePool", [x])

    def upsample(self, x: str, factor: int = 2) -> str:
        """Each pixel several times."""
        scales = self.constant([1, 1, factor, factor])
        nearest = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        return self.node("Resize", [x, "", scales], **nearest)

    # ---- movements ---------------------------------------------------------------------------------------------------

    def concat(self, tensors: Sequence[str], axis: int = 1) -> str:
        """The tensors one after the other."""
        return self.node("Concat", tensors, axis=axis)

    def split(self, x: str, parts: int, axis: int = 1) -> list[str]:
        """Equal parts."""
        return list(self.node("Split", [x], parts, axis=axis))

    def reshape(self, x: str, *shape: int) -> str:
        """The same elements in another shape."""
        assert prod(shape) == prod(self.shape(x)), (self.shape(x), shape)
        return self.node("Reshape", [x, self.integers(*shape)])

    def transpose(self, x: str, *order: int) -> str:
        """The dimensions in this order."""
        return self.node("Transpose", [x], perm=order)

    def pixel_shuffle(self, x: str, block: int) -> str:
        """Channels as blocks of pixels, in the order of PyTorch."""
        return self.node("DepthToSpace", [x], blocksize=block, mode="CRD")

    def reflect(self, x: str, pad: int) -> str:
        """The image with a mirrored border."""
        return self.node("Pad", [x, self.integers(0, 0, pad, pad, 0, 0, pad, pad)], mode="reflect")

    def shuffle(self, x: str, groups: int) -> str:
        """Channels dealt out to groups."""
        n, c, h, w = self.shape(x)
        dealt = self.transpose(self.reshape(x, n, groups, c // groups, h, w), 0, 2, 1, 3, 4)
        return self.reshape(dealt, n, c, h, w)

    def tokens(self, x: str) -> str:
        """An image as tokens: [N, H W, C]."""
        n, c, h, w = self.shape(x)
        return self.transpose(self.reshape(x, n, c, h * w), 0, 2, 1)

    def image(self, x: str, rows: int, columns: int) -> str:
        """Tokens as an image."""
        n, _, width = self.shape(x)
        return self.reshape(self.transpose(x, 0, 2, 1), n, width, rows, columns)

    # ---- ends --------------------------------------------------------------------------------------------------------

    def flat(self, x: str) -> str:
        """All but the first dimension in one."""
        return self.node("Flatten", [x])

    def classes(self, x: str, number: int) -> str:
        """A pooled image, and one number a class."""
        return self.linear(self.flat(self.global_pool(x)), number)


Made = tuple[Layers, list[str]]
"""A network and its outputs."""
