"""Cases for the constraint model, and the product's answers to them, which it gives from an ONNX model on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cpsat_operators import Convolution, Instruction, Operator, lanes, matrices, product
from onnx import TensorProto, helper, numpy_helper

from covenant import _core
from covenant.machine import Machine

RELAXATIONS = ("pad", "fuse", "strided", "unroll", "band", "exchange")


@dataclass(frozen=True)
class Found:
    """Fewest steps that the product finds for one instruction."""

    instruction: str
    """As the product prints it: its function, and the size of each of its axes."""
    steps: int | None
    """None if it says that there is no embedding."""
    embedding: str | None

    @property
    def shape(self) -> Instruction:
        """The instruction as the constraint model sees it."""
        words = self.instruction.split()[1:]
        size = {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}
        if "lanes" in size:
            return lanes(size["lanes"], size["inner"])
        return matrices(size["rows"], size["columns"], size["inner"])


@dataclass(frozen=True)
class Drawn:
    """A small operator with its model, the capabilities of a machine, and relaxations."""

    operator: Operator
    model: bytes
    capabilities: tuple[str, ...]
    relaxations: tuple[str, ...]


def ask_product(model: bytes, machine: Machine, relaxations: Collection[str]) -> list[Found]:
    """Its answers for all sums of products of the machine."""
    rows = _core.embed("layer.onnx", machine._core, list(relaxations), content=model)
    assert all(row["complete"] for row in rows)
    return [
        Found(row["instruction"], row["steps"] if row["embeddings"] else None, row["embedding"])
        for row in rows
        if row["instruction"].startswith(("GEMM", "MAC"))
    ]


def gemm(rows: int, columns: int, inner: int) -> str:
    """A capability that multiplies matrices."""
    return f"(i32,{rows},{columns}) = GEMM((i8,{rows},{inner}),(i8,{inner},{columns}),(i32,{rows},{columns}));"


def mac(count: int, inner: int) -> str:
    """A capability that multiplies lane by lane, and adds up so many products in each."""
    return f"(i32,{count}) = MAC((i8,{count * inner}),(i8,{count * inner}),(i32,{count}));"


def machine_with(capabilities: Sequence[str], folder: Path) -> Machine:
    """A machine that is described, not modelled, with these capabilities."""
    file = folder / "described.acg"
    file.write_text(
        "acg described {\n"
        "  memory DRAM { kind = offchip; data_width = 8; banks = 1; depth = 4G; }\n"
        "  memory BUF { data_width = 32; banks = 16; depth = 1024; }\n"
        f"  compute UNIT {{ unit = described; {' '.join(capabilities)} }}\n"
        "  edge DRAM <-> BUF { bandwidth = 128; }\n"
        "  edge BUF <-> UNIT;\n"
        "}\n"
    )
    return Machine(str(file))


class Dice:
    """Draws that depend on a seed alone."""

    def __init__(self, seed: int):
        self._random = np.random.default_rng(seed)

    def within(self, least: int, most: int) -> int:
        """A number from `least` to `most`."""
        return int(self._random.integers(least, most + 1))

    def one_of(self, choices: Sequence[int]) -> int:
        """One of the numbers."""
        return choices[self.within(0, len(choices) - 1)]

    def pair(self, *choices: int) -> tuple[int, int]:
        """Two of the numbers."""
        return self.one_of(choices), self.one_of(choices)

    def happens(self, percent: int) -> bool:
        """True as often as that."""
        return self.within(1, 100) <= percent


def draw(seed: int) -> Drawn:
    """The case of a seed."""
    dice = Dice(seed)
    rows, columns = dice.one_of((1, 1, 2, 3, 4)), dice.one_of((1, 2, 4, 5, 8))
    count = dice.one_of((2, 3, 4, 6, 8))
    capabilities = (gemm(rows, columns, dice.one_of((1, 2, 4, 5, 8))), mac(count, 1), mac(count, dice.within(2, 4)))
    relaxations = tuple(one for one in RELAXATIONS if dice.happens(65))
    if dice.happens(20):
        sizes = (dice.within(1, 12), dice.within(1, 12), dice.within(1, 12))
        return Drawn(product(*sizes), _product_model(*sizes), capabilities, relaxations)
    convolution = _draw_convolution(dice)
    return Drawn(convolution.operator, convolution_model(convolution), capabilities, relaxations)


def _draw_convolution(dice: Dice) -> Convolution:
    while True:
        is_by_channels = dice.happens(30)
        channels = dice.within(2 if is_by_channels else 1, 9)
        drawn = Convolution(
            batch=dice.within(1, 3),
            channels=channels,
            image=dice.pair(*range(1, 11)),
            outputs=channels if is_by_channels else dice.within(1, 9),
            kernel=dice.pair(1, 2, 3),
            pads=dice.pair(0, 1),
            strides=dice.pair(1, 2, 3),
            dilations=dice.pair(1, 1, 2),
            is_by_channels=is_by_channels,
        )
        if min(drawn.results) > 0:
            return drawn


def convolution_model(one: Convolution) -> bytes:
    """A quantised model of it, in QOperator style; all weights are 1."""
    shape = (one.outputs, 1 if one.is_by_channels else one.channels, *one.kernel)
    return _model(
        "QLinearConv", shape, (one.batch, one.channels, *one.image), (one.batch, one.outputs, *one.results),
        pads=[*one.pads, *one.pads], strides=list(one.strides), dilations=list(one.dilations),
        group=one.channels if one.is_by_channels else 1,
    )  # fmt: skip


def _product_model(rows: int, inner: int, columns: int) -> bytes:
    return _model("QLinearMatMul", (inner, columns), (rows, inner), (rows, columns))


def _model(operator: str, weights: Sequence[int], read: Sequence[int], made: Sequence[int], **attributes: Any) -> bytes:
    constants = {
        "one": np.float32(1), "zero": np.int8(0), "weights": np.ones(weights, np.int8), "scale": np.float32(50),
    }  # fmt: skip
    inputs = ["x", "one", "zero", "weights", "one", "zero", "scale", "zero"]
    graph = helper.make_graph(
        [helper.make_node(operator, inputs, ["y"], "layer", **attributes)], "case",
        [helper.make_tensor_value_info("x", TensorProto.INT8, read)],
        [helper.make_tensor_value_info("y", TensorProto.INT8, made)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()
