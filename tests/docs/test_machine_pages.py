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


def test_the_convolution_in_python_is_near_the_exact_one() -> None:
    code = re.search(r"```python\n(.*?)```", page("hlscnn"), re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    error = float(done.stdout.split()[0])
    # 9 places of the kernel, each cut by less than the lowest bit of Q9.7, its 8 products by less than that of a sum.
    assert 0 < error < 9 * (2**-7 + 8 * 2**-16)


@pytest.mark.parametrize("name", ["hlscnn", "vta"])
def test_options_have_the_defaults_that_the_page_says(name: str) -> None:
    text = (ROOT / f"acg/machines/{name}.acg").read_text()
    options = dict(re.findall(r"option (\w+)[^=]*= ([^;]+);", text))
    table = page(name).partition("## Options")[2].partition("\n## ")[0]
    listed: dict[str, str] = {}
    for names, defaults in re.findall(r"\| (`[^|]+`) \| ([^|]+) \|", table):
        said = re.split(r"[,] ", defaults.replace("`", ""))
        listed |= dict(zip(re.findall(r"`(\w+)`", names), said, strict=False))
    assert set(listed) == set(options)
    for option, default in options.items():
        number = re.fullmatch(r"(\d+)([KM]?)", default)
        if number is None:
            assert option in ("rounding", "overflow", "output_int_bits", "filter_bits")
            assert default in ("DOWN", "SATURATE") or option in ("output_int_bits", "filter_bits")
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
