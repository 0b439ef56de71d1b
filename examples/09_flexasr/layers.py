"""Layers of FlexASR as streams of commands: what a driver writes, in which order, and what it reads."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

import covenant
from covenant.commands import FieldValue, HostCommand

PES, LANES = 4, 16
LINEAR = bytes.fromhex("3040")
"""Program of the activation units: takes a vector of products, sends it to the buffer."""
LSTM = bytes.fromhex("303481a0343886b491343886a418968120b0343886a49140")
"""Gates in the order i, g, f, o; 18 loads the state of the cell, 20 stores it."""


@dataclass(frozen=True)
class Tensors:
    """Bytes of a layer and its bias registers, one of each tensor."""

    inputs: np.ndarray
    """[steps, columns]"""
    weights: np.ndarray
    """[gates, rows, columns]; a linear layer has one gate."""
    bias: np.ndarray
    """[gates, rows]"""
    recurrent: np.ndarray | None = None
    """[gates, rows, rows]: weights of the step before."""
    bias_of: dict[str, int] = field(default_factory=dict)
    """The registers of these, of `results` (stored and sent), and of results of the step `before`."""


@dataclass
class Program:
    """Commands for a machine, in their order."""

    device: covenant.CommandDevice
    names: list[str] = field(default_factory=list)
    commands: list[HostCommand] = field(default_factory=list)

    def add(self, instruction: str, **fields: FieldValue) -> None:
        """Adds the command of an instruction."""
        self.names.append(instruction)
        self.commands.append(replace(self.device.encode(instruction, **fields), line=len(self.names)))

    def wait(self) -> None:
        """Adds a wait for the interrupt."""
        self.names.append("wait for the interrupt")
        self.commands.append(HostCommand("Q", line=len(self.names)))

    def text(self) -> str:
        """Lines that `covenant replay` takes."""
        words = {"W": "W {0.address:#x} {0.data:#x}", "R": "R {0.address:#x}", "Q": "Q"}
        lines = (words[one.mode].format(one) for one in self.commands)
        return "".join(f"{line:<48} # {name}\n" for line, name in zip(lines, self.names, strict=True))


def layer(device: covenant.CommandDevice, activations: bytes, of: Tensors) -> Program:
    """Commands of a layer, from its weights to its results, a vector of 16 after the other, step by step."""
    program = Program(device)
    for p in range(PES):
        _configure(program, p, activations, of)
    steps, columns = of.inputs.shape
    ins, outs = columns // LANES, of.bias.shape[1] // LANES
    first = ins * -(-steps // 16) * 16  # where results begin: after the inputs, of which 16 steps lie side by side
    program.add("config_large", said=[ins, 0, outs, first])
    for t, v in np.ndindex(steps, ins):
        program.add("store_large", at=_place(0, ins, t, v), bytes=of.inputs[t].reshape(-1, LANES)[v])
    program.add("config_control", is_valid=1, is_rnn=of.recurrent is not None, memory_1=0, memory_2=1,
                vectors_1=ins, vectors_2=outs, timesteps_1=steps)  # fmt: skip
    program.add("start_control")
    program.wait()
    for t, v in np.ndindex(steps, outs):
        program.add("load_large", at=_place(first, outs, t, v))
    return program


def _place(first: int, vectors: int, t: int, v: int) -> int:
    return first + t % 16 + (t // 16 * vectors + v) * 16


def _configure(program: Program, p: int, activations: bytes, of: Tensors) -> None:
    """Registers and memories of a processing element, which computes a quarter of the rows."""
    gates, rows, columns = of.weights.shape
    own, ins, outs = rows // LANES // PES, columns // LANES, rows // LANES
    matrices = [of.weights] if of.recurrent is None else [of.weights, of.recurrent]
    program.add(
        f"pe{p}_config_layer", is_valid=1, zero_first=1, has_bias=1, managers=len(matrices), vectors=gates * own
    )
    at = 0
    for m, matrix in enumerate(matrices):
        # A vector of rows has all its gates, a gate tiles of 16 x 16 weights with a row of them in each vector.
        tiles = matrix.reshape(gates, PES, own, LANES, -1, LANES)[:, p].transpose(1, 0, 3, 2, 4)
        vectors = tiles.reshape(-1, LANES)
        program.add(
            f"pe{p}_config_manager_{m}", zero_active=m, vectors=matrix.shape[2] // LANES, weights=at, inputs=m * ins,
            biases=ins + outs + m * gates * own, bias_of_bias=of.bias_of["bias"],
            bias_of_weights=of.bias_of["recurrent" if m else "weights"],
            bias_of_inputs=of.bias_of["before" if m else "inputs"],
        )  # fmt: skip
        for vector in vectors:
            program.add(f"pe{p}_store_weight", at=at, bytes=vector)
            at += 1
    bias = of.bias.reshape(gates, PES, own, LANES)[:, p].swapaxes(0, 1).reshape(-1, LANES)
    for at, vector in enumerate([*bias, *np.zeros_like(bias)[: len(bias) * (len(matrices) - 1)]], ins + outs):
        program.add(f"pe{p}_store_input", at=at, bytes=vector)
    program.add(f"pe{p}_config_act", is_valid=1, zero_first=1, bias=of.bias_of["results"], length=len(activations),
                vectors=own, outputs=p * own)  # fmt: skip
    for m in range(2):
        program.add(f"pe{p}_config_act_code_{m}", bytes=activations[16 * m : 16 * m + 16])
