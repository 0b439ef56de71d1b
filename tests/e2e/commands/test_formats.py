"""Number formats of machines: codes and numbers beside formulas of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from covenant import CommandDevice, CovenantError

CODES = np.arange(256)


def value_of(code: int, bias: int) -> float:
    """Tambe et al., "Algorithm-Hardware Co-Design of Adaptive Floating-Point Encodings", with 3 bits of exponent."""
    exponent, mantissa = code >> 4 & 7, code & 15
    if exponent == mantissa == 0:
        return 0.0
    return (-1.0) ** (code >> 7) * 2.0 ** (exponent + bias - 10) * (1 + mantissa / 16)


@pytest.mark.parametrize("bias", range(8))
def test_all_codes_of_adaptivfloat(bias: int) -> None:
    adaptivfloat = CommandDevice("flexasr").formats["adaptivfloat"]
    values = adaptivfloat.decode(CODES, bias=bias)
    assert values.tolist() == [value_of(code, bias) for code in range(256)]
    again = adaptivfloat.encode(values, bias=bias)
    assert again.tolist() == [0 if code in (0, 0x80) else code for code in range(256)]


@pytest.mark.parametrize("bias", range(8))
def test_numbers_become_the_nearest_code(bias: int) -> None:
    """Up to its largest number; at the smallest, codes of no bits of mantissa are 0 and not a half of it."""
    adaptivfloat = CommandDevice("flexasr").formats["adaptivfloat"]
    known = np.array([value_of(code, bias) for code in range(256)])
    random = np.random.default_rng(bias)
    lowest = 2.0 ** (bias - 10)
    values = random.choice([-1, 1], 400) * lowest * 2 ** random.uniform(0.1, 7.9, 400)
    values = np.rint(np.ldexp(values, 14)) / 2**14  # as the encoder counts
    nearest = np.abs(known[None, :] - values[:, None]).min(axis=1)
    given = adaptivfloat.decode(adaptivfloat.encode(values, bias=bias), bias=bias)
    assert (np.abs(given - values) <= nearest + lowest / 32).all()
    inside = np.abs(values) > lowest * 1.05
    assert (np.abs(given - values)[inside] == nearest[inside]).all()


def test_shapes_and_ends() -> None:
    adaptivfloat = CommandDevice("flexasr").formats["adaptivfloat"]
    assert adaptivfloat.decode(np.zeros((2, 0, 3), dtype=int), bias=0).shape == (2, 0, 3)
    assert adaptivfloat.decode([[1, 2], [3, 4]], bias=0).shape == (2, 2)
    assert adaptivfloat.encode([1e300, -1e300, np.inf, np.nan, 0.0], bias=7).tolist() == [0x7F, 0xFF, 0x7F, 0, 0]


@pytest.mark.parametrize(
    ("codes", "parameters", "code", "got"),
    [
        ([256], {"bias": 0}, "BEH0002", "256"),
        ([0], {"bias": 8}, "BEH0002", "8"),
        ([1.5], {"bias": 0}, "BEH0002", "[1.5]"),
        ([0], {"bias": 0.5}, "BEH0002", "0.5"),
        (["x"], {"bias": 0}, "BEH0002", "['x']"),
        ([1 << 70], {"bias": 0}, "BEH0002", "[1180591620717411303424]"),
        ([0], {}, "BEH0031", "bias"),
        ([0], {"bias": 0, "point": 1}, "BEH0031", "point"),
    ],
)
def test_refused(codes: list[int], parameters: dict[str, int], code: str, got: str) -> None:
    with pytest.raises(CovenantError) as error:
        CommandDevice("flexasr").formats["adaptivfloat"].decode(codes, **parameters)
    assert (error.value.diagnostic.code, error.value.diagnostic.offending) == (code, got)
    assert error.value.diagnostic.allowed
    assert error.value.diagnostic.fix


def test_ends_of_64_bits(tmp_path: Path) -> None:
    machine = tmp_path / "wide.acg"
    machine.write_text("""acg wide {
  port bus { address = 8; data = 64; }
  format all(code : i64) { image = code; exponent = 0; encode(number : i64) = number at 0; }
  format far(code : i8) { image = code; exponent = code * 1000000000; encode(number : i16) = wrap(i8, number) at 62; }
  instruction ask on bus { decode = read; update { reply = 1; } }
}
""")
    formats = CommandDevice(str(machine)).formats
    ends = [-(1 << 63), (1 << 63) - 1]
    assert formats["all"].encode([-1e30, 1e30]).tolist() == formats["all"].encode([-np.inf, np.inf]).tolist() == ends
    assert formats["all"].encode([2.0**62, -3.0]).tolist() == [1 << 62, -3]
    assert formats["far"].decode([3, -3, 0]).tolist() == [np.inf, -0.0, 0.0]


def test_a_format_of_ones_own(tmp_path: Path) -> None:
    machine = tmp_path / "own.acg"
    machine.write_text("""acg own {
  clock = 1 GHz;
  port bus { address = 8; data = 32; }
  format fixed(code : i16, point : u4) {
    image = code;
    exponent = -point;
    encode(number : i40) = saturate(i16, number >> 15 - point) at -15;
  }
  instruction ask on bus { fields { code : i16 at 0; } decode = read; update { reply = fixed.image(code, 8) + 1; } }
}
""")
    device = CommandDevice(str(machine))
    fixed = device.formats["fixed"]
    assert fixed.decode([-32768, 32767, 1], point=8).tolist() == [-128.0, 32767 / 256, 1 / 256]
    assert fixed.encode([-1000.0, 0.999, -0.001, 3.5], point=8).tolist() == [-32768, 255, -1, 896]
    assert device.read(0)[:1] == b"\x01"
