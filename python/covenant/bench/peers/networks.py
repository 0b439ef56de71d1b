"""The kernels as networks of one layer, in the text that `covenant compile --emit network` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from covenant.bench.peers.kernel import Inputs
from covenant.bench.peers.kernels import CHANNELS, MULTIPLIER, SHIFT, SIDE, TAPS, ZERO

_LANES = 128  # bytes of a vector
_DTYPES = {"uint8": "u8", "int32": "i32", "float32": "f32"}


@dataclass(frozen=True)
class Network:
    """A network with its inputs and its expected outputs."""

    text: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class _Storage:
    """Storage of a tensor: steps of each dimension in elements, and padding before and after it."""

    strides: tuple[int, ...]
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    def said(self) -> str:
        if not any(self.before + self.after):
            return f"strides={_list(self.strides)}"
        offset = sum(step * before for step, before in zip(self.strides, self.before, strict=True))
        around = f"before={_list(self.before)} after={_list(self.after)} filled"
        return f"offset={offset} strides={_list(self.strides)} {around}"


def _list(numbers: Sequence[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


@dataclass(frozen=True)
class _Layer:
    """The one layer: x becomes y."""

    codelet: str
    x: np.ndarray
    y: np.ndarray
    x_storage: _Storage
    y_storage: _Storage
    params: Mapping[str, int]
    constants: Mapping[str, np.ndarray] = field(default_factory=dict)

    def network(self) -> Network:
        name = self.codelet
        dtypes = {"x": self.x, "y": self.y, **self.constants}
        lines = [
            f'network "{name}" of "{name}" {{',
            _tensor(0, "x", self.x, self.x_storage),
            _tensor(1, "y", self.y, self.y_storage),
            f'  input "x" {_list(self.x.shape)} tensor=0;',
            f'  output "y" {_list(self.y.shape)} tensor=1;',
            f'  layer "{name}" {name} lowering="plain" macs=0 elementwise=0 {{',
            *(f"    param {key}={value};" for key, value in sorted(self.params.items())),
            *(f"    dtype {key} {_DTYPES[dtypes[key].dtype.name]};" for key in sorted(dtypes)),
            "    tensor x=0;",
            "    tensor y=1;",
            *(
                f'    constant {key} {_list(array.shape)} "{array.tobytes().hex()}";'
                for key, array in sorted(self.constants.items())
            ),
            "  }",
            "}",
        ]
        return Network("\n".join(lines) + "\n", self.x, self.y)


def _tensor(number: int, name: str, array: np.ndarray, storage: _Storage) -> str:
    what = f'"{name}" {_DTYPES[array.dtype.name]} {_list(array.shape)}'
    return f"  tensor {number} {what} zero_point=0 DRAM allocation={number} {storage.said()} live=[0,0];"


def pixels(image: np.ndarray) -> np.ndarray:
    """[1, channels, rows, columns] of [rows, columns, channels]."""
    return np.ascontiguousarray(image.transpose(2, 0, 1)[None])


def _image(array: np.ndarray, each: int, margin: int = 0) -> _Storage:
    """Storage of an image with pixels `each` elements apart, and with a margin of zeros."""
    _, channels, rows, columns = array.shape
    row = (columns + 2 * margin) * each
    before, after = (0, 0, margin, margin), (0, each - channels, margin, margin)
    return _Storage(((rows + 2 * margin) * row, 1, row, each), before, after)


def gemm(inputs: Inputs, expected: np.ndarray) -> Network:
    """384 rows, 1024 columns, 1024 terms."""
    a, packed = inputs
    (rows, terms), columns = a.shape, packed.shape[0] * packed.shape[2]
    weights = packed.transpose(1, 3, 0, 2).reshape(1, terms, columns)
    return _Layer(
        "gemm_sums", a, expected, _Storage((terms, 1)), _Storage((columns, 1)),
        {"G": 1, "N": rows, "K": terms, "O": columns}, {"w": weights, "b": np.zeros((1, columns), np.int32)},
    ).network()  # fmt: skip


def conv(inputs: Inputs, expected: np.ndarray) -> Network:
    """3x3, without what the sources of others want around the image."""
    image, packed = inputs
    x, y = pixels(image[1:-1, 1:-1]), pixels(expected)
    weights = packed.transpose(1, 2, 3, 5, 0, 4).reshape(TAPS, TAPS, CHANNELS, CHANNELS)
    params = {
        "N": 1, "IH": SIDE, "IW": SIDE, "IC": CHANNELS, "OH": SIDE, "OW": SIDE, "OC": CHANNELS, "KH": TAPS, "KW": TAPS,
        "SH": 1, "SW": 1, "DH": 1, "DW": 1, "PT": 1, "PL": 1, "ZX": 0,
    }  # fmt: skip
    constants = {"w": weights, "b": np.zeros(CHANNELS, np.int32)}
    return _Layer("conv_sums", x, y, _image(x, CHANNELS, 1), _image(y, CHANNELS), params, constants).network()


def requantize(inputs: Inputs, expected: np.ndarray) -> Network:
    """Requantising by a codelet that does nothing else (`library/requantise.cdlt`), in the order of the sums."""
    x = inputs[0].reshape(-1, _LANES)
    y = np.ascontiguousarray(expected[:, :, [0, 2, 1, 3]].transpose(0, 2, 1)).reshape(-1, _LANES)
    scale = np.full(_LANES, MULTIPLIER * 2.0 ** -(31 + SHIFT), np.float32)
    params = {"P": x.shape[0], "C": _LANES, "ZY": ZERO, "LOWEST": 0, "HIGHEST": 255}
    storage = _Storage((_LANES, 1))
    return _Layer("requantise", x, y, storage, storage, params, {"s": scale}).network()


def pool(inputs: Inputs, expected: np.ndarray) -> Network:
    """2x2."""
    x, y = pixels(inputs[0]), pixels(expected)
    params = {
        "N": 1, "IH": SIDE, "IW": SIDE, "C": CHANNELS, "OH": SIDE // 2, "OW": SIDE // 2, "KH": 2, "KW": 2, "SH": 2,
        "SW": 2, "DH": 1, "DW": 1, "PT": 0, "PL": 0, "FILL": 0,
    }  # fmt: skip
    return _Layer("max_pool", x, y, _image(x, CHANNELS), _image(y, CHANNELS), params).network()
