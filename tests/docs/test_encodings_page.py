"""The machine on the page about encodings loads, and has the instructions that the page talks about."""

from __future__ import annotations

from pathlib import Path

import covenant

PAGE = Path(__file__).resolve().parents[2] / "docs/reference/encodings.md"


def test_the_example_loads(tmp_path):
    text = PAGE.read_text().split("```acg\n")[1].split("```")[0]
    file = tmp_path / "pair_core.acg"
    file.write_text(text)
    machine = covenant.Machine(str(file))
    names = [mnemonic["name"] for mnemonic in machine.to_dict()["mnemonics"]]
    assert names == ["ADDI", "EXT", "MUL", "LOAD"]
    for name in names:
        assert name in machine.isa_manual()


def test_the_page_counts_what_is_there():
    count = len(covenant.Machine("hvx").to_dict()["mnemonics"])
    assert f"states {count} instructions" in PAGE.read_text()
    assert f"200 for each of {count}" in PAGE.read_text()
