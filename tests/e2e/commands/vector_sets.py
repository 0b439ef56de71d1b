"""Sets of command vectors of the project, for `covenant bench commands`.

Those whose authors state no licence lie in the folder that COVENANT_UNLICENSED names, or are left out.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "support"))

import hls_logs
import hlscnn
import vta
from unlicensed import PLACE

from covenant.bench.commands import Vector, VectorSet
from covenant.bench.vector_sets import stream_vectors
from covenant.commands import CommandStream

HERE = Path(__file__).resolve().parent
DRAWN_LAYERS = 200


def flexasr_streams() -> Iterator[Vector]:
    """Streams of FlexASR, with bytes and cycles of its SystemC."""
    return stream_vectors(sorted(HERE.glob("flexasr*/*.json.gz")))


def hlscnn_layers() -> Iterator[Vector]:
    """Drawn layers of HLSCNN, with the values of numpy."""
    draw = np.random.default_rng(1)
    for _ in range(DRAWN_LAYERS):
        yield replace(_hlscnn(hlscnn.drawn_layer(draw)), engine="evaluator")  # nearly each is another machine


def hlscnn_large() -> Iterator[Vector]:
    """A layer of 32 filters of 3 x 3 on 32 channels of 16 x 16."""
    draw = np.random.default_rng(1)
    acts, weights = draw.integers(-2000, 2000, (32, 16, 16)), draw.integers(-3000, 3000, (32, 32, 3, 3))
    yield _hlscnn(hlscnn.Layer(hlscnn.Formats(), acts, weights, (1, 1), bias=700, relu=True))


def _hlscnn(layer: hlscnn.Layer) -> Vector:
    # The trigger takes a cycle more than the convolution: its start goes through a queue.
    return Vector(hlscnn.stream_of(layer), layer.formats.settings(), (layer.cycles + 1,), layer.macs)


def vta_programs() -> Iterator[Vector]:
    """Programs of VTA, with the bytes of its functional simulator."""
    for program in vta.PROGRAMS:
        words = [int(word, 16) for word in program["instructions"]]
        yield Vector(vta.stream_of(program), macs=vta.products_of(words))


def vta_drawn() -> Iterator[Vector]:
    """Programs of VTA that compilers do not write, some for other sizes, with the bytes of its functional simulator."""
    for program in vta.DRAWN:
        yield Vector(vta.stream_of(program), program["settings"])


def vta_large() -> Iterator[Vector]:
    """A product of 64 x 256 by 256 x 256 on VTA, with the values of numpy."""
    stream, macs = vta.product_stream(64, 256, 256, seed=1)
    yield Vector(stream, macs=macs)


def flexasr_call() -> Iterator[Vector]:
    """The published call of an LSTM, with bytes and cycles of FlexASR's SystemC."""
    return stream_vectors([PLACE / "flexasr_systemc/lstm_128x128_35.json.gz"])


def flexasr_published() -> Iterator[Vector]:
    """The published call of an LSTM with the bytes that were published, which sums that wrap around gave."""
    folder = PLACE / "flexasr_published"
    stream = CommandStream.load(folder / "lstm_prog_frag_in.json.gz")
    said = {
        int(at, 16): int(data, 16) for at, data in json.loads((folder / "flexasr_adpf_result.txt").read_text()).items()
    }
    reads = tuple((one.address, said[one.address]) for one in stream.commands if one.mode == "R")
    yield Vector(replace(stream, reads=reads), {"overflow": "as_published"})


def vta_hls() -> Iterator[Vector]:
    """Logs of the co-simulation of VTA's HLS, whose ids of memories have 2 bits."""
    for path in sorted((PLACE / "vta_hls_logs").iterdir()):
        yield Vector(hls_logs.stream_of_log(path), {"memory_id_bits": 2}, name=path.name)


def _set(name: str, machine: str, witness: str, vectors: Callable[[], Iterable[Vector]], needs: str = "") -> VectorSet:
    """A set that needs a file or folder below the place of what may not be held here."""
    is_here = not needs or (PLACE / needs).exists()
    return VectorSet(name, machine, witness, vectors, "" if is_here else f"{needs} is not in COVENANT_UNLICENSED")


SYSTEMC, SIMULATOR, HLS = "its authors' SystemC", "its functional simulator", "its authors' HLS"
SETS = (
    _set("flexasr_systemc", "flexasr", SYSTEMC, flexasr_streams),
    _set("flexasr_call", "flexasr", SYSTEMC, flexasr_call,
         "flexasr_systemc/lstm_128x128_35.json.gz"),
    _set("flexasr_published", "flexasr", "its authors' results", flexasr_published, "flexasr_published"),
    _set("hlscnn_drawn", "hlscnn", "numpy", hlscnn_layers),
    _set("hlscnn_large", "hlscnn", "numpy", hlscnn_large),
    _set("vta_fsim", "vta", SIMULATOR, vta_programs),
    _set("vta_drawn", "vta", SIMULATOR, vta_drawn),
    _set("vta_hls", "vta", HLS, vta_hls, "vta_hls_logs"),
    _set("vta_large", "vta", "numpy", vta_large),
)  # fmt: skip
