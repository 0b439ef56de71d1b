"""The Transformer of encoder and decoder, its attention written out."""

from __future__ import annotations

from dataclasses import dataclass

import onnx

from covenant.bench.matching.graphs import LINEAR, RELU, Graph

__all__ = ["transformer"]

_FEATURES = 256
_HEADS = 8
_OF_HEAD = _FEATURES // _HEADS
_BATCH = 32
_MATRICES = _BATCH * _HEADS
_INNER = 2048
_LAYERS = 6
_RATE = 0.1
_SOURCE, _TARGET = 10, 20
# Gains for heads to choose among steps, and for a layer to add less of other steps than it keeps of its own: otherwise
# all steps become alike.
_SHARP = 3.0
_MIXED = 0.15


@dataclass(frozen=True)
class _Sequence:
    """A value [steps, 32, 256]."""

    value: str
    steps: int

    def shape(self, features: int) -> tuple[int, int, int]:
        return (self.steps, _BATCH, features)


def transformer() -> onnx.ModelProto:
    """Six layers each of encoder and decoder: `source` f32 [10, 32, 256] and `target` f32 [20, 32, 256] to `output`.

    Vaswani et al., "Attention Is All You Need". Appendix B of Huang, Lyubomirsky et al. takes PyTorch's nn.Transformer
    with 8 heads and 256 features; sequences stand first, batches of 32 second. `output` is f32 [20, 32, 256].
    """
    graph = Graph("transformer")
    source = _Sequence(graph.input("source", [_SOURCE, _BATCH, _FEATURES]), _SOURCE)
    target = _Sequence(graph.input("target", [_TARGET, _BATCH, _FEATURES]), _TARGET)
    for layer in range(_LAYERS):
        name = f"encoder{layer}"
        source = _joined(graph, f"{name}.norm1", source, _self_attention(graph, f"{name}.self", source))
        source = _joined(graph, f"{name}.norm2", source, _feed_forward(graph, name, source))
    source = _Sequence(_layer_norm(graph, "encoder.norm", source.value), _SOURCE)
    for layer in range(_LAYERS):
        name = f"decoder{layer}"
        target = _joined(graph, f"{name}.norm1", target, _self_attention(graph, f"{name}.self", target))
        target = _joined(graph, f"{name}.norm2", target, _cross_attention(graph, f"{name}.cross", target, source))
        target = _joined(graph, f"{name}.norm3", target, _feed_forward(graph, name, target))
    return graph.model({"output": (_layer_norm(graph, "decoder.norm", target.value), target.shape(_FEATURES))})


def _layer_norm(graph: Graph, name: str, value: str) -> str:
    scale = graph.uniform(f"{name}.weight", [_FEATURES], 0.8, 1.2)
    return graph.node("LayerNormalization", value, scale, graph.normal(f"{name}.bias", [_FEATURES], 0.05), axis=-1)


def _joined(graph: Graph, name: str, before: _Sequence, branch: str) -> _Sequence:
    """The sum of both, normalised."""
    added = graph.add(before.value, graph.dropout(branch, _RATE))
    return _Sequence(_layer_norm(graph, name, added), before.steps)


def _feed_forward(graph: Graph, name: str, sequence: _Sequence) -> str:
    inner = graph.linear(
        f"{name}.linear1", sequence.value, (_FEATURES, _INNER), shape=sequence.shape(_INNER), gain=LINEAR
    )
    inner = graph.dropout(graph.relu(inner), _RATE)
    return graph.linear(f"{name}.linear2", inner, (_INNER, _FEATURES), shape=sequence.shape(_FEATURES), gain=RELU)


def _self_attention(graph: Graph, name: str, sequence: _Sequence) -> str:
    """Queries, keys and values of one product."""
    features = 3 * _FEATURES
    joined = graph.linear(
        f"{name}.in", sequence.value, (_FEATURES, features), shape=sequence.shape(features), gain=_SHARP
    )
    queries, keys, values = (_part(graph, joined, sequence.steps, index) for index in range(3))
    return _attended(graph, name, sequence, queries, (keys, values))


def _cross_attention(graph: Graph, name: str, sequence: _Sequence, memory: _Sequence) -> str:
    """Queries of one sequence, keys and values of another; their weights are slices of one constant."""
    weights = graph.weights(f"{name}.in.weight", [3 * _FEATURES, _FEATURES], _FEATURES, _SHARP)
    bias = graph.normal(f"{name}.in.bias", [3 * _FEATURES], 0.05)

    def product(of: _Sequence, begin: int, end: int) -> str:
        rows = graph.strided_slice(weights, [begin, 0], [end, _FEATURES])
        found = graph.turned_dense(of.value, rows, _FEATURES)
        return graph.add(graph.reshape(found, *of.shape(end - begin)), graph.strided_slice(bias, [begin], [end]))

    queries = product(sequence, 0, _FEATURES)
    joined = product(memory, _FEATURES, 3 * _FEATURES)
    keys, values = (_part(graph, joined, memory.steps, index) for index in range(2))
    return _attended(graph, name, sequence, queries, (keys, values))


def _part(graph: Graph, joined: str, steps: int, index: int) -> str:
    begin = index * _FEATURES
    return graph.strided_slice(joined, [0, 0, begin], [steps, _BATCH, begin + _FEATURES])


def _attended(graph: Graph, name: str, sequence: _Sequence, queries: str, others: tuple[str, str]) -> str:
    """The attention of all heads and its last product; `others`: keys and values."""
    scaled = graph.multiply(queries, graph.scalar(_OF_HEAD**-0.5))
    scaled = graph.reshape(scaled, sequence.steps, _MATRICES, _OF_HEAD)
    keys, values = (graph.transpose(graph.reshape(one, -1, _MATRICES, _OF_HEAD), 1, 0, 2) for one in others)
    keys = graph.transpose(graph.transpose(keys, 0, 2, 1), 0, 2, 1)
    scores = _batch_matmul(graph, graph.transpose(scaled, 1, 0, 2), keys)
    shares = graph.dropout(graph.node("Softmax", scores, axis=-1), _RATE)
    found = _batch_matmul(graph, shares, graph.transpose(values, 0, 2, 1))
    shape = sequence.shape(_FEATURES)
    found = graph.reshape(graph.transpose(found, 1, 0, 2), *shape)
    return graph.linear(f"{name}.out", found, (_FEATURES, _FEATURES), shape=shape, gain=_MIXED)


def _batch_matmul(graph: Graph, left: str, right: str) -> str:
    """Products of matrices [B, M, K] and [B, N, K]: the second is transposed, as Relay's operator has it."""
    return graph.node("Einsum", left, right, equation="bmk,bnk->bmn")
