"""Runs a linear layer and an LSTM on FlexASR, and shows what its bias registers do to them.

    ./dev exec python examples/09_flexasr/demo.py
    ./dev exec python examples/09_flexasr/demo.py --stream linear.txt

The host quantises weights and inputs to AdaptivFloat, writes them and the machine's registers by commands with named
fields, starts it, waits for its interrupt and reads results. Prints their error against float and the cycles from start
to interrupt; `--stream` writes the commands of a small linear layer for `covenant replay`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from adaptivfloat import encoded, register_of
from layers import LINEAR, LSTM, Program, Tensors, layer

import covenant

SEED = 7
AS_PUBLISHED = {"results": 2, "before": 3}
"""Registers of the LSTM whose results were published with FlexASR's instruction-level model."""

Arrays = dict[str, np.ndarray]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """In float."""
    return 1 / (1 + np.exp(-x))


def linear_in_float(of: Arrays) -> np.ndarray:
    """Results [steps, rows] of a linear layer."""
    return of["inputs"] @ of["weights"][0].T + of["bias"][0]


def lstm_in_float(of: Arrays) -> np.ndarray:
    """Hidden states [steps, rows] of an LSTM with gates i, g, f, o."""
    hidden = cell = np.zeros(of["bias"].shape[1])
    states = []
    for x in of["inputs"]:
        i, g, f, o = of["weights"] @ x + of["recurrent"] @ hidden + of["bias"]
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        states.append(hidden)
    return np.array(states)


def drawn(steps: int, columns: int, rows: int, gates: int) -> Arrays:
    """Random tensors; an LSTM has weights of the step before, too, and remembers most of its state."""
    generator = np.random.default_rng(SEED)
    of = {
        "inputs": generator.uniform(-1, 1, (steps, columns)),
        "weights": generator.normal(0, columns**-0.5, (gates, rows, columns)),
        "bias": generator.uniform(-0.5, 0.5, (gates, rows)),
    }
    if gates > 1:
        of["recurrent"] = generator.normal(0, rows**-0.5, (gates, rows, rows))
        of["bias"][2] += 1.5
    return of


def quantized(of: Arrays, registers: dict[str, int]) -> Tensors:
    """Bytes of tensors; each register that is not given follows from the largest number."""
    bias_of = {name: register_of(values) for name, values in of.items()} | registers
    return Tensors(**{name: encoded(values, bias_of[name]) for name, values in of.items()}, bias_of=bias_of)


def run(program: Program, of: Tensors) -> tuple[np.ndarray, int]:
    """Results as numbers, and the cycles from the start to the interrupt."""
    done = covenant.replay(covenant.CommandStream(tuple(program.commands)), program.device)
    codes = np.frombuffer(b"".join(read.data for read in done.reads), np.uint8)
    numbers = program.device.formats["adaptivfloat"].decode(codes, bias=of.bias_of["results"])
    return numbers.reshape(len(of.inputs), -1), done.waited[0]


def write_stream(path: Path) -> None:
    """The commands of a small linear layer, and beside them what their reads give."""
    device = covenant.CommandDevice("flexasr")
    of = drawn(2, 16, 64, 1)
    program = layer(device, LINEAR, quantized(of, {"results": register_of(linear_in_float(of))}))
    done = covenant.replay(covenant.CommandStream(tuple(program.commands)), device)
    path.write_text(program.text())
    reads = {hex(read.address): f"0x{read.data[::-1].hex()}" for read in done.reads}
    path.with_suffix(".json").write_text(json.dumps(reads, indent=1) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the layers, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--stream", type=Path, metavar="FILE", help="write a small linear layer; with FILE.json, its reads"
    )
    arguments = parser.parse_args(argv)
    if arguments.stream:
        write_stream(arguments.stream)
        return 0
    line = "  {:<22} {:>13} {:>14} {:>13} {:>8} {:>8}"
    print(line.format("layer", "overflow", "results under", "read under", "error", "cycles"))
    cases = [("linear, 64 to 64", LINEAR, "signed", {})]
    cases += [("LSTM, 64 to 64", LSTM, "signed", {"results": b, "before": b}) for b in (5, 4, 3, 2)]
    cases += [("LSTM, 64 to 64", LSTM, overflow, AS_PUBLISHED) for overflow in ("signed", "as_published")]
    for name, activations, overflow, registers in cases:
        is_lstm = activations is LSTM
        of = drawn(35, 64, 64, 4 if is_lstm else 1)
        exact = lstm_in_float(of) if is_lstm else linear_in_float(of)
        tensors = quantized(of, registers or {"results": register_of(exact)})
        device = covenant.CommandDevice("flexasr", overflow=overflow)
        results, cycles = run(layer(device, activations, tensors), tensors)
        error = np.linalg.norm(results - exact) / np.linalg.norm(exact)
        before = tensors.bias_of.get("before", "")
        print(line.format(name, overflow, tensors.bias_of["results"], before, f"{error:.1%}", f"{cycles:,}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
