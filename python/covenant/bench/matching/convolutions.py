"""The three convolutional networks: EfficientNet, MobileNetV2 and ResNet-20."""

from __future__ import annotations

import onnx

from covenant.bench.matching.graphs import LINEAR, RELU, SWISH, Graph

__all__ = ["efficientnet", "mobilenet_v2", "resnet_20"]

_PICTURE = 224
_PICTURE_CLASSES = 1000
_THUMBNAIL = 32
_THUMBNAIL_CLASSES = 10
_EPSILON = 1e-3

# Expansion, channels, blocks, stride of the first, kernel.
_EFFICIENT_STAGES = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 1, 3),
    (6, 112, 3, 2, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)
# Expansion, channels, blocks, stride of the first.
_MOBILE_STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 1),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
# Scale of a branch that is added to what it began with, for sums of many not to grow.
_BRANCH = 0.5


def efficientnet() -> onnx.ModelProto:
    """EfficientNet of a width and a depth of 1: `image` f32 [1, 3, 224, 224] to `logits` f32 [1, 1000].

    Tan and Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks". Appendix B of Huang,
    Lyubomirsky et al. takes it from MxNet for ImageNet. That implementation has no squeeze and excitation, expands the
    first block by a convolution although by 1, strides in the stage of 112 channels and not in that of 80, and ends in
    a convolution.
    """
    graph = Graph("efficientnet")
    image = graph.input("image", [1, 3, _PICTURE, _PICTURE])
    value = _swish_conv(graph, "stem", _padded(graph, image, 1), (3, 32), 3, stride=2, gain=LINEAR)
    channels, number = 32, 0
    for expansion, outputs, blocks, stride, kernel in _EFFICIENT_STAGES:
        for block in range(blocks):
            sizes = (channels, channels * expansion, outputs)
            gain = SWISH if number == 0 else LINEAR
            value = _efficient_block(
                graph, f"block{number}", value, sizes, kernel=kernel, stride=1 if block else stride, gain=gain
            )
            channels, number = outputs, number + 1
    value = _swish_conv(graph, "head", value, (channels, 1280), 1, gain=LINEAR)
    pooled = graph.dropout(graph.node("GlobalAveragePool", value), 0.2)
    filters = graph.weights("classifier.weight", [_PICTURE_CLASSES, 1280, 1, 1], 1280, SWISH)
    logits = graph.node("Flatten", graph.conv2d(pooled, filters, 1), axis=1)
    return graph.model({"logits": (logits, [1, _PICTURE_CLASSES])})


def _padded(graph: Graph, image: str, padding: int) -> str:
    return graph.node("Pad", image, graph.numbers([0, 0, padding, padding] * 2), graph.scalar(0.0))


def _swish(graph: Graph, value: str) -> str:
    """A value times the sigmoid of the value, which is first multiplied by 1."""
    return graph.multiply(value, graph.node("Sigmoid", graph.multiply(value, graph.scalar(1.0))))


def _swish_conv(
    graph: Graph,
    name: str,
    image: str,
    sizes: tuple[int, int],
    kernel: int,
    *,
    stride: int = 1,
    groups: int = 1,
    gain: float = SWISH,
) -> str:
    return _swish(graph, _normal_conv(graph, name, image, sizes, kernel, stride=stride, groups=groups, gain=gain))


def _normal_conv(
    graph: Graph,
    name: str,
    image: str,
    sizes: tuple[int, int],
    kernel: int,
    *,
    stride: int = 1,
    groups: int = 1,
    gain: float = SWISH,
    scale: float = 1.0,
) -> str:
    """Convolution of an image that is padded already, and its normalisation."""
    inputs = sizes[0] // groups
    filters = graph.weights(f"{name}.weight", [sizes[1], inputs, kernel, kernel], inputs * kernel**2, gain)
    value = graph.conv2d(image, filters, kernel, stride=stride, groups=groups)
    return graph.batch_norm(name, value, sizes[1], _EPSILON, scale)


