"""Plan of a point of a soak: a network, a style of quantising, a machine and a backend, all drawn from numbers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from drawn_layers import LAYERS
from rearranging import REARRANGING

POINTS_OF_A_MODEL = 4
"""Machines that each model runs on."""
MOST_LAYERS = 6
RTL_EVERY = 500
"""Points of which one runs in lock step with the RTL."""

STYLES = (
    "covenant i8", "covenant u8", "covenant weights of 4 bits", "covenant 16 bits", "covenant elements of 4 bits",
    "covenant equalised", "covenant mse", "ort qdq u8u8", "ort qdq u8s8", "ort qdq s8s8", "ort qdq u8s8 channels",
    "ort qdq s8s8 channels", "ort qoperator u8u8", "ort qoperator u8s8", "ort qoperator s8s8",
    "ort qoperator s8s8 channels", "ort qdq int4 weights", "ort qdq int16 activations", "tensorrt", "brevitas",
    "pytorch", "nncf", "aimet", "tf2onnx", "keras",
)  # fmt: skip
WIDTHS = {"covenant 16 bits": 16, "ort qdq int16 activations": 16, "covenant elements of 4 bits": 4}
"""Bits that elements of a machine must have for a style, where those are not 8."""
FIRST_OPSET = {
    "ort qdq int4 weights": 21, "ort qdq int16 activations": 21, "ort qdq u8s8 channels": 13,
    "ort qdq s8s8 channels": 13, "ort qoperator s8s8 channels": 13, "tensorrt": 13, "brevitas": 13, "pytorch": 13,
    "nncf": 13, "aimet": 13, "tf2onnx": 13, "keras": 13,
}  # fmt: skip
KINDS = {**dict.fromkeys(LAYERS, 2), **dict.fromkeys(REARRANGING, 1)} | {
    "conv": 6, "conv_relu": 8, "depthwise": 4, "gemm": 4, "matmul": 3, "two_operands": 6, "function": 4, "pad": 2,
    "concat": 2, "max_pool": 2, "average_pool": 2, "attention": 2, "second_input": 2,
}  # fmt: skip
"""How often each layer is drawn, beside the others."""
FIRST = ("conv", "conv_relu", "gemm", "matmul", "depthwise", "two_operands", "attention")
"""One of these comes somewhere: a network that only moves elements leaves a machine nothing to do."""


@dataclass(frozen=True)
class MachinePlan:
    """A machine: of the SDK with settings, or a random one."""

    spec: str
    """Name and preset; empty: random."""
    settings: tuple[tuple[str, int | str], ...] = ()
    seed: int = 0
    index: int = 0
    bits: int = 8
    """Width of an element."""

    def __str__(self) -> str:
        if not self.spec:
            return f"random machine {self.index} of seed {self.seed}"
        return " ".join([self.spec, *(f"--set {name}={value}" for name, value in self.settings)])


@dataclass(frozen=True)
class Plan:
    """One point."""

    number: int
    style: str
    opset: int
    shape: tuple[int, ...]
    layers: tuple[tuple[str, int], ...]
    """Kinds, and the seed that draws sizes and weights of each."""
    form: int
    """Seed of what the style leaves open."""
    end: str
    """Layers that close the network: empty, softmax, argmax, or two for a second output in its middle."""
    start: str
    """First step on the host: empty, scaled, turned, or half: an input of f16."""
    machine: MachinePlan
    backend: str

    @property
    def model_key(self) -> str:
        """The same for points that share their model."""
        return json.dumps(asdict(replace(self, number=0, machine=MachinePlan(""), backend="")))

    def to_json(self) -> str:
        """Text that `from_json` reads."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Plan:
        """The plan that `to_json` wrote."""
        raw: dict[str, Any] = json.loads(text)
        machine = raw["machine"] | {"settings": tuple((name, value) for name, value in raw["machine"]["settings"])}
        layers = tuple((kind, seed) for kind, seed in raw["layers"])
        return Plan(**raw | {"machine": MachinePlan(**machine), "layers": layers, "shape": tuple(raw["shape"])})


def drawn(seed: int, number: int) -> Plan:
    """Point `number` of a seed."""
    model, place = divmod(number, POINTS_OF_A_MODEL)
    random = np.random.default_rng([seed, 0, model])
    style = STYLES[model % len(STYLES)]
    kinds, often = list(KINDS), np.array(list(KINDS.values()), np.float64)
    count = int(random.integers(1, MOST_LAYERS + 1))
    chosen = [str(kind) for kind in random.choice(kinds, count, p=often / often.sum())]
    chosen[int(random.integers(count))] = str(random.choice(FIRST))
    layers = tuple((kind, int(random.integers(1 << 31))) for kind in chosen)
    plan = Plan(
        number=number,
        style=style,
        opset=int(random.integers(FIRST_OPSET.get(style, 11), 24)),
        shape=_shape(random),
        layers=layers,
        form=int(random.integers(1 << 31)),
        end=str(random.choice(["", "softmax", "argmax", "two"], p=[0.75, 0.08, 0.04, 0.13])),
        start=str(random.choice(["", "scaled", "turned", "half"], p=[0.84, 0.07, 0.05, 0.04])),
        machine=MachinePlan(""),
        backend="",
    )
    apart = np.random.default_rng([seed, 1, number])
    if number % RTL_EVERY == RTL_EVERY - 1:
        bits = WIDTHS.get(style, 8)
        settings = {"M": 4, "N": 4} | ({"bits": bits} if bits > 8 else {})
        return replace(plan, machine=MachinePlan("genesys", tuple(settings.items())), backend="rtl")
    backend = str(apart.choice(["systemc", "interpret"], p=[0.6, 0.4]))
    return replace(plan, machine=_machine(apart, WIDTHS.get(style, 8), seed, number, place), backend=backend)


def _shape(random: np.random.Generator) -> tuple[int, ...]:
    form = random.random()
    if form < 0.75:
        return (1, int(random.choice([1, 2, 3, 3, 4, 8, 16])), int(random.integers(4, 11)), int(random.integers(4, 11)))
    if form < 0.9:
        return (1, int(random.integers(3, 13)), int(random.choice([4, 8, 12, 16])))
    return (int(random.choice([1, 1, 1, 2])), int(random.choice([5, 8, 16, 24])))


def _machine(random: np.random.Generator, bits: int, seed: int, number: int, place: int) -> MachinePlan:
    """Every model runs on an ordinary machine first."""
    wide: dict[str, int | str] = {"bits": bits} if bits > 8 else {}
    if place == 0:
        spec = str(random.choice(["genesys", "genesys:03", "genesys:07", "genesys:09"]))
        return MachinePlan(spec, tuple(wide.items()))
    form = random.random()
    if form < 0.3 and bits <= 8:
        return MachinePlan("hvx" if form < 0.15 else "dnnweaver")
    if 0.3 <= form < 0.45:
        return MachinePlan("", seed=seed, index=number, bits=bits)
    if 0.45 <= form < 0.6:
        way = str(random.choice(["fixed", "fixed_tflite"]))
        return MachinePlan("genesys", tuple({"requant": way, **wide}.items()))
    if 0.6 <= form < 0.7:
        return MachinePlan(f"genesys:{random.choice(['8x8', '8x24', '20x12', '32x32'])}", tuple(wide.items()))
    sizes = {"M": int(random.integers(2, 25)), "N": int(random.integers(2, 25))}
    if random.random() < 0.3:
        sizes |= {"input_depth": 512, "weight_depth": 256, "vector_depth": 512}
    return MachinePlan("genesys", tuple({**sizes, **wide}.items()))
