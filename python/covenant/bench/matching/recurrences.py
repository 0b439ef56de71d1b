"""A language model whose LSTM is unrolled, and that LSTM alone."""

from __future__ import annotations

import onnx
from onnx import TensorProto

from covenant.bench.matching.graphs import LINEAR, Graph

__all__ = ["lstm_language_model", "lstm_layer"]

_STEPS = 35
_FEATURES = 128
_GATES = 4 * _FEATURES
_WORDS = 33_278
_STATE = (1, 1, _FEATURES)


def lstm_layer() -> onnx.ModelProto:
    """The LSTM of the language model alone, 566 operators in Relay's text.

    `sequence` f32 [35, 1, 128], `hidden` and `cell` f32 [1, 1, 128], to `states` f32 [35, 1, 128]: the hidden state
    after each step. Gates of the 512 rows of its weights: input, forget, cell, output.
    """
    graph = Graph("lstm_layer")
    sequence = graph.input("sequence", [_STEPS, 1, _FEATURES])
    states = _unrolled(graph, sequence, *_state(graph))
    return graph.model({"states": (states, [_STEPS, 1, _FEATURES])})


def lstm_language_model() -> onnx.ModelProto:
    """LSTM-WLM: `words` i64 [35, 1], `hidden` and `cell` f32 [1, 1, 128], to `log_probabilities` f32 [35, 33278].

    PyTorch's example "Word-level language modeling RNN", with the words of WikiText-2. Appendix B of Huang,
    Lyubomirsky et al. has one LSTM of 35 steps, whose last states are not returned; its weights of inputs and of hidden
    states are joined in each step, as PyTorch's importer of Relay writes it. The states before the first step are
    inputs.
    """
    graph = Graph("lstm_language_model")
    words = graph.input("words", [_STEPS, 1], TensorProto.INT64)
    state = _state(graph)
    table = graph.normal("encoder.weight", [_WORDS, _FEATURES], 1.0)
    sequence = graph.node("Gather", table, graph.node("Cast", words, to=TensorProto.INT32), axis=0)
    states = graph.dropout(_unrolled(graph, graph.dropout(sequence, 0.2), *state), 0.2)
    # Hidden states have a mean square of about 1/20.
    logits = graph.linear("decoder", states, (_FEATURES, _WORDS), shape=(_STEPS, 1, _WORDS), gain=20.0)
    found = graph.node("LogSoftmax", graph.reshape(logits, -1, _WORDS), axis=1)
    return graph.model({"log_probabilities": (found, [_STEPS, _WORDS])})


def _state(graph: Graph) -> tuple[str, str]:
    return graph.input("hidden", _STATE), graph.input("cell", _STATE)


def _unrolled(graph: Graph, sequence: str, hidden: str, cell: str) -> str:
    """Hidden states after each step, [35, 1, 128]."""
    first = graph.numbers([0])
    steps = [graph.node("Squeeze", step, first) for step in graph.nodes("Split", _STEPS, sequence, axis=0)]
    hidden, cell = (graph.node("Squeeze", graph.node("Split", one, axis=0), first) for one in (hidden, cell))
    weights = tuple(graph.weights(f"lstm.weight_{of}", [_GATES, _FEATURES], _FEATURES, LINEAR) for of in ("ih", "hh"))
    biases = tuple(graph.normal(f"lstm.bias_{of}", [_GATES], 0.1) for of in ("ih", "hh"))
    states = []
    for step in steps:
        hidden, cell = _step(graph, (step, hidden, cell), weights, biases)
        states.append(hidden)
    return graph.node("Concat", *(graph.node("Unsqueeze", state, first) for state in states), axis=0)


def _step(
    graph: Graph, values: tuple[str, str, str], weights: tuple[str, ...], biases: tuple[str, ...]
) -> tuple[str, str]:
    """Hidden and cell state after a step; `values`: its input, and both states before it."""
    value, hidden, cell = values
    joined = graph.node("Concat", value, hidden, axis=1)
    gates = graph.dense(joined, graph.node("Concat", *weights, axis=1))
    for bias in biases:
        gates = graph.add(gates, bias)
    entering, kept, offered, leaving = graph.nodes("Split", 4, gates, axis=-1)
    kept, entering, leaving = (graph.node("Sigmoid", gate) for gate in (kept, entering, leaving))
    found = graph.multiply(entering, graph.node("Tanh", offered))
    cell = graph.add(graph.multiply(kept, cell), found)
    return graph.multiply(leaving, graph.node("Tanh", cell)), cell