def _efficient_block(
    graph: Graph, name: str, image: str, sizes: tuple[int, int, int], *, kernel: int, stride: int, gain: float
) -> str:
    """Expansion, depthwise convolution and projection; `sizes`: channels before, inside and after."""
    inputs, width, outputs = sizes
    is_residual = stride == 1 and inputs == outputs
    value = _swish_conv(graph, f"{name}.expand", image, (inputs, width), 1, gain=gain)
    value = _padded(graph, value, kernel // 2)
    value = _swish_conv(graph, f"{name}.depthwise", value, (width, width), kernel, stride=stride, groups=width)
    scale = _BRANCH if is_residual else 1.0
    value = _normal_conv(graph, f"{name}.project", value, (width, outputs), 1, scale=scale)
    return graph.add(value, image) if is_residual else value


def mobilenet_v2() -> onnx.ModelProto:
    """MobileNetV2 for images of 32 x 32: `image` f32 [1, 3, 32, 32] to `logits` f32 [1, 10].

    Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks". Appendix B of Huang, Lyubomirsky et al.
    takes it from PyTorch for CIFAR-10. That implementation strides less than the original, limits no activation to 6,
    and adds a convolution of the input where a block of stride 1 changes the number of channels. Filters of depthwise
    convolutions are reshaped to the shape that they have, as Relay's importer has it.
    """
    graph = Graph("mobilenet_v2")
    image = graph.input("image", [1, 3, _THUMBNAIL, _THUMBNAIL])
    value = graph.relu(_conv_norm(graph, "stem", image, (3, 32), 3, gain=LINEAR))
    channels, number = 32, 0
    for expansion, outputs, blocks, stride in _MOBILE_STAGES:
        for block in range(blocks):
            sizes = (channels, channels * expansion, outputs)
            gain = RELU if number == 0 else LINEAR
            value = _mobile_block(graph, f"block{number}", value, sizes, stride=1 if block else stride, gain=gain)
            channels, number = outputs, number + 1
    value = graph.relu(_conv_norm(graph, "head", value, (channels, 1280), 1, gain=LINEAR))
    value = graph.node("AveragePool", value, kernel_shape=[4, 4], strides=[4, 4], count_include_pad=1)
    weights = graph.weights("classifier.weight", [_THUMBNAIL_CLASSES, 1280], 1280, RELU)
    turned = graph.transpose(graph.transpose(weights, 1, 0), 1, 0)
    product = graph.dense(graph.reshape(value, 1, -1), turned)
    logits = graph.add(product, graph.normal("classifier.bias", [_THUMBNAIL_CLASSES], 0.05))
    return graph.model({"logits": (logits, [1, _THUMBNAIL_CLASSES])})


def _conv_norm(
    graph: Graph,
    name: str,
    image: str,
    sizes: tuple[int, int],
    kernel: int,
    *,
    stride: int = 1,
    gain: float = RELU,
    scale: float = 1.0,
) -> str:
    """Convolution that pads, and its normalisation."""
    filters = graph.weights(f"{name}.weight", [sizes[1], sizes[0], kernel, kernel], sizes[0] * kernel**2, gain)
    value = graph.conv2d(image, filters, kernel, stride=stride, padding=kernel // 2)
    return graph.batch_norm(name, value, sizes[1], gain=scale)


def _mobile_block(graph: Graph, name: str, image: str, sizes: tuple[int, int, int], *, stride: int, gain: float) -> str:
    """Expansion, depthwise convolution and projection; `sizes`: channels before, inside and after."""
    inputs, width, outputs = sizes
    value = graph.relu(_conv_norm(graph, f"{name}.expand", image, (inputs, width), 1, gain=gain))
    shape = [width, 1, 3, 3]
    filters = graph.reshape(graph.weights(f"{name}.depthwise.weight", shape, 9, RELU), *shape)
    value = graph.conv2d(value, filters, 3, stride=stride, padding=1, groups=width)
    value = graph.relu(graph.batch_norm(f"{name}.depthwise", value, width))
    scale = _BRANCH if stride == 1 else 1.0
    value = _conv_norm(graph, f"{name}.project", value, (width, outputs), 1, scale=scale)
    if stride != 1:
        return value
    if inputs != outputs:
        image = _conv_norm(graph, f"{name}.shortcut", image, (inputs, outputs), 1, gain=gain)
    return graph.add(value, image)


def resnet_20() -> onnx.ModelProto:
    """ResNet-20 for images of 32 x 32: `image` f32 [1, 3, 32, 32] to `logits` f32 [1, 10].

    He et al., "Deep Residual Learning for Image Recognition", section 4.2. Appendix B of Huang, Lyubomirsky et al.
    takes it from Gluon's model zoo in MxNet. That implementation has no activation after the first convolution, and
    convolves the input of a block that strides. The product of the end has its bias as an input, since Relay's text
    has a bias_add there.
    """
    graph = Graph("resnet_20")
    image = graph.input("image", [1, 3, _THUMBNAIL, _THUMBNAIL])
    value = _conv_norm(graph, "stem", image, (3, 16), 3, gain=LINEAR)
    channels = 16
    for stage, width in enumerate((16, 32, 64)):
        for block in range(3):
            stride = 2 if stage > 0 and block == 0 else 1
            gain = LINEAR if stage == 0 and block == 0 else RELU
            name = f"stage{stage}.block{block}"
            value = _residual_block(graph, name, value, (channels, width), stride=stride, gain=gain)
            channels = width
    pooled = graph.node("Flatten", graph.node("GlobalAveragePool", value), axis=1)
    weights = graph.weights("classifier.weight", [_THUMBNAIL_CLASSES, channels], channels, RELU)
    bias = graph.normal("classifier.bias", [_THUMBNAIL_CLASSES], 0.05)
    return graph.model({"logits": (graph.dense(pooled, weights, bias), [1, _THUMBNAIL_CLASSES])})


def _residual_block(graph: Graph, name: str, image: str, sizes: tuple[int, int], *, stride: int, gain: float) -> str:
    """Two convolutions, added to the image; `sizes`: channels before and after."""
    inner = graph.relu(_conv_norm(graph, f"{name}.first", image, sizes, 3, stride=stride, gain=gain))
    inner = _conv_norm(graph, f"{name}.second", inner, (sizes[1], sizes[1]), 3, scale=_BRANCH)
    if stride != 1:
        image = _conv_norm(graph, f"{name}.shortcut", image, sizes, 1, stride=stride, gain=LINEAR)
    return graph.relu(graph.add(image, inner))
