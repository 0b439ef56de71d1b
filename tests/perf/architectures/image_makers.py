"""Networks that make images of images, or maps of what is where."""

from __future__ import annotations

from architecture_layers import Layers, Made


def u_net() -> Made:
    """Down and up again, joined at each size."""
    net = Layers(1, 3, 96, 96)

    def twice(x: str, channels: int) -> str:
        return net.conv(net.conv(x, channels, 3, act="relu"), channels, 3, act="relu")

    y, sides = "x", []
    for channels in (16, 32, 64):
        sides.append(twice(y, channels))
        y = net.pool(sides[-1], 2, 2)
    y = twice(y, 128)
    for channels, side in zip((64, 32, 16), reversed(sides), strict=True):
        y = twice(net.concat([side, net.conv_transpose(y, channels, 2, 2, 0)]), channels)
    return net, [net.conv(y, 2)]


def super_resolution() -> Made:
    """EDSR: residual blocks without normalisation, pixels shuffled out of channels."""
    net = Layers(1, 3, 48, 48)
    first = y = net.conv("x", 32, 3)
    for _ in range(4):
        y = net.add(net.conv(net.conv(y, 32, 3, act="relu"), 32, 3), y)
    y = net.add(net.conv(y, 32, 3), first)
    return net, [net.conv(net.pixel_shuffle(net.conv(y, 128, 3), 2), 3, 3)]


def sub_pixels() -> Made:
    """ESPCN: three convolutions and a shuffle by 3."""
    net = Layers(1, 1, 64, 64)
    y = net.conv(net.conv("x", 64, 5, act="tanh"), 32, 3, act="tanh")
    return net, [net.pixel_shuffle(net.conv(y, 9, 3), 3)]


def restoration() -> Made:
    """NAFNet's blocks: gates that multiply halves, attention by channels."""
    net = Layers(1, 3, 64, 64)

    def normed(x: str) -> str:
        return net.transpose(net.layer_norm(net.transpose(x, 0, 2, 3, 1)), 0, 3, 1, 2)

    def gated(x: str) -> str:
        return net.node("Mul", net.split(x, 2))

    def block(x: str) -> str:
        width = net.width(x)
        y = gated(net.depthwise(net.conv(normed(x), 2 * width)))
        x = net.add(x, net.conv(net.node("Mul", [y, net.conv(net.global_pool(y), width)]), width))
        return net.add(x, net.conv(gated(net.conv(normed(x), 2 * width)), width))

    first = net.conv("x", 16, 3)
    y = block(net.conv(block(first), 32, 2, 2, pad=0))
    y = net.pixel_shuffle(net.conv(y, 64), 2)
    return net, [net.add(net.conv(block(net.add(y, first)), 3, 3), "x")]


def style_transfer() -> Made:
    """Mirrored borders, instances normalised, residual blocks, sizes doubled by copies."""
    net = Layers(1, 3, 96, 96)

    def layer(x: str, channels: int, kernel: int, stride: int = 1, act: str = "relu") -> str:
        seen = net.conv(net.reflect(x, kernel // 2), channels, kernel, stride, pad=0)
        return net.instance_norm(seen, act=act)

    y = layer(layer(layer("x", 16, 9), 32, 3, 2), 64, 3, 2)
    for _ in range(2):
        y = net.add(layer(layer(y, 64, 3), 64, 3, act=""), y)
    y = layer(net.upsample(layer(net.upsample(y), 32, 3)), 16, 3)
    return net, [net.conv(net.reflect(y, 4), 3, 9, pad=0)]


def generator() -> Made:
    """DCGAN: an image out of a vector, by transposed convolutions."""
    net = Layers(1, 64, 1, 1)
    y = net.conv_transpose("x", 128, 4, 1, 0, act="relu")
    for channels in (64, 32, 16):
        y = net.conv_transpose(y, channels, 4, 2, 1, act="relu")
    return net, [net.conv_transpose(y, 3, 4, 2, 1, act="tanh")]


def dilated_pyramid() -> Made:
    """DeepLab's head: one image seen with kernels of growing reach, and as a whole."""
    net = Layers(1, 3, 64, 64)
    y = net.conv(net.conv("x", 16, 3, 2, act="relu"), 48, 3, 2, act="relu")
    seen = [net.conv(y, 32, act="relu")]
    seen += [net.conv(y, 32, 3, dilation=rate, act="relu") for rate in (2, 4, 6)]
    seen.append(net.upsample(net.conv(net.global_pool(y), 32, act="relu"), 16))
    return net, [net.upsample(net.conv(net.conv(net.concat(seen), 32, act="relu"), 8), 4)]


def detector() -> Made:
    """YOLO's parts: split and joined stages, pools in a row, sizes joined up and down, a head for each size."""
    net = Layers(1, 3, 128, 128)

    def stage(x: str, channels: int) -> str:
        left, right = net.split(net.conv(x, channels, act="silu"), 2)
        inner = net.conv(net.conv(right, channels // 2, 3, act="silu"), channels // 2, 3, act="silu")
        return net.conv(net.concat([left, right, net.add(right, inner)]), channels, act="silu")

    y = net.conv(net.conv("x", 16, 3, 2, act="silu"), 32, 3, 2, act="silu")
    middle = stage(net.conv(y, 64, 3, 2, act="silu"), 64)
    deep = net.conv(stage(net.conv(middle, 128, 3, 2, act="silu"), 128), 64, act="silu")
    pools = [deep]
    for _ in range(3):
        pools.append(net.pool(pools[-1], 5, 1, 2))
    deep = net.conv(net.concat(pools), 128, act="silu")
    fine = stage(net.concat([net.upsample(deep), middle]), 64)
    coarse = stage(net.concat([net.conv(fine, 64, 3, 2, act="silu"), deep]), 128)
    return net, [net.conv(net.conv(one, 64, 3, act="silu"), 84) for one in (fine, coarse)]


def denoiser() -> Made:
    """A diffusion model's parts: groups normalised before each convolution, attention at the smallest size."""
    net = Layers(1, 4, 32, 32)

    def block(x: str, channels: int) -> str:
        y = net.conv(net.group_norm(x, 8, act="silu"), channels, 3)
        y = net.conv(net.group_norm(y, 8, act="silu"), channels, 3)
        return net.add(x if net.width(x) == channels else net.conv(x, channels), y)

    first = block(net.conv("x", 32, 3), 32)
    deep = block(net.conv(first, 64, 3, 2), 64)
    deep = net.add(deep, net.image(net.attention(net.tokens(net.group_norm(deep, 8)), 2), 16, 16))
    y = net.concat([net.conv(net.upsample(block(deep, 64)), 32, 3), first])
    return net, [net.conv(net.group_norm(block(y, 32), 8, act="silu"), 4, 3)]
