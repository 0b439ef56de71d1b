"""Commands by names of instructions and fields: the bits that drivers of these machines send, and what is refused."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from vta import PROGRAMS

from covenant import CommandDevice, CovenantError
from covenant.commands import HostCommand

SEED = 20261129
# Bytes of the registers of FlexASR's global buffer, as its drivers have them: lowest bit and bits of each member.
SETUP = {
    "is_valid": (0, 1), "mode": (8, 3), "is_rnn": (16, 1), "memory_1": (32, 3), "memory_2": (40, 3),
    "vectors_1": (48, 8), "vectors_2": (56, 8), "timesteps_1": (64, 16), "timesteps_2": (80, 16),
    "bias_1": (96, 3), "bias_2": (104, 3), "bias_3": (112, 3), "bias_4": (120, 3),
}  # fmt: skip
TWO_RECORDS = """acg two {
  clock = 1 GHz;
  port bus { address = 8; data = 32; }
  record Half { low : i4 at 0; high : u4[2] at 4; }
  state kept : u32 = 0;
  instruction put on bus {
    fields { a : Half at 0; b : Half at 16; at : u4 at address + 4; }
    decode = write and at in 2..5;
    update { kept = (a.low & 15) | a.high[0] << 4 | a.high[1] << 8 | (b.low & 15) << 16 | at << 28; }
  }
  instruction either on bus { fields { by : u8 at 8; } decode = address == 1; update { kept = by; } }
  instruction get on bus { fields { n : u4 at 0; } decode = read and address == 0; update { reply = kept; } }
}
"""


@pytest.fixture
def two(tmp_path: Path) -> CommandDevice:
    path = tmp_path / "two.acg"
    path.write_text(TWO_RECORDS)
    return CommandDevice(str(path))


@pytest.mark.parametrize("unit", ["control", "reduce", "norm", "pad", "attention"])
def test_registers_of_flexasr_hold_what_their_members_say(unit: str) -> None:
    generator, device = np.random.default_rng(SEED), CommandDevice("flexasr")
    for _ in range(20):
        said = {
            name: int(generator.integers(1 << bits)) for name, (_, bits) in SETUP.items() if generator.random() < 0.8
        }
        assert device.send(f"config_{unit}", **said) == b""
        there = int.from_bytes(device.send(f"read_config_{unit}", place=1), "little")
        assert there == sum(value << SETUP[name][0] for name, value in said.items())


def test_commands_are_those_of_a_driver() -> None:
    """The LSTM of flexnlp-ila: registers of the global buffer and of the first processing element, and its start."""
    stream = Path(__file__).parent / "flexasr/lstm_64x64_2.json.gz"
    commands = json.loads(gzip.decompress(stream.read_bytes()))["commands"]
    sent = [HostCommand(mode, int(address, 16), int(data, 16)) for mode, address, data in commands if mode == "W"]
    encode = CommandDevice("flexasr").encode
    biases = {"bias_of_weights": 2, "bias_of_bias": 2, "bias_of_inputs": 1}
    said = [
        encode("pe0_config_layer", is_valid=1, zero_first=1, has_bias=1, managers=2, vectors=4),
        encode("pe0_config_manager_0", **biases, vectors=4, biases=8),
        encode("pe0_config_manager_1", **biases, zero_active=1, vectors=4, weights=256, biases=12, inputs=4),
        encode("pe0_config_act", is_valid=1, zero_first=1, bias=2, length=24, vectors=1),
        encode("pe0_config_act_code_0", bytes=bytes.fromhex("303481a0343886b491343886a4189681")),
        encode("pe0_config_act_code_1", bytes=bytes.fromhex("20b0343886a49140")),
        encode("config_large", said=[4]),
        encode("config_control", is_valid=1, is_rnn=1, vectors_1=4, vectors_2=4, timesteps_1=2, bias_1=2),
        encode("start_control"),
    ]
    registers = [one for one in sent if one.address >> 24 in (0x33, 0x34) and one.address >> 20 & 15 not in (5, 6)]
    assert said == registers
    assert encode("pe0_store_weight", at=1, bytes=sent[4].data.to_bytes(16, "little")) == sent[4]


def test_words_of_vta_are_those_of_its_programs() -> None:
    device = CommandDevice("vta")
    fields = {one["name"]: one["fields"] for one in device.describe()["instructions"] if one["port"] == "words"}
    words = [int(word, 16) for program in PROGRAMS[::10] for word in program["instructions"]]
    assert len(words) > 100
    for word in words:
        name = next(name for name in fields if _is(word, name))
        said = {}
        for one in fields[name]:
            sign, bits = one["type"][0], int(one["type"][1:])
            value = word >> one["at"] & (1 << bits) - 1
            said[one["name"]] = value - (1 << bits) if sign == "i" and value >> bits - 1 else value
        assert device.word(name, **said) == word.to_bytes(16, "little")


def _is(word: int, name: str) -> bool:
    """Whether a word is this instruction of VTA; operations and kinds of memory are those of its hw_spec.h."""
    kinds = {"load_uop": 0, "load_wgt": 1, "load_inp": 2, "load_acc": 3, "load_acc8": 5}
    operation = {"store": 1, "gemm": 2, "finish": 3, "alu": 4}.get(name, 0)
    return word & 7 == operation and (name not in kinds or word >> 7 & 7 == kinds[name])


def test_members_signs_and_arrays(two: CommandDevice) -> None:
    assert two.encode("put", at=3, **{"a.low": -2, "a.high": [5], "b.low": 7}) == HostCommand("W", 0x30, 0x7005E)
    two.send("put", at=np.uint8(5), **{"a.low": np.int64(-8), "a.high": np.array([1, 15])})
    assert two.send("get") == (0x50000F18).to_bytes(4, "little")
    assert two.encode("either", by=3) == HostCommand("W", 1, 0x300)
    assert two.encode("get") == HostCommand("R", 0, 0)


@pytest.mark.parametrize(
    ("instruction", "fields", "got", "allowed"),
    [
        ("pit", {}, "pit", "put"),
        ("put", {"low": 1}, "low", "a.low"),
        ("put", {"c": 1}, "c", "at"),
        ("put", {"a.low": 8}, "a.low=8", "-8 to 7"),
        ("put", {"a.low": -9}, "a.low=-9", "-8 to 7"),
        ("put", {"a.low": 1.0}, "a.low=1.0", "-8 to 7"),
        ("put", {"a.low": "1"}, "a.low='1'", "-8 to 7"),
        ("put", {"a.low": [1]}, "a.low=[1]", "a number"),
        ("put", {"a.high": 1}, "a.high=1", "2 elements"),
        ("put", {"a.high": [1, 16]}, "a.high=16", "0 to 15"),
        ("put", {"a.high": bytes(3)}, "a.high: 3 elements", "2 elements"),
        ("put", {}, "at = 0x0", "at in 0x2..0x5"),
        ("put", {"at": 6}, "at = 0x6", "at in 0x2..0x5"),
        ("get", {"n": 1}, "0x1", "fields of the address"),
    ],
)
def test_mistakes_are_told(
    instruction: str, fields: dict[str, object], got: str, allowed: str, two: CommandDevice
) -> None:
    with pytest.raises(CovenantError) as raised:
        two.encode(instruction, **fields)
    said = raised.value.diagnostic
    assert (said.code, said.offending) == ("BEH0042", got)
    assert allowed in said.allowed
    assert said.fix
    assert re.fullmatch(r"two(, (put|get))?", said.subject)


def test_an_element_past_a_small_memory_is_told() -> None:
    with pytest.raises(CovenantError) as raised:
        CommandDevice("flexasr").send("pe1_load_act_memory", at=32)
    assert raised.value.diagnostic.offending == "at=32"
