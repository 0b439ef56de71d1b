"""Networks that tell what an image or a sound shows.

MLPerf Tiny's four (Banbury et al., "MLPerf Tiny Benchmark", section 4), and blocks of networks for larger images.
"""

from __future__ import annotations

from architecture_layers import Layers, Made


def keyword_spotting() -> Made:
    """DS-CNN: a convolution over time and frequency, four depthwise separable ones."""
    net = Layers(1, 1, 49, 10)
    y = net.node("Conv", ["x", net.weights(64, 1, 10, 4, fan_in=40), net.small(64)], strides=[2, 2], pads=[4, 1, 5, 1])
    y = net.act(y, "relu")
    for _ in range(4):
        y = net.conv(net.depthwise(y, act="relu"), 64, act="relu")
    return net, [net.classes(y, 12)]


def image_classification() -> Made:
    """ResNet-8."""
    net = Layers(1, 3, 32, 32)
    y = net.conv("x", 16, 3, act="relu")
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        short = y if stride == 1 else net.conv(y, channels, 1, stride)
        y = net.add(net.conv(net.conv(y, channels, 3, stride, act="relu"), channels, 3), short, act="relu")
    return net, [net.classes(y, 10)]


def visual_wake_words() -> Made:
    """MobileNetV1, a quarter wide."""
    net = Layers(1, 3, 96, 96)
    y = net.conv("x", 8, 3, 2, act="relu")
    for channels, stride in (
        (16, 1),
        (32, 2),
        (32, 1),
        (64, 2),
        (64, 1),
        (128, 2),
        *[(128, 1)] * 5,
        (256, 2),
        (256, 1),
    ):
        y = net.conv(net.depthwise(y, stride=stride, act="relu"), channels, act="relu")
    return net, [net.classes(y, 2)]


def anomaly_detection() -> Made:
    """An autoencoder of dense layers."""
    net = Layers(1, 640)
    y = "x"
    for width in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        y = net.linear(y, width, act="relu")
    return net, [net.linear(y, 640)]


def inverted_residuals() -> Made:
    """MobileNetV2's blocks."""
    net = Layers(1, 3, 96, 96)
    y = net.conv("x", 16, 3, 2, act="relu6")
    for channels, stride in ((16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (64, 2), (64, 1), (96, 1), (160, 2)):
        wide = net.conv(y, 6 * net.width(y), act="relu6")
        made = net.conv(net.depthwise(wide, stride=stride, act="relu6"), channels)
        y = net.add(y, made) if stride == 1 and channels == net.width(y) else made
    return net, [net.classes(net.conv(y, 320, act="relu6"), 100)]


def shuffled_units() -> Made:
    """ShuffleNetV2's units: half of the channels, then all of them dealt out."""
    net = Layers(1, 3, 96, 96)
    y = net.pool(net.conv("x", 24, 3, 2, act="relu"), 3, 2, 1)
    for channels in (48, 96, 192):
        half = channels // 2
        left = net.conv(net.depthwise(y, stride=2), half, act="relu")
        right = net.conv(net.depthwise(net.conv(y, half, act="relu"), stride=2), half, act="relu")
        y = net.shuffle(net.concat([left, right]), 2)
        for _ in range(2):
            left, right = net.split(y, 2)
            right = net.conv(net.depthwise(net.conv(right, half, act="relu")), half, act="relu")
            y = net.shuffle(net.concat([left, right]), 2)
    return net, [net.classes(y, 100)]


def ghost_bottlenecks() -> Made:
    """GhostNet: half of the features by a product, half from these by a depthwise convolution."""
    net = Layers(1, 3, 64, 64)
    y = net.conv("x", 16, 3, 2, act="relu")

    def ghost(x: str, channels: int, act: str) -> str:
        first = net.conv(x, channels // 2, act=act)
        return net.concat([first, net.depthwise(first, act=act)])

    for channels, wide, stride in ((16, 16, 1), (24, 48, 2), (24, 72, 1), (40, 72, 2), (40, 120, 1), (80, 240, 2)):
        made = ghost(y, wide, "relu")
        if stride == 2:
            made = net.depthwise(made, stride=2)
        made = ghost(net.squeeze_excite(made, wide // 4), channels, "")
        y = net.add(y, made) if stride == 1 and channels == net.width(y) else made
    return net, [net.classes(y, 100)]


def grouped_residuals() -> Made:
    """ResNeXt's blocks of 8 groups, with squeeze and excitation."""
    net = Layers(1, 3, 64, 64)
    y = net.pool(net.conv("x", 32, 7, 2, act="relu"), 3, 2, 1)
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1)):
        short = y if net.width(y) == channels else net.conv(y, channels, 1, stride)
        made = net.conv(net.conv(y, channels // 2, act="relu"), channels // 2, 3, stride, groups=8, act="relu")
        y = net.add(net.squeeze_excite(net.conv(made, channels), channels // 16), short, act="relu")
    return net, [net.classes(y, 100)]


def plain_kernels() -> Made:
    """RepVGG as it is deployed: 3 x 3 convolutions alone."""
    net = Layers(1, 3, 64, 64)
    y = "x"
    for channels, stride in ((32, 2), (32, 2), (32, 1), (64, 2), (64, 1), (64, 1), (128, 2), (128, 1)):
        y = net.conv(y, channels, 3, stride, act="relu")
    return net, [net.classes(y, 100)]


def mixed_patches() -> Made:
    """ConvMixer: patches, 9 x 9 depthwise convolutions beside 1 x 1."""
    net = Layers(1, 3, 64, 64)
    y = net.conv("x", 96, 4, 4, pad=0, act="gelu")
    for _ in range(4):
        y = net.conv(net.add(net.depthwise(y, 9, act="gelu"), y), 96, act="gelu")
    return net, [net.classes(y, 100)]


def pooled_tokens() -> Made:
    """PoolFormer: pools in the place of attention."""
    net = Layers(1, 3, 64, 64)
    y = net.conv("x", 48, 7, 4)
    for width in (48, 96):
        if net.width(y) != width:
            y = net.conv(y, width, 3, 2)
        for _ in range(2):
            y = net.add(y, net.pool(y, 3, 1, 1, "AveragePool"))
            y = net.add(y, net.conv(net.conv(y, 4 * width, act="gelu"), width))
    return net, [net.classes(y, 100)]
