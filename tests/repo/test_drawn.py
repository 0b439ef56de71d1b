"""Drawn mutants: their sites are allowed ones, and draws are the same on every computer."""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/mutation"))

from drawing import ROOMS, draw, written  # noqa: E402  (a folder of scripts, no package)
from operators import OPERATORS, sites  # noqa: E402
from scan import scan  # noqa: E402

CPP = """#include "a.h"
constexpr int kSize = 4 - 1;
static_assert(kSize < 4 && kSize > 2);
template <class T, int n = 3>
void f(std::vector<std::array<int, 4>>& all, T&& one) {
  // a < b && c == 1
  check(one < 3, "one - 2 < 1");
  if (one < kLimit && 'a' == one) all.clear();
  one = 0;
  int fresh = one - all[0];
  switch (fresh) { case 7: one = static_cast<uint16_t>(fresh); }
}
"""
VERILOG = """module m #(parameter int unsigned Size = 4 - 1) (input logic [7:0] a_i);
  localparam int Last = Size - 1;
  if (Size > 1) begin : gen_some
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      q <= '0;
    end else if (a_i <= b && c) begin
      q <= 16'(d - 8'd1);
    end
  end
  Last_A: assert property (a_i < 8'd9);
endmodule
"""


def found(name: str, text: str) -> list[tuple[str, str]]:
    return [(site.operator, site.what) for site in sites(scan(name, text))]


def test_cpp_sites_are_what_a_program_does() -> None:
    assert found("a.cpp", CPP) == [
        ("edge", "< -> <="),
        ("logic", "one < kLimit && 'a' == one -> (one < kLimit) || ('a' == one)"),
        ("equality", "== -> !="),
        ("reset", "all.clear(); -> nothing"),
        ("reset", "one = 0; -> nothing"),
        ("off-by-one", "0 -> 1"),
        ("swap", "- -> operands of - swapped"),
        ("off-by-one", "0 -> 1"),
        ("cast", "static_cast<uint16_t>(fresh) -> static_cast<uint32_t>(fresh)"),
    ]


def test_verilog_sites_are_what_a_machine_does() -> None:
    assert found("a.sv", VERILOG) == [
        ("reset", "q <= '0; -> nothing"),
        ("edge", "a_i <= b -> (a_i) < (b)"),
        ("logic", "a_i <= b && c -> (a_i <= b) || (c)"),
        ("cast", "16'(d - 8'd1) -> 16'(7'(d - 8'd1))"),
        ("swap", "d - 8'd1 -> (8'd1) - (d)"),
        ("off-by-one", "8'd1 -> 8'd2"),
    ]


@pytest.fixture(scope="module")
def drawn():
    return draw(200, 1, set())


def test_draws_are_equal_everywhere_and_in_every_room(drawn) -> None:
    assert [one.name for one in drawn] == [one.name for one in draw(200, 1, set())]
    assert len({one.name for one in drawn}) == len(drawn) == 200
    assert Counter(one.room for one in drawn) == dict.fromkeys(ROOMS, 40)
    assert {one.site.operator for one in drawn} == set(OPERATORS)
    other = {one.name for one in draw(200, 2, set())}
    assert len(other & {one.name for one in drawn}) < 20


def test_what_is_refused_is_not_drawn_and_changes_nothing_else(drawn) -> None:
    others = draw(200, 1, {drawn[7].name})
    assert drawn[7].name not in {one.name for one in others}
    changed = [one for one, other in zip(drawn, others, strict=True) if one.name != other.name]
    assert {(one.room, one.site.operator) for one in changed} == {(drawn[7].room, drawn[7].site.operator)}


def test_sources_keep_their_lines(drawn) -> None:
    for name in sorted({one.file for one in drawn}):
        own = [(number, one) for number, one in enumerate(drawn, 1) if one.file == name]
        added = 0 if name.endswith(".sv") else 2
        text = (ROOT / name).read_text(encoding="utf-8")
        assert written(name, own).count("\n") == text.count("\n") + added, name


def test_every_survivor_has_a_reason() -> None:
    entries = tomllib.loads((ROOT / "tests/mutation/drawn.toml").read_text(encoding="utf-8")).get("mutant", [])
    assert len({entry["name"] for entry in entries}) == len(entries)
    for entry in entries:
        assert entry["is"] in ("equivalent", "survivor"), entry["name"]
        assert len(entry["reason"].split()) > 3, entry["name"]
