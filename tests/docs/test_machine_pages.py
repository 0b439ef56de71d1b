"""Pages of machines that a host drives: their Python and their figures are those of the machines."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from covenant import CommandDevice, CommandStream, CovenantError, replay
from covenant.commands import HostCommand

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    return (ROOT / f"docs/reference/{name}.md").read_text()


def part_of(name: str, title: str) -> str:
    return page(name).partition(f"## {title}\n")[2].partition("\n## ")[0]


def python_of(name: str) -> str:
    """Lines that the Python of a page prints."""
    code = re.search(r"```python\n(.*?)```", page(name), re.DOTALL)[1]
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_convolution_in_python_is_near_the_exact_one() -> None:
    error = float(python_of("hlscnn").split()[0])
    # 9 places of the kernel, each cut by less than the lowest bit of Q9.7, its 8 products by less than that of a sum.
    assert 0 < error < 9 * (2**-7 + 8 * 2**-16)


@pytest.mark.parametrize("name", ["flexasr", "hlscnn", "vta"])
def test_options_have_the_defaults_that_the_page_says(name: str) -> None:
    text = (ROOT / f"acg/machines/{name}.acg").read_text()
    options = dict(re.findall(r"option (\w+)[^=]*= ([^;]+);", text))
    table = part_of(name, "Options")
    listed: dict[str, str] = {}
    for names, defaults in re.findall(r"\| (`[^|]+`) \| ([^|]+) \|", table):
        said = re.split(r"[,] ", defaults.replace("`", ""))
        listed |= dict(zip(re.findall(r"`(\w+)`", names), said, strict=False))
    assert set(listed) == set(options)
    for option, default in options.items():
        number = re.fullmatch(r"(\d+)([KM]?)", default)
        if number is None:
            assert listed[option].strip() == default or option in ("output_int_bits", "filter_bits")
            continue
        values = {default, str(int(number[1]) * {"": 1, "K": 1024, "M": 1 << 20}[number[2]]), f"{number[1]} MiB"}
        assert listed[option].strip() in values, option


def test_a_deadlock_of_vta_is_told_as_the_page_says() -> None:
    finish = 3 | 1 << 3
    commands = [HostCommand("W", 0x8000_0000, finish, 1), HostCommand("W", 8, 1, 2), HostCommand("W", 0, 1, 3)]
    with pytest.raises(CovenantError) as raised:
        replay(CommandStream((*commands, HostCommand("Q", line=4))), CommandDevice("vta"))
    told, said = (re.sub(r"\d+", "N", " ".join(text.split())) for text in (str(raised.value), page("vta")))
    assert told.partition(" fix:")[0] in said


def test_flexasr_has_the_addresses_that_its_page_says() -> None:
    device = CommandDevice("flexasr")
    known = {one["name"]: one["tests"] for one in device.describe()["instructions"]}
    rows = re.findall(r"^\| (0x[^|]+) \| ([^|]+) \|", part_of("flexasr", "Addresses"), re.MULTILINE)
    assert len(rows) == 15
    for where, what in rows:
        numbers, names = (
            [int(word, 16) for word in where.replace(",", "").split() if word[:2] == "0x"],
            what.split("`")[1::2],
        )
        if names == ["config_sram"]:
            assert [device.encode("config_sram", partition=0x33).address] == numbers
            continue
        tests = [next((low, high) for at, bits, low, high in known[name] if (at, bits) == (128, 32)) for name in names]
        if " to " in where:
            assert {(low, high | 15) for low, high in tests} == {(numbers[0], numbers[1] | 15)}
        else:
            assert tests == [(number, number) for number in numbers]


def test_flexasr_has_the_members_that_its_page_says() -> None:
    fields = {one["name"]: one["fields"] for one in CommandDevice("flexasr").describe()["instructions"]}
    said: dict[str, set[str]] = {}
    command = "config_control"
    for first, second in re.findall(r"^\| (`[^|]+|) ?\| (`?[^|]+) \|", part_of("flexasr", "Registers"), re.MULTILINE):
        if not second.startswith("`"):
            names = re.findall(r"`(\w+)`", first)
            names = [f"bias_{i}" for i in range(1, 5)] if names == ["bias_1", "bias_4"] else names
        else:
            command = first.strip("` ") or command
            names = re.findall(r"`(\w+)`", second)
        said.setdefault(command, set()).update(names)
    assert set(said) == {"config_control", "pe0_config_layer", "pe0_config_manager_0", "pe0_config_act"}
    for name, members in said.items():
        assert members == {one["name"].removeprefix("said.") for one in fields[name]}


@pytest.mark.parametrize(("layer", "stream"), [("RNN", "rnn_64x64"), ("LSTM", "lstm_64x64_2"), ("GRU", "gru_64x64")])
def test_programs_of_layers_are_those_of_drivers(layer: str, stream: str) -> None:
    said = bytes.fromhex(re.search(rf"^\| {layer} \| `([^`]+)`", page("flexasr"), re.MULTILINE)[1])
    commands = CommandStream.load(ROOT / f"tests/e2e/commands/flexasr/{stream}.json.gz").commands
    sent = {one.address: one.data.to_bytes(16, "little") for one in commands if one.mode == "W"}
    assert said == (sent[0x34800020] + sent[0x34800030])[: sent[0x34800010][3]]


def test_the_mean_in_python_is_right() -> None:
    assert python_of("flexasr") == "-0.5 in 7 cycles\n"
