"""ResMLP, whose layers are products and convolutions along one axis."""

from __future__ import annotations

import onnx

from covenant.bench.matching.graphs import LINEAR, RELU, Graph

__all__ = ["resmlp"]

_SIDE = 32
_PATCH = 16
_PATCHES = (_SIDE // _PATCH) ** 2
_FEATURES = 384
_HIDDEN = 4 * _FEATURES
_DEPTH = 12
_CLASSES = 10
_ROWS = (1, _PATCHES, _FEATURES)


def resmlp() -> onnx.ModelProto:
    """ResMLP of 12 layers and 384 features for images of 32 x 32: `image` f32 [1, 3, 32, 32] to `logits` f32 [1, 10].

    Touvron et al., "ResMLP: Feedforward networks for image classification with data-efficient training". Appendix B of
    Huang, Lyubomirsky et al. takes it from PyTorch for CIFAR-10, with patches of 16 x 16: 4 of an image. Patches are
    mixed by a convolution of 1 along the features, whose channels are the patches; GELU is written out with erf.
    """
    graph = Graph("resmlp")
    image = graph.input("image", [1, 3, _SIDE, _SIDE])
    patches = graph.reshape(image, 1, 3, _SIDE // _PATCH, _PATCH, _SIDE // _PATCH, _PATCH)
    patches = graph.transpose(patches, 0, 2, 4, 3, 5, 1)
    elements = 3 * _PATCH**2
    patches = graph.reshape(patches, 1, _PATCHES, elements)
    value = graph.linear("patches", patches, (elements, _FEATURES), shape=_ROWS, gain=LINEAR)
    for layer in range(_DEPTH):
        value = _mixed_features(graph, f"layer{layer}.features", _mixed_patches(graph, f"layer{layer}.patches", value))
    value = graph.reshape(_affine(graph, "last", value), *_ROWS)
    value = graph.transpose(graph.node("ReduceMean", value, axes=[1], keepdims=0), 0, 1)
    return graph.model({"logits": (_classified(graph, value), [1, _CLASSES])})


def _affine(graph: Graph, name: str, value: str) -> str:
    """A scale and an offset of each feature."""
    scaled = graph.multiply(value, graph.uniform(f"{name}.scale", [1, 1, _FEATURES], 0.8, 1.2))
    return graph.add(scaled, graph.normal(f"{name}.offset", [1, 1, _FEATURES], 0.1))


def _added(graph: Graph, name: str, branch: str, value: str) -> str:
    """The sum of a branch, scaled feature by feature, and of the value that it began with."""
    scale = graph.uniform(f"{name}.branch_scale", [1, 1, _FEATURES], 0.2, 0.4)
    return graph.add(graph.multiply(branch, scale), value)


def _mixed_patches(graph: Graph, name: str, value: str) -> str:
    filters = graph.weights(f"{name}.weight", [_PATCHES, _PATCHES, 1], _PATCHES)
    bias = graph.normal(f"{name}.bias", [_PATCHES], 0.05)
    mixed = graph.node("Conv", _affine(graph, name, value), filters, bias, kernel_shape=[1])
    return _added(graph, name, mixed, value)


def _mixed_features(graph: Graph, name: str, value: str) -> str:
    inner = _affine(graph, name, value)
    shape = (1, _PATCHES, _HIDDEN)
    inner = graph.linear(f"{name}.first", inner, (_FEATURES, _HIDDEN), shape=shape, gain=LINEAR)
    inner = _gelu(graph, inner)
    inner = graph.linear(f"{name}.second", inner, (_HIDDEN, _FEATURES), shape=_ROWS, gain=RELU)
    return _added(graph, name, inner, value)


def _gelu(graph: Graph, value: str) -> str:
    curve = graph.node("Erf", graph.multiply(value, graph.scalar(0.5**0.5)))
    half = graph.scalar(0.5)
    return graph.multiply(value, graph.add(half, graph.multiply(curve, half)))


def _classified(graph: Graph, features: str) -> str:
    weights = graph.weights("classifier.weight", [_CLASSES, _FEATURES], _FEATURES)
    turned = graph.transpose(graph.transpose(weights, 1, 0), 1, 0)
    product = graph.dense(graph.reshape(features, 1, _FEATURES), turned)
    return graph.add(product, graph.normal("classifier.bias", [_CLASSES], 0.05))
