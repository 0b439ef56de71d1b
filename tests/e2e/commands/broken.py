"""Machines that commands drive, broken by rule: what is inserted or changed, and how it has to be refused.

A rule of insertion puts statements between two others of a machine, so that its place is known; a rule of change makes
a line wrong that was right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

MACHINES = Path(__file__).resolve().parents[3] / "acg/machines"
INCLUDED = ("adaptivfloat", "fixed_point", "piecewise")


@dataclass(frozen=True)
class Broken:
    """A text that has to be refused."""

    rule: str
    text: str
    codes: tuple[str, ...]
    line: int
    """Line of the diagnostic."""


@dataclass(frozen=True)
class Insertion:
    """Statements that are wrong; `line` is that of the error among them."""

    text: str
    code: str
    line: int = 0


def _name(random: Random) -> str:
    return "z" + "".join(random.choice("abcdefgh") for _ in range(6))


def insertions(random: Random) -> dict[str, Insertion]:
    """A wrong statement for each rule, with names and numbers of its own."""
    z, bits, size = _name(random), random.randrange(2, 30), random.randrange(2, 50)
    port = f"port {z}p {{ address = 16; data = 32; }} "
    state = f"state {z} : i{bits}[{size}] = 0;"
    use = f"process {z}q {{ {z}[0] = {z}[1]; }}"
    return {
        "overlapping decodes": Insertion(
            f"{port}instruction {z}a on {z}p {{ decode = write and address in 3..{3 + size}; update {{ }} }}\n"
            f"instruction {z}b on {z}p {{ decode = write and address in {2 + size}..99; update {{ }} }}", "BEH0007", 1),
        "a value that does not fit": Insertion(
            f"{state} {use}\nprocess {z}r {{ {z}[0] = {z}[1] + {1 << bits}; }}", "BEH0002", 1),
        "a product past its type": Insertion(f"{state} process {z}r {{ {z}[0] = {z}[1] * {z}[1]; }}", "BEH0002"),
        "a field past the command": Insertion(
            f"{port}instruction {z}a on {z}p {{ fields {{ f : u{bits} at {33 - bits}; }} decode = read; }}", "BEH0008"),
        "an unknown name": Insertion(f"{state} {use} process {z}r {{ {z}[0] = {z}x; }}", "BEH0001"),
        "an unknown queue": Insertion(f"process {z}r {{ push({z}, {size}); }}", "BEH0001"),
        "an unknown function": Insertion(f"{state} {use} process {z}r {{ {z}[0] = {z}f({size}); }}", "BEH0001"),
        "a function that calls itself": Insertion(
            f"function {z}(n : u{bits}) : u{bits} {{ return {z}(n); }}", "BEH0001"),
        "a loop without an end": Insertion(f"{state} {use} process {z}r {{ while {z}[0] > 0 {{ }} }}", "BEH0001"),
        "a loop whose bound is no number": Insertion(
            f"{state} {use} process {z}r {{ for i in 0..{z} {{ }} }}", "BEH0004"),
        "state that nothing writes": Insertion(
            f"state {z} : u{bits} = 0;\nprocess {z}q {{ wait {z} > 0; }}", "BEH0011"),
        "state that nothing reads": Insertion(f"state {z} : u{bits} = 0;\nprocess {z}q {{ {z} = 1; }}", "BEH0011"),
        "a queue that nothing fills": Insertion(
            f"queue {z} : u{bits} {{ depth = {size}; }}\nprocess {z}q {{ let n = pop({z}); }}", "BEH0011"),
        "a queue that nothing empties": Insertion(
            f"queue {z} : u{bits} {{ depth = {size}; }}\nprocess {z}q {{ push({z}, 1); }}", "BEH0011"),
        "a word that nothing executes": Insertion(
            f"stream {z}s {{ data = 32; }}\ninstruction {z}a on {z}s {{ fields {{ f : u8 at 0; }} decode = f == 1; }}",
            "BEH0011", 1),
        "an index past the state": Insertion(f"{state} {use}\nprocess {z}r {{ {z}[{size}] = 0; }}", "BEH0006", 1),
        "an index below 0": Insertion(f"{state} {use}\nprocess {z}r {{ {z}[0] = {z}[0 - {size}]; }}", "BEH0006", 1),
        "an array for a number": Insertion(f"{state} {use}\nprocess {z}r {{ {z}[0] = {z}; }}", "BEH0004", 1),
        "an array of another size": Insertion(
            f"{state} {use}\nprocess {z}r {{ {z} = [i in 0..{size} : 0]; }}", "BEH0004", 1),
        "a shift that is too wide": Insertion(
            f"{state} {use}\nprocess {z}r {{ {z}[0] = 1 >> {z}[0] * 64; }}", "BEH0003", 1),
        "a sum of more than 64 bits": Insertion(
            f"function {z}(n : i60) : i64 {{ return sum(i in 0..{31 + size} : n); }}", "BEH0003"),
        "a push within a step": Insertion(
            f"queue {z} : u8 {{ depth = 1; }}\nprocess {z}q {{ step {{ push({z}, 1); }} }}", "BEH0009", 1),
        "a wait within a step": Insertion(
            f"{state} {use}\nprocess {z}r {{ step {{ wait {z}[0] == 0; }} }}", "BEH0009", 1),
        "a reply of a process": Insertion(f"process {z} {{ reply = {size}; }}", "BEH0009"),
        "a reply to a word": Insertion(
            f"stream {z}s {{ data = 32; }}\ninstruction {z}a on {z}s {{ fields {{ f : u8 at 0; }} decode = f == 1;\n"
            f"update {{ reply = f; }} }}", "BEH0009", 2),
        "a name that is taken": Insertion(f"{state} {use}\nstate {z} : u8 = 0;", "BEH0013", 1),
        "no such type": Insertion(f"state {z} : i{64 + bits} = 0;", "BEH0005"),
        "an initial value past its type": Insertion(f"state {z} : u{bits} = {1 << bits};", "BEH0005"),
        "a port of no whole bytes": Insertion(f"port {z} {{ address = 8; data = {8 * size + 1}; }}", "BEH0005")
        if 8 * size + 1 <= 256 else Insertion(f"port {z} {{ address = 8; data = 12; }}", "BEH0005"),
        "a queue without a depth": Insertion(f"queue {z} : u{bits} {{ depth = 0; }}", "BEH0005"),
        "members that share bits": Insertion(f"record {z} {{ a : u{bits} at 0; b : u2 at {bits - 1}; }}", "BEH0008"),
        "a record for a number": Insertion(
            f"record {z} {{ a : u{bits} at 0 = 0; }} state {z}s : {z}[{size}];\n"
            f"process {z}q {{ {z}s[0].a = {z}s[1]; }}", "BEH0004", 1),
        "an unknown member": Insertion(
            f"record {z} {{ a : u{bits} at 0 = 0; }} state {z}s : {z}[{size}];\nprocess {z}q {{ {z}s[0].b = 0; }}",
            "BEH0001", 1),
        "a table of too few values": Insertion(f"table {z} : u8[{size + 1}] = [1, 2];", "BEH0004"),
        "a write into a table": Insertion(
            f"table {z} : u8[2] = [1, 2];\nprocess {z}q {{ {z}[0] = {z}[1]; }}", "BEH0001", 1),
        "a format without an encoder": Insertion(f"format {z}(code : u8) {{ image = code; exponent = 0; }}", "BEH0001"),
        "a decode that no number can be": Insertion(
            f"{port}instruction {z}a on {z}p {{ fields {{ f : u3 at 0; }} decode = f == {8 + size}; }}", "BEH0005"),
    }  # fmt: skip


def _items(lines: list[str]) -> list[int]:
    """Places between statements of the machine, after those that declare what is used below."""
    depth, places = 0, []
    for number, line in enumerate(lines):
        code = re.sub(r'"[^"]*"', '""', line.partition("#")[0])
        depth += code.count("{") - code.count("}")
        if depth == 1 and number > 0 and code.rstrip().endswith((";", "}")):
            places.append(number + 1)
    return places


def _inserted(rule: str, machine: str, random: Random) -> Broken:
    lines = (MACHINES / f"{machine}.acg").read_text().splitlines()
    wrong = insertions(random)[rule]
    at = random.choice(_items(lines))
    lines[at:at] = wrong.text.splitlines()
    return Broken(rule, "\n".join(lines) + "\n", (wrong.code,), at + 1 + wrong.line)


def _without_a_symbol(machine: str, random: Random) -> Broken:
    """Without a semicolon between two statements of a line, what follows is not expected."""
    lines = (MACHINES / f"{machine}.acg").read_text().splitlines()
    places = [
        (number, found.start())
        for number, line in enumerate(lines)
        for found in re.finditer(r";(?= \w)", line.partition("#")[0])
        if "for " not in line
    ]
    number, at = random.choice(places)
    lines[number] = lines[number][:at] + lines[number][at + 1 :]
    return Broken("without a semicolon", "\n".join(lines) + "\n", ("ACG0002", "ACG0003"), number + 1)


def _misspelt(machine: str, random: Random) -> Broken:
    """A function's name with a letter more, where it is called."""
    text = (MACHINES / f"{machine}.acg").read_text()
    functions = re.findall(r"function (\w+)\(", text)
    lines = text.splitlines()
    places = [
        (number, found.end(1))
        for number, line in enumerate(lines)
        for found in re.finditer(rf"\b({'|'.join(functions)})\(", line)
        if "function" not in line
    ]
    number, at = random.choice(places)
    lines[number] = lines[number][:at] + "x" + lines[number][at:]
    return Broken("a function's name misspelt", "\n".join(lines) + "\n", ("BEH0001",), number + 1)


CHANGES: tuple[Callable[[str, Random], Broken], ...] = (_without_a_symbol, _misspelt)


def broken_machines(count: int, seed: int) -> list[Broken]:
    """So many machines, all rules and all builtin texts in turn."""
    random = Random(seed)  # noqa: S311
    rules = list(insertions(random))
    machines = ("vta", "hlscnn", "flexasr")
    made = []
    for number in range(count):
        machine = machines[number % len(machines)]
        turn = number % (len(rules) + len(CHANGES))
        made.append(
            _inserted(rules[turn], machine, random)
            if turn < len(rules)
            else CHANGES[turn - len(rules)](machine, random)
        )
    return made
