"""The witness runs ONNX Runtime on the model as written, and shares nothing with the front end."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import onnx
import pytest
from test_tables import Network

import covenant
from covenant.cli import main
from covenant.oracle.witness import MOST_STEPS, Witness
from covenant.verify import verdict
from covenant.verify.expected import Source, expected_tensors

SHAPE = (1, 6, 5, 7)


def grown(folder, dtype=np.int8):
    """Two convolutions, a sum and a table."""
    network = Network(21, SHAPE, dtype)
    first = network.conv(network.now, 9, 6, kernel=3)
    second = network.conv(first, 9, 9)
    total = network.stored(network.builder.add("Add", network.real(first), network.real(second)))
    network.now = network.stored(network.builder.add("Sigmoid", network.real(total)))
    return network.save(folder)


def image(seed=3):
    return {"image": np.random.default_rng(seed).normal(size=SHAPE).astype(np.float32)}


def unchanged(tensors):
    return tensors


def said_of(path, change=unchanged, feeds=None):
    feeds = feeds or [image()]
    program = covenant.compile(path, "genesys:8x8")
    outputs = [covenant.run(program, feed).outputs for feed in feeds]
    tensors = (change(dict(one)) for one in expected_tensors(path, feeds, Source.REFERENCE))
    return Witness(path).testify(feeds, outputs, tensors)


def test_every_layer_is_held(tmp_path):
    path = grown(tmp_path)
    said = said_of(path, feeds=[image(1), image(2)])
    stored = {n.output[0] for n in onnx.load(path).graph.node if n.op_type == "QuantizeLinear"}
    assert stored <= {one.name for one in said.held}
    assert said.agrees
    assert all(one.steps <= MOST_STEPS and not one.sources for one in said.held)


@pytest.mark.parametrize("place", range(4))
def test_a_layer_two_steps_beside_is_named(tmp_path, place):
    path = grown(tmp_path)
    names = [node.output[0] for node in onnx.load(path).graph.node if node.op_type == "QuantizeLinear"][1:]

    def change(tensors):
        moved = tensors[names[place]].astype(np.int32)
        moved.flat[0] += 2 if moved.flat[0] < 100 else -2
        return tensors | {names[place]: moved.astype(tensors[names[place]].dtype)}

    said = said_of(path, change)
    assert said.first is not None
    assert said.first.name == names[place]
    assert said.first.steps == 2


def test_unknown_tensors_are_not_given_and_said_so(tmp_path):
    path = grown(tmp_path)
    names = [node.output[0] for node in onnx.load(path).graph.node if node.op_type == "QuantizeLinear"]
    said = said_of(path, lambda tensors: {name: one for name, one in tensors.items() if name != names[2]})
    held = {one.name: one for one in said.held}
    assert names[2] not in held
    assert held[names[3]].sources == (names[2],)
    assert held[names[4]].sources == ()


def test_run_fails_where_the_witness_disagrees(tmp_path, capsys, monkeypatch):
    """The machine, the reference and the fused oracle agree on what none of them was asked."""
    path = grown(tmp_path)
    command = ["run", str(path), "-m", "genesys:8x8", "--compare", "onnxruntime"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["witness"]
    assert said["agrees"] is True
    assert said["held"] >= 5
    other = onnx.load(path)
    for node in other.graph.node:
        if node.op_type == "Sigmoid":
            node.op_type = "Tanh"
    onnx.save(other, str(tmp_path / "other.onnx"))
    monkeypatch.setattr(verdict, "witness_of", lambda _: Witness(tmp_path / "other.onnx"))
    assert main(command) == 1
    assert "THE WITNESS DISAGREES" in capsys.readouterr().out


def test_layers_that_the_machine_has_written_are_held(tmp_path):
    path = grown(tmp_path)
    program = covenant.compile(path, "genesys:8x8")
    results = [covenant.run(program, image())]
    found = verdict.verdict_of(
        program, path, [image()], results, Source.ONNXRUNTIME, by_layer=lambda: covenant.Session(program)
    )
    assert found.holds
    assert found.testimony.agrees
    broken = dataclasses.replace(results[0], outputs={k: v + np.float32(1) for k, v in results[0].outputs.items()})
    assert not verdict.verdict_of(program, path, [image()], [broken], Source.ONNXRUNTIME).holds


def test_the_reference_says_what_it_shares(tmp_path, capsys):
    path = grown(tmp_path)
    assert main(["run", str(path), "-m", "genesys:8x8", "--compare", "reference", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["witness"] is None
    assert "front end" in report["oracle"]["shares"]
