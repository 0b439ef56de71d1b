"""Networks of tokens, sequences and points."""

from __future__ import annotations

from architecture_layers import Layers, Made


def encoder_layer(net: Layers, y: str, heads: int, widen: int = 4) -> str:
    """A layer of a transformer, normalised first."""
    y = net.add(y, net.attention(net.layer_norm(y), heads))
    width = net.shape(y)[-1]
    return net.add(y, net.linear(net.linear(net.layer_norm(y), widen * width, act="gelu"), width))


def vision_transformer() -> Made:
    """Patches, positions, encoder layers, and the mean of all tokens."""
    net = Layers(1, 3, 96, 96)
    y = net.tokens(net.conv("x", 128, 16, 16, pad=0))
    y = net.add(y, net.small(1, *net.shape(y)[1:]))
    for _ in range(3):
        y = encoder_layer(net, y, 4)
    pooled = net.node("ReduceMean", [net.layer_norm(y)], axes=[1], keepdims=0)
    return net, [net.linear(pooled, 100)]


def shifted_windows() -> Made:
    """Swin's blocks: attention in windows of 7 x 7, patches merged in between."""
    net = Layers(1, 3, 112, 112)
    y, side, size = net.tokens(net.conv("x", 48, 4, 4, pad=0)), 28, 7
    for stage in range(2):
        width, windows = net.shape(y)[-1], side // size
        for _ in range(2):
            seen = net.reshape(net.layer_norm(y), 1, windows, size, windows, size, width)
            cut = net.reshape(net.transpose(seen, 0, 1, 3, 2, 4, 5), windows**2, size**2, width)
            mixed = net.reshape(net.attention(cut, 3), 1, windows, windows, size, size, width)
            y = net.add(y, net.reshape(net.transpose(mixed, 0, 1, 3, 2, 4, 5), 1, side**2, width))
            y = net.add(y, net.linear(net.linear(net.layer_norm(y), 4 * width, act="gelu"), width))
        if stage == 0:
            halves = net.reshape(y, 1, side // 2, 2, side // 2, 2, width)
            side //= 2
            merged = net.reshape(net.transpose(halves, 0, 1, 3, 4, 2, 5), 1, side**2, 4 * width)
            y = net.linear(net.layer_norm(merged), 2 * width)
    return net, [net.linear(net.node("ReduceMean", [y], axes=[1], keepdims=0), 100)]


def mobile_transformer() -> Made:
    """MobileViT's block: convolutions, then attention over pixels of 2 x 2 patches."""
    net = Layers(1, 3, 64, 64)
    y = net.conv(net.conv("x", 16, 3, 2, act="silu"), 32, 3, 2, act="silu")
    local = net.conv(net.conv(y, 32, 3, act="silu"), 48)
    cut = net.transpose(net.reshape(local, 48 * 8, 2, 8, 2), 0, 2, 1, 3)
    tokens = net.transpose(net.reshape(cut, 1, 48, 64, 4), 0, 3, 2, 1)
    seen = encoder_layer(net, net.reshape(tokens, 4, 64, 48), 4, 2)
    back = net.reshape(net.transpose(net.reshape(seen, 1, 4, 64, 48), 0, 3, 2, 1), 48 * 8, 8, 2, 2)
    image = net.reshape(net.transpose(back, 0, 2, 1, 3), 1, 48, 16, 16)
    y = net.conv(net.concat([y, net.conv(image, 32, act="silu")]), 32, 3, act="silu")
    return net, [net.classes(y, 100)]


def mixed_tokens() -> Made:
    """MLP-Mixer: products along tokens and along channels."""
    net = Layers(1, 3, 96, 96)
    y = net.tokens(net.conv("x", 96, 12, 12, pad=0))
    for _ in range(3):
        turned = net.transpose(net.layer_norm(y), 0, 2, 1)
        mixed = net.linear(net.linear(turned, 128, act="gelu"), net.shape(turned)[-1])
        y = net.add(y, net.transpose(mixed, 0, 2, 1))
        y = net.add(y, net.linear(net.linear(net.layer_norm(y), 384, act="gelu"), 96))
    return net, [net.linear(net.node("ReduceMean", [y], axes=[1], keepdims=0), 100)]


def decoding_step() -> Made:
    """One token of a language model, with keys and values of 64 tokens before."""
    net = Layers(1, 1, 128)
    y = "x"
    for _ in range(2):
        past = net.input((1, 4, 64, 32)), net.input((1, 4, 64, 32))
        y = net.add(y, net.attention(net.layer_norm(y), 4, past))
        seen = net.layer_norm(y)
        gated = net.node("Mul", [net.linear(seen, 344, act="silu"), net.linear(seen, 344)])
        y = net.add(y, net.linear(gated, 128))
    return net, [net.linear(net.layer_norm(y), 1000)]


def temporal_convolutions() -> Made:
    """TCN: dilated convolutions of a sequence, residual."""
    net = Layers(1, 32, 128)
    y = net.conv("x", 64)
    for level in range(4):
        inner = net.conv(y, 64, 3, dilation=2**level, act="relu")
        y = net.add(net.conv(inner, 64, 3, dilation=2**level, act="relu"), y, act="relu")
    return net, [net.conv(y, 20)]


def gated_sequences() -> Made:
    """WaveNet's layers: a gate beside a filter, skips added up."""
    net = Layers(1, 16, 256)
    y, skips = net.conv("x", 32), []
    for level in range(4):
        filtered = net.conv(y, 32, 3, dilation=2**level, act="tanh")
        gated = net.node("Mul", [filtered, net.conv(y, 32, 3, dilation=2**level, act="sigmoid")])
        skips.append(net.conv(gated, 64))
        y = net.add(net.conv(gated, 32), y)
    total = skips[0]
    for one in skips[1:]:
        total = net.add(total, one)
    return net, [net.conv(net.act(total, "relu"), 64, act="relu")]


def points() -> Made:
    """PointNet: every point alone, the greatest of each feature."""
    net = Layers(1, 3, 512)
    y = "x"
    for width in (64, 64, 64, 128, 256):
        y = net.conv(y, width, act="relu")
    y = net.flat(net.node("GlobalMaxPool", [y]))
    return net, [net.linear(net.linear(y, 128, act="relu"), 40)]
