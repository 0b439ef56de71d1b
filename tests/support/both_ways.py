"""Compares a model on a machine with ONNX Runtime twice: fused into integer kernels, and as it is written."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime

import covenant
from covenant.verify.expected import Source, expected_outputs, inexact_tensors, source_here


def as_written(path, feeds):
    """Outputs of ONNX Runtime with all its optimisations off: it shares nothing with the SDK."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


def random_feeds(path, seed=5, scale=1.0):
    """Inputs of a model with fixed shapes."""
    random = np.random.default_rng(seed)
    graph = onnx.load(str(path), load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    return {
        entry.name: random.normal(scale=scale, size=[one.dim_value for one in entry.type.tensor_type.shape.dim]).astype(
            np.float32
        )
        for entry in graph.input
        if entry.name not in constants
    }


def held(path, step, machine="genesys:8x8", feeds=None, *, fuses=True):
    """Runs a model, and holds its outputs to both words of ONNX Runtime; the outputs.

    Args:
        path: of the model.
        step: the scale of its outputs.
        machine: the spec of one.
        feeds: inputs by name; None: random ones.
        fuses: whether ONNX Runtime can run the model fused; else the reference operators stand for that.
    """
    feeds = feeds or random_feeds(path)
    ours = covenant.run(covenant.compile(path, machine), feeds).outputs
    source = source_here(path) if fuses else Source.REFERENCE
    theirs = expected_outputs(path, [feeds], source).outputs[0]
    is_exact = source is Source.REFERENCE or not inexact_tensors(path, source)
    written = as_written(path, feeds)
    assert ours.keys() == theirs.keys() == written.keys()
    for name, array in ours.items():
        assert array.shape == written[name].shape
        if is_exact:
            np.testing.assert_array_equal(array, theirs[name])
        assert np.abs(array - theirs[name]).max() <= 1.001 * step
        assert np.abs(array - written[name]).max() <= 1.001 * step
        assert np.unique(written[name]).size > 1  # else this would show little
    return ours
